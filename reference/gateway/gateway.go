package gateway

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"plumbline.dev/plumbline/reference/bus"
	"plumbline.dev/plumbline/reference/config"
	"plumbline.dev/plumbline/reference/credits"
	"plumbline.dev/plumbline/reference/generation"
	"plumbline.dev/plumbline/reference/idempotency"
	"plumbline.dev/plumbline/reference/ledger"
	"plumbline.dev/plumbline/reference/limit"
	"plumbline.dev/plumbline/reference/price"
	"plumbline.dev/plumbline/reference/telemetry"
	"plumbline.dev/plumbline/reference/tokens"
)

// Deps is what a gateway uses beside its configuration. Every zero value has a
// default.
type Deps struct {
	// Log gets one line a request; it never holds a key or text of a prompt.
	// Without one nothing is logged.
	Log *slog.Logger
	// Bus is shared by the replicas; without one the process is alone.
	Bus bus.Bus
	// Ledger keeps what completions cost; without one it is a file in the data
	// directory, or memory. The gateway closes it.
	Ledger ledger.Ledger
	// Observer is told of every generation, after logs and metrics.
	Observer generation.Observer
	// SampleFirstToken and SampleInterToken are the pace of the sample model;
	// by default that of a small model on one GPU. Negative does not wait.
	SampleFirstToken, SampleInterToken time.Duration
}

// Gateway is a configured gateway.
type Gateway struct {
	cfg       *config.Config
	log       *slog.Logger
	bus       bus.Bus
	accounts  *accounts
	book      *credits.Book
	limits    *limit.Limiter
	repeats   *idempotency.Store
	counter   *tokens.Counter
	models    map[string]*model // by id
	observer  generation.Observer
	registry  *prometheus.Registry
	hub       *telemetry.Hub
	faces     []*face
	listeners []net.Listener
	metrics   net.Listener
	draining  atomic.Bool
	drain     context.Context // done when running replies have to end
	endDrain  context.CancelFunc
}

// headGrace is how long the head of a stream waits for the model server to
// accept the request ("Errors" before the stream keep their HTTP status).
const headGrace = time.Second

const (
	defaultFirstToken = 150 * time.Millisecond
	defaultInterToken = 20 * time.Millisecond
)

// New makes a gateway from a complete configuration. It listens to nothing yet
// and sends nothing.
func New(cfg *config.Config, deps Deps) (*Gateway, error) {
	if deps.Log == nil {
		deps.Log = slog.New(slog.DiscardHandler)
	}
	if deps.Bus == nil {
		deps.Bus = new(bus.Local)
	}
	g := &Gateway{
		cfg: cfg, log: deps.Log, bus: deps.Bus, limits: limit.New(time.Now), repeats: idempotency.New(time.Now),
		counter: tokens.NewCounter(), models: make(map[string]*model), registry: prometheus.NewRegistry(),
		hub: telemetry.NewHub(telemetry.Limits{}),
	}
	g.drain, g.endDrain = context.WithCancel(context.Background())
	observers := generation.Observers{logObserver{g.log}, newMetrics(g.registry), telemetry.NewObserver(g.hub, g.pricesOf)}
	if deps.Observer != nil {
		observers = append(observers, deps.Observer)
	}
	g.observer = observers
	books := newCaches()
	for i := range cfg.Models {
		m, err := newModel(&cfg.Models[i], cfg, g.counter, books, deps)
		if err != nil {
			return nil, fmt.Errorf("making the gateway: model %q: %w", cfg.Models[i].ID, err)
		}
		g.models[m.ID] = m
	}
	for _, l := range cfg.Listeners {
		f, err := newFace(g, l)
		if err != nil {
			return nil, fmt.Errorf("making the gateway: listener %s: %w", l.Address, err)
		}
		g.faces = append(g.faces, f)
	}
	if len(g.faces) == 0 {
		return nil, errors.New("making the gateway: the configuration has no listener")
	}
	// Last, because files that were opened would have to be closed.
	if err := g.openAccounts(deps.Ledger); err != nil {
		return nil, fmt.Errorf("making the gateway: %w", err)
	}
	return g, nil
}

// pricesOf returns the prices of a model that is offered, by its id.
func (g *Gateway) pricesOf(model string) price.Prices { return g.models[model].Prices }

// Handler serves what the i-th listener of the configuration serves, for use
// behind a server of the caller's own. It panics if there is no such listener.
func (g *Gateway) Handler(i int) http.Handler { return g.faces[i] }

// ready tells whether every model has somebody to answer for it.
func (g *Gateway) ready() bool {
	if g.draining.Load() {
		return false
	}
	for _, m := range g.models {
		if m.pool != nil && !m.pool.Ready() {
			return false
		}
	}
	return true
}
