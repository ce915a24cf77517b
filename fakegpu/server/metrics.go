package server

import (
	"net/http"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// kvCapacity is how many tokens the simulated card's KV cache holds.
const kvCapacity = 1 << 20

// metrics are the figures that vLLM publishes, under its names.
type metrics struct {
	registry  *prometheus.Registry
	running   prometheus.Gauge
	prompt    prometheus.Counter
	generated prometheus.Counter
	success   *prometheus.CounterVec
	ttft      prometheus.Histogram
	perToken  prometheus.Histogram
	endToEnd  prometheus.Histogram
	kvTokens  atomic.Int64 // of running requests
}

func newMetrics(model string) *metrics {
	labels := prometheus.Labels{"model_name": model}
	gauge := func(name, help string) prometheus.GaugeOpts {
		return prometheus.GaugeOpts{Name: name, Help: help, ConstLabels: labels}
	}
	counter := func(name, help string) prometheus.CounterOpts {
		return prometheus.CounterOpts{Name: name, Help: help, ConstLabels: labels}
	}
	seconds := func(name, help string) prometheus.Histogram {
		return prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: name, Help: help, ConstLabels: labels, Buckets: prometheus.ExponentialBuckets(0.001, 2.5, 13),
		})
	}
	m := &metrics{
		registry:  prometheus.NewRegistry(),
		running:   prometheus.NewGauge(gauge("vllm:num_requests_running", "Requests that are being generated.")),
		prompt:    prometheus.NewCounter(counter("vllm:prompt_tokens_total", "Prompt tokens prefilled.")),
		generated: prometheus.NewCounter(counter("vllm:generation_tokens_total", "Tokens generated.")),
		success:   prometheus.NewCounterVec(counter("vllm:request_success_total", "Requests that finished, by finish reason."), []string{"finished_reason"}),
		ttft:      seconds("vllm:time_to_first_token_seconds", "Time to first token."),
		perToken:  seconds("vllm:time_per_output_token_seconds", "Inter-token latency."),
		endToEnd:  seconds("vllm:e2e_request_latency_seconds", "Time from arrival to the end of a request."),
	}
	// Nothing ever waits: the steady engine admits every request at once.
	waiting := prometheus.NewGauge(gauge("vllm:num_requests_waiting", "Requests that wait to be admitted."))
	usage := func() float64 { return min(1, float64(m.kvTokens.Load())/kvCapacity) }
	m.registry.MustRegister(m.running, waiting, m.prompt, m.generated, m.success, m.ttft, m.perToken, m.endToEnd,
		prometheus.NewGaugeFunc(gauge("vllm:gpu_cache_usage_perc", "Share of the KV cache in use, 0 to 1."), usage),
		prometheus.NewGaugeFunc(gauge("vllm:kv_cache_usage_perc", "Share of the KV cache in use, 0 to 1."), usage))
	return m
}

func (m *metrics) handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{})
}

// meter follows one request through the metrics.
type meter struct {
	metrics  *metrics
	started  time.Time
	latest   time.Time // of the latest token
	kvTokens int64
}

func (m *metrics) begin(promptTokens int) *meter {
	m.running.Inc()
	m.prompt.Add(float64(promptTokens))
	m.kvTokens.Add(int64(promptTokens))
	return &meter{metrics: m, started: time.Now(), kvTokens: int64(promptTokens)}
}

func (g *meter) tokens(n int) {
	now := time.Now()
	if g.latest.IsZero() {
		g.metrics.ttft.Observe(now.Sub(g.started).Seconds())
	} else {
		g.metrics.perToken.Observe(now.Sub(g.latest).Seconds())
	}
	g.latest = now
	g.metrics.generated.Add(float64(n))
	g.metrics.kvTokens.Add(int64(n))
	g.kvTokens += int64(n)
}

// end closes the account; reason is "" for a request that did not finish.
func (g *meter) end(reason string) {
	g.metrics.running.Dec()
	g.metrics.kvTokens.Add(-g.kvTokens)
	g.metrics.endToEnd.Observe(time.Since(g.started).Seconds())
	if reason != "" {
		g.metrics.success.WithLabelValues(reason).Inc()
	}
}
