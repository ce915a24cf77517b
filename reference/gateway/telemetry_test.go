package gateway

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plumbline.dev/plumbline/fakegpu/control"
	"plumbline.dev/plumbline/reference/config"
	"plumbline.dev/plumbline/reference/generation"
	"plumbline.dev/plumbline/reference/telemetry"
)

// watcher reads a telemetry stream.
type watcher struct {
	*rig
	lines *bufio.Scanner
}

// told is an event of telemetry.
type told struct {
	name             string
	RequestID        string
	PromptTokens     int64
	CacheReadTokens  int64
	CacheWriteTokens int64
	CompletionTokens int64
	ReuseRatio       float64
	Tier             *string
	Server           string
	UsageSource      string
	Reason           string
	ExpectedReuse    int64 `json:"expectedReuseTokens"`
	Ending           string
	TTFTMs           *float64
	Requests         int64
	TotalUSD         float64
}

func (r *rig) watch(session, key string) *watcher {
	r.Helper()
	resp := r.send(r.Context(), http.MethodGet, "/v1/telemetry/stream?session="+session, key, "", "Origin", "https://elsewhere.example")
	require.Equal(r, http.StatusOK, resp.StatusCode)
	require.Equal(r, "*", resp.Header.Get("Access-Control-Allow-Origin"))
	w := &watcher{rig: r, lines: bufio.NewScanner(resp.Body)}
	require.Equal(r, "stream.open", w.next().name)
	return w
}

// next waits for an event.
func (w *watcher) next() told {
	w.Helper()
	var e told
	for w.lines.Scan() {
		line := w.lines.Text()
		name, isName := strings.CutPrefix(line, "event: ")
		data, isData := strings.CutPrefix(line, "data: ")
		switch {
		case isName:
			e.name = name
		case isData:
			require.NoError(w, json.Unmarshal([]byte(data), &e))
			return e
		}
	}
	w.Fatalf("the telemetry ended: %v", w.lines.Err())
	return e
}

func (r *rig) inSession(ctx context.Context, session, body string) *http.Response {
	r.Helper()
	return r.send(ctx, http.MethodPost, "/v1/chat/completions", key1, body, telemetry.SessionHeader, session)
}

// TestTelemetryOfEveryEnding goes the whole way: what the model server did, what
// the client saw, what telemetry says.
func TestTelemetryOfEveryEnding(t *testing.T) {
	const withUsage = `"stream_options":{"include_usage":true}`
	two, three := 2, 3
	gated := control.Script{PromptTokens: 12}.Tokens("a", "b").Gate("g").Tokens("c")
	for name, c := range map[string]struct {
		script control.Script
		more   string
		during func(r *rig, nonce, id string, leave func())
		ending generation.Ending
		events string
		counts string // read+written of prompt, completion, source; the prompt only if the model server told it
	}{
		"finished": {
			script: control.Script{PromptTokens: 12, CachedTokens: &three}.Tokens("a", "b"), more: withUsage,
			ending: generation.Finished, events: "route cache latency cost session", counts: "3+9 of 12, 2, upstream",
		},
		"fewer writes": {
			script: control.Script{PromptTokens: 12, CachedTokens: &three, CacheWriteTokens: &two}.Tokens("a", "b"),
			ending: generation.Finished, events: "route cache latency cost session", counts: "3+2 of 12, 2, upstream",
		},
		"no usage reported": {
			script: control.Script{Usage: control.UsageNever}.Tokens("a", "b"),
			ending: generation.Finished, events: "route cache latency cost session", counts: "2, estimate",
		},
		"not streamed": {
			script: control.Script{PromptTokens: 12}.Tokens("a", "b"), more: `"stream":false`,
			ending: generation.Finished, events: "route cache latency cost session", counts: "0+12 of 12, 2, upstream",
		},
		"overrun": {
			script: control.Script{IgnoreMaxTokens: true}.Tokens("a", "b", "c", "d"), more: `"max_tokens":2`,
			ending: generation.Overrun, events: "route cache latency cost session", counts: "2, estimate",
		},
		"stopped": {
			script: gated, more: withUsage,
			during: func(r *rig, nonce, id string, _ func()) {
				r.atGate(nonce, "g")
				require.Equal(r, http.StatusOK, r.stop(id, key2).StatusCode)
			},
			ending: generation.Stopped, events: "route cache latency cost session", counts: "2, estimate",
		},
		"client gone": {
			script: gated,
			during: func(r *rig, nonce, _ string, leave func()) { r.atGate(nonce, "g"); leave() },
			ending: generation.Disconnected, events: "route cache latency cost session", counts: "2, estimate",
		},
		"failed": {
			script: control.Script{}.Tokens("a", "b").Then(control.Step{Error: &control.ErrorObject{Message: "an error of many words is no output"}}),
			ending: generation.Failed, events: "route cache latency cost session", counts: "2, estimate",
		},
		"refused by the model server": {
			script: control.Script{HTTP: &control.HTTPAnswer{Status: 500, Body: "no"}},
			ending: generation.Failed, events: "latency cost session", counts: "0+0 of 0, 0, estimate",
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, nil)
			w, other, keyless := r.watch("s", key2), r.watch("s", keyOrg), r.watch("s", "")
			nonce := r.script(c.script)
			ctx, leave := context.WithCancel(t.Context())
			defer leave()
			request := body(nonce, "")
			if c.more == `"stream":false` {
				request = strings.Replace(request, `"stream":true`, c.more, 1)
			} else if c.more != "" {
				request = body(nonce, c.more)
			}
			resp := r.inSession(ctx, "s", request)
			id := resp.Header.Get(generation.RequestIDHeader)
			if c.during != nil {
				c.during(r, nonce, id, leave)
			}
			reply, _ := read(resp)
			assert.NotContains(t, reply, "Usd", "the reply stays as it is without telemetry")

			var events []string
			var cost, lookup told
			for len(events) == 0 || events[len(events)-1] != "session" {
				e := w.next()
				kind, _, _ := strings.Cut(e.name, ".")
				events = append(events, kind)
				if kind != "session" {
					assert.Equal(t, id, e.RequestID, e.name)
				}
				switch kind {
				case "route":
					assert.Equal(t, "gpu-0", e.Server)
				case "cache":
					lookup = e
				case "latency":
					assert.Equal(t, c.ending.String(), e.Ending)
				case "cost":
					cost = e
				}
			}
			assert.Equal(t, c.events, strings.Join(events, " "))
			counts := fmt.Sprintf("%d+%d of %d, %d, %s", cost.CacheReadTokens, cost.CacheWriteTokens, cost.PromptTokens, cost.CompletionTokens, cost.UsageSource)
			assert.True(t, strings.HasSuffix(counts, c.counts), "%s, want %s", counts, c.counts)
			if cost.PromptTokens > 0 {
				assert.InDelta(t, float64(cost.CacheReadTokens)/float64(cost.PromptTokens), lookup.ReuseRatio, 1e-9)
				assert.Equal(t, cost.CacheReadTokens == 0, lookup.Tier == nil)
			}
			s := <-r.settled
			assert.Equal(t, c.ending, s.Ending)
			assert.Equal(t, s.Usage.PromptTokens, cost.PromptTokens)

			// The next events of each stream are those of the next request: nothing
			// came twice, and nothing went astray.
			r.again("s", key1)
			for _, kind := range []string{"route.decision", "cache.lookup", "latency.update", "cost.update", "session.metrics"} {
				e := w.next()
				assert.Equal(t, kind, e.name)
				assert.NotEqual(t, id, e.RequestID)
				if kind == "session.metrics" {
					assert.EqualValues(t, 2, e.Requests)
				}
			}
			otherID := r.again("s", keyOrg)
			assert.Equal(t, otherID, other.next().RequestID)
			r.cancel()
			for keyless.lines.Scan() {
				assert.NotContains(t, keyless.lines.Text(), "event", "a stream without a key stays empty")
			}
		})
	}
}

// again sends one more request and returns its id.
func (r *rig) again(session, key string) string {
	r.Helper()
	resp := r.send(r.Context(), http.MethodPost, "/v1/chat/completions", key, body(r.script(control.Script{}.Tokens("x")), ""), telemetry.SessionHeader, session)
	_, err := read(resp)
	require.NoError(r, err)
	return resp.Header.Get(generation.RequestIDHeader)
}

// The routing decision is told before the first token, while nothing else is
// known yet; the client that leaves before the head is accounted for as well.
func TestTelemetryAsItHappens(t *testing.T) {
	r := newRig(t, nil)
	w := r.watch("s", key1)
	nonce := r.script(control.Script{}.Gate("before").Tokens("a").Gate("after"))
	ctx, leave := context.WithCancel(t.Context())
	resp := r.inSession(ctx, "s", body(nonce, ""))
	r.atGate(nonce, "before")
	assert.Equal(t, "route.decision", w.next().name)
	require.NoError(t, r.gpu.Release(t.Context(), nonce, "before"))
	until(t, resp.Body, `"content":"a"`) // at the gate the model server is before the client has it
	leave()
	_, err := read(resp)
	require.Error(t, err)
	assert.Equal(t, "cache.lookup", w.next().name)
	latency := w.next()
	assert.Equal(t, "disconnected", latency.Ending)
	assert.NotNil(t, latency.TTFTMs)
	assert.Equal(t, "cost.update", w.next().name)
	assert.Equal(t, "session.metrics", w.next().name)

	nonce = r.script(control.Script{HoldHeaders: true}.Gate("g").Tokens("a"))
	ctx, leave = context.WithCancel(t.Context())
	r.client.Timeout = 0
	left := make(chan error, 1)
	go func() {
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, r.base+"/v1/chat/completions", strings.NewReader(body(nonce, "")))
		if err == nil {
			req.Header.Set("Authorization", "Bearer "+key1)
			req.Header.Set(telemetry.SessionHeader, "s")
			_, err = r.client.Do(req)
		}
		left <- err
	}()
	r.atGate(nonce, "g")
	leave()
	require.Error(t, <-left)
	for _, kind := range []string{"cache.lookup", "latency.update", "cost.update"} {
		e := w.next()
		assert.Equal(t, kind, e.name)
		assert.Zero(t, e.CompletionTokens)
	}
	assert.EqualValues(t, 2, w.next().Requests)
}

func TestTelemetryOfRefusals(t *testing.T) {
	r := newRig(t, nil)
	w := r.watch("s", key1)
	for _, request := range []string{`{`, `{"messages":[]}`, `{"model":"nobody","messages":[{"role":"user","content":"x"}]}`} {
		resp := r.inSession(t.Context(), "s", request)
		assert.GreaterOrEqual(t, resp.StatusCode, 400)
	}
	resp := r.inSession(t.Context(), "not a session", body("", ""))
	assert.Equal(t, http.StatusBadRequest, resp.StatusCode)
	refusal, err := read(resp)
	require.NoError(t, err)
	assert.Contains(t, refusal, `"param":"X-Mortar-Session-Id"`)
	id := r.again("s", key1)
	assert.Equal(t, id, w.next().RequestID, "the first event is that of the first request that was served")
}

func TestTelemetryRoutes(t *testing.T) {
	r := newRig(t, nil)
	for name, c := range map[string]struct {
		method, path, key string
		status            int
		says              string
	}{
		"no session":       {http.MethodGet, "/v1/telemetry/stream", key1, 400, `"param":"session"`},
		"no session, ever": {http.MethodGet, "/v1/telemetry/stream?session=", "", 400, `"param":"session"`},
		"a dead key":       {http.MethodGet, "/v1/telemetry/stream?session=s", "nobody", 401, `"code":"invalid_api_key"`},
		"another method":   {http.MethodPost, "/v1/telemetry/stream?session=s", key1, 405, `"code":"method_not_allowed"`},
		"posting to ticks": {http.MethodPost, "/v1/metrics/stream", "", 405, `"code":"method_not_allowed"`},
	} {
		t.Run(name, func(t *testing.T) {
			resp := r.send(t.Context(), c.method, c.path, c.key, "")
			got, err := read(resp)
			require.NoError(t, err)
			assert.Equal(t, c.status, resp.StatusCode)
			assert.Contains(t, got, c.says)
		})
	}
	t.Run("preflight", func(t *testing.T) {
		resp := r.send(t.Context(), http.MethodOptions, "/v1/telemetry/stream?session=s", "", "",
			"Origin", "https://elsewhere.example", "Access-Control-Request-Method", "GET", "Access-Control-Request-Headers", "authorization,cache-control")
		assert.Equal(t, http.StatusNoContent, resp.StatusCode)
		assert.Equal(t, "authorization,cache-control", resp.Header.Get("Access-Control-Allow-Headers"))
		assert.Contains(t, resp.Header.Get("Access-Control-Allow-Methods"), "GET")
	})
}

func TestFleetMetrics(t *testing.T) {
	r := newRig(t, func(c *config.Config) { c.Intervals.Tick = 10 * time.Millisecond })
	resp := r.send(t.Context(), http.MethodGet, "/v1/metrics/stream", "", "")
	assert.Equal(t, "no-cache, no-transform", resp.Header.Get("Cache-Control"))
	w := &watcher{rig: r, lines: bufio.NewScanner(resp.Body)}
	for range 3 {
		assert.Equal(t, "metrics.tick", w.next().name)
	}
	r.cancel()
	_, err := io.Copy(io.Discard, resp.Body)
	assert.NoError(t, err, "a clean end at shutdown")
}
