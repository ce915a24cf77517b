package batch

import (
	"slices"
	"time"

	"plumbline.dev/plumbline/fakegpu/kv"
)

// Config configures a Batch.
type Config struct {
	MaxRunning int // sequences that run at the same time
	MaxTokens  int // tokens of one step; at least MaxRunning, so that all decode
	Pace       Pace
	Cache      *kv.Cache // which must hold the longest sequence
}

// Sequence is one request: a prompt and its reply.
type Sequence struct {
	Prompt kv.Prompt
	Limit  int // tokens of the reply, at least 1; then the sequence ends
	// Width is how many choices are generated side by side, 0 for one. They
	// cost time; the cache counts the blocks of one of them.
	Width int

	// OnAdmit is called when the sequence begins to run for the first time, and
	// OnToken when one more token of its reply has been generated. Nil is
	// nothing to call.
	OnAdmit, OnToken func()

	Hit       kv.Hit // what was found of the prompt at that first time
	Generated int    // tokens of the reply

	blocks   *kv.Sequence // nil while it does not run
	computed int          // tokens that have their keys and values
	needed   int          // tokens that were not found when it was last admitted
	admitted bool
}

// target is how many tokens must be computed before the next one is generated.
func (s *Sequence) target() int { return s.Prompt.Tokens + s.Generated }

func (s *Sequence) width() int { return max(s.Width, 1) }

// Batch is the scheduler. It is not safe for concurrent use.
type Batch struct {
	config  Config
	waiting []*Sequence // in the order in which they are admitted
	running []*Sequence // in the order in which they were admitted
	step    []*Sequence // the running ones that get a token when the step ends

	preemptions int
}

// New returns a batch without sequences.
func New(c Config) *Batch { return &Batch{config: c} }

// Waiting is how many sequences wait to run.
func (b *Batch) Waiting() int { return len(b.waiting) }

// Running is how many sequences run.
func (b *Batch) Running() int { return len(b.running) }

// Preemptions is how often a running sequence had to wait again.
func (b *Batch) Preemptions() int { return b.preemptions }

// Add puts a sequence at the end of the queue.
func (b *Batch) Add(s *Sequence) { b.waiting = append(b.waiting, s) }

// Remove ends a sequence early. One that has ended already is none to remove.
func (b *Batch) Remove(s *Sequence) {
	b.waiting = without(b.waiting, s)
	b.running = without(b.running, s)
	b.step = without(b.step, s)
	if s.blocks != nil {
		s.blocks.Release()
		s.blocks = nil
	}
}

func without(list []*Sequence, s *Sequence) []*Sequence {
	if i := slices.Index(list, s); i >= 0 {
		return slices.Delete(list, i, i+1)
	}
	return list
}

// Begin plans the next step and tells how long it takes. It returns false when
// nothing can run.
func (b *Batch) Begin() (time.Duration, bool) {
	b.step = b.step[:0]
	budget, width := b.config.MaxTokens, 0
	var took time.Duration
	preempted := b.preemptions
	for i := 0; i < len(b.running); i++ {
		s := b.running[i]
		if s.computed < s.target()-1 || s.Generated == 0 {
			took += b.prefill(s, &budget)
			continue
		}
		if !b.grow(s) {
			break // it was the last one, and waits now
		}
		budget -= s.width()
		width += s.width()
		b.step = append(b.step, s)
	}
	if b.preemptions == preempted {
		took += b.admit(&budget)
	}
	took += b.config.Pace.decode(width)
	return took, len(b.running) > 0
}

// prefill computes as much of a sequence as the step has tokens left for.
func (b *Batch) prefill(s *Sequence, budget *int) time.Duration {
	chunk := max(min(s.target()-s.computed, *budget), 0)
	*budget -= chunk
	s.computed += chunk
	s.blocks.Computed(min(s.computed, s.Prompt.Tokens))
	if s.computed == s.target() {
		b.step = append(b.step, s)
	}
	return b.config.Pace.prefill(chunk, s.needed)
}

// grow makes room for the token that the sequence generates in this step. When
// there is none, those that were admitted last have to make it; it returns
// false when that was the sequence itself.
func (b *Batch) grow(s *Sequence) bool {
	for !s.blocks.Grow(s.target()) {
		last := b.running[len(b.running)-1]
		b.preempt(last)
		if last == s {
			return false
		}
	}
	s.computed = s.target()
	return true
}

// preempt takes a running sequence's blocks and lets it wait before all others.
func (b *Batch) preempt(s *Sequence) {
	b.Remove(s)
	s.computed = 0
	b.waiting = slices.Insert(b.waiting, 0, s)
	b.preemptions++
}

// admit lets waiting sequences run while the step has tokens left and the cache
// has room.
func (b *Batch) admit(budget *int) (took time.Duration) {
	for len(b.waiting) > 0 && len(b.running) < b.config.MaxRunning && *budget > 0 {
		s := b.waiting[0]
		s.blocks = b.config.Cache.Admit(kv.Prompt{Names: s.Prompt.Names, Tokens: s.target()})
		if s.blocks == nil {
			return took
		}
		b.waiting = slices.Delete(b.waiting, 0, 1)
		b.running = append(b.running, s)
		s.computed = s.blocks.Hit.Tokens
		s.needed = s.target() - s.computed
		if !s.admitted {
			s.admitted, s.Hit = true, s.blocks.Hit
			if s.OnAdmit != nil {
				s.OnAdmit()
			}
		}
		took += b.config.Pace.load(s.blocks.Hit) + b.prefill(s, budget)
	}
	return took
}

// End ends the step: every sequence in it has its token, and those that have
// all of theirs leave.
func (b *Batch) End() {
	step := b.step
	b.step = nil // what ends now is in no step any more
	for _, s := range step {
		s.Generated++
		if s.Generated >= s.Limit {
			b.Remove(s)
		}
		if s.OnToken != nil {
			s.OnToken()
		}
	}
	b.step = step[:0]
}
