package tap

import (
	"net/http"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"plumbline.dev/plumbline/conformance/lint"
)

// counts are what Prometheus reads.
type counts struct {
	registry *prometheus.Registry
	requests *prometheus.CounterVec // by status
	streams  *prometheus.CounterVec // judged, by verdict
	findings *prometheus.CounterVec // by row
	unjudged *prometheus.CounterVec // by reason
	unkept   prometheus.Counter
	judging  prometheus.Gauge
}

func newCounts() *counts {
	vector := func(name, help, label string) *prometheus.CounterVec {
		return prometheus.NewCounterVec(prometheus.CounterOpts{Namespace: "plumbline_tap", Name: name, Help: help}, []string{label})
	}
	c := &counts{
		registry: prometheus.NewRegistry(),
		requests: vector("requests_total", "Requests passed on, by the status of the answer.", "status"),
		streams:  vector("streams_total", "Streams judged, by verdict.", "verdict"),
		findings: vector("streams_breaking_total", "Streams that break a row of the catalogue, by row.", "requirement"),
		unjudged: vector("streams_unjudged_total", "Streams that could not be judged to their end, by reason.", "reason"),
		unkept: prometheus.NewCounter(prometheus.CounterOpts{Namespace: "plumbline_tap", Name: "streams_unkept_total",
			Help: "Streams that break a row and could not be written to the folder of kept ones."}),
		judging: prometheus.NewGauge(prometheus.GaugeOpts{Namespace: "plumbline_tap", Name: "streams_judging",
			Help: "Streams that are being judged."}),
	}
	c.registry.MustRegister(c.requests, c.streams, c.findings, c.unjudged, c.unkept, c.judging)
	return c
}

// report counts a stream once for each row that it breaks.
func (c *counts) report(r *lint.Report) {
	verdict := "pass"
	rows := map[string]bool{}
	for _, f := range r.Findings {
		verdict = "fail"
		for _, row := range f.Rows {
			rows[row] = true
		}
	}
	c.streams.WithLabelValues(verdict).Inc()
	for row := range rows {
		c.findings.WithLabelValues(row).Inc()
	}
}

// Metrics serves the counts to Prometheus.
func (p *Proxy) Metrics() http.Handler {
	return promhttp.HandlerFor(p.counts.registry, promhttp.HandlerOpts{})
}
