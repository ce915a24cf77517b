package telemetry

import (
	"sync"
	"time"

	"plumbline.dev/plumbline/reference/completion"
	"plumbline.dev/plumbline/reference/generation"
	"plumbline.dev/plumbline/reference/price"
)

// Observer publishes what happens to the generations that belong to a session.
type Observer struct {
	hub    *Hub
	prices func(model string) price.Prices

	mu      sync.Mutex
	running map[string]*request // by completion id
}

var _ generation.Observer = (*Observer)(nil)

// request is a generation that runs. Its calls come one after the other, so
// only the way to it needs a lock.
type request struct {
	session  *session
	started  time.Time
	queue    time.Duration
	route    completion.Route
	lookedUp bool
}

// NewObserver makes an observer that publishes to the hub. The function knows
// the prices of every model that a generation can have.
func NewObserver(hub *Hub, prices func(model string) price.Prices) *Observer {
	return &Observer{hub: hub, prices: prices, running: make(map[string]*request)}
}

// Started implements [generation.Observer].
func (o *Observer) Started(info generation.Info) {
	if info.Session == "" {
		return
	}
	// Everything that will be published of this request goes to the session
	// that is found here, whoever causes it and when.
	r := &request{session: o.hub.begin(Address{Org: info.Org, Session: info.Session}), started: time.Now()}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.running[info.ID] = r
}

func (o *Observer) find(info generation.Info) *request {
	if info.Session == "" {
		return nil
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.running[info.ID]
}

// Routed implements [generation.Observer].
func (o *Observer) Routed(info generation.Info, route completion.Route) {
	r := o.find(info)
	if r == nil {
		return
	}
	r.route, r.queue = route, time.Since(r.started)
	events := []event{routeDecision{info, route}}
	if cache := route.Cache; cache != nil && cache.Final {
		r.lookedUp = true
		events = append(events, cacheLookup{
			requestID: info.ID, prompt: cache.Prompt, read: cache.Reused, tier: tierOf(cache.Reused, cache), estimated: true,
		})
	}
	r.session.publish(events...)
}

// FirstToken implements [generation.Observer]. The time is told with the others.
func (o *Observer) FirstToken(generation.Info, time.Duration) {}

// Settled implements [generation.Observer].
func (o *Observer) Settled(s generation.Settlement) {
	r := o.find(s.Info)
	if r == nil {
		return
	}
	o.mu.Lock()
	delete(o.running, s.ID)
	o.mu.Unlock()
	counts, estimated := countsOf(s.Usage)
	cost := costUpdate{requestID: s.ID, Cost: o.prices(s.Model).Cost(counts), estimated: estimated}
	var events []event
	if counts.Prompt > 0 && !r.lookedUp {
		events = append(events, cacheLookup{
			requestID: s.ID, prompt: counts.Prompt, read: counts.CacheRead, tier: tierOf(counts.CacheRead, r.route.Cache), estimated: estimated,
		})
	}
	r.session.settle(cost, append(events, latencyUpdate{s, r.queue})...)
	o.hub.finish(r.session)
}

// countsOf returns the counts of a usage. Usage was checked when it was read;
// should it contradict itself all the same, nothing of it is the model server's
// any more and no token is billed that nobody can account for.
func countsOf(u completion.Usage) (counts price.Counts, estimated bool) {
	counts, err := price.CountsOf(u)
	if err != nil {
		return price.Counts{}, true
	}
	return counts, u.Estimated
}

// tierOf is the tier of a prefix of which so many tokens were read. Model
// servers do not tell it: it is what the gateway's own books say, and else the
// memory in which every one of them has its prefix cache.
func tierOf(read int64, cache *completion.CacheLookup) completion.Tier {
	switch {
	case read == 0:
		return completion.TierNone
	case cache == nil || cache.Tier == completion.TierNone:
		return completion.TierGPU
	default:
		return cache.Tier
	}
}
