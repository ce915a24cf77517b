package telemetry

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"plumbline.dev/plumbline/reference/account"
	"plumbline.dev/plumbline/reference/apierror"
	"plumbline.dev/plumbline/reference/completion"
	"plumbline.dev/plumbline/reference/generation"
	"plumbline.dev/plumbline/reference/price"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// mortar are the prices of the documents' example.
func mortar(string) price.Prices {
	return price.Prices{
		Input: price.MustParse("0.0313"), Output: price.MustParse("0.2373"),
		CacheRead: price.MustParse("0.00313"), CacheWrite: price.MustParse("0.039125"),
	}
}

// rig is a hub with its handler and an observer. Keys are "Bearer org".
type rig struct {
	*testing.T
	hub      *Hub
	handler  *Handler
	observer *Observer
	requests int
}

func newRig(t *testing.T, limits Limits) *rig {
	directory, err := account.NewDirectory([]account.Organization{
		{ID: "acme", Keys: []account.Key{{ID: "1", Digest: account.DigestOf("acme")}, {ID: "2", Digest: account.DigestOf("acme-2")}}},
		{ID: "rival", Keys: []account.Key{{ID: "1", Digest: account.DigestOf("rival")}}},
	})
	require.NoError(t, err)
	hub := NewHub(limits)
	return &rig{T: t, hub: hub, observer: NewObserver(hub, mortar), handler: &Handler{
		Hub: hub, Authenticate: directory.Authenticate, Heartbeat: 15 * time.Second, Tick: 2 * time.Second, Log: slog.New(slog.DiscardHandler),
		Refuse: func(w http.ResponseWriter, _ *http.Request, e *apierror.Error) {
			w.WriteHeader(e.Status)
			code, param := "", ""
			if e.Code != nil {
				code = *e.Code
			}
			if e.Param != nil {
				param = *e.Param
			}
			_, _ = io.WriteString(w, strings.TrimSpace(code+" "+param))
		},
	}}
}

// client is a client of an event stream, in memory.
type client struct {
	mu      sync.Mutex
	header  http.Header
	status  int
	body    bytes.Buffer
	stuck   bool // it does not read
	expired chan struct{}
	leave   context.CancelFunc
	over    chan struct{}
	aborted bool
}

func (c *client) Header() http.Header { return c.header }
func (c *client) WriteHeader(status int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.status = status
}
func (c *client) Flush() {}

func (c *client) Write(p []byte) (int, error) {
	if c.stuck {
		<-c.expired
		return 0, os.ErrDeadlineExceeded
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.body.Write(p)
}

func (c *client) SetWriteDeadline(t time.Time) error {
	time.AfterFunc(time.Until(t), func() { close(c.expired) })
	return nil
}

// text takes what has arrived, once everybody has come to rest.
func (c *client) text() string {
	synctest.Wait()
	c.mu.Lock()
	defer c.mu.Unlock()
	defer c.body.Reset()
	return c.body.String()
}

// received is an event that a client has received.
type received struct {
	name string
	data string
	json map[string]any
}

func (r received) text(key string) string {
	s, _ := r.json[key].(string)
	return s
}

func (r received) integer(key string) int64 {
	n, _ := r.json[key].(json.Number)
	i, _ := strconv.ParseInt(string(n), 10, 64)
	return i
}

// events takes the events that have arrived, and holds each to the documented
// form of a frame.
func (c *client) events(t testing.TB) []received {
	t.Helper()
	var all []received
	for block := range strings.SplitSeq(c.text(), "\n\n") {
		if block == "" || block == ": ping" {
			continue
		}
		all = append(all, parse(t, []byte(block+"\n\n")))
	}
	return all
}

func parse(t testing.TB, frame []byte) received {
	t.Helper()
	event, data, ok := strings.Cut(strings.TrimSuffix(string(frame), "\n\n"), "\n")
	require.True(t, ok, "%s", frame)
	require.True(t, strings.HasPrefix(event, "event: "), event)
	require.True(t, strings.HasPrefix(data, "data: {"), data)
	require.NotContains(t, data, "\n")
	r := received{name: event[len("event: "):], data: data[len("data: "):]}
	decoder := json.NewDecoder(strings.NewReader(r.data))
	decoder.UseNumber()
	require.NoError(t, decoder.Decode(&r.json), r.data)
	return r
}

func names(events []received) []string {
	var all []string
	for _, e := range events {
		all = append(all, e.name)
	}
	return all
}

// open opens a stream; key "" sends none.
func (r *rig) open(serve http.HandlerFunc, target, key string, change ...func(*client)) *client {
	ctx, cancel := context.WithCancel(context.Background())
	c := &client{header: make(http.Header), expired: make(chan struct{}), leave: cancel, over: make(chan struct{})}
	for _, f := range change {
		f(c)
	}
	req := httptest.NewRequestWithContext(ctx, http.MethodGet, target, nil)
	if key != "" {
		req.Header.Set("Authorization", "Bearer "+key)
	}
	go func() {
		defer close(c.over)
		defer func() { c.aborted = recover() == http.ErrAbortHandler }()
		serve(c, req)
	}()
	return c
}

// subscribe opens a telemetry stream and takes its stream.open.
func (r *rig) subscribe(session, key string) *client {
	r.Helper()
	c := r.open(r.handler.Telemetry, "/v1/telemetry/stream?session="+session, key)
	require.Equal(r, []string{"stream.open"}, names(c.events(r)))
	return c
}

// started begins a request and returns its id card.
func (r *rig) started(org, session string) generation.Info {
	r.requests++
	info := generation.Info{ID: "chatcmpl-" + strconv.Itoa(r.requests), Org: org, Session: session, Model: "m", Stream: true}
	r.observer.Started(info)
	return info
}

// request is a whole request of two tokens.
func (r *rig) request(org, session string) {
	info := r.started(org, session)
	r.observer.Routed(info, completion.Route{Server: "gpu-0"})
	r.observer.FirstToken(info, 30*time.Millisecond)
	r.observer.Settled(settled(info, generation.Finished, completion.Usage{PromptTokens: 10, CompletionTokens: 2, CacheWriteTokens: -1}))
}

func settled(info generation.Info, ending generation.Ending, usage completion.Usage) generation.Settlement {
	return generation.Settlement{
		Info: info, Ending: ending, Status: http.StatusOK, Generated: usage.CompletionTokens, Usage: usage,
		FirstToken: 30 * time.Millisecond, Duration: 50 * time.Millisecond,
	}
}
