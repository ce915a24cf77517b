package gateway

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"plumbline.dev/plumbline/reference/config"
)

// tokenUpstream streams so many tokens: all at once, or one each pause.
func tokenUpstream(tokens int, pause time.Duration) *httptest.Server {
	token := []byte(`data: {"id":"chatcmpl-up","object":"chat.completion.chunk","created":1796029202,"model":"Qwen/Qwen2.5-7B-Instruct","choices":[{"index":0,"delta":{"content":" token"},"logprobs":null,"finish_reason":null}]}` + "\n\n")
	return httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "text/event-stream")
		flusher := w.(http.Flusher)
		flusher.Flush()
		for range tokens {
			_, _ = w.Write(token)
			if pause > 0 {
				flusher.Flush()
				select {
				case <-r.Context().Done():
					return
				case <-time.After(pause):
				}
			}
		}
		_, _ = io.WriteString(w, `data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`+"\n\ndata: [DONE]\n\n")
	}))
}

func benchGateway(tb testing.TB, upstream string) *httptest.Server {
	tb.Helper()
	cfg := config.Default(config.ProfileMortar)
	model := config.DefaultModel(config.ProfileMortar)
	model.ModelServers = []config.ModelServer{{URL: upstream}}
	cfg.Models = []config.Model{model}
	if err := cfg.Complete(); err != nil {
		tb.Fatal(err)
	}
	g, err := New(cfg, Deps{})
	if err != nil {
		tb.Fatal(err)
	}
	front := httptest.NewServer(g.Handler(0))
	tb.Cleanup(func() {
		front.Close()
		for _, m := range g.models {
			m.pool.Close()
		}
	})
	return front
}

func benchRequest(tb testing.TB, base string) *http.Request {
	tb.Helper()
	req, err := http.NewRequest(http.MethodPost, base+"/v1/chat/completions", strings.NewReader(`{"stream":true,"messages":[{"role":"user","content":"x"}]}`))
	if err != nil {
		tb.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+config.DevelopmentKey)
	return req
}

func cpuTime() time.Duration {
	var usage syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &usage) != nil {
		return 0
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// BenchmarkRelay relays streams at full speed through the gateway, and beside it
// sends them to the client directly: the difference is what the gateway costs.
// The figures hold the CPU of the upstream and the client too, in both cases.
func BenchmarkRelay(b *testing.B) {
	const tokens = 2000
	for _, streams := range []int{1, 64} {
		for _, through := range []string{"direct", "gateway"} {
			b.Run(fmt.Sprintf("%d streams/%s", streams, through), func(b *testing.B) {
				benchRelay(b, through, streams, tokens, 0)
			})
		}
	}
}

// BenchmarkPacedRelay relays 200 streams of 20 tokens a second, directly, through
// the standard library's reverse proxy, and through the gateway.
func BenchmarkPacedRelay(b *testing.B) {
	for _, through := range []string{"direct", "reverse proxy", "gateway"} {
		b.Run(through, func(b *testing.B) { benchRelay(b, through, 200, 60, 50*time.Millisecond) })
	}
}

func benchRelay(b *testing.B, through string, streams, tokens int, pause time.Duration) {
	upstream := tokenUpstream(tokens, pause)
	b.Cleanup(upstream.Close)
	base := upstream.URL
	switch through {
	case "gateway":
		base = benchGateway(b, upstream.URL).URL
	case "reverse proxy":
		target, err := url.Parse(upstream.URL)
		if err != nil {
			b.Fatal(err)
		}
		proxy := &httputil.ReverseProxy{FlushInterval: -1, Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(target) }}
		front := httptest.NewServer(proxy)
		b.Cleanup(front.Close)
		base = front.URL
	}
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: streams}}
	b.Cleanup(client.CloseIdleConnections)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	began := cpuTime()
	for b.Loop() {
		var all sync.WaitGroup
		for range streams {
			all.Go(func() {
				resp, err := client.Do(benchRequest(b, base))
				if err != nil {
					b.Error(err)
					return
				}
				defer resp.Body.Close()
				// The plain reverse proxy breaks some streams.
				if n, err := io.Copy(io.Discard, resp.Body); through != "reverse proxy" && (err != nil || n < int64(tokens)*100) {
					b.Errorf("%d bytes: %v", n, err)
				}
			})
		}
		all.Wait()
	}
	events := float64(b.N * streams * tokens)
	used := cpuTime() - began
	runtime.ReadMemStats(&after)
	b.ReportMetric(float64(used.Nanoseconds())/events, "cpu-ns/event")
	b.ReportMetric(float64(after.Mallocs-before.Mallocs)/events, "allocs/event")
}
