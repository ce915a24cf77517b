package store

import (
	"encoding/json"

	"plumbline.dev/plumbline/fakegpu/control"
)

const (
	maxBody       = 1 << 20   // of a request body in the journal
	maxTokenTimes = 1_000_000 // of one record
)

// Run is one request of a nonce while it is served. A nil *Run is a request
// without nonce: it records nothing.
type Run struct {
	store  *Store
	entry  *entry
	script *control.Script
	record *control.Record
}

// Begin journals the arrival of a request and finds its script.
func (s *Store) Begin(nonce, path string, body []byte) *Run {
	kept := journalBody(body)
	e := s.use(nonce, int64(len(kept)), 1)
	e.mu.Lock()
	defer e.mu.Unlock()
	r := &Run{store: s, entry: e, script: e.script, record: &control.Record{
		Path: path, Body: kept, ReceivedAt: s.now(), Scripted: e.script != nil, TokenTimes: []int64{},
	}}
	if len(e.records) < s.limits.Records {
		e.records = append(e.records, r.record)
	}
	e.notify()
	return r
}

// journalBody is the body as a JSON value of at most about 1 MiB.
func journalBody(body []byte) json.RawMessage {
	if len(body) <= maxBody && json.Valid(body) {
		return body
	}
	text, err := json.Marshal(string(body[:min(len(body), maxBody)]))
	if err != nil {
		return json.RawMessage(`""`)
	}
	return text
}

// Script is the script to play, or nil when none is registered.
func (r *Run) Script() *control.Script {
	if r == nil {
		return nil
	}
	return r.script
}

// Understood notes what a request asked for, once its body has been decoded.
func (r *Run) Understood(id string, stream, includeUsage bool, promptTokens, cachedTokens int, cacheTier string) {
	r.change(func(rec *control.Record) {
		rec.ID, rec.Stream, rec.IncludeUsage = id, stream, includeUsage
		rec.PromptTokens, rec.CachedTokens, rec.CacheTier = promptTokens, cachedTokens, cacheTier
	})
}

// Tokens notes that n more tokens have been handed to the network, now.
func (r *Run) Tokens(n int) {
	if r == nil || n == 0 {
		return
	}
	now := r.store.now()
	r.entry.mu.Lock()
	defer r.entry.mu.Unlock()
	r.record.Generated += n
	for range n {
		if len(r.record.TokenTimes) < maxTokenTimes {
			r.record.TokenTimes = append(r.record.TokenTimes, now)
		}
	}
	r.entry.notify()
}

// Arrive notes that the request waits at a gate, and returns the channel that
// is closed when the gate opens.
func (r *Run) Arrive(gate string) (<-chan struct{}, error) {
	r.entry.mu.Lock()
	defer r.entry.mu.Unlock()
	opened, err := r.entry.gate(gate, r.store.limits.Gates)
	if err != nil {
		return nil, err
	}
	r.record.AtGate = gate
	r.entry.notify()
	return opened, nil
}

// Leave notes that the request waits at no gate any more.
func (r *Run) Leave() {
	r.change(func(rec *control.Record) { rec.AtGate = "" })
}

// End notes how the request ended. Only the first call counts.
func (r *Run) End(ending control.Ending) {
	if r == nil {
		return
	}
	now, first, tokens := r.store.now(), false, 0
	r.change(func(rec *control.Record) {
		if first = rec.Ending == control.EndingRunning; first {
			rec.Ending, rec.EndedAt, tokens = ending, now, len(rec.TokenTimes)
		}
	})
	if first {
		r.store.settle(r.entry, 8*int64(tokens))
	}
}

func (r *Run) change(f func(*control.Record)) {
	if r == nil {
		return
	}
	r.entry.mu.Lock()
	defer r.entry.mu.Unlock()
	f(r.record)
	r.entry.notify()
}
