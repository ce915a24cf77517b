package server

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"plumbline.dev/plumbline/fakegpu/engine"
	"plumbline.dev/plumbline/fakegpu/internal/store"
	"plumbline.dev/plumbline/fakegpu/internal/wire"
)

// Server is a fake GPU model server. It is safe for concurrent use.
type Server struct {
	options Options
	dialect wire.Dialect
	engine  *engine.Engine
	store   *store.Store
	metrics *metrics
	log     *slog.Logger
	mux     *http.ServeMux
	born    time.Time // the origin of the server's one clock

	life     context.Context // ends with Close
	cancel   context.CancelFunc
	entrance sync.Mutex // no reply enters once life has ended
	replies  sync.WaitGroup
}

// New returns a server that is ready to be served by its Handler. Close it
// when it is no longer needed.
func New(o Options) (*Server, error) {
	if err := o.Validate(); err != nil {
		return nil, fmt.Errorf("fake GPU: %w", err)
	}
	dialect, err := wire.ParseDialect(o.Dialect)
	if err != nil {
		return nil, fmt.Errorf("fake GPU: %w", err)
	}
	e, err := engine.New(o.engine())
	if err != nil {
		return nil, fmt.Errorf("fake GPU: %w", err)
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	s := &Server{
		options: o, dialect: dialect, engine: e, log: o.Log, born: time.Now(), metrics: newMetrics(modelName(o), e),
	}
	s.life, s.cancel = context.WithCancel(context.Background())
	s.store = store.New(store.DefaultLimits(), s.now)
	s.mux = s.routes()
	return s, nil
}

// Handler serves the model server's faces and the control API.
func (s *Server) Handler() http.Handler { return s.mux }

// Close ends every running reply and returns when the last one is over.
func (s *Server) Close() {
	s.abort()
	s.replies.Wait()
}

// abort ends every running reply and lets no new one in.
func (s *Server) abort() {
	s.entrance.Lock()
	defer s.entrance.Unlock()
	s.cancel()
}

// now is the server's clock: Unix time in nanoseconds that a monotonic clock
// carries on.
func (s *Server) now() int64 { return s.born.UnixNano() + int64(time.Since(s.born)) }

func modelName(o Options) string {
	if o.Model == "" {
		return DefaultModel
	}
	return o.Model
}

func (s *Server) routes() *http.ServeMux {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/chat/completions", func(w http.ResponseWriter, r *http.Request) { s.complete(w, r, true) })
	mux.HandleFunc("POST /v1/completions", func(w http.ResponseWriter, r *http.Request) { s.complete(w, r, false) })
	mux.HandleFunc("GET /v1/models", s.models)
	mux.HandleFunc("GET /health", s.health)
	mux.Handle("GET /metrics", s.metrics.handler())
	s.controlRoutes(mux)
	return mux
}

func (s *Server) health(w http.ResponseWriter, _ *http.Request) {
	if s.dialect == wire.LlamaCpp {
		writeJSON(w, http.StatusOK, map[string]string{"status": "ok"})
	}
}

func (s *Server) models(w http.ResponseWriter, _ *http.Request) {
	owner := map[wire.Dialect]string{wire.VLLM: "vllm", wire.SGLang: "sglang", wire.LlamaCpp: "llamacpp"}[s.dialect]
	model := map[string]any{"id": modelName(s.options), "object": "model", "created": s.born.Unix(), "owned_by": owner}
	if s.dialect != wire.LlamaCpp {
		model["max_model_len"] = s.engine.ContextWindow()
	}
	writeJSON(w, http.StatusOK, map[string]any{"object": "list", "data": []any{model}})
}
