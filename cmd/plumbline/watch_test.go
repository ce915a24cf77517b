package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plumbline.dev/plumbline/reference/config"
	"plumbline.dev/plumbline/reference/gateway"
)

// startWatch runs the command; its lines can be read until stop.
func startWatch(t *testing.T, args ...string) (lines *bufio.Reader, stop func() error) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(cancel)
	cmd := newWatchCommand()
	cmd.SetArgs(args)
	cmd.SilenceUsage, cmd.SilenceErrors = true, true
	read, write := io.Pipe()
	cmd.SetOut(write)
	cmd.SetErr(write)
	ended := make(chan error, 1)
	go func() {
		err := cmd.ExecuteContext(ctx)
		_ = write.Close()
		ended <- err
	}()
	return bufio.NewReader(read), func() error {
		cancel()
		go func() { _, _ = io.Copy(io.Discard, read) }()
		return <-ended
	}
}

func line(t *testing.T, lines *bufio.Reader) string {
	t.Helper()
	text, err := lines.ReadString('\n')
	require.NoError(t, err)
	return strings.TrimSuffix(text, "\n")
}

// sampleGateway serves the sample model, without waits.
func sampleGateway(t *testing.T) string {
	t.Helper()
	cfg := config.Default(config.ProfileMortar)
	cfg.Organizations = []config.Organization{{ID: "org", Keys: []config.Key{config.KeyFrom("one", "the-key")}}}
	require.NoError(t, cfg.Complete())
	g, err := gateway.New(cfg, gateway.Deps{SampleFirstToken: -1, SampleInterToken: -1})
	require.NoError(t, err)
	front := httptest.NewServer(g.Handler(0))
	t.Cleanup(func() {
		front.CloseClientConnections()
		front.Close()
	})
	return front.URL
}

func TestWatchShowsARequest(t *testing.T) {
	url := sampleGateway(t)
	lines, stop := startWatch(t, "--session", "s1", "--url", url, "--key", "the-key")
	assert.Equal(t, "following session s1", line(t, lines))
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url+"/v1/chat/completions",
		strings.NewReader(`{"messages":[{"role":"user","content":"hello"}],"max_tokens":3,"stream":true}`))
	require.NoError(t, err)
	req.Header.Set("Authorization", "Bearer the-key")
	req.Header.Set("X-Mortar-Session-Id", "s1")
	resp, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	id := resp.Header.Get("X-Mortar-Request-Id")
	_, err = io.Copy(io.Discard, resp.Body)
	require.NoError(t, err)
	require.NoError(t, resp.Body.Close())
	for _, want := range []string{`routed   sample`, `cache    `, `latency  finished after .* ms; first token after .* ms, then one every .* ms`, `cost     \$0\.0000.*, saved .*\$0\.0000.*; \d+ \+ 3 tokens \(estimate\)`} {
		assert.Regexp(t, `^\d\d:\d\d:\d\d\.\d{3}  `+id+`  `+want, line(t, lines))
	}
	assert.Regexp(t, `  session  +sums     \$0\.0000.*; 1 request, \d+ tokens`, line(t, lines))
	require.NoError(t, stop(), "Ctrl-C is no failure")
}

func TestWatchRefused(t *testing.T) {
	url := sampleGateway(t)
	html := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = io.WriteString(w, "<h1>hello</h1>")
	}))
	t.Cleanup(html.Close)
	for name, c := range map[string]struct {
		args []string
		says string
	}{
		"no session":        {[]string{"--url", url}, "--session names no session"},
		"no such address":   {[]string{"--session", "s", "--url", "localhost:8080"}, "--url has to be the address"},
		"a dead key":        {[]string{"--session", "s", "--url", url, "--key", "dead"}, "Incorrect API key provided."},
		"a session too odd": {[]string{"--session", "a b", "--url", url, "--key", "the-key"}, "printable ASCII"},
		"no gateway":        {[]string{"--session", "s", "--url", html.URL, "--key", "the-key"}, `it answers 200 OK with "text/html", not with an event stream`},
	} {
		t.Run(name, func(t *testing.T) {
			cmd := newWatchCommand()
			cmd.SetArgs(c.args)
			cmd.SilenceUsage, cmd.SilenceErrors = true, true
			cmd.SetOut(io.Discard)
			cmd.SetErr(io.Discard)
			err := cmd.ExecuteContext(t.Context())
			require.ErrorContains(t, err, c.says)
			assert.NotContains(t, err.Error(), "dead")
		})
	}
}

// However the stream is lost, the follower says so, waits longer each time in
// vain, and comes back.
func TestFollowerReconnects(t *testing.T) {
	open := "event: stream.open\ndata: {\"sessionId\":\"s\",\"heartbeatMs\":%d}\n\n"
	var attempts atomic.Int64
	ctx, cancel := context.WithCancel(t.Context())
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n := attempts.Add(1)
		w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
		switch n {
		case 1:
			w.WriteHeader(http.StatusServiceUnavailable)
		case 2: // a clean end
			fmt.Fprintf(w, open, 15000)
		case 3: // silence
			fmt.Fprintf(w, open, 10)
			_ = http.NewResponseController(w).Flush()
			<-r.Context().Done()
		case 4: // a line without an end
			_, _ = w.Write(bytes.Repeat([]byte("x"), maxWatchedLine+10))
		case 5:
			_, _ = io.WriteString(w, "event: cost.update\ndata: {broken\n\n")
		default:
			fmt.Fprintf(w, open, 15000)
			_ = http.NewResponseController(w).Flush()
			<-r.Context().Done()
		}
	}))
	t.Cleanup(server.Close)
	var warnings bytes.Buffer
	opened := 0
	f := follower{address: server.URL, first: time.Millisecond, longest: 4 * time.Millisecond, warnings: &warnings, print: func(name string, data []byte) error {
		if attempts.Load() == 6 {
			cancel()
		}
		opened++
		return printTelemetry(io.Discard, name, data)
	}}
	require.NoError(t, f.run(ctx))
	assert.Equal(t, 4, opened, "three streams that opened, and the event that was broken")
	said := strings.Split(strings.TrimSpace(warnings.String()), "\n")
	require.Len(t, said, 5)
	for i, want := range []string{"it answers 503", "the gateway ended it", "nothing has come for too long", "token too long", "the event cost.update is not as it should be"} {
		assert.Contains(t, said[i], want)
	}
}

func TestFollowerEndsWithItsOutput(t *testing.T) {
	full := errors.New("the disk is full")
	f := follower{address: sampleGateway(t) + "/v1/telemetry/stream?session=s", first: time.Millisecond, longest: time.Millisecond, warnings: io.Discard,
		print: func(name string, data []byte) error { return printTelemetry(failing{full}, name, data) }}
	err := f.run(t.Context())
	require.ErrorIs(t, err, full)
	var ours harnessError
	assert.ErrorAs(t, err, &ours)
}

type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }

func TestPrintTelemetry(t *testing.T) {
	at := time.UnixMilli(1767225600000).Format("15:04:05.000")
	for name, c := range map[string]struct{ event, data, want string }{
		"a route":         {"route.decision", `{"server":"gpu-0","reason":"prefix-affinity","expectedReuseTokens":448,"load":2,"requestId":"id"`, "id                                 routed   gpu-0, prefix-affinity, expects 448 cached tokens, 2 running there"},
		"a hit":           {"cache.lookup", `{"tier":"host-memory","reuseRatio":0.875,"promptTokens":512,"requestId":"id"`, "id                                 cache    host-memory, 87.5 % of 512 prompt tokens"},
		"a miss":          {"cache.lookup", `{"tier":null,"reuseRatio":0,"promptTokens":512,"requestId":"id"`, "id                                 cache    miss"},
		"no token":        {"latency.update", `{"ending":"failed","durationMs":1234,"ttftMs":null,"interTokenMs":null,"requestId":"id"`, "id                                 latency  failed after 1.23 s"},
		"a cost":          {"cost.update", `{"totalUsd":0.00004811675,"savedUsd":-0.00000392815,"promptTokens":502,"completionTokens":120,"usageSource":"estimate","requestId":"id"`, "id                                 cost     $0.00004811675, saved -$0.00000392815; 502 + 120 tokens (estimate)"},
		"sums":            {"session.metrics", `{"totalUsd":1,"savedUsd":0,"requests":2,"totalTokens":9,"reuseRatio":0.5,"usageSource":"mixed"`, "session                            sums     $1, saved $0; 2 requests, 9 tokens, 50.0 % of the prompts from the cache (mixed)"},
		"a terminal trap": {"route.decision", `{"server":"\u001b[2J\u202e","requestId":"id"`, "id                                 routed   ·[2J·"},
		"something new":   {"a.later\x07event", `{"requestId":"id"`, "id                                 a.later·event"},
	} {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			require.NoError(t, printTelemetry(&out, c.event, []byte(c.data+`,"at":1767225600000}`)))
			assert.Equal(t, at+"  "+c.want+"\n", out.String())
		})
	}
}

func TestPrintRaw(t *testing.T) {
	var out bytes.Buffer
	require.NoError(t, printRaw(&out, "cost.update", []byte(`{"totalUsd":0.00004811675,"at":5}`)))
	assert.JSONEq(t, `{"event":"cost.update","totalUsd":0.00004811675,"at":5}`, out.String())
	assert.Contains(t, out.String(), "0.00004811675", "the digits stay")
	assert.True(t, json.Valid(out.Bytes()))
}
