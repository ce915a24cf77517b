package gateway

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"plumbline.dev/plumbline/reference/config"
	"plumbline.dev/plumbline/reference/telemetry"
)

// BenchmarkTelemetry is what telemetry costs a completion of 120 tokens: CPU
// without a session, in a session that nobody watches, and with subscribers
// that read (whose CPU is counted too). The ratio is to the first.
func BenchmarkTelemetry(b *testing.B) {
	const tokens = 120
	upstream := tokenUpstream(tokens, 0)
	b.Cleanup(upstream.Close)
	var plain float64
	for _, subscribers := range []int{-1, 0, 1, 100} {
		name := fmt.Sprintf("subscribers=%d", subscribers)
		if subscribers < 0 {
			name = "no session"
		}
		b.Run(name, func(b *testing.B) {
			front := benchGateway(b, upstream.URL)
			stop := benchSubscribe(b, front, subscribers)
			defer stop()
			client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 1}}
			defer client.CloseIdleConnections()
			began := cpuTime()
			for b.Loop() {
				req := benchRequest(b, front.URL)
				if subscribers >= 0 {
					req.Header.Set(telemetry.SessionHeader, "bench")
				}
				resp, err := client.Do(req)
				if err != nil {
					b.Fatal(err)
				}
				_, _ = io.Copy(io.Discard, resp.Body)
				_ = resp.Body.Close()
			}
			spent := float64(cpuTime()-began) / float64(b.N)
			if subscribers < 0 {
				plain = spent
			}
			b.ReportMetric(spent/float64(time.Microsecond), "cpu-µs/completion")
			if plain > 0 {
				b.ReportMetric(spent/plain, "ratio")
			}
		})
	}
}

// benchSubscribe opens telemetry streams that read all they get.
func benchSubscribe(b *testing.B, front *httptest.Server, subscribers int) (stop func()) {
	client := &http.Client{Transport: &http.Transport{}}
	var readers sync.WaitGroup
	var bodies []io.Closer
	for range subscribers {
		req, err := http.NewRequest(http.MethodGet, front.URL+"/v1/telemetry/stream?session=bench", nil)
		if err != nil {
			b.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer "+config.DevelopmentKey)
		resp, err := client.Do(req)
		if err != nil {
			b.Fatal(err)
		}
		bodies = append(bodies, resp.Body)
		readers.Go(func() { _, _ = io.Copy(io.Discard, resp.Body) })
	}
	return func() {
		for _, body := range bodies {
			_ = body.Close()
		}
		readers.Wait()
	}
}
