// Package verdict holds the words in which a step tells what it found: a
// violation with its evidence, or that it could not judge. Everything else that
// a step returns is a failure of the harness itself.
package verdict

import "fmt"

// Evidence is what a person needs to see why a scenario did not pass.
type Evidence struct {
	Step     string   `json:"step"` // the Gherkin step that did not hold
	Expected string   `json:"expected,omitempty"`
	Seen     string   `json:"seen,omitempty"`
	Curl     string   `json:"curl,omitempty"`     // repeats the request, key redacted
	Response string   `json:"response,omitempty"` // status line and the headers that matter
	Timeline []Moment `json:"timeline,omitempty"` // the last events of both sides, in order of time
}

// Moment is one line of the two-sided timeline.
type Moment struct {
	AtMS float64 `json:"atMs"` // since the request was sent
	Side string  `json:"side"` // client, model server
	Text string  `json:"text"`
}

// Violation says that the target does not keep what a step states.
type Violation struct {
	Expected string
	Seen     string
}

func (v *Violation) Error() string {
	return fmt.Sprintf("expected %s; seen %s", v.Expected, v.Seen)
}

// Violated returns a Violation.
func Violated(expected, seenFormat string, args ...any) error {
	return &Violation{Expected: expected, Seen: fmt.Sprintf(seenFormat, args...)}
}

// Unjudged says that a step could not judge: the target does not offer what it
// takes, or the measurement was too noisy.
type Unjudged struct {
	Reason string
}

func (u *Unjudged) Error() string { return u.Reason }

// CannotJudge returns an Unjudged.
func CannotJudge(format string, args ...any) error {
	return &Unjudged{Reason: fmt.Sprintf(format, args...)}
}
