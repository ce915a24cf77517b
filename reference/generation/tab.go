package generation

import "math"

// Tab pays for one generation. It is used by one goroutine.
type Tab interface {
	// Grant is asked when more tokens have been generated than were granted so
	// far, and returns up to how many in all are paid for; fewer than were
	// generated end the reply as a failure.
	Grant(generated int64) int64
	// Settle is told the account, once, before the client is told the end. It
	// returns when the account is safe, which may take as long as a disk does.
	Settle(s Settlement)
}

// paid tells whether what has been generated is paid for. The tab is asked for
// many tokens at once, so a token costs no more than a comparison.
func (r *run) paid() bool {
	if r.order.generated > r.granted {
		r.granted = r.g.Tab.Grant(r.order.generated)
	}
	return r.order.generated <= r.granted
}

// grantedAtFirst is nothing where somebody pays and asks, else everything.
func grantedAtFirst(t Tab) int64 {
	if t == nil {
		return math.MaxInt64
	}
	return 0
}
