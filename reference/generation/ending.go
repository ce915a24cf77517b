package generation

import (
	"context"
	"errors"
	"sync/atomic"
)

// Ending is how a generation ended.
type Ending int32

// Endings.
const (
	Running      Ending = iota
	Finished            // every choice has its finish and the backend ended properly
	Stopped             // by its id
	Disconnected        // the client left
	Failed              // the backend failed
	Overrun             // it ran past max_tokens and the gateway ended it
	ShutDown            // the gateway's drain limit passed
	Exhausted           // the credits of its organization were used up
)

var endingNames = [...]string{"running", "finished", "stopped", "disconnected", "failed", "overrun", "shutdown", "exhausted"}

// String returns the ending's name in logs and metrics.
func (e Ending) String() string {
	if e >= 0 && int(e) < len(endingNames) {
		return endingNames[e]
	}
	return "unknown"
}

// The causes with which a backend's context is cancelled.
var (
	errStopped  = errors.New("stopped by its id")
	errLeft     = errors.New("the client left")
	errOverrun  = errors.New("past max_tokens")
	errShutDown = errors.New("the gateway shuts down")
	errUnpaid   = errors.New("no credits are left")
	errOver     = errors.New("the generation is over")
)

// fate decides the ending of a generation, once, and aborts the backend.
type fate struct {
	ending atomic.Int32
	abort  context.CancelCauseFunc
}

// settle makes e the ending unless there is one already, and tells whether it
// did.
func (f *fate) settle(e Ending) bool {
	return f.ending.CompareAndSwap(int32(Running), int32(e))
}

// cut settles on e and aborts the backend; it tells whether it did.
func (f *fate) cut(e Ending, cause error) bool {
	if !f.settle(e) {
		return false
	}
	f.abort(cause)
	return true
}

// is returns the ending so far.
func (f *fate) is() Ending { return Ending(f.ending.Load()) }
