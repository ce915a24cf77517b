package engine

import (
	"context"
	"fmt"
	"iter"
	"time"

	"plumbline.dev/plumbline/fakegpu/internal/batch"
	"plumbline.dev/plumbline/fakegpu/kv"
)

// Arrival is one request to a simulated fleet.
type Arrival struct {
	At     time.Duration // since the simulation's start, never less than the one before
	Prompt kv.Prompt     // with the names of its blocks, of the fleet's block size
	Reply  int           // tokens of the reply, at least 1
}

// Choice is one server of the fleet when a request arrives.
type Choice struct {
	Requests int // that run or wait there
	Cached   int // prompt tokens that its prefix cache holds
}

// Route chooses the server of a request, by its index.
type Route func(choices []Choice) int

// LeastLoaded chooses the server with the fewest requests.
func LeastLoaded(choices []Choice) int {
	best := 0
	for i, c := range choices {
		if c.Requests < choices[best].Requests {
			best = i
		}
	}
	return best
}

// Affine chooses the server that has cached the most of the prompt, and among
// equal ones that with the fewest requests.
func Affine(choices []Choice) int {
	best := 0
	for i, c := range choices {
		b := choices[best]
		if c.Cached > b.Cached || c.Cached == b.Cached && c.Requests < b.Requests {
			best = i
		}
	}
	return best
}

// Fleet is a number of equal servers behind a router, simulated as one. It
// needs no goroutine: the same arrivals give the same result.
type Fleet struct {
	Servers int
	Options Options // of each server; they need a card
	Route   Route   // nil means LeastLoaded
}

// Report is what a fleet did.
type Report struct {
	Requests        int
	PromptTokens    int64
	CachedTokens    int64
	GeneratedTokens int64
	Hits            [kv.Tiers]int // requests by the tier of what was found for them
	Preemptions     int
	Steps           int64 // of all servers
	// MeanFirstToken and MaxFirstToken are times to first token.
	MeanFirstToken, MaxFirstToken time.Duration
	Duration                      time.Duration // until the last token
	Blocks                        [kv.Tiers]int // that all servers hold at the end
}

// Simulate serves the arrivals until all have their replies, on the clock: on a
// [VirtualClock] that takes no longer than to compute it.
func (f Fleet) Simulate(ctx context.Context, clock Clock, arrivals iter.Seq[Arrival]) (Report, error) {
	s := simulation{route: f.Route, clock: clock, start: clock.Now()}
	if s.route == nil {
		s.route = LeastLoaded
	}
	if f.Servers < 1 || f.Options.Card == "" {
		return Report{}, fmt.Errorf("simulating a fleet: %d servers with the card %q, want 1 or more with one of %v", f.Servers, f.Options.Card, Cards())
	}
	for range f.Servers {
		e, err := New(f.Options)
		if err != nil {
			return Report{}, fmt.Errorf("simulating a fleet: %w", err)
		}
		s.window = e.ContextWindow()
		s.servers = append(s.servers, &server{batch: e.batch, cache: e.cache})
	}
	if err := s.run(ctx, arrivals); err != nil {
		return Report{}, fmt.Errorf("simulating a fleet: %w", err)
	}
	return s.finish(), nil
}

// server is one server of a simulated fleet.
type server struct {
	batch *batch.Batch
	cache *kv.Cache
	busy  bool
	due   time.Duration // end of its step, while it is busy
}

type simulation struct {
	route   Route
	clock   Clock
	start   time.Time
	now     time.Duration
	window  int // tokens
	servers []*server
	choices []Choice
	report  Report
	waited  time.Duration // for first tokens, in all
}

func (s *simulation) run(ctx context.Context, arrivals iter.Seq[Arrival]) error {
	next, stop := iter.Pull(arrivals)
	defer stop()
	arrival, more := next()
	for {
		first := s.nextStep()
		if first == nil && !more {
			return nil
		}
		stepFirst := first != nil && (!more || first.due <= arrival.At)
		at := arrival.At
		if stepFirst {
			at = first.due
		}
		if err := s.waitUntil(ctx, at); err != nil {
			return err
		}
		if stepFirst {
			first.batch.End()
			s.begin(first)
			continue
		}
		if err := s.arrive(arrival); err != nil {
			return err
		}
		arrival, more = next()
	}
}

// nextStep is the server whose step ends next, nil when none is busy.
func (s *simulation) nextStep() *server {
	var first *server
	for _, each := range s.servers {
		if each.busy && (first == nil || each.due < first.due) {
			first = each
		}
	}
	return first
}

func (s *simulation) waitUntil(ctx context.Context, at time.Duration) error {
	if at < s.now {
		return fmt.Errorf("an arrival at %v comes after one at %v", at, s.now)
	}
	s.now = at
	return s.clock.WaitUntil(ctx, s.start.Add(at))
}

func (s *simulation) begin(each *server) {
	var took time.Duration
	if took, each.busy = each.batch.Begin(); each.busy {
		each.due = s.now + took
		s.report.Steps++
	}
}

func (s *simulation) arrive(a Arrival) error {
	if a.Reply < 1 || a.Prompt.Tokens+a.Reply > s.window {
		return fmt.Errorf("a request of %d prompt tokens and %d of reply, want a reply and %d tokens at most", a.Prompt.Tokens, a.Reply, s.window)
	}
	s.choices = s.choices[:0]
	for _, each := range s.servers {
		s.choices = append(s.choices, Choice{
			Requests: each.batch.Running() + each.batch.Waiting(), Cached: each.cache.Peek(a.Prompt).Tokens,
		})
	}
	chosen := s.servers[s.route(s.choices)]
	sequence := &batch.Sequence{Prompt: a.Prompt, Limit: a.Reply}
	sequence.OnAdmit = func() {
		s.report.CachedTokens += int64(sequence.Hit.Tokens)
		s.report.Hits[sequence.Hit.Tier()]++
	}
	sequence.OnToken = func() {
		s.report.GeneratedTokens++
		if sequence.Generated == 1 {
			s.waited += s.now - a.At
			s.report.MaxFirstToken = max(s.report.MaxFirstToken, s.now-a.At)
		}
	}
	s.report.Requests++
	s.report.PromptTokens += int64(a.Prompt.Tokens)
	chosen.batch.Add(sequence)
	if !chosen.busy {
		s.begin(chosen)
	}
	return nil
}

func (s *simulation) finish() Report {
	r := s.report
	r.Duration = s.now
	if r.Requests > 0 {
		r.MeanFirstToken = s.waited / time.Duration(r.Requests)
	}
	for _, each := range s.servers {
		r.Preemptions += each.batch.Preemptions()
		for tier := kv.GPU; tier <= kv.Storage; tier++ {
			r.Blocks[tier] += each.cache.Blocks(tier)
		}
	}
	return r
}
