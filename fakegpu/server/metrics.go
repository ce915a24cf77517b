package server

import (
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"plumbline.dev/plumbline/fakegpu/engine"
	"plumbline.dev/plumbline/fakegpu/kv"
)

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
}

func newMetrics(model string, e *engine.Engine) *metrics {
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
	m.registry.MustRegister(m.running, m.prompt, m.generated, m.success, m.ttft, m.perToken, m.endToEnd)
	m.follow(e, labels)
	return m
}

// follow publishes the engine's own figures.
func (m *metrics) follow(e *engine.Engine, labels prometheus.Labels) {
	gauge := func(name, help string, value func(engine.Stats) float64) {
		m.registry.MustRegister(prometheus.NewGaugeFunc(
			prometheus.GaugeOpts{Name: name, Help: help, ConstLabels: labels}, func() float64 { return value(e.Stats()) }))
	}
	counter := func(name, help string, value func(engine.Stats) float64) {
		m.registry.MustRegister(prometheus.NewCounterFunc(
			prometheus.CounterOpts{Name: name, Help: help, ConstLabels: labels}, func() float64 { return value(e.Stats()) }))
	}
	usage := func(s engine.Stats) float64 { return s.KVUsage }
	gauge("vllm:num_requests_waiting", "Requests that wait to be admitted.", func(s engine.Stats) float64 { return float64(s.Waiting) })
	gauge("vllm:gpu_cache_usage_perc", "Share of the KV cache in use, 0 to 1.", usage)
	gauge("vllm:kv_cache_usage_perc", "Share of the KV cache in use, 0 to 1.", usage)
	counter("vllm:num_preemptions_total", "How often a running request had to wait again.",
		func(s engine.Stats) float64 { return float64(s.Preemptions) })
	counter("vllm:prefix_cache_queries_total", "Prompt tokens looked up in the prefix cache.",
		func(s engine.Stats) float64 { return float64(s.CacheQueries) })
	counter("vllm:prefix_cache_hits_total", "Prompt tokens found in the prefix cache.",
		func(s engine.Stats) float64 { return float64(s.CacheHits) })
	// Not vLLM's: it has no name for what lies below the GPU's memory.
	for tier := kv.GPU; tier <= kv.Storage; tier++ {
		m.registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "fakegpu:kv_blocks", Help: "KV blocks that a tier holds.",
			ConstLabels: prometheus.Labels{"model_name": labels["model_name"], "tier": tier.String()},
		}, func() float64 { return float64(e.Stats().Blocks[tier]) }))
	}
}

func (m *metrics) handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{})
}

// meter follows one request through the metrics.
type meter struct {
	metrics *metrics
	started time.Time
	latest  time.Time // of the latest token
}

func (m *metrics) begin(promptTokens int) *meter {
	m.running.Inc()
	m.prompt.Add(float64(promptTokens))
	return &meter{metrics: m, started: time.Now()}
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
}

// end closes the account; reason is "" for a request that did not finish.
func (g *meter) end(reason string) {
	g.metrics.running.Dec()
	g.metrics.endToEnd.Observe(time.Since(g.started).Seconds())
	if reason != "" {
		g.metrics.success.WithLabelValues(reason).Inc()
	}
}
