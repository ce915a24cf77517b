package gateway

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus/promhttp"
)

const (
	headerTimeout = 10 * time.Second
	keepAlive     = 2 * time.Minute
	maxHeader     = 64 << 10
	// lastWords is how long replies that the drain limit ended have to say so.
	lastWords = 2 * time.Second
)

// Listen opens every listener of the configuration. It is called once.
func (g *Gateway) Listen() error {
	open := func(address string) (net.Listener, error) {
		l, err := net.Listen("tcp", address)
		if err != nil {
			g.closeListeners()
			return nil, fmt.Errorf("listening on %s: %w", address, err)
		}
		return l, nil
	}
	for _, l := range g.cfg.Listeners {
		listener, err := open(l.Address)
		if err != nil {
			return err
		}
		g.listeners = append(g.listeners, listener)
	}
	if g.cfg.MetricsListen != "" {
		listener, err := open(g.cfg.MetricsListen)
		if err != nil {
			return err
		}
		g.metrics = listener
	}
	return nil
}

func (g *Gateway) closeListeners() {
	for _, l := range g.listeners {
		_ = l.Close()
	}
	g.listeners = nil
	if g.metrics != nil {
		_ = g.metrics.Close()
	}
}

// URL is the base of the i-th listener, such as http://127.0.0.1:8080. It is
// known after Listen.
func (g *Gateway) URL(i int) string { return "http://" + g.listeners[i].Addr().String() }

// MetricsURL is where Prometheus finds the metrics, "" if nowhere.
func (g *Gateway) MetricsURL() string {
	if g.metrics == nil {
		return ""
	}
	return "http://" + g.metrics.Addr().String() + "/metrics"
}

// Serve serves on the listeners that Listen opened until ctx ends. Then it takes
// no new request, lets running replies go on for the drain limit, ends the rest
// with one error event each, and returns when nothing of it runs any more.
func (g *Gateway) Serve(ctx context.Context) error {
	if len(g.listeners) == 0 {
		return errors.New("serving: no listener is open: call Listen first")
	}
	var servers []*http.Server
	failed := make(chan error, len(g.listeners)+1)
	var running sync.WaitGroup
	start := func(l net.Listener, h http.Handler) {
		s := g.server(h)
		servers = append(servers, s)
		running.Go(func() {
			if err := s.Serve(l); !errors.Is(err, http.ErrServerClosed) {
				failed <- fmt.Errorf("serving on %s: %w", l.Addr(), err)
			}
		})
	}
	for i, l := range g.listeners {
		start(l, g.faces[i])
	}
	if g.metrics != nil {
		start(g.metrics, promhttp.HandlerFor(g.registry, promhttp.HandlerOpts{}))
	}
	watching, stopWatching := context.WithCancel(context.WithoutCancel(ctx))
	for _, m := range g.models {
		if m.pool != nil {
			running.Go(func() { m.pool.Watch(watching) })
		}
	}
	var err error
	select {
	case <-ctx.Done():
	case err = <-failed:
	}
	g.shutDown(servers)
	stopWatching()
	running.Wait()
	for _, m := range g.models {
		if m.pool != nil {
			m.pool.Close()
		}
	}
	return errors.Join(err, g.book.Close())
}

func (g *Gateway) server(h http.Handler) *http.Server {
	return &http.Server{
		Handler:           h,
		ReadHeaderTimeout: headerTimeout,
		IdleTimeout:       keepAlive,
		MaxHeaderBytes:    maxHeader,
		// No WriteTimeout: "Stream responses, Proxies and timeouts" puts no time
		// limit on a stream.
		ErrorLog: slog.NewLogLogger(g.log.Handler(), slog.LevelWarn),
	}
}

// shutDown drains the servers, in parallel, and closes what is left.
func (g *Gateway) shutDown(servers []*http.Server) {
	g.draining.Store(true)
	g.hub.Drain()
	limit, cancel := context.WithTimeout(context.Background(), g.cfg.Limits.Drain)
	defer cancel()
	if !drained(limit, servers) {
		g.endDrain()
		last, cancel := context.WithTimeout(context.Background(), lastWords)
		defer cancel()
		drained(last, servers)
	}
	g.endDrain()
	for _, s := range servers {
		_ = s.Close()
	}
}

// drained waits until no server has a request left, and tells whether that was
// before the limit.
func drained(limit context.Context, servers []*http.Server) bool {
	var wait sync.WaitGroup
	results := make([]error, len(servers))
	for i, s := range servers {
		wait.Go(func() { results[i] = s.Shutdown(limit) })
	}
	wait.Wait()
	return errors.Join(results...) == nil
}
