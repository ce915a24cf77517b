// Package ledger writes down what each completion cost: one [Entry] for each,
// never changed and never written twice, in exact amounts. [Open] keeps it in a
// file that survives the process; [Memory] forgets it.
package ledger

import (
	"context"
	"iter"
	"sync"
)

// Ledger keeps entries. It is safe for concurrent use.
type Ledger interface {
	// Write adds an entry and returns when it is as safe as the ledger can make
	// it. An entry of a completion that has one already changes nothing, and
	// written is false.
	Write(ctx context.Context, e Entry) (written bool, err error)
	// Entries yields what was written before, in order. An error is the last
	// thing that it yields.
	Entries() iter.Seq2[Entry, error]
	// Err is why nothing can be written any more, nil while all is well.
	Err() error
	// Close waits for what is being written.
	Close() error
}

// remembered is how many completions a ledger knows again. What writes an entry
// twice (a message that is delivered twice, a call that is repeated) does so
// soon, and ids are random.
const remembered = 1 << 16

// ids are the completions that were written last.
type ids struct {
	mu    sync.Mutex
	known map[string]bool
	ring  []string
	next  int
}

// add tells whether the id is new.
func (s *ids) add(id string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.known == nil {
		s.known = make(map[string]bool)
	}
	if s.known[id] {
		return false
	}
	s.known[id] = true
	if len(s.ring) < remembered {
		s.ring = append(s.ring, id)
		return true
	}
	delete(s.known, s.ring[s.next])
	s.ring[s.next] = id
	s.next = (s.next + 1) % remembered
	return true
}

// Memory is a Ledger that keeps nothing beyond the process, and knows completions
// only to write none twice. Its zero value is ready.
type Memory struct{ ids ids }

var _ Ledger = (*Memory)(nil)

// Write implements [Ledger].
func (m *Memory) Write(_ context.Context, e Entry) (bool, error) {
	if err := e.check(); err != nil {
		return false, err
	}
	return m.ids.add(e.ID), nil
}

// Entries implements [Ledger]: nothing is left of an earlier process.
func (m *Memory) Entries() iter.Seq2[Entry, error] { return func(func(Entry, error) bool) {} }

// Err implements [Ledger].
func (m *Memory) Err() error { return nil }

// Close implements [Ledger].
func (m *Memory) Close() error { return nil }
