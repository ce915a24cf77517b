package engine

import (
	"context"
	"fmt"
	"hash/fnv"
	"iter"
	"time"

	"plumbline.dev/plumbline/fakegpu/internal/stop"
)

// DefaultContextWindow is the context window of an engine whose options name
// none, in tokens.
const DefaultContextWindow = 32_768

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

// Options configure an Engine.
type Options struct {
	TTFT, ITL     time.Duration // time to first token, inter-token latency
	ContextWindow int           // tokens; 0 means DefaultContextWindow
	Seed          uint64
	Counter       Counter // nil means ByteCounter
}

// Validate tells what is wrong with the options, and what would be right.
func (o Options) Validate() error {
	switch {
	case o.TTFT < 0:
		return fmt.Errorf("time to first token is %v, want 0 or more", o.TTFT)
	case o.ITL < 0:
		return fmt.Errorf("inter-token latency is %v, want 0 or more", o.ITL)
	case o.ContextWindow < 0:
		return fmt.Errorf("context window is %d tokens, want 1 or more, or 0 for %d", o.ContextWindow, DefaultContextWindow)
	}
	return nil
}

// Engine generates replies. It is safe for concurrent use.
type Engine struct{ options Options }

// New returns an engine.
func New(o Options) (*Engine, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	if o.ContextWindow == 0 {
		o.ContextWindow = DefaultContextWindow
	}
	if o.Counter == nil {
		o.Counter = ByteCounter{}
	}
	return &Engine{options: o}, nil
}

// Prompt is what the model reads: the conversation as one text.
type Prompt struct{ Text string }

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

// PromptTooLongError says that a prompt does not fit into the context window.
type PromptTooLongError struct{ PromptTokens, ContextWindow int }

// Error names both sizes, as model servers do.
func (e *PromptTooLongError) Error() string {
	return fmt.Sprintf("This model's maximum context length is %d tokens. However, your prompt has %d tokens. Please reduce its length.",
		e.ContextWindow, e.PromptTokens)
}

// Count returns how many tokens a prompt has.
func (e *Engine) Count(p Prompt) int { return e.options.Counter.Count(p.Text) }

// Generation is a reply under way.
type Generation struct {
	PromptTokens int
	CachedTokens int // of PromptTokens, those that a prefix cache held
	engine       *Engine
	params       Params
	hash         uint64
	started      time.Time
}

// Generate admits a prompt. The time to first token begins now; the tokens
// come from [Generation.Tokens]. The error is a *PromptTooLongError.
func (e *Engine) Generate(p Prompt, params Params) (*Generation, error) {
	n := e.Count(p)
	if n >= e.options.ContextWindow {
		return nil, &PromptTooLongError{PromptTokens: n, ContextWindow: e.options.ContextWindow}
	}
	params.Choices = max(params.Choices, 1)
	h := fnv.New64a()
	// Writing to a hash never fails.
	_, _ = h.Write([]byte(p.Text))
	return &Generation{
		PromptTokens: n, engine: e, params: params, started: time.Now(),
		hash: h.Sum64() ^ e.options.Seed*0x9e3779b97f4a7c15 ^ params.Seed,
	}, nil
}

// Tokens yields the tokens as they are generated: in each decoding step one of
// every choice that still runs. It ends when every choice has finished, or with
// ctx's error as soon as ctx ends.
func (g *Generation) Tokens(ctx context.Context) iter.Seq2[Token, error] {
	return func(yield func(Token, error) bool) {
		choices := make([]choice, g.params.Choices)
		for i := range choices {
			choices[i] = g.newChoice(i)
		}
		pace := pacer{due: g.started.Add(g.engine.options.TTFT)}
		defer pace.stop()
		for running := len(choices); running > 0; {
			if err := pace.wait(ctx); err != nil {
				yield(Token{}, err)
				return
			}
			pace.due = pace.due.Add(g.engine.options.ITL)
			for i := range choices {
				if choices[i].done {
					continue
				}
				if !choices[i].step(func(t Token) bool { return yield(t, nil) }) {
					return
				}
				if choices[i].done {
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

func (g *Generation) newChoice(i int) choice {
	c := choice{index: i, words: newWords(g.hash, uint64(i)), matcher: stop.New(g.params.Stop)}
	window := g.engine.options.ContextWindow - g.PromptTokens
	natural := shortest + int((g.hash>>7+uint64(i)*13)%(longest-shortest+1))
	c.limit, c.atLimit = natural, Stop
	if g.params.IgnoreEOS {
		c.limit, c.atLimit = window, Length
	}
	// At exactly max_tokens the end token would be one too many: length wins.
	if g.params.MaxTokens > 0 && g.params.MaxTokens <= c.limit {
		c.limit, c.atLimit = g.params.MaxTokens, Length
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
