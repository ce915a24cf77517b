package control

import (
	"fmt"
	"strings"
)

// Condition is what [Client.Await] waits for. The parts that are set must hold
// together, all but Requests of one and the same request.
type Condition struct {
	// Requests is how many requests the nonce must have received at least.
	Requests int `json:"requests,omitempty"`
	// Request picks the request to look at, 1 the oldest; 0 is any.
	Request int `json:"request,omitempty"`
	// Generated is how many tokens it must have generated at least.
	Generated int `json:"generated,omitempty"`
	// Gate is the name of the gate that it must wait at.
	Gate string `json:"gate,omitempty"`
	// Ended asks for its end, whichever (see [Record.Ending]).
	Ended bool `json:"ended,omitempty"`
}

// AwaitRequest is the body of an await call of the control API.
type AwaitRequest struct {
	Condition
	// WaitMS is how long the server may wait before it answers "not yet".
	WaitMS int `json:"waitMs"`
}

// AwaitAnswer is the answer to an await call.
type AwaitAnswer struct {
	Met     bool    `json:"met"`
	Journal Journal `json:"journal"`
}

// Holds tells whether the journal meets the condition.
func (c Condition) Holds(j Journal) bool {
	return c.HoldsFor(len(j.Requests), func(i int) *Record { return &j.Requests[i] })
}

// HoldsFor is Holds for n records that stand elsewhere; record returns the
// i-th, 0 the oldest.
func (c Condition) HoldsFor(n int, record func(i int) *Record) bool {
	if n < max(c.Requests, c.Request) {
		return false
	}
	if c.Generated == 0 && c.Gate == "" && !c.Ended {
		return true
	}
	if c.Request > 0 {
		return c.holdsFor(record(c.Request - 1))
	}
	for i := range n {
		if c.holdsFor(record(i)) {
			return true
		}
	}
	return false
}

func (c Condition) holdsFor(r *Record) bool {
	return r.Generated >= c.Generated &&
		(c.Gate == "" || r.AtGate == c.Gate) &&
		(!c.Ended || r.Ending != EndingRunning)
}

// String says in words what is waited for.
func (c Condition) String() string {
	var parts []string
	if c.Requests > 0 {
		parts = append(parts, fmt.Sprintf("%d requests", c.Requests))
	}
	if c.Request > 0 {
		parts = append(parts, fmt.Sprintf("request %d", c.Request))
	}
	if c.Generated > 0 {
		parts = append(parts, fmt.Sprintf("%d generated tokens", c.Generated))
	}
	if c.Gate != "" {
		parts = append(parts, fmt.Sprintf("gate %q", c.Gate))
	}
	if c.Ended {
		parts = append(parts, "the end")
	}
	if len(parts) == 0 {
		return "nothing"
	}
	return strings.Join(parts, ", ")
}
