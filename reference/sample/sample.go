// Package sample is the built-in model of a deployment without a model server.
// It streams a modest text that helps to see how streaming works, at a pace
// like a real model's, so that the documents' examples run with nothing else
// installed. It is no language model: it answers a request for JSON or a tool
// call with text as well.
package sample

import (
	"context"
	"iter"
	"time"

	"plumbline.dev/plumbline/reference/completion"
	"plumbline.dev/plumbline/reference/tokens"
)

// Model is the sample model. Its zero value generates nothing; set Counter and
// ContextWindow. It is safe for concurrent use.
type Model struct {
	Counter *tokens.Counter
	// ContextWindow is how many tokens prompt and completion may have together.
	ContextWindow int64
	// FirstToken and InterToken are the time to the first token and between two
	// tokens; 0 does not wait.
	FirstToken, InterToken time.Duration
}

// Generate streams the reply.
func (m Model) Generate(ctx context.Context, req *completion.Request) iter.Seq2[completion.Event, error] {
	return func(yield func(completion.Event, error) bool) {}
}
