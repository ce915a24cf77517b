package generation

import (
	"errors"

	"plumbline.dev/plumbline/reference/completion"
	"plumbline.dev/plumbline/reference/format"
)

// order decides what of a backend's events is written, and when: a role before
// anything else of a choice, nothing past max_tokens, finishes and usage only at
// the end. It also counts.
type order struct {
	encoder   format.Encoder
	maxTokens int64 // per choice; 0 is no limit
	choices   []choice
	generated int64
	texts     int64 // tokens that arrived as text: no server generates fewer
	reported  *completion.Usage
	ended     bool // the backend's own end has come
}

type choice struct {
	begun  bool
	tokens int64
	finish completion.FinishReason // "" while it runs
	cut    bool                    // the gateway ended it at max_tokens
}

var errChoice = errors.New("the backend sent an event for a choice that was not asked for")

func newOrder(e format.Encoder, req *completion.Request) *order {
	o := &order{encoder: e, choices: make([]choice, max(req.Choices, 1))}
	if req.MaxTokens != nil {
		o.maxTokens = int64(*req.MaxTokens)
	}
	return o
}

// take appends what the event makes the client see.
func (o *order) take(buf []byte, e *completion.Event) ([]byte, error) {
	if e.Choice < 0 || e.Choice >= len(o.choices) {
		return buf, errChoice
	}
	c := &o.choices[e.Choice]
	switch e.Kind {
	case completion.KindRole:
		return o.begin(buf, e.Choice), nil
	case completion.KindFinish:
		if c.finish == "" {
			c.finish = e.Finish
		}
		c.tokens += int64(e.Tokens) // generated, but shown by no text
		o.generated += int64(e.Tokens)
		return o.begin(buf, e.Choice), nil
	case completion.KindUsage:
		usage := e.Usage
		o.reported = &usage
		return buf, nil
	case completion.KindEnd:
		o.ended = true
		return buf, nil
	}
	if c.cut || o.maxTokens > 0 && c.tokens >= o.maxTokens && e.Tokens > 0 {
		c.cut, c.finish = true, completion.FinishLength
		return buf, nil
	}
	c.tokens += int64(e.Tokens)
	o.generated += int64(e.Tokens)
	if e.Kind != completion.KindToolCall {
		o.texts += int64(e.Tokens)
	}
	return o.encoder.Event(o.begin(buf, e.Choice), e), nil
}

// begin appends the role of a choice, once.
func (o *order) begin(buf []byte, index int) []byte {
	c := &o.choices[index]
	if c.begun {
		return buf
	}
	c.begun = true
	return o.encoder.Event(buf, &completion.Event{Kind: completion.KindRole, Choice: index})
}

// overrun tells whether the backend goes on although every choice is over and
// at least one of them was ended here.
func (o *order) overrun() bool {
	cut := false
	for i := range o.choices {
		if o.choices[i].finish == "" {
			return false
		}
		cut = cut || o.choices[i].cut
	}
	return cut
}

// complete tells whether the backend said its own end and the finish of every
// choice.
func (o *order) complete() bool {
	for i := range o.choices {
		if o.choices[i].finish == "" {
			return false
		}
	}
	return o.ended
}

// finish appends the finish of every choice. A server that says stop although
// the reply is as long as was allowed has reached the limit: without a stop
// sequence it cannot have found its end there.
func (o *order) finish(buf []byte, stopSequences bool) []byte {
	for i := range o.choices {
		c := &o.choices[i]
		reason := c.finish
		if reason == completion.FinishStop && !stopSequences && o.atLimit(c) {
			reason = completion.FinishLength
		}
		buf = o.encoder.Finish(o.begin(buf, i), i, reason)
	}
	return buf
}

// atLimit tells whether a choice has as many tokens as were allowed, by the
// chunks that came or, for a single choice, by what the server reports.
func (o *order) atLimit(c *choice) bool {
	if o.maxTokens == 0 {
		return false
	}
	return c.tokens >= o.maxTokens || len(o.choices) == 1 && o.credible() && o.reported.CompletionTokens >= o.maxTokens
}

// credible tells whether the backend reported usage that can be true.
func (o *order) credible() bool {
	u := o.reported
	switch {
	case u == nil, u.Estimated:
		return false
	case u.CompletionTokens < o.texts, u.CompletionTokens == 0 && o.generated > 0:
		return false
	case o.maxTokens > 0 && u.CompletionTokens > o.maxTokens*int64(len(o.choices)):
		return false
	}
	return true
}

// usage is the account: the backend's when it is credible and speaks of all
// that was generated, else the gateway's own count.
func (o *order) usage(ending Ending, promptTokens func() int64) completion.Usage {
	complete := ending == Finished || ending != Overrun && o.reported != nil && o.reported.CompletionTokens == o.generated
	if complete && o.credible() {
		return *o.reported
	}
	return completion.Usage{
		PromptTokens:     promptTokens(),
		CompletionTokens: o.generated,
		CacheWriteTokens: -1,
		Estimated:        true,
	}
}
