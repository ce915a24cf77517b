package main

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plumbline.dev/plumbline/conformance"
	"plumbline.dev/plumbline/conformance/lint"
	"plumbline.dev/plumbline/conformance/tap"
	"plumbline.dev/plumbline/conformance/target"
)

// odd changes how an answer comes, in a way that no document rules out.
type odd func(*http.Response)

// oddTransport reaches a right gateway and makes its answers odd.
type oddTransport struct {
	http.RoundTripper
	change odd
}

func (t oddTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	response, err := t.RoundTripper.RoundTrip(r)
	if err == nil {
		t.change(response)
	}
	return response, err
}

// bytewise hands out one byte at each read.
type bytewise struct{ io.ReadCloser }

func (b bytewise) Read(p []byte) (int, error) { return b.ReadCloser.Read(p[:min(len(p), 1)]) }

// chatty adds comments between events.
type chatty struct {
	io.ReadCloser
	ready []byte
	last  byte
	over  bool
}

func (c *chatty) Read(p []byte) (int, error) {
	if len(c.ready) == 0 {
		buf := make([]byte, 4<<10)
		n, err := c.ReadCloser.Read(buf)
		for _, b := range buf[:n] {
			c.ready = append(c.ready, b)
			c.over = c.over || bytes.HasSuffix(c.ready, []byte("data: [DONE]\n")) || bytes.HasSuffix(c.ready, []byte(`data: {"error"`))
			if b == '\n' && c.last == '\n' && !c.over {
				c.ready = append(c.ready, ": a comment with words, and a colon: so\n\n"...)
			}
			c.last = b
		}
		if n == 0 {
			return 0, err
		}
	}
	n := copy(p, c.ready)
	c.ready = c.ready[n:]
	return n, nil
}

func streams(r *http.Response) bool {
	return strings.HasPrefix(r.Header.Get("Content-Type"), "text/event-stream") && strings.HasSuffix(r.Request.URL.Path, "/chat/completions")
}

// A right gateway stays right behind the tap, which changes nothing, and when it
// is odd in ways that are legal. The tap finds nothing in its streams.
func TestOddGatewaysThatAreRight(t *testing.T) {
	intervals := target.Intervals{Ping: 400 * time.Millisecond, Silence: 1200 * time.Millisecond,
		TelemetryPing: 600 * time.Millisecond, Tick: 300 * time.Millisecond}
	var reference conformance.Target
	stop, err := startReference(t.Context(), target.Config{Intervals: intervals}, &reference)
	require.NoError(t, err)
	t.Cleanup(stop)
	for name, change := range map[string]odd{
		"as it is": func(*http.Response) {},
		"byte by byte": func(r *http.Response) {
			if streams(r) {
				r.Body = bytewise{r.Body}
			}
		},
		"comments between events": func(r *http.Response) {
			if streams(r) {
				r.Body = &chatty{ReadCloser: r.Body}
			}
		},
		"more headers": func(r *http.Response) {
			r.Header.Add("Set-Cookie", "a=b; HttpOnly")
			r.Header.Set("Server", "odd/1.0")
			r.Header.Set("Vary", "Origin, Accept-Encoding")
			r.Header.Set("Strict-Transport-Security", "max-age=1")
			r.Header.Set("X-Ratelimit-Remaining-Requests", "59")
			if streams(r) {
				r.Header.Set("Content-Type", "text/event-stream")
				r.Header["Cache-Control"] = []string{"no-transform", "No-Cache"}
				r.Header.Set("X-Accel-Buffering", "NO")
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			upstream, err := url.Parse(reference.BaseURL)
			require.NoError(t, err)
			transport := &http.Transport{DisableCompression: true}
			t.Cleanup(transport.CloseIdleConnections)
			var mu sync.Mutex
			var found []string
			proxy, err := tap.New(tap.Options{Upstream: upstream, Transport: oddTransport{transport, change}, Found: func(r *lint.Report) {
				mu.Lock()
				defer mu.Unlock()
				for _, f := range r.Findings {
					found = append(found, f.Requirement+": "+f.Seen)
				}
			}})
			require.NoError(t, err)
			front := httptest.NewServer(proxy)
			t.Cleanup(front.Close)
			judged := reference
			judged.BaseURL = front.URL
			judged.Intervals = conformance.Intervals{Ping: intervals.Ping, Silence: intervals.Silence}
			result, err := conformance.Run(t.Context(), conformance.Options{Target: judged, Tags: streamTags(t)})
			require.NoError(t, err)
			for _, row := range result.Requirements {
				assert.NotContains(t, []conformance.Verdict{conformance.Fail, conformance.HarnessError}, row.Verdict, "%s: %s", row.ID, row.Reason)
			}
			assert.Empty(t, result.Errors)
			proxy.Wait()
			mu.Lock()
			defer mu.Unlock()
			// A stream that was stopped by its id has no finish chunk, of which the
			// tap, which sees no stop, cannot know.
			for _, f := range found {
				assert.True(t, strings.HasPrefix(f, "mortar-stream-12") || strings.HasPrefix(f, "mortar-stream-31"), f)
			}
		})
	}
}

func TestTapCommand(t *testing.T) {
	for name, tt := range map[string]struct {
		args []string
		says string
	}{
		"no upstream":   {nil, "--upstream"},
		"half a URL":    {[]string{"--upstream", "localhost:80"}, "base URL"},
		"no such row":   {[]string{"--upstream", "http://127.0.0.1:1", "--profile", "motar"}, `did you mean "mortar"`},
		"a busy port":   {[]string{"--upstream", "http://127.0.0.1:1", "--listen", "256.0.0.1:1"}, "listen for clients"},
		"a wrong form":  {[]string{"--upstream", "http://127.0.0.1:1", "--report", "jason"}, `did you mean "json"`},
		"busy metrics":  {[]string{"--upstream", "http://127.0.0.1:1", "--listen", "127.0.0.1:0", "--metrics", "256.0.0.1:1"}, "listen for Prometheus"},
		"a bad keeping": {[]string{"--upstream", "http://127.0.0.1:1", "--keep", "1", "--keep-dir", "/dev/null/x"}, "folder of kept streams"},
	} {
		t.Run(name, func(t *testing.T) {
			code, _, stderr := plumbline(t, t.Context(), append([]string{"tap"}, tt.args...)...)
			assert.NotEqual(t, conformance.ExitPass, code)
			assert.Contains(t, stderr, tt.says)
		})
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	code, _, stderr := plumbline(t, ctx, "tap", "--upstream", "http://127.0.0.1:1", "--listen", "127.0.0.1:0", "--metrics", "127.0.0.1:0")
	assert.Equal(t, conformance.ExitPass, code, "it ends when it is told to")
	assert.Contains(t, stderr, "tapping http://127.0.0.1:1 at http://127.0.0.1:")
}
