package gateway

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"plumbline.dev/plumbline/fakegpu/control"
	"plumbline.dev/plumbline/fakegpu/server"
	"plumbline.dev/plumbline/reference/completion"
	"plumbline.dev/plumbline/reference/config"
	"plumbline.dev/plumbline/reference/generation"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const (
	key1   = "sk-secret-one"
	key2   = "sk-secret-two"
	keyOrg = "sk-secret-other"
	secret = "the secret prompt"
)

// rig is a gateway in front of a fake GPU, both listening, with a client.
type rig struct {
	*testing.T
	base    string
	cfg     *config.Config
	client  *http.Client
	gpu     *control.Client
	log     *lockedBuffer
	settled chan generation.Settlement
	cancel  context.CancelFunc
	served  chan error
	nonces  atomic.Int64
}

// newRig starts both; change may change the settings of the gateway first.
func newRig(t *testing.T, change func(*config.Config)) *rig {
	t.Helper()
	gpu, err := server.Listen(context.Background(), "127.0.0.1:0", server.Options{})
	require.NoError(t, err)
	t.Cleanup(gpu.Close)
	cfg := config.Default(config.ProfileMortar)
	cfg.Listeners[0].Address = "127.0.0.1:0"
	cfg.MetricsListen = "127.0.0.1:0"
	cfg.Limits.Drain = time.Minute
	model := config.DefaultModel(config.ProfileMortar)
	model.ModelServers = []config.ModelServer{{Name: "gpu-0", URL: gpu.URL(), APIKey: config.NewSecret("server-key")}}
	cfg.Models = []config.Model{model}
	cfg.Organizations = []config.Organization{
		{ID: "org", Keys: []config.Key{config.KeyFrom("one", key1), config.KeyFrom("two", key2)}},
		{ID: "other", Keys: []config.Key{config.KeyFrom("three", keyOrg)}},
	}
	if change != nil {
		change(cfg)
	}
	require.NoError(t, cfg.Complete())
	r := &rig{
		T: t, cfg: cfg, client: &http.Client{Transport: &http.Transport{DisableCompression: true}}, log: new(lockedBuffer),
		settled: make(chan generation.Settlement, 1000), served: make(chan error, 1),
	}
	g, err := New(cfg, Deps{Log: slog.New(slog.NewJSONHandler(r.log, nil)), Observer: tell{r.settled}, SampleFirstToken: -1, SampleInterToken: -1})
	require.NoError(t, err)
	require.NoError(t, g.Listen())
	r.base = g.URL(0)
	r.gpu = control.NewClient(gpu.URL(), r.client)
	var ctx context.Context
	ctx, r.cancel = context.WithCancel(context.Background())
	go func() { r.served <- g.Serve(ctx) }()
	t.Cleanup(func() {
		gpu.Close() // so that no reply holds the gateway's drain
		r.client.CloseIdleConnections()
		r.cancel()
		require.NoError(t, <-r.served)
		log := r.log.String()
		for _, private := range []string{key1, key2, keyOrg, "server-key", secret} {
			require.NotContains(t, log, private, "in the log")
		}
	})
	return r
}

// script registers a script and returns its nonce.
func (r *rig) script(s control.Script) string {
	r.Helper()
	s.Nonce = fmt.Sprintf("gatewaytest%08d", r.nonces.Add(1))
	require.NoError(r, r.gpu.Register(r.Context(), s))
	return s.Nonce
}

// body is a request whose prompt carries the nonce; more holds further fields.
func body(nonce, more string) string {
	if more != "" {
		more = "," + more
	}
	return `{"stream":true,"messages":[{"role":"user","content":"` + secret + " " + control.Marker(nonce) + `"}]` + more + `}`
}

// send sends a request; the caller closes the answer's body.
func (r *rig) send(ctx context.Context, method, path, key, body string, headers ...string) *http.Response {
	r.Helper()
	req, err := http.NewRequestWithContext(ctx, method, r.base+path, strings.NewReader(body))
	require.NoError(r, err)
	if key != "" {
		req.Header.Set("Authorization", "Bearer "+key)
	}
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	resp, err := r.client.Do(req)
	require.NoError(r, err)
	r.Cleanup(func() { _ = resp.Body.Close() })
	return resp
}

func (r *rig) complete(body string) *http.Response {
	r.Helper()
	return r.send(r.Context(), http.MethodPost, "/v1/chat/completions", key1, body)
}

// read reads the rest of an answer.
func read(resp *http.Response) (string, error) {
	all, err := io.ReadAll(resp.Body)
	_ = resp.Body.Close()
	return string(all), err
}

// until reads on until text has come, and returns what came.
func until(t *testing.T, from io.Reader, text string) string {
	t.Helper()
	var seen strings.Builder
	for buf := make([]byte, 4<<10); !strings.Contains(seen.String(), text); {
		n, err := from.Read(buf)
		seen.Write(buf[:n])
		require.NoError(t, err, "before %q came: %s", text, &seen)
	}
	return seen.String()
}

func (r *rig) stop(id, key string) *http.Response {
	r.Helper()
	return r.send(r.Context(), http.MethodPost, "/v1/generations/"+id+"/stop", key, "")
}

func (r *rig) atGate(nonce, gate string) {
	r.Helper()
	_, err := r.gpu.Await(r.Context(), nonce, control.Condition{Gate: gate})
	require.NoError(r, err)
}

func (r *rig) ended(nonce string) control.Record {
	r.Helper()
	j, err := r.gpu.Await(r.Context(), nonce, control.Condition{Ended: true})
	require.NoError(r, err)
	return j.Requests[0]
}

// tell passes settlements on.
type tell struct{ settled chan generation.Settlement }

func (tell) Started(generation.Info)                   {}
func (tell) Routed(generation.Info, completion.Route)  {}
func (tell) FirstToken(generation.Info, time.Duration) {}
func (t tell) Settled(s generation.Settlement)         { t.settled <- s }

type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

var varying = regexp.MustCompile(`"id":"chatcmpl-[0-9a-f]{24}","object":"(chat\.completion|chat\.completion\.chunk)","created":\d+,"model":"Qwen/Qwen2\.5-7B-Instruct"`)

// plain replaces what is the same on every chunk, and the JSON around it.
func plain(stream string) string {
	stream = varying.ReplaceAllString(stream, "‹head›")
	stream = strings.ReplaceAll(stream, `data: {‹head›,"choices":[`, "")
	stream = strings.ReplaceAll(stream, `,"logprobs":null,"finish_reason":null}]`, "")
	return strings.ReplaceAll(stream, "\n\n", "\n")
}
