package gateway

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"plumbline.dev/plumbline/reference/apierror"
	"plumbline.dev/plumbline/reference/completion"
	"plumbline.dev/plumbline/reference/generation"
	"plumbline.dev/plumbline/reference/modelserver"
)

// logObserver writes one line for each generation that is over.
type logObserver struct{ log *slog.Logger }

func (logObserver) Started(generation.Info)                   {}
func (logObserver) Routed(generation.Info, completion.Route)  {}
func (logObserver) FirstToken(generation.Info, time.Duration) {}

func (o logObserver) Settled(s generation.Settlement) {
	level := slog.LevelInfo
	if s.Ending == generation.Failed {
		level = slog.LevelWarn
	}
	attrs := []slog.Attr{
		slog.String("id", s.ID), slog.String("org", s.Org), slog.String("key", s.KeyID),
		slog.String("model", s.Model), slog.Bool("stream", s.Stream), slog.Int("status", s.Status),
		slog.String("ending", s.Ending.String()), slog.String("server", s.Server),
		slog.Int64("prompt_tokens", s.Usage.PromptTokens), slog.Int64("completion_tokens", s.Usage.CompletionTokens),
		slog.Bool("estimated", s.Usage.Estimated),
		slog.Int64("generated", s.Generated), slog.Int64("delivered", s.Delivered),
		slog.Float64("first_token_ms", milliseconds(s.FirstToken)), slog.Float64("duration_ms", milliseconds(s.Duration)),
	}
	if s.Err != nil {
		attrs = append(attrs, slog.String("error", loggable(s.Err)))
	}
	o.log.LogAttrs(context.Background(), level, "completion", attrs...)
}

// loggable is the text of an error that is made of the gateway's own words, and
// only the type of any other.
func loggable(err error) string {
	var failure *modelserver.Error
	var refusal *apierror.Error
	switch {
	case errors.As(err, &failure):
		return failure.Error()
	case errors.As(err, &refusal):
		return refusal.Type
	default:
		return fmt.Sprintf("%T", err)
	}
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

func levelOf(status int) slog.Level {
	if status >= http.StatusInternalServerError {
		return slog.LevelWarn
	}
	return slog.LevelInfo
}

// refusalAttrs describes a refusal by its codes. Messages repeat names that the
// client sent, so they stay out.
func refusalAttrs(w http.ResponseWriter, r *http.Request, e *apierror.Error) []slog.Attr {
	attrs := []slog.Attr{slog.Int("status", e.Status), slog.String("type", e.Type)}
	if e.Code != nil {
		attrs = append(attrs, slog.String("code", *e.Code))
	}
	if id := w.Header().Get(generation.RequestIDHeader); id != "" {
		attrs = append(attrs, slog.String("id", id))
	}
	switch r.Method {
	case http.MethodGet, http.MethodPost, http.MethodHead, http.MethodOptions:
		attrs = append(attrs, slog.String("method", r.Method))
	}
	return attrs
}

// metrics counts generations for Prometheus.
type metrics struct {
	running    *prometheus.GaugeVec
	settled    *prometheus.CounterVec
	tokens     *prometheus.CounterVec
	firstToken *prometheus.HistogramVec
	duration   *prometheus.HistogramVec
}

func newMetrics(registry *prometheus.Registry) *metrics {
	m := &metrics{
		running: prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Name: "plumbline_completions_running", Help: "Completions that are being generated."}, []string{"model"}),
		settled: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "plumbline_completions_total", Help: "Completions that are over, by how they ended."}, []string{"model", "ending"}),
		tokens: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "plumbline_tokens_total", Help: "Tokens of completions that are over."}, []string{"model", "kind"}),
		firstToken: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "plumbline_time_to_first_token_seconds", Help: "Time from a request to the first token of its stream.",
			Buckets: prometheus.ExponentialBuckets(0.01, 2, 13)}, []string{"model"}),
		duration: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "plumbline_completion_duration_seconds", Help: "Time from a request to the end of its reply.",
			Buckets: prometheus.ExponentialBuckets(0.05, 2, 15)}, []string{"model"}),
	}
	registry.MustRegister(m.running, m.settled, m.tokens, m.firstToken, m.duration)
	return m
}

func (m *metrics) Started(info generation.Info) { m.running.WithLabelValues(info.Model).Inc() }

func (m *metrics) Routed(generation.Info, completion.Route) {}

func (m *metrics) FirstToken(info generation.Info, after time.Duration) {
	m.firstToken.WithLabelValues(info.Model).Observe(after.Seconds())
}

func (m *metrics) Settled(s generation.Settlement) {
	m.running.WithLabelValues(s.Model).Dec()
	m.settled.WithLabelValues(s.Model, s.Ending.String()).Inc()
	m.tokens.WithLabelValues(s.Model, "prompt").Add(float64(s.Usage.PromptTokens))
	m.tokens.WithLabelValues(s.Model, "completion").Add(float64(s.Usage.CompletionTokens))
	m.duration.WithLabelValues(s.Model).Observe(s.Duration.Seconds())
}
