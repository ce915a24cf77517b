package probe

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plumbline.dev/plumbline/conformance/verdict"
)

const opened = "event: stream.open\ndata: {}\n\n"

func costEvent(id string) string {
	return fmt.Sprintf("event: cost.update\ndata: {\"requestId\":%q}\n\n", id)
}

// teller is a target whose telemetry streams tell what the test says.
type teller struct {
	mu      sync.Mutex
	streams []chan string
	queries []string
}

func (t *teller) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path != "/v1/telemetry/stream" {
		_, _ = w.Write([]byte(`{"data":[]}`))
		return
	}
	events := make(chan string, 1000)
	t.mu.Lock()
	t.streams = append(t.streams, events)
	t.queries = append(t.queries, r.URL.Query().Get("session"))
	t.mu.Unlock()
	w.Header().Set("Content-Type", "text/event-stream")
	send := func(text string) {
		_, _ = w.Write([]byte(text))
		_ = http.NewResponseController(w).Flush()
	}
	send(opened)
	for {
		select {
		case text, open := <-events:
			if !open {
				return
			}
			send(text)
		case <-r.Context().Done():
			return
		}
	}
}

// tell sends text to every stream.
func (t *teller) tell(text string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, s := range t.streams {
		s <- text
	}
}

func (t *teller) end() {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, s := range t.streams {
		close(s)
	}
}

func telling(t *testing.T) (*teller, *Session) {
	t.Helper()
	target := &teller{}
	server := httptest.NewServer(target)
	t.Cleanup(server.Close)
	env, err := NewEnv(t.Context(), Target{BaseURL: server.URL, Key: "sk-test", Intervals: Intervals{Patience: 10 * time.Second}})
	require.NoError(t, err)
	t.Cleanup(env.Close)
	session := env.NewSession()
	session.Name = NewName()
	t.Cleanup(session.Close)
	return target, session
}

func TestFeedWaits(t *testing.T) {
	target, session := telling(t)
	feed, err := session.Subscribe(t.Context(), OwnKey)
	require.NoError(t, err)
	require.NoError(t, feed.WaitOpen(t.Context()))
	assert.Equal(t, []string{session.Name}, target.queries)

	never := func(wait func(context.Context) error) string {
		patience := feed.env.Target.Patience
		feed.env.Target.Patience = 20 * time.Millisecond
		defer func() { feed.env.Target.Patience = patience }()
		var violation *verdict.Violation
		require.ErrorAs(t, wait(t.Context()), &violation)
		return violation.Expected
	}
	assert.Equal(t, "cost.update of a", never(func(ctx context.Context) error { return feed.WaitCost(ctx, "a") }))

	target.tell("event: session.metrics\ndata: {}\n\n" + costEvent("b"))
	require.NoError(t, feed.WaitCost(t.Context(), "b"))
	never(func(ctx context.Context) error { return feed.WaitSums(ctx, "b") }) // the sums came before the cost
	target.tell("event: session.metrics\ndata: {\"reusedTokens\":2,\"prefilledTokens\":3}\n\n: ping\n\n")
	require.NoError(t, feed.WaitSums(t.Context(), "b"))
	require.NoError(t, feed.WaitSumsOf(t.Context(), 5))
	never(func(ctx context.Context) error { return feed.WaitSumsOf(ctx, 6) })
	require.NoError(t, feed.WaitCosts(t.Context(), 1))

	require.NoError(t, feed.Watch(t.Context(), 10*time.Millisecond), "it stays open")
	target.end()
	var violation *verdict.Violation
	require.ErrorAs(t, feed.Watch(t.Context(), time.Minute), &violation, "it ends")
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	assert.ErrorIs(t, feed.WaitCost(gone, "c"), context.Canceled, "our own end is no violation")
}

func TestStalledSubscriber(t *testing.T) {
	target, session := telling(t)
	stalled, err := session.SubscribeStalled(t.Context())
	require.NoError(t, err)
	const n = 50
	padding := ": " + strings.Repeat("x", 10_000) + "\n\n"
	for i := range n {
		target.tell(padding + costEvent(fmt.Sprint(i)))
	}
	assert.Less(t, len(stalled.Telemetry().Costs("")), n, "it reads nothing, or what was on its way")
	require.NoError(t, stalled.ReadOn(t.Context(), n))
	assert.Len(t, stalled.Telemetry().Costs(""), n)
}

func TestStalledSubscriberCanLeave(t *testing.T) {
	_, session := telling(t)
	stalled, err := session.SubscribeStalled(t.Context())
	require.NoError(t, err)
	session.Close() // must not wait for bytes that the tap holds back
	assert.NotEmpty(t, stalled.Transcript().End)
}

func TestScaled(t *testing.T) {
	assert.Equal(t, 32*time.Second, scaled(32*time.Second, 15*time.Second, 0))
	assert.Equal(t, 3200*time.Millisecond, scaled(32*time.Second, 15*time.Second, 1500*time.Millisecond))
	session := (&Env{Target: Target{Intervals: Intervals{TelemetryPing: 150 * time.Millisecond, Tick: 20 * time.Millisecond}}}).NewSession()
	assert.Equal(t, 320*time.Millisecond, session.InTelemetry(32*time.Second))
	assert.Equal(t, 70*time.Millisecond, session.InTicks(7*time.Second))
}

func TestSessionHeader(t *testing.T) {
	session := (&Env{}).NewSession()
	assert.Empty(t, session.header(Request{}))
	session.Name = "s"
	assert.Equal(t, http.Header{"X-Mortar-Session-Id": {"s"}}, session.header(Request{}))
	assert.Empty(t, session.header(Request{NoSession: true}))
	session.env.Target.SessionHeader = "X-Other"
	assert.Equal(t, http.Header{"X-Other": {"s"}, "Accept-Encoding": {"gzip, deflate"}}, session.header(Request{OfferGzip: true}))
}
