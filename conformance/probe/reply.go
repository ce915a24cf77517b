package probe

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"plumbline.dev/plumbline/fakegpu/control"
)

// Gate names the one gate of a reply that waits.
const Gate = "wait"

// Reply describes what the scripted model server shall send: tokens, and what
// happens between them.
type Reply struct {
	tokens []string
	after  map[int][]control.Step // what happens after token n; 0 is before the first
	broken int                    // the token after which it fails, -1 if it does not
	finish string
	script control.Script // its habits
	deltas []control.Delta
	answer *control.HTTPAnswer
	lock   bool
	every  time.Duration
	split  int // the token whose event is written in two halves, 0 for none
	pause  time.Duration
	escape bool
	padded int // bytes of padding in the event of the second token
}

// Replies returns a reply of these tokens.
func Replies(tokens ...string) *Reply {
	return &Reply{tokens: tokens, after: map[int][]control.Step{}, broken: -1}
}

// Numbered returns n tokens: "t1", " t2", …
func Numbered(n int) []string {
	tokens := make([]string, n)
	for i := range tokens {
		tokens[i] = fmt.Sprintf(" t%d", i+1)
	}
	if n > 0 {
		tokens[0] = "t1"
	}
	return tokens
}

// Text is the text that the model server generates before it ends or fails.
func (r *Reply) Text() string { return r.TextOf(len(r.tokens)) }

// TextOf is the text of the first n tokens.
func (r *Reply) TextOf(n int) string {
	if r.broken >= 0 {
		n = min(n, r.broken)
	}
	return strings.Join(r.tokens[:min(n, len(r.tokens))], "")
}

// Length is the number of tokens.
func (r *Reply) Length() int { return len(r.tokens) }

// After adds a step behind token n.
func (r *Reply) After(n int, steps ...control.Step) { r.after[n] = append(r.after[n], steps...) }

// PauseAfter makes it pause behind token n.
func (r *Reply) PauseAfter(n int, d time.Duration) {
	r.After(n, control.Step{PauseMS: int(d / time.Millisecond)})
}

// WaitAfter makes it wait at the gate behind token n.
func (r *Reply) WaitAfter(n int) { r.After(n, control.Step{Gate: Gate}) }

// Lockstep makes it wait at a gate of its own behind each token.
func (r *Reply) Lockstep() { r.lock = true }

// Pace makes it pause that long behind each token.
func (r *Reply) Pace(d time.Duration) { r.every = d }

// Finish sets the finish_reason.
func (r *Reply) Finish(reason string) { r.finish = reason }

// Counts sets the prompt tokens that it reports, how many of them were cached
// and, unless that is negative, how many were written to the cache.
func (r *Reply) Counts(prompt, cached, written int) {
	r.script.PromptTokens, r.script.CachedTokens = prompt, &cached
	if written >= 0 {
		r.script.CacheWriteTokens = &written
	}
}

// PauseInside makes it pause in the middle of the event of token n.
func (r *Reply) PauseInside(n int, d time.Duration) { r.split, r.pause = n, d }

// Script gives access to the habits of the whole reply.
func (r *Reply) Script() *control.Script { return &r.script }

// Answer makes it answer with plain HTTP instead.
func (r *Reply) Answer(a control.HTTPAnswer) { r.answer = &a }

// gateOf is the gate behind token n of a reply in lockstep.
func gateOf(n int) string { return fmt.Sprintf("token-%d", n) }

// build makes the script that plays the reply.
func (r *Reply) build(nonce string) control.Script {
	s := r.script
	s.Nonce = nonce
	if r.answer != nil {
		s.HTTP = r.answer
		return s
	}
	// Gathered first, for Then copies: a long reply would be copied at each token.
	return s.Then(r.steps()...)
}

func (r *Reply) steps() []control.Step {
	steps := slices.Clone(r.after[0])
	for i, text := range r.tokens {
		n := i + 1
		if n == r.split {
			steps = append(steps, r.halves(text)...)
		} else {
			steps = append(steps, control.Step{Token: r.token(n, text)})
		}
		if r.lock {
			steps = append(steps, control.Step{Gate: gateOf(n)})
		}
		if r.every > 0 {
			steps = append(steps, control.Step{PauseMS: int(r.every / time.Millisecond)})
		}
		steps = append(steps, r.after[n]...)
		if n == r.broken {
			return steps
		}
	}
	for _, d := range r.deltas {
		steps = append(steps, control.Step{Delta: &d})
	}
	if r.finish != "" {
		steps = append(steps, control.Step{Finish: r.finish})
	}
	return steps
}

func (r *Reply) token(n int, text string) *control.Token {
	t := &control.Token{Text: text, Escape: r.escape}
	if n == 2 {
		t.Pad = r.padded
	}
	return t
}

func (r *Reply) pad(bytes int) { r.padded = bytes }

// halves writes the event of one token in two pieces with a pause between.
func (r *Reply) halves(text string) []control.Step {
	literal, _ := json.Marshal(text)
	event := fmt.Sprintf(`data: {"id":"chatcmpl-halves","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"content":%s},"logprobs":null,"finish_reason":null}]}`+"\n\n", literal)
	half := len(event) / 2
	return []control.Step{
		{Raw: []byte(event[:half])},
		{PauseMS: int(r.pause / time.Millisecond)},
		{Raw: []byte(event[half:])},
	}
}

// Call makes it call a function, its arguments cut into pieces.
func (r *Reply) Call(index int, name, arguments string, pieces int) {
	add := func(v any) {
		text, _ := json.Marshal(map[string]any{"tool_calls": []any{v}})
		r.deltas = append(r.deltas, control.Delta{JSON: text})
	}
	add(map[string]any{"index": index, "id": fmt.Sprintf("call_%s_%d", name, index), "type": "function",
		"function": map[string]any{"name": name, "arguments": ""}})
	for i := range pieces {
		from, to := i*len(arguments)/pieces, (i+1)*len(arguments)/pieces
		add(map[string]any{"index": index, "function": map[string]any{"arguments": arguments[from:to]}})
	}
	r.finish = "tool_calls"
}

// Silence is the time for which it pauses, all in all.
func (r *Reply) Silence() time.Duration {
	sum := r.pause + time.Duration(len(r.tokens))*r.every
	for _, steps := range r.after {
		for _, step := range steps {
			sum += time.Duration(step.PauseMS) * time.Millisecond
		}
	}
	return sum
}
