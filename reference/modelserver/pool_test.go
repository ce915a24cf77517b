package modelserver

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plumbline.dev/plumbline/reference/completion"
)

func TestRequestBody(t *testing.T) {
	five := 5
	req := &completion.Request{Model: "m", Choices: 1, MaxTokens: &five, Body: map[string]json.RawMessage{
		"model": json.RawMessage(`"alias"`), "messages": json.RawMessage(`[{"role":"user","content":"<h\u0069> 1e2"}]`),
		"max_completion_tokens": json.RawMessage(`5`), "stream_options": json.RawMessage(`{"include_obfuscation":true}`),
		"top_k": json.RawMessage(`40`),
	}}
	t.Run("usual", func(t *testing.T) {
		got := string(requestBody(req, Server{Model: "served/name", Dialect: Dialect{}.withDefaults()}))
		assert.Equal(t, `{"model":"served/name","stream":true,"stream_options":{"include_usage":true},"max_tokens":5,"messages":[{"role":"user","content":"<h\u0069> 1e2"}],"top_k":40}`, got)
	})
	t.Run("dialect", func(t *testing.T) {
		got := requestBody(req, Server{Dialect: Dialect{WithoutUsage: true, MaxTokensField: "max_completion_tokens"}.withDefaults()})
		assert.Contains(t, string(got), `"max_completion_tokens":5`)
		assert.NotContains(t, string(got), "stream_options")
		assert.Contains(t, string(got), `"model":"m"`)
	})
}

func TestOpenFailures(t *testing.T) {
	status := func(line, body string) func(*net.TCPConn, string) {
		return answers("HTTP/1.1 " + line + "\r\nContent-Type: application/json\r\nConnection: close\r\n\r\n" + body)
	}
	tests := []struct {
		name   string
		serve  func(*net.TCPConn, string)
		kind   Kind
		status int // what the client gets
		typ    string
	}{
		{"500", status("500 Oops", `{"error":{"message":"x"}}`), KindStatus, 502, "upstream_error"},
		{"503", status("503 Busy", ``), KindStatus, 503, "upstream_error"},
		{"429", status("429 Slow", ``), KindStatus, 503, "upstream_error"},
		{"401, our key is wrong", status("401 No", `secret`), KindStatus, 502, "upstream_error"},
		{"400", status("400 Bad", `{"error":{"message":"top_k"}}`), KindStatus, 400, "invalid_request_error"},
		{"redirect", status("302 Found\r\nLocation: http://example.invalid/", ""), KindStatus, 502, "upstream_error"},
		{"context length", status("400 Bad", `{"message":"This model's maximum context length is 10 tokens"}`), KindStatus, 400, "invalid_request_error"},
		{"context length as llama.cpp says it", status("500 Oops", `{"error":{"message":"context_length_exceeded: …"}}`), KindStatus, 400, "invalid_request_error"},
		{"200 JSON", status("200 OK", `{"choices":[]}`), KindContentType, 502, "upstream_error"},
		{"200 HTML", answers("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nConnection: close\r\n\r\n<html>"), KindContentType, 502, "upstream_error"},
		{"closed without an answer", func(*net.TCPConn, string) {}, KindCut, 502, "upstream_error"},
		{"reset without an answer", func(c *net.TCPConn, _ string) { _ = c.SetLinger(0) }, KindReset, 502, "upstream_error"},
		{"no HTTP", answers("SSH-2.0-OpenSSH\r\n"), KindCut, 502, "upstream_error"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			u := newUpstream(t, tt.serve)
			p := newTestPool(t, Options{}, Server{URL: u.url()})
			_, err := p.Open(t.Context(), oneChoice())
			var failure *Error
			require.ErrorAs(t, err, &failure)
			assert.Equal(t, tt.kind, failure.Kind, "%v", err)
			api := failure.API()
			assert.Equal(t, tt.status, api.Status)
			assert.Equal(t, tt.typ, api.Type)
			assert.NotContains(t, api.Message, "127.0.0.1")
			assert.NotEmpty(t, api.Message)
		})
	}
}

func closedAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	require.NoError(t, l.Close())
	return "http://" + l.Addr().String()
}

func TestOpenTriesOthersBeforeTheFirstByte(t *testing.T) {
	good := newUpstream(t, plays(finishChunk("stop")+doneEvent, ""))
	busy := newUpstream(t, answers("HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n"))
	reset := newUpstream(t, func(c *net.TCPConn, _ string) { _ = c.SetLinger(0) })
	p := newTestPool(t, Options{Picker: inOrder{}}, Server{Name: "refused", URL: closedAddress(t)},
		Server{Name: "busy", URL: busy.url()}, Server{Name: "reset", URL: reset.url()}, Server{Name: "good", URL: good.url()})
	reply, err := p.Open(t.Context(), oneChoice())
	require.NoError(t, err)
	assert.Equal(t, "good", reply.Server())
	assert.Equal(t, completion.Route{Server: "good", Reason: "attempt 3", ExpectedReuse: 7}, reply.Route())
	_, _, err = drain(reply)
	require.NoError(t, err)
	reply.Close()
	for _, s := range p.servers {
		assert.Zero(t, s.running.Load(), s.Name)
		assert.Equal(t, s.Name == "refused" || s.Name == "reset", s.down.Load(), s.Name)
	}
	n, _, _ := busy.seen()
	assert.Equal(t, 1, n)
}

func TestOpenDoesNotRepeatARequestThatWasAnswered(t *testing.T) {
	bad := newUpstream(t, answers("HTTP/1.1 500 Oops\r\nContent-Length: 0\r\n\r\n"))
	other := newUpstream(t, plays(finishChunk("stop")+doneEvent, ""))
	p := newTestPool(t, Options{Picker: inOrder{}}, Server{URL: bad.url()}, Server{URL: other.url()})
	_, err := p.Open(t.Context(), oneChoice())
	require.Error(t, err)
	n, _, _ := other.seen()
	assert.Zero(t, n)
}

type inOrder struct{}

func (inOrder) Pick(_ *completion.Request, _ []Candidate, attempt int) Choice {
	return Choice{Reason: fmt.Sprintf("attempt %d", attempt), ExpectedReuse: 7}
}

func TestLeastLoaded(t *testing.T) {
	got := LeastLoaded{}.Pick(nil, []Candidate{{"a", 3}, {"b", 1}, {"c", 1}}, 0)
	assert.Equal(t, Choice{Index: 1, Reason: "least-loaded"}, got)
}

func TestKeysAndHeaders(t *testing.T) {
	u := newUpstream(t, plays(finishChunk("stop")+doneEvent, ""))
	p := newTestPool(t, Options{}, Server{URL: u.url() + "/v1/", Key: "server-key"})
	_, _, err := play(t, p, oneChoice())
	require.NoError(t, err)
	_, r, _ := u.seen()
	assert.Equal(t, "/v1/chat/completions", r.URL.Path)
	assert.Equal(t, "Bearer server-key", r.Header.Get("Authorization"))
	assert.Empty(t, r.Header.Values("Accept-Encoding"))
	assert.NotContains(t, r.Header, "Idempotency-Key")
}

func TestNewPoolRefusesBadURLs(t *testing.T) {
	for _, bad := range []string{"", "127.0.0.1:8000", "ftp://x", "http://", "http://x/?a=b", "http://user:hunter2@[x"} {
		_, err := NewPool([]Server{{Name: "s", URL: bad}}, Options{})
		require.Error(t, err, bad)
		assert.NotContains(t, err.Error(), "hunter2")
	}
	_, err := NewPool(nil, Options{})
	require.Error(t, err)
}

func TestConnectionsAreKept(t *testing.T) {
	var connections atomic.Int32
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = w.Write([]byte(finishChunk("stop") + doneEvent))
	}))
	s.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			connections.Add(1)
		}
	}
	s.Start()
	t.Cleanup(s.Close)
	p := newTestPool(t, Options{}, Server{URL: s.URL})
	for range 5 {
		_, _, err := play(t, p, oneChoice())
		require.NoError(t, err)
		p.linger.Wait()
	}
	assert.EqualValues(t, 1, connections.Load())
}

func TestWatchFindsServersAgain(t *testing.T) {
	var sick atomic.Bool
	asked := make(chan string, 100)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer func() { asked <- r.URL.Path }()
		switch {
		case r.URL.Path == "/health":
			w.WriteHeader(http.StatusNotFound)
		case sick.Load():
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	}))
	t.Cleanup(s.Close)
	p := newTestPool(t, Options{HealthInterval: 10 * time.Millisecond}, Server{URL: s.URL})
	ctx, cancel := context.WithCancel(t.Context())
	over := make(chan struct{})
	go func() { defer close(over); p.Watch(ctx) }()
	// Of two rounds that begin after the change, the first has been judged when
	// the second asks.
	rounds := func() {
		for range 3 {
			for <-asked != "/v1/models" {
			}
		}
	}
	rounds()
	assert.True(t, p.Ready())
	sick.Store(true)
	rounds()
	assert.False(t, p.Ready())
	sick.Store(false)
	rounds()
	assert.True(t, p.Ready())
	cancel()
	<-over
}
