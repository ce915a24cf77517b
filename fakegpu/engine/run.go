package engine

import (
	"context"
	"sync/atomic"

	"plumbline.dev/plumbline/fakegpu/internal/batch"
	"plumbline.dev/plumbline/fakegpu/kv"
)

// run lets a goroutine make steps while any can be made. The caller holds the
// lock.
func (e *Engine) run() {
	if e.steps || e.batch == nil || e.batch.Running()+e.batch.Waiting() == 0 {
		return
	}
	e.steps = true
	go e.makeSteps()
}

func (e *Engine) makeSteps() {
	clock := e.options.Clock
	due := clock.Now()
	for {
		e.mu.Lock()
		took, ok := e.batch.Begin()
		if !ok {
			e.steps = false
			e.mu.Unlock()
			return
		}
		ctx, interrupt := context.WithCancel(context.Background())
		e.interrupt = interrupt
		e.mu.Unlock()

		// Steps follow each other without a gap: a late one delays no other.
		due = due.Add(took)
		if err := clock.WaitUntil(ctx, due); err != nil {
			due = clock.Now()
		}
		interrupt()

		e.mu.Lock()
		e.interrupt = nil
		e.batch.End()
		e.mu.Unlock()
	}
}

// ticket is one request in the batch: it tells when tokens are generated.
type ticket struct {
	engine    *Engine
	sequence  batch.Sequence
	admitted  chan struct{} // closed when it begins to run
	generated chan struct{} // holds one value when there may be news
	count     atomic.Int64  // decoding steps that are over
	taken     int64         // those that wait has returned for
}

// submit queues a prompt and waits until it is admitted.
func (e *Engine) submit(ctx context.Context, prompt kv.Prompt, limit, choices int) (*ticket, error) {
	t := &ticket{engine: e, admitted: make(chan struct{}), generated: make(chan struct{}, 1)}
	t.sequence = batch.Sequence{
		Prompt: prompt, Limit: limit, Width: choices,
		OnAdmit: func() {
			e.count(prompt, t.sequence.Hit)
			close(t.admitted)
		},
		OnToken: func() {
			t.count.Add(1)
			select {
			case t.generated <- struct{}{}:
			default: // the reader has not taken the last news yet
			}
		},
	}
	e.mu.Lock()
	e.batch.Add(&t.sequence)
	e.run()
	e.mu.Unlock()
	select {
	case <-t.admitted:
		return t, nil
	case <-ctx.Done():
		t.stop()
		return nil, ctx.Err()
	}
}

// wait waits for the end of the next decoding step.
func (t *ticket) wait(ctx context.Context) error {
	for t.count.Load() <= t.taken {
		select {
		case <-t.generated:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	t.taken++
	return ctx.Err()
}

// stop takes the request out of the batch.
func (t *ticket) stop() {
	e := t.engine
	e.mu.Lock()
	defer e.mu.Unlock()
	e.batch.Remove(&t.sequence)
	switch {
	case !e.steps:
		e.run() // the others may fit now
	case e.batch.Running() == 0 && e.interrupt != nil:
		e.interrupt()
	}
}
