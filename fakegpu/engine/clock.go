package engine

import (
	"context"
	"sync"
	"time"
)

// Clock is the time by which a card works.
type Clock interface {
	Now() time.Time
	// WaitUntil returns when the clock shows t, or with ctx's error when ctx
	// ends first.
	WaitUntil(ctx context.Context, t time.Time) error
}

// WallClock is the time of this machine.
type WallClock struct{}

// Now implements [Clock].
func (WallClock) Now() time.Time { return time.Now() }

// WaitUntil implements [Clock].
func (WallClock) WaitUntil(ctx context.Context, t time.Time) error {
	left := time.Until(t)
	if left <= 0 {
		return ctx.Err()
	}
	timer := time.NewTimer(left)
	defer timer.Stop()
	select {
	case <-timer.C:
		return ctx.Err()
	case <-ctx.Done():
		return ctx.Err()
	}
}

// VirtualClock jumps to whatever time is waited for, so that what takes hours
// is over as soon as it is computed. It begins at Unix time 0 and is safe for
// concurrent use.
type VirtualClock struct {
	mu  sync.Mutex
	now time.Duration
}

// NewVirtualClock returns a clock at its beginning.
func NewVirtualClock() *VirtualClock { return new(VirtualClock) }

// Now implements [Clock].
func (c *VirtualClock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return time.Unix(0, int64(c.now))
}

// WaitUntil implements [Clock]. It never goes back.
func (c *VirtualClock) WaitUntil(ctx context.Context, t time.Time) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = max(c.now, t.Sub(time.Unix(0, 0)))
	return ctx.Err()
}
