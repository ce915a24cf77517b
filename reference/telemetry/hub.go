package telemetry

import (
	"container/list"
	"context"
	"sync"
	"time"
)

// Limits bound what clients can make the hub keep. Each has a default.
type Limits struct {
	// PerSession, PerOrganization and Keyed bound the subscribers that sent a
	// key: of one session, of one organization, and in all.
	PerSession, PerOrganization, Keyed int
	// Keyless bounds the streams that need no key, in all: they have a number
	// of their own, so that nobody's key is needed to keep paying clients out.
	Keyless int
	// Behind is how many events a subscriber may have still to read before it
	// is disconnected.
	Behind int
	// Sessions is how many sessions of an organization are remembered while
	// nobody uses them, and Idle for how long.
	Sessions int
	Idle     time.Duration
}

func (l Limits) withDefaults() Limits {
	for _, d := range []struct {
		value    *int
		standard int
	}{
		{&l.PerSession, 1000}, {&l.PerOrganization, 5000}, {&l.Keyed, 20000}, {&l.Keyless, 10000},
		{&l.Behind, 1024}, {&l.Sessions, 4096},
	} {
		if *d.value <= 0 {
			*d.value = d.standard
		}
	}
	if l.Idle <= 0 {
		l.Idle = 24 * time.Hour
	}
	return l
}

// Hub connects the events of requests with the streams that follow them, within
// one process. It is safe for concurrent use.
type Hub struct {
	limits Limits
	// over is done when the streams have to end.
	over context.Context
	end  context.CancelFunc

	mu             sync.Mutex
	sessions       map[Address]*session
	orgs           map[string]*org
	keyed, keyless int
	requests       int // that run in a session
	draining       bool
}

// org is what the hub keeps of an organization.
type org struct {
	subscribers int
	idle        list.List // of *session, the one used last in front
}

// NewHub makes a hub.
func NewHub(limits Limits) *Hub {
	h := &Hub{limits: limits.withDefaults(), sessions: make(map[Address]*session), orgs: make(map[string]*org)}
	h.over, h.end = context.WithCancel(context.Background())
	return h
}

// Drain ends all streams, but not before the requests that run have told their
// cost. No stream opens after it.
func (h *Hub) Drain() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.draining = true
	if h.requests == 0 {
		h.end()
	}
}

// begin finds the session of a request and keeps it until finish.
func (h *Hub) begin(a Address) *session {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.requests++
	return h.use(a)
}

// finish tells that a request is over.
func (h *Hub) finish(s *session) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.requests--
	h.release(s)
	if h.draining && h.requests == 0 {
		h.end()
	}
}

// use returns the session of the address and keeps it. The lock is held.
func (h *Hub) use(a Address) *session {
	s := h.sessions[a]
	if s == nil {
		s = &session{address: a, behind: uint64(h.limits.Behind)}
		h.sessions[a] = s
	}
	s.users++
	if s.idle != nil {
		h.org(a.Org).idle.Remove(s.idle)
		s.idle = nil
	}
	return s
}

// release lets a session go. The lock is held.
func (h *Hub) release(s *session) {
	if s.users--; s.users > 0 {
		return
	}
	if s.sums.requests == 0 { // nothing to remember
		delete(h.sessions, s.address)
		return
	}
	o := h.org(s.address.Org)
	s.idle, s.idleSince = o.idle.PushFront(s), time.Now()
	for e := o.idle.Back(); e != nil; e = o.idle.Back() {
		oldest := e.Value.(*session)
		if o.idle.Len() <= h.limits.Sessions && time.Since(oldest.idleSince) < h.limits.Idle {
			return
		}
		o.idle.Remove(e)
		delete(h.sessions, oldest.address)
	}
}

// org finds what is kept of an organization. There are as many as have keys.
func (h *Hub) org(id string) *org {
	o := h.orgs[id]
	if o == nil {
		o = new(org)
		h.orgs[id] = o
	}
	return o
}
