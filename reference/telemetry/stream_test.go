package telemetry

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestStreamOpensAtOnceAndPings(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, Limits{})
		for _, key := range []string{"", "acme"} {
			c := r.open(r.handler.Telemetry, "/?session=3e7c9f1a-5b2d", key)
			open := fmt.Sprintf("event: stream.open\ndata: {\"sessionId\":\"3e7c9f1a-5b2d\",\"heartbeatMs\":15000,\"serverTime\":%d}\n\n", time.Now().UnixMilli())
			assert.Equal(t, open, c.text())
			assert.Equal(t, "text/event-stream; charset=utf-8", c.header.Get("Content-Type"))
			assert.Equal(t, "no-cache, no-transform", c.header.Get("Cache-Control"))
			assert.Equal(t, "no", c.header.Get("X-Accel-Buffering"))
			for range 3 {
				time.Sleep(14 * time.Second)
				assert.Empty(t, c.text())
				time.Sleep(time.Second)
				assert.Equal(t, ": ping\n\n", c.text())
			}
			c.leave()
			<-c.over
			assert.False(t, c.aborted)
		}
	})
}

func TestWhoMayOpenAStream(t *testing.T) {
	r := newRig(t, Limits{})
	for name, c := range map[string]struct {
		query  string
		header http.Header
		status int
		says   string
	}{
		"no session":            {"", nil, 400, "missing_required_parameter session"},
		"an empty session":      {"session=", nil, 400, "empty_string session"},
		"two sessions":          {"session=a&session=b", nil, 400, "invalid_value session"},
		"one session twice":     {"session=a&session=a", nil, 400, "invalid_value session"},
		"a huge session":        {"session=" + strings.Repeat("a", 129), nil, 400, "string_above_max_length session"},
		"a control character":   {"session=a%0a", nil, 400, "invalid_value session"},
		"not ASCII":             {"session=%C3%A9", nil, 400, "invalid_value session"},
		"a space":               {"session=a+b", nil, 400, "invalid_value session"},
		"a broken escape":       {"session=%zz", nil, 400, "invalid_value session"},
		"a dead key":            {"session=a", http.Header{"Authorization": {"Bearer nobody"}}, 401, "invalid_api_key"},
		"an empty key":          {"session=a", http.Header{"Authorization": {""}}, 401, "invalid_api_key"},
		"another scheme":        {"session=a", http.Header{"Authorization": {"Basic YTpi"}}, 401, "invalid_api_key"},
		"a dead key, elsewhere": {"session=a", http.Header{"X-Api-Key": {"nobody"}}, 401, "invalid_api_key"},
	} {
		t.Run(name, func(t *testing.T) {
			req := httptest.NewRequest(http.MethodGet, "/v1/telemetry/stream?"+c.query, nil)
			if c.header != nil {
				req.Header = c.header
			}
			w := httptest.NewRecorder()
			r.handler.Telemetry(w, req)
			assert.Equal(t, c.status, w.Code)
			assert.Equal(t, c.says, w.Body.String())
		})
	}
	assert.Empty(t, r.hub.sessions, "refusals leave nothing behind")
}

func TestHeadOfAStream(t *testing.T) {
	r := newRig(t, Limits{})
	for _, serve := range []http.HandlerFunc{r.handler.Telemetry, r.handler.Fleet} {
		w := httptest.NewRecorder()
		serve(w, httptest.NewRequest(http.MethodHead, "/?session=a", nil))
		assert.Equal(t, "text/event-stream; charset=utf-8", w.Header().Get("Content-Type"))
	}
}

func TestSessionOfARequest(t *testing.T) {
	for name, c := range map[string]struct {
		values []string
		want   string
		says   string
	}{
		"none":     {nil, "", ""},
		"empty":    {[]string{""}, "", ""},
		"one":      {[]string{"s-1"}, "s-1", ""},
		"two":      {[]string{"a", "b"}, "", "send the header once"},
		"a space":  {[]string{"a b"}, "", "printable ASCII"},
		"too long": {[]string{strings.Repeat("a", 129)}, "", "maximum length 128"},
	} {
		t.Run(name, func(t *testing.T) {
			got, e := SessionOf(http.Header{SessionHeader: c.values})
			if c.says != "" {
				require.NotNil(t, e)
				assert.Contains(t, e.Message, c.says)
				assert.Equal(t, SessionHeader, *e.Param)
				return
			}
			require.Nil(t, e)
			assert.Equal(t, c.want, got)
		})
	}
}

// FuzzSession holds that a query either names one session that a header can
// carry, or is refused with the parameter's name.
func FuzzSession(f *testing.F) {
	for _, seed := range []string{"session=a", "", "session=a&session=b", "session=%00", "session=%zz", ";", "session=" + strings.Repeat("x", 200)} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, query string) {
		req := httptest.NewRequest(http.MethodGet, "/", nil)
		req.URL.RawQuery = query
		session, e := sessionAsked(req.URL)
		if e != nil {
			require.Equal(t, http.StatusBadRequest, e.Status)
			require.Equal(t, sessionParam, *e.Param)
			return
		}
		again, e := SessionOf(http.Header{SessionHeader: {session}})
		require.Nil(t, e)
		require.Equal(t, session, again)
		require.Equal(t, session, strings.TrimSpace(session))
		require.LessOrEqual(t, len(session), maxSession)
		require.NotContains(t, string(encode(streamOpen{session, time.Second}, 1))[len("event: stream.open\n"):], "\n\n\n")
	})
}

func TestFleet(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, Limits{})
		// A bubble begins in 2000, before the sample fleet was there.
		time.Sleep(time.Until(time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC)))
		c := r.open(r.handler.Fleet, "/v1/metrics/stream", "")
		var last received
		moved := false
		for i := range 600 {
			tick := c.events(t)
			require.Equal(t, []string{"metrics.tick"}, names(tick), "tick %d", i)
			now := tick[0]
			require.Equal(t, time.Now().UnixMilli(), now.integer("at"))
			rate := func(key string) float64 {
				f, err := now.json[key].(interface{ Float64() (float64, error) }).Float64()
				require.NoError(t, err)
				return f
			}
			for _, key := range []string{"requests", "tokensProcessed"} {
				require.GreaterOrEqual(t, now.integer(key), last.integer(key))
			}
			require.Positive(t, now.integer("activeReplicas"))
			require.Positive(t, now.integer("medianTtftMs"))
			require.InDelta(t, 148, rate("requestsPerSecond"), 50)
			require.InDelta(t, 0.62, rate("cacheHitRate"), 0.1)
			require.InDelta(t, 1.53, rate("blendedCostPerMillion"), 0.2)
			if i > 0 {
				served := now.integer("requests") - last.integer("requests")
				require.InDelta(t, rate("requestsPerSecond")*2, float64(served), 20, "the counter agrees with the rate")
				moved = moved || rate("requestsPerSecond") != 148
			}
			last = now
			time.Sleep(1900 * time.Millisecond)
			require.Empty(t, c.text())
			time.Sleep(100 * time.Millisecond)
		}
		assert.True(t, moved)
		c.leave()
		<-c.over
	})
}

// The sample stands at the documents' example at its time.
func TestFleetExample(t *testing.T) {
	for _, at := range []time.Time{time.UnixMilli(1767225600000), time.Unix(0, 0)} {
		tick := fleetAt(at)
		assert.EqualValues(t, 4820148, tick.requests)
		assert.EqualValues(t, 1900081374, tick.tokens)
		assert.EqualValues(t, 148, tick.perSecond)
		assert.EqualValues(t, 210, tick.medianTTFT)
		assert.EqualValues(t, 6, tick.replicas)
		assert.InDelta(t, 0.62, tick.cacheHitRate, 0)
	}
}
