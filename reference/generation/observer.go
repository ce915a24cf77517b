package generation

import (
	"time"

	"plumbline.dev/plumbline/reference/completion"
)

// Info is what is known of a generation when it starts. It holds no key and no
// text of the prompt.
type Info struct {
	ID  string // the completion's id
	Org string
	// Session is the session that the client named, "" for none.
	Session string
	KeyID   string // the name of the key, not the key
	Model   string
	Stream  bool
}

// Settlement is the account of a generation that is over.
type Settlement struct {
	Info
	Ending Ending
	// Err is what failed, nil unless the ending is Failed. Its text is the
	// gateway's own words.
	Err error
	// Status is the HTTP status of the answer, 0 if the client left before it.
	Status int
	// Generated counts the tokens that the backend generated up to the end,
	// Delivered those that were written to the client.
	Generated, Delivered int64
	// Usage is what is to be paid for.
	Usage  completion.Usage
	Server string // who generated, "" if nobody did
	// FirstToken is the time from the request to the first token's write; 0 if
	// there was none.
	FirstToken time.Duration
	Duration   time.Duration
}

// Observer is told what happens to generations: logs, metrics, telemetry and
// ledger attach here. For each generation the calls come one after the other,
// Started first and Settled exactly once, last. They are made on the goroutine
// that writes to the client, so they must not block.
type Observer interface {
	Started(info Info)
	// Routed tells which server took the request, and why. It comes before
	// anything is written.
	Routed(info Info, route completion.Route)
	// FirstToken tells that the first token was written, so long after Started.
	FirstToken(info Info, after time.Duration)
	Settled(s Settlement)
}

// Observers tells several observers, in order.
type Observers []Observer

// Started implements [Observer].
func (o Observers) Started(info Info) {
	for _, each := range o {
		each.Started(info)
	}
}

// Routed implements [Observer].
func (o Observers) Routed(info Info, route completion.Route) {
	for _, each := range o {
		each.Routed(info, route)
	}
}

// FirstToken implements [Observer].
func (o Observers) FirstToken(info Info, after time.Duration) {
	for _, each := range o {
		each.FirstToken(info, after)
	}
}

// Settled implements [Observer].
func (o Observers) Settled(s Settlement) {
	for _, each := range o {
		each.Settled(s)
	}
}
