// Package sample is the built-in model of a deployment without a model server.
// It streams a modest text that helps to see how streaming works, at a pace
// like a real model's, so that the documents' examples run with nothing else
// installed. It is no language model: it answers a request for JSON or a tool
// call with text as well.
package sample

import (
	"context"
	"encoding/json"
	"iter"
	"math"
	"time"

	"plumbline.dev/plumbline/reference/apierror"
	"plumbline.dev/plumbline/reference/completion"
	"plumbline.dev/plumbline/reference/tokens"
)

// Model is the sample model. It is safe for concurrent use.
type Model struct {
	Counter *tokens.Counter
	// ContextWindow is how many tokens prompt and completion may have together.
	ContextWindow int64
	// FirstToken and InterToken are the time to the first token and between two
	// tokens; 0 does not wait.
	FirstToken, InterToken time.Duration
}

// New returns a sample model with the pace of a small model on one GPU.
func New(counter *tokens.Counter, contextWindow int64) Model {
	return Model{
		Counter:       counter,
		ContextWindow: contextWindow,
		FirstToken:    150 * time.Millisecond,
		InterToken:    20 * time.Millisecond,
	}
}

// Generate streams the reply: a role for each choice, their text one token an
// event and in turns, a finish for each, usage, and the end. Tokens of which no
// text is shown, because a stop sequence cut it, stand on the finish.
//
// A prompt that fills the context window yields an [*apierror.Error] first and
// alone. When ctx is done the last thing yielded is its error. The same request
// gives the same reply.
func (m Model) Generate(ctx context.Context, req *completion.Request) iter.Seq2[completion.Event, error] {
	return func(yield func(completion.Event, error) bool) {
		prompt := int64(m.Counter.CountMessages(req.Messages))
		room := m.ContextWindow - prompt
		if room < 1 {
			yield(completion.Event{}, apierror.ContextLengthExceeded(m.ContextWindow, prompt))
			return
		}
		limit := int(min(room, math.MaxInt32))
		if req.MaxTokens != nil {
			limit = min(limit, *req.MaxTokens)
		}
		choices := make([]*choice, max(req.Choices, 1))
		for i := range choices {
			choices[i] = newChoice(i, m.Counter.Split(reply(seedOf(req, i))), limit, req.Stop)
			if !yield(completion.Event{Kind: completion.KindRole, Choice: i}, nil) {
				return
			}
		}
		generated, ok := m.stream(ctx, choices, yield)
		if !ok {
			return
		}
		usage := completion.Usage{
			PromptTokens:     prompt,
			CompletionTokens: generated,
			CacheWriteTokens: -1,
			Estimated:        true,
		}
		_ = yield(completion.Event{Kind: completion.KindUsage, Usage: usage}, nil) &&
			yield(completion.Event{Kind: completion.KindEnd}, nil)
	}
}

// stream lets every choice generate a token in its turn until all have
// finished. It reports false when nobody listens any more.
func (m Model) stream(ctx context.Context, choices []*choice, yield func(completion.Event, error) bool) (generated int64, ok bool) {
	pause := m.FirstToken
	for live := choices; len(live) > 0; pause = m.InterToken {
		if err := wait(ctx, pause); err != nil {
			yield(completion.Event{}, err)
			return generated, false
		}
		var next []*choice
		for _, c := range live {
			generated++
			for _, event := range c.step() {
				if !yield(event, nil) {
					return generated, false
				}
			}
			if !c.finished {
				next = append(next, c)
			}
		}
		live = next
	}
	return generated, true
}

// choice is one of the replies that are generated side by side.
type choice struct {
	index    int
	tokens   []string
	limit    int // tokens that may be generated
	stop     stopper
	next     int
	finished bool
}

func newChoice(index int, tokens []string, limit int, stops []string) *choice {
	return &choice{index: index, tokens: tokens, limit: limit, stop: stopper{stops: stops}}
}

// step generates one token.
func (c *choice) step() []completion.Event {
	text, stopped := c.stop.push(c.tokens[c.next])
	c.next++
	var reason completion.FinishReason
	switch {
	case stopped || c.next == len(c.tokens):
		reason = completion.FinishStop
	case c.next == c.limit:
		reason = completion.FinishLength
	}
	if reason != "" && !stopped {
		text += c.stop.rest()
	}
	var events []completion.Event
	if text != "" {
		events = append(events, completion.Event{
			Kind: completion.KindText, Choice: c.index, Text: literal(text), Tokens: c.stop.take(),
		})
	}
	if stopped {
		events = append(events, completion.Event{Kind: completion.KindStopSequence, Choice: c.index, Text: literal(c.stop.found)})
	}
	if reason != "" {
		c.finished = true
		events = append(events, completion.Event{
			Kind: completion.KindFinish, Choice: c.index, Finish: reason, Tokens: c.stop.take(),
		})
	}
	return events
}

func literal(text string) []byte {
	b, err := json.Marshal(text)
	if err != nil { // strings always marshal
		return []byte(`""`)
	}
	return b
}

func wait(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return ctx.Err()
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return ctx.Err()
	case <-ctx.Done():
		return ctx.Err()
	}
}
