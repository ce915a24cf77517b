package engine

import (
	"context"
	"time"
)

// pacer waits for the times at which tokens of a steady pace are due. They are
// absolute, so a late token does not delay those after it.
type pacer struct {
	due     time.Time
	itl     time.Duration
	timer   *time.Timer
	release func() // gives the prompt's cache blocks back
}

func (p *pacer) wait(ctx context.Context) error {
	left := time.Until(p.due)
	p.due = p.due.Add(p.itl)
	if left <= 0 {
		return ctx.Err()
	}
	if p.timer == nil {
		p.timer = time.NewTimer(left)
	} else {
		p.timer.Reset(left)
	}
	select {
	case <-p.timer.C:
		return ctx.Err()
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (p *pacer) stop() {
	if p.timer != nil {
		p.timer.Stop()
	}
	p.release()
}
