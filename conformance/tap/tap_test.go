package tap_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"plumbline.dev/plumbline/conformance/lint"
	"plumbline.dev/plumbline/conformance/tap"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const (
	id   = "chatcmpl-1e3a5c7b9d0f2a4c6e8b0d1f"
	path = "/v1/chat/completions"
	key  = "sk-plumbline-canary-0123456789"
)

// created is the time of all replies: the judge knows what time it is.
var created = time.Now().Unix()

func chunk(delta, finish string) string {
	return fmt.Sprintf(`data: {"id":%q,"object":"chat.completion.chunk","created":%d,"model":"m","choices":[{"index":0,"delta":%s,"finish_reason":%s}]}`+"\n\n", id, created, delta, finish)
}

// reply is a good reply, event by event.
func reply(tokens int) []string {
	events := []string{chunk(`{"role":"assistant","content":""}`, "null"), ": ping\n\n"}
	for i := range tokens {
		events = append(events, chunk(fmt.Sprintf(`{"content":" token %d"}`, i), "null"))
	}
	return append(events, chunk("{}", `"stop"`), "data: [DONE]\n\n")
}

// rig is a tap in front of an upstream, and all that it found.
type rig struct {
	proxy *tap.Proxy
	url   string

	mu    sync.Mutex
	found []*lint.Report
}

func newRig(t testing.TB, upstream http.Handler, change func(*tap.Options)) *rig {
	t.Helper()
	server := httptest.NewServer(upstream)
	t.Cleanup(server.Close)
	return tapOn(t, server.URL, change)
}

func tapOn(t testing.TB, upstream string, change func(*tap.Options)) *rig {
	t.Helper()
	base, err := url.Parse(upstream)
	require.NoError(t, err)
	transport := &http.Transport{DisableCompression: true}
	t.Cleanup(transport.CloseIdleConnections)
	r := &rig{}
	options := tap.Options{Upstream: base, Transport: transport, Found: func(report *lint.Report) {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.found = append(r.found, report)
	}}
	if change != nil {
		change(&options)
	}
	r.proxy, err = tap.New(options)
	require.NoError(t, err)
	front := httptest.NewServer(r.proxy)
	t.Cleanup(func() {
		front.Close()
		r.proxy.Wait()
	})
	r.url = front.URL
	return r
}

func (r *rig) metrics() string {
	w := httptest.NewRecorder()
	r.proxy.Metrics().ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	return w.Body.String()
}

// rows are the rows that were found broken, each once.
func (r *rig) rows() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	rows := map[string]bool{}
	for _, report := range r.found {
		for _, f := range report.Findings {
			rows[f.Requirement] = true
		}
	}
	return slices.Sorted(maps.Keys(rows))
}

func client(t testing.TB) *http.Client {
	transport := &http.Transport{DisableCompression: true}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}

func post(t testing.TB, ctx context.Context, to string) *http.Response {
	t.Helper()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, to+path, strings.NewReader(`{"stream":true,"messages":[{"role":"user","content":"canary prompt"}]}`))
	require.NoError(t, err)
	req.Header.Set("Authorization", "Bearer "+key)
	response, err := client(t).Do(req)
	require.NoError(t, err)
	t.Cleanup(func() { response.Body.Close() })
	return response
}

// streaming sends pieces one by one.
func streaming(pieces ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
		w.Header().Set("Cache-Control", "no-cache, no-transform")
		w.Header().Set("X-Accel-Buffering", "no")
		w.Header().Set("X-Mortar-Request-Id", id)
		for _, piece := range pieces {
			_, _ = io.WriteString(w, piece)
			_ = http.NewResponseController(w).Flush()
		}
	}
}

func TestEveryByteOfTheAnswerPasses(t *testing.T) {
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	_, err := z.Write([]byte(strings.Join(reply(3), "")))
	require.NoError(t, err)
	require.NoError(t, z.Close())
	answers := map[string]http.HandlerFunc{
		"a stream":     streaming(reply(5)...),
		"byte by byte": streaming(strings.Split(strings.Join(reply(2), ""), "")...),
		"no stream":    func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, `{"a":1}`) },
		"no type": func(w http.ResponseWriter, _ *http.Request) {
			w.Header()["Content-Type"] = nil
			_, _ = io.WriteString(w, "<html>")
		},
		"an error":     func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "no", http.StatusTeapot) },
		"nothing":      func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) },
		"a redirect":   func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/elsewhere", http.StatusFound) },
		"all bytes":    func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("\x00\xff\r\n\r\n\xfe")) },
		"many headers": func(w http.ResponseWriter, _ *http.Request) { w.Header()["Set-Cookie"] = []string{"a=1", "b=2"} },
		"gzip": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", "gzip")
			_, _ = w.Write(packed.Bytes())
		},
		"a trailer": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Trailer", "X-Sum")
			_, _ = io.WriteString(w, "body")
			w.Header().Set("X-Sum", "7")
		},
		"a late trailer": func(w http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(w, "body")
			_ = http.NewResponseController(w).Flush()
			w.Header().Set(http.TrailerPrefix+"X-Sum", "8")
		},
		"a long answer": func(w http.ResponseWriter, _ *http.Request) {
			_, _ = w.Write(bytes.Repeat([]byte("0123456789"), 1<<18))
		},
	}
	for name, answer := range answers {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewServer(answer)
			t.Cleanup(server.Close)
			read := func(from string) (string, http.Header, http.Header, string) {
				response := post(t, t.Context(), from)
				body, err := io.ReadAll(response.Body)
				require.NoError(t, err)
				response.Header.Del("Date")
				return response.Status, response.Header, response.Trailer, string(body)
			}
			status, header, trailer, body := read(server.URL)
			gotStatus, gotHeader, gotTrailer, gotBody := read(tapOn(t, server.URL, nil).url)
			assert.Equal(t, status, gotStatus)
			assert.Equal(t, header, gotHeader)
			assert.Equal(t, trailer, gotTrailer)
			assert.True(t, body == gotBody, "the bodies differ")
		})
	}
}

func TestEveryByteOfTheRequestPasses(t *testing.T) {
	type request struct {
		method, uri, body string
		header            http.Header
	}
	got := make(chan request, 1)
	r := newRig(t, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		got <- request{r.Method, r.RequestURI, string(body), r.Header}
	}), nil)
	for _, want := range []request{
		{"GET", "/v1/models?x=%20y&x=2", "", http.Header{}},
		{"POST", "/v1/generations/a%2Fb%20c/stop", "", http.Header{"X-A": {"1", "2"}}},
		{"POST", "/v1//chat/../x?", `{"a": 1}`, http.Header{"Content-Type": {"application/json"}}},
		{"POST", path, strings.Repeat("long ", 2<<20), http.Header{"Authorization": {"Bearer x"}}},
		{"DELETE", "/", "\x00\xff", http.Header{}},
	} {
		t.Run(want.method+" "+want.uri, func(t *testing.T) {
			req, err := http.NewRequest(want.method, r.url+want.uri, strings.NewReader(want.body))
			require.NoError(t, err)
			maps.Copy(req.Header, want.header)
			req.Header["User-Agent"] = nil
			response, err := client(t).Do(req)
			require.NoError(t, err)
			response.Body.Close()
			seen := <-got
			seen.header.Del("Content-Length")
			assert.Equal(t, want.uri, seen.uri)
			assert.Equal(t, want.method, seen.method)
			assert.Equal(t, want.header, seen.header)
			assert.True(t, want.body == seen.body, "the bodies differ")
		})
	}
}

// The upstream sends each piece only when the client has the one before: a tap
// that held anything back would stop here.
func TestEveryPieceComesAtOnce(t *testing.T) {
	next := make(chan struct{})
	r := newRig(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		_ = http.NewResponseController(w).Flush()
		for _, piece := range reply(20) {
			select {
			case <-next:
			case <-r.Context().Done():
				return
			}
			_, _ = io.WriteString(w, piece)
			_ = http.NewResponseController(w).Flush()
		}
	}), nil)
	response := post(t, t.Context(), r.url) // the head comes before any piece
	buf := make([]byte, 4<<10)
	for _, piece := range reply(20) {
		next <- struct{}{}
		n, err := response.Body.Read(buf)
		if !errors.Is(err, io.EOF) { // which may come with the last piece
			require.NoError(t, err)
		}
		require.Equal(t, piece, string(buf[:n]), "one piece, one chunk")
	}
}

func TestAClientThatLeavesIsSeenUpstream(t *testing.T) {
	left := make(chan struct{})
	r := newRig(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		streaming(reply(1)[0])(w, r)
		<-r.Context().Done()
		close(left)
	}), nil)
	ctx, leave := context.WithCancel(t.Context())
	post(t, ctx, r.url)
	leave()
	<-left
	r.proxy.Wait()
	assert.Empty(t, r.rows(), "what is missing behind a client that left is nobody's fault")
}

func TestAnUpstreamThatBreaksOffIsSeenByTheClient(t *testing.T) {
	breakOff := func(w http.ResponseWriter, reset bool) {
		conn, _, err := http.NewResponseController(w).Hijack()
		if err == nil {
			if reset {
				_ = conn.(*net.TCPConn).SetLinger(0)
			}
			conn.Close()
		}
	}
	for name, reset := range map[string]bool{"closes": false, "resets": true} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				streaming(reply(3)[:3]...)(w, nil)
				breakOff(w, reset)
			}), nil)
			body, err := io.ReadAll(post(t, t.Context(), r.url).Body)
			assert.Error(t, err, "a clean end would look like success")
			assert.True(t, strings.HasPrefix(strings.Join(reply(3), ""), string(body)))
			r.proxy.Wait()
			assert.Contains(t, r.rows(), "mortar-stream-11")
		})
	}
	t.Run("before its head", func(t *testing.T) {
		r := newRig(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { breakOff(w, false) }), nil)
		assert.Equal(t, http.StatusBadGateway, post(t, t.Context(), r.url).StatusCode)
		assert.Contains(t, r.metrics(), `plumbline_tap_requests_total{status="no answer"} 1`)
	})
}

func TestStreamsAreJudged(t *testing.T) {
	broken := slices.Clone(reply(300))
	broken[40] = strings.Replace(broken[40], `"delta"`, `"provider":"x","delta"`, 1)
	tests := map[string]struct {
		pieces []string
		want   []string
	}{
		"good":           {reply(300), nil},
		"a vendor field": {broken, []string{"mortar-stream-30"}},
		"no [DONE]":      {reply(2)[:5], []string{"mortar-stream-11"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, streaming(tt.pieces...), nil)
			_, err := io.Copy(io.Discard, post(t, t.Context(), r.url).Body)
			require.NoError(t, err)
			r.proxy.Wait()
			assert.Equal(t, tt.want, r.rows())
			if tt.want == nil {
				assert.Contains(t, r.metrics(), `plumbline_tap_streams_total{verdict="pass"} 1`)
				return
			}
			assert.Contains(t, r.metrics(), `plumbline_tap_streams_breaking_total{requirement="`+tt.want[0]+`"} 1`)
			finding := r.found[0].Findings[0]
			if tt.want[0] == "mortar-stream-30" {
				assert.Equal(t, strings.Index(strings.Join(broken, ""), broken[40]), finding.Offset)
			}
		})
	}
}

func TestAPanicOfTheJudgeHarmsNoTraffic(t *testing.T) {
	r := newRig(t, streaming(reply(2)[:3]...), func(o *tap.Options) {
		o.Found = func(*lint.Report) { panic("a fault of ours") }
	})
	for range 3 {
		body, err := io.ReadAll(post(t, t.Context(), r.url).Body)
		require.NoError(t, err)
		assert.Equal(t, strings.Join(reply(2)[:3], ""), string(body))
	}
	r.proxy.Wait()
	assert.Contains(t, r.metrics(), `plumbline_tap_streams_unjudged_total{reason="panic"} 3`)
}

func TestAHundredStreamsAtOnce(t *testing.T) {
	const streams = 100
	want := strings.Join(reply(50), "")
	var arrived sync.WaitGroup
	arrived.Add(streams)
	r := newRig(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		arrived.Done()
		arrived.Wait() // all of them are open
		streaming(reply(50)...)(w, r)
	}), nil)
	var clients sync.WaitGroup
	bodies := make([]string, streams)
	hc := client(t)
	for i := range streams {
		clients.Go(func() {
			response, err := hc.Post(r.url+path, "application/json", strings.NewReader(`{"stream":true}`))
			if err != nil {
				return
			}
			defer response.Body.Close()
			body, err := io.ReadAll(response.Body)
			if err == nil {
				bodies[i] = string(body)
			}
		})
	}
	clients.Wait()
	for i, body := range bodies {
		require.True(t, body == want, "stream %d: %d bytes of %d", i, len(body), len(want))
	}
	r.proxy.Wait()
	assert.Contains(t, r.metrics(), `plumbline_tap_streams_total{verdict="pass"} 100`)
	assert.Empty(t, r.rows())
}

func TestWrongOptions(t *testing.T) {
	_, err := tap.New(tap.Options{Upstream: &url.URL{}})
	assert.ErrorContains(t, err, "no host")
	var usage *lint.UsageError
	_, err = tap.New(tap.Options{Upstream: &url.URL{Host: "x"}, Lint: lint.Options{Profile: "mortal"}})
	assert.True(t, errors.As(err, &usage))
	assert.ErrorContains(t, err, "mortar")
}

// BenchmarkRelay says how much longer a reply takes through the tap, as a ratio
// of the time without it.
func BenchmarkRelay(b *testing.B) {
	pieces := reply(2000)
	server := httptest.NewServer(streaming(pieces...))
	b.Cleanup(server.Close)
	tapped := tapOn(b, server.URL, nil)
	hc := client(b)
	size := int64(len(strings.Join(pieces, "")))
	pass := func(from string) {
		response, err := hc.Post(from+path, "application/json", strings.NewReader(`{"stream":true}`))
		if err != nil {
			b.Fatal(err)
		}
		defer response.Body.Close()
		if n, err := io.Copy(io.Discard, response.Body); n != size || err != nil {
			b.Fatal(n, err)
		}
	}
	var direct, through float64
	b.SetBytes(size)
	for b.Loop() {
		began := b.Elapsed()
		pass(server.URL)
		middle := b.Elapsed()
		pass(tapped.url)
		direct += float64(middle - began)
		through += float64(b.Elapsed() - middle)
	}
	b.ReportMetric(through/direct, "×direct")
}
