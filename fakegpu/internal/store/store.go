package store

import (
	"container/list"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"plumbline.dev/plumbline/fakegpu/control"
)

// ErrUnknown says that a nonce has no script, no request and no gate: it was
// never used, or it was forgotten or dropped.
var ErrUnknown = errors.New("nothing is known under this nonce (never registered, forgotten or expired)")

// Limits bound a Store.
type Limits struct {
	Nonces  int           // how many are kept
	Bytes   int64         // of scripts, request bodies and token times together
	Unused  time.Duration // after its last use a nonce may be dropped
	Records int           // requests journaled for one nonce
	Gates   int           // of one nonce
}

// DefaultLimits suit a run of a whole suite with room to spare.
func DefaultLimits() Limits {
	return Limits{Nonces: 20_000, Bytes: 512 << 20, Unused: 10 * time.Minute, Records: 10_000, Gates: 1_000}
}

// Store holds scripts and journals. It is safe for concurrent use.
type Store struct {
	limits Limits
	now    func() int64 // nanoseconds of Unix time, monotonic

	mu      sync.Mutex
	entries map[string]*list.Element // of *entry
	order   *list.List               // front: the latest used
	bytes   int64
}

// New returns an empty store that stamps times with now.
func New(limits Limits, now func() int64) *Store {
	return &Store{limits: limits, now: now, entries: map[string]*list.Element{}, order: list.New()}
}

// Register keeps a script, whose JSON had size bytes, under its nonce.
func (s *Store) Register(script control.Script, size int) {
	e := s.use(script.Nonce, int64(size), 0)
	e.mu.Lock()
	defer e.mu.Unlock()
	e.script = &script
}

// Release opens a gate of a nonce for good.
func (s *Store) Release(nonce, gate string) error {
	e := s.use(nonce, 0, 0)
	e.mu.Lock()
	defer e.mu.Unlock()
	opened, err := e.gate(gate, s.limits.Gates)
	if err != nil {
		return err
	}
	select {
	case <-opened:
	default:
		close(opened)
	}
	return nil
}

// Forget drops a nonce; those who await it get ErrUnknown.
func (s *Store) Forget(nonce string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	at, ok := s.entries[nonce]
	if !ok {
		return ErrUnknown
	}
	s.drop(at)
	return nil
}

// Journal returns what happened to the requests of a nonce until now.
func (s *Store) Journal(nonce string) (control.Journal, error) {
	s.mu.Lock()
	at, ok := s.entries[nonce]
	s.mu.Unlock()
	if !ok {
		return control.Journal{}, ErrUnknown
	}
	e := at.Value.(*entry)
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.journal(), nil
}

// Await returns the journal and true when the condition holds, or the journal
// as it is and false when ctx ends first.
func (s *Store) Await(ctx context.Context, nonce string, until control.Condition) (control.Journal, bool, error) {
	e := s.use(nonce, 0, 0)
	for {
		e.mu.Lock()
		if e.dropped {
			e.mu.Unlock()
			return control.Journal{}, false, ErrUnknown
		}
		if e.holds(until) || ctx.Err() != nil {
			j, met := e.journal(), e.holds(until)
			e.mu.Unlock()
			return j, met, nil
		}
		if e.changed == nil {
			e.changed = make(chan struct{})
		}
		changed := e.changed
		e.mu.Unlock()
		select {
		case <-changed:
		case <-ctx.Done():
		}
	}
}

// Len is how many nonces are kept.
func (s *Store) Len() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.order.Len()
}

// use returns the entry of a nonce, new if need be, as the latest used one; it
// charges bytes to it and counts running more (or fewer) requests.
func (s *Store) use(nonce string, bytes int64, running int) *entry {
	s.mu.Lock()
	defer s.mu.Unlock()
	at, ok := s.entries[nonce]
	if ok {
		s.order.MoveToFront(at)
	} else {
		at = s.order.PushFront(&entry{nonce: nonce})
		s.entries[nonce] = at
	}
	e := at.Value.(*entry)
	s.charge(e, bytes, running)
	s.evict(e)
	return e
}

// settle charges an entry when one of its requests has ended.
func (s *Store) settle(e *entry, bytes int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if at, ok := s.entries[e.nonce]; ok && at.Value == any(e) {
		s.order.MoveToFront(at)
		s.charge(e, bytes, -1)
		s.evict(nil)
	}
}

func (s *Store) charge(e *entry, bytes int64, running int) {
	e.lastUse = s.now()
	e.running += running
	e.bytes += bytes
	s.bytes += bytes
}

// evict drops the longest unused entries while a limit is exceeded, but never
// keep nor one with a running request.
func (s *Store) evict(keep *entry) {
	oldest := s.now() - int64(s.limits.Unused)
	for at := s.order.Back(); at != nil; {
		e := at.Value.(*entry)
		if e.lastUse >= oldest && s.order.Len() <= s.limits.Nonces && s.bytes <= s.limits.Bytes {
			return
		}
		before := at.Prev()
		if e.running == 0 && e != keep {
			s.drop(at)
		}
		at = before
	}
}

func (s *Store) drop(at *list.Element) {
	e := s.order.Remove(at).(*entry)
	delete(s.entries, e.nonce)
	s.bytes -= e.bytes
	e.mu.Lock()
	defer e.mu.Unlock()
	e.dropped = true
	e.notify()
}

// entry is all that is known under one nonce. The Store's lock guards lastUse,
// running and bytes; its own lock guards the rest.
type entry struct {
	nonce   string
	lastUse int64
	running int
	bytes   int64

	mu      sync.Mutex
	script  *control.Script
	gates   map[string]chan struct{} // closed: opened
	records []*control.Record
	changed chan struct{} // closed at the next change; nil while nobody waits
	dropped bool
}

func (e *entry) notify() {
	if e.changed != nil {
		close(e.changed)
		e.changed = nil
	}
}

func (e *entry) gate(name string, limit int) (chan struct{}, error) {
	if g, ok := e.gates[name]; ok {
		return g, nil
	}
	if len(e.gates) >= limit {
		return nil, fmt.Errorf("nonce %s has %d gates already, no more are allowed", e.nonce, limit)
	}
	if e.gates == nil {
		e.gates = map[string]chan struct{}{}
	}
	g := make(chan struct{})
	e.gates[name] = g
	return g, nil
}

func (e *entry) holds(until control.Condition) bool {
	return until.HoldsFor(len(e.records), func(i int) *control.Record { return e.records[i] })
}

// journal copies the records; the token times are shared, which is safe
// because they are only ever appended to.
func (e *entry) journal() control.Journal {
	j := control.Journal{Nonce: e.nonce, Requests: make([]control.Record, len(e.records))}
	for i, r := range e.records {
		j.Requests[i] = *r
	}
	return j
}
