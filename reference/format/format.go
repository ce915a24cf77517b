// Package format says what an API format has to be able to do: turn the events
// of a reply into bytes. Each format is a package below this one; the order in
// which the methods are called is kept by package generation, so a format need
// not check it.
package format

import (
	"net/http"

	"plumbline.dev/plumbline/reference/apierror"
	"plumbline.dev/plumbline/reference/completion"
)

// Encoder writes one reply in one API format. Every method appends to buf and
// returns it, so that a stream needs one buffer for its whole life; a form that
// is not streamed collects instead, and appends all of it at its end.
//
// The order of calls is: Event any number of times, for each choice KindRole
// first; then either Finish once a choice, Usage if it is to be shown, and End;
// or, when the generation was stopped by its id, Usage and End without Finish;
// or Fail. Nothing follows End and Fail. Ping may stand between any two calls
// before them.
type Encoder interface {
	// Event appends a role, a piece of text or of a tool call.
	Event(buf []byte, e *completion.Event) []byte
	// Finish appends the end of one choice.
	Finish(buf []byte, choice int, reason completion.FinishReason) []byte
	// Usage appends the token counts of the whole reply.
	Usage(buf []byte, u completion.Usage) []byte
	// End appends the end of a complete or stopped reply.
	End(buf []byte) []byte
	// Fail appends the end of a failed reply whose head has been sent.
	Fail(buf []byte, e *apierror.Error) []byte
	// Ping appends a sign of life that every client of the format ignores.
	Ping(buf []byte) []byte
}

// ErrorWriter answers with an error in the form of one format, before anything
// of the reply has been sent.
type ErrorWriter func(http.ResponseWriter, *apierror.Error)
