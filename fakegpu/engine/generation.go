package engine

import (
	"context"
	"hash/fnv"
	"iter"
	"time"

	"plumbline.dev/plumbline/fakegpu/internal/stop"
	"plumbline.dev/plumbline/fakegpu/kv"
)

// Natural lengths of replies, in tokens.
const (
	shortest = 8
	longest  = 64
)

// Reason is why a choice ended.
type Reason string

// Reasons.
const (
	Stop   Reason = "stop"   // the natural end, or a stop sequence
	Length Reason = "length" // max_tokens, or the context window is full
)

// Params are the sampling parameters of a request.
type Params struct {
	Choices   int // n; 0 means 1
	MaxTokens int // per choice; 0 means no limit
	Stop      []string
	Seed      uint64 // the request's own seed, mixed into the engine's
	// IgnoreEOS goes on past the natural end, up to max_tokens or the window.
	IgnoreEOS bool
}

// Token is one step of one choice. A token with a Finish is no generated
// token: it ends its choice, and its text is what a stop sequence held back.
type Token struct {
	Choice int
	Text   string
	Finish Reason // "" on a generated token
}

// Generation is a reply under way.
type Generation struct {
	PromptTokens int
	Hit          kv.Hit // what the prefix cache held of the prompt
	choices      []choice
	steps        stepper
}

// stepper waits for decoding steps.
type stepper interface {
	wait(ctx context.Context) error
	stop()
}

// Generate admits a prompt: with a card it waits in the queue for that, and
// returns ctx's error if ctx ends first. The time to first token begins with the
// call; the tokens come from [Generation.Tokens], and [Generation.Close] must be
// called. A prompt that does not fit is a *PromptTooLongError.
func (e *Engine) Generate(ctx context.Context, p Prompt, params Params) (*Generation, error) {
	started := time.Now()
	n, window := p.Tokens(), e.options.ContextWindow
	if n >= window {
		return nil, &PromptTooLongError{PromptTokens: n, ContextWindow: window}
	}
	g := &Generation{PromptTokens: n, choices: make([]choice, max(params.Choices, 1))}
	limit, hash := 0, e.hash(p, params)
	for i := range g.choices {
		g.choices[i] = newChoice(i, hash, params, window-n)
		limit = max(limit, g.choices[i].limit)
	}
	if e.batch == nil {
		hit, release := e.Hold(p)
		g.Hit, g.steps = hit, &pacer{due: started.Add(e.options.TTFT), itl: e.options.ITL, release: release}
		return g, nil
	}
	t, err := e.submit(ctx, e.prompt(p), limit, len(g.choices))
	if err != nil {
		return nil, err
	}
	g.Hit, g.steps = t.sequence.Hit, t
	return g, nil
}

// hash decides every token of the reply.
func (e *Engine) hash(p Prompt, params Params) uint64 {
	h := fnv.New64a()
	// Writing to a hash never fails.
	_, _ = h.Write([]byte(p.Text))
	return h.Sum64() ^ e.options.Seed*0x9e3779b97f4a7c15 ^ params.Seed
}

// Close ends the generation. It may be called more than once.
func (g *Generation) Close() { g.steps.stop() }

// Tokens yields the tokens as they are generated: in each decoding step one of
// every choice that still runs. It ends when every choice has finished, or with
// ctx's error as soon as ctx ends. It can be used once.
func (g *Generation) Tokens(ctx context.Context) iter.Seq2[Token, error] {
	return func(yield func(Token, error) bool) {
		for running := len(g.choices); running > 0; {
			if err := g.steps.wait(ctx); err != nil {
				yield(Token{}, err)
				return
			}
			for i := range g.choices {
				c := &g.choices[i]
				if c.done {
					continue
				}
				if !c.step(func(t Token) bool { return yield(t, nil) }) {
					return
				}
				if c.done {
					running--
				}
			}
		}
	}
}

// choice is the state of one choice.
type choice struct {
	index   int
	words   words
	matcher *stop.Matcher
	count   int
	limit   int    // tokens
	atLimit Reason // why it ends at the limit
	done    bool
}

// newChoice begins a choice in what the prompt leaves of the context window.
func newChoice(i int, hash uint64, params Params, window int) choice {
	c := choice{index: i, words: newWords(hash, uint64(i)), matcher: stop.New(params.Stop)}
	c.limit, c.atLimit = shortest+int((hash>>7+uint64(i)*13)%(longest-shortest+1)), Stop
	if params.IgnoreEOS {
		c.limit, c.atLimit = window, Length
	}
	// At exactly max_tokens the end token would be one too many: length wins.
	if params.MaxTokens > 0 && params.MaxTokens <= c.limit {
		c.limit, c.atLimit = params.MaxTokens, Length
	}
	if window <= c.limit {
		c.limit, c.atLimit = window, Length
	}
	return c
}

// step generates one token and, when the choice ends with it, its finish.
func (c *choice) step(yield func(Token) bool) bool {
	show, found := c.matcher.Push(c.words.next())
	c.count++
	if !yield(Token{Choice: c.index, Text: show}) {
		return false
	}
	switch {
	case found:
		c.done = true
		return yield(Token{Choice: c.index, Finish: Stop})
	case c.count >= c.limit:
		c.done = true
		return yield(Token{Choice: c.index, Text: c.matcher.Rest(), Finish: c.atLimit})
	}
	return true
}
