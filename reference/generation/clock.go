package generation

import "time"

// clock tells when the stream has been silent for so long that a ping is due.
// A write only notes the time; the timer is set anew when it fires, because
// setting it at every token would cost more than the token.
type clock struct {
	timer *time.Timer
	every time.Duration
	until time.Time
}

// newClock is due first after the given time, then after every silence.
func newClock(first, every time.Duration) *clock {
	return &clock{timer: time.NewTimer(first), every: every, until: time.Now().Add(first)}
}

// wrote begins a new silence.
func (c *clock) wrote() { c.until = time.Now().Add(c.every) }

// due tells whether the timer that fired was right; if not, it is set to the
// end of the present silence.
func (c *clock) due() bool {
	if left := time.Until(c.until); left > 0 {
		c.timer.Reset(left)
		return false
	}
	return true
}

// rearm sets the timer for the silence that begins now.
func (c *clock) rearm() {
	c.wrote()
	c.timer.Reset(c.every)
}

func (c *clock) stop() { c.timer.Stop() }
