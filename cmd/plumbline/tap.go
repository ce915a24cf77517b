package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"plumbline.dev/plumbline/conformance/lint"
	"plumbline.dev/plumbline/conformance/nearest"
	"plumbline.dev/plumbline/conformance/tap"
)

// tapping is the tap command at work.
type tapping struct {
	upstream, listen, metrics, profile, report, folder string
	keep                                               int
	noBodies                                           bool
	stdout, stderr                                     io.Writer
}

func newTapCommand() *cobra.Command {
	var t tapping
	cmd := &cobra.Command{
		Use:   "tap --upstream URL",
		Short: "Judge live traffic as it passes",
		Long: `Stand between clients and a gateway, pass every byte on unchanged and at once, and judge
each stream as it passes by the rules that need no more than the stream itself.

What breaks a row is printed when its stream ends. The traffic never waits for the judging:
a stream that comes faster than it can be judged, or that takes too much memory, passes
unjudged, which is counted.`,
		Example: `  plumbline tap --upstream http://127.0.0.1:8080 --listen 127.0.0.1:8081
  plumbline tap --upstream https://api.example.com --metrics 127.0.0.1:9090 --keep 20 --keep-dir offending`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			t.stdout, t.stderr = cmd.OutOrStdout(), cmd.ErrOrStderr()
			return t.run(cmd.Context())
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&t.upstream, "upstream", "", "base URL of the gateway, without /v1")
	flags.StringVar(&t.listen, "listen", "127.0.0.1:8081", "host:port that clients use instead")
	flags.StringVar(&t.metrics, "metrics", "", "host:port to serve Prometheus metrics on, by row (default none)")
	flags.StringVar(&t.profile, "profile", "", "whose rows are judged, as for run (default: guessed for each stream)")
	flags.StringVar(&t.report, "report", "pretty", strings.Join(reportNames(), ", "))
	flags.IntVar(&t.keep, "keep", 0, "keep the last N streams that break a row, as files for plumbline lint")
	flags.StringVar(&t.folder, "keep-dir", "plumbline-tap", "folder of the kept streams")
	flags.BoolVar(&t.noBodies, "no-bodies", false, "keep nothing of what was said: neither in files nor in what is printed")
	return cmd
}

// drainLimit is how long running streams may go on after the end was asked for.
const drainLimit = 30 * time.Second

func (t *tapping) run(ctx context.Context) error {
	proxy, err := t.proxy()
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", t.listen)
	if err != nil {
		return harnessError{fmt.Errorf("listen for clients: %w", err)}
	}
	servers := map[*http.Server]net.Listener{{Handler: proxy, ReadHeaderTimeout: time.Minute}: listener}
	if t.metrics != "" {
		metrics, err := net.Listen("tcp", t.metrics)
		if err != nil {
			listener.Close()
			return harnessError{fmt.Errorf("listen for Prometheus: %w", err)}
		}
		mux := http.NewServeMux()
		mux.Handle("GET /metrics", proxy.Metrics())
		servers[&http.Server{Handler: mux, ReadHeaderTimeout: time.Minute}] = metrics
		fmt.Fprintf(t.stderr, "metrics at http://%s/metrics\n", metrics.Addr())
	}
	fmt.Fprintf(t.stderr, "tapping %s at http://%s\n", t.upstream, listener.Addr())
	return serveUntil(ctx, servers, proxy.Wait)
}

// serveUntil serves until ctx ends, lets running requests end, and waits.
func serveUntil(ctx context.Context, servers map[*http.Server]net.Listener, wait func()) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	failed := make(chan error, len(servers))
	var serving sync.WaitGroup
	for server, listener := range servers {
		serving.Go(func() {
			if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
				failed <- err
				stop()
			}
		})
	}
	<-ctx.Done()
	drain, cancel := context.WithTimeout(context.WithoutCancel(ctx), drainLimit)
	defer cancel()
	for server := range servers {
		if server.Shutdown(drain) != nil {
			server.Close()
		}
	}
	serving.Wait()
	wait()
	select {
	case err := <-failed:
		return harnessError{err}
	default:
		return nil
	}
}

// proxy builds the proxy that the flags describe.
func (t *tapping) proxy() (*tap.Proxy, error) {
	upstream, err := url.Parse(t.upstream)
	if err != nil || upstream.Host == "" || upstream.Scheme != "http" && upstream.Scheme != "https" {
		return nil, fmt.Errorf("--upstream %q: expected the base URL of a gateway, as http://127.0.0.1:8080", t.upstream)
	}
	write, ok := lint.Writers()[t.report]
	if !ok {
		return nil, fmt.Errorf("there is no report %q: %s", t.report, nearest.Hint(t.report, reportNames()))
	}
	options := tap.Options{Upstream: upstream, Lint: lint.Options{Profile: t.profile}}
	if t.keep > 0 {
		if options.Keep, err = tap.NewKeeper(t.folder, t.keep, !t.noBodies); err != nil {
			return nil, harnessError{err}
		}
	}
	var mu sync.Mutex
	options.Found = func(r *lint.Report) {
		if t.noBodies {
			r = r.WithoutBodies()
		}
		mu.Lock()
		defer mu.Unlock()
		_ = write(t.stdout, r) // a terminal that is gone stops no traffic
	}
	return tap.New(options)
}
