package engine

import (
	"context"
	"sync"

	"plumbline.dev/plumbline/fakegpu/internal/batch"
	"plumbline.dev/plumbline/fakegpu/kv"
)

// Engine generates replies. It is safe for concurrent use.
type Engine struct {
	options Options

	mu    sync.Mutex // of everything below
	cache *kv.Cache
	batch *batch.Batch // nil without a card
	// steps tells that a goroutine makes the batch's steps; interrupt ends its
	// wait when there is nothing left to wait for.
	steps     bool
	interrupt context.CancelFunc
	queries   int64 // prompt tokens that were looked up in the cache
	hits      int64 // those of them that were found
}

// New returns an engine.
func New(o Options) (*Engine, error) {
	o, err := o.complete()
	if err != nil {
		return nil, err
	}
	e := &Engine{options: o, cache: kv.New(o.cache())}
	if o.Card != "" {
		c, err := findCard(o.Card)
		if err != nil {
			return nil, err
		}
		e.batch = batch.New(batch.Config{
			MaxRunning: o.MaxRunning, MaxTokens: maxTokens, Pace: c.pace(o.BlockSize, o.TTFT, o.ITL), Cache: e.cache,
		})
	}
	return e, nil
}

// ContextWindow is how many tokens a prompt and its reply may have together.
func (e *Engine) ContextWindow() int { return e.options.ContextWindow }

// Stats are the figures that model servers publish of their engine.
type Stats struct {
	Waiting     int     // requests that wait to be admitted
	Preemptions int     // how often a running request had to wait again
	KVUsage     float64 // share of the GPU's KV blocks that requests use, 0 to 1
	// CacheQueries are the prompt tokens that were looked up in the prefix
	// cache, CacheHits those of them that were found.
	CacheQueries, CacheHits int64
	Blocks                  [kv.Tiers]int // KV blocks that each tier holds
}

// Stats returns the figures of this moment.
func (e *Engine) Stats() Stats {
	e.mu.Lock()
	defer e.mu.Unlock()
	s := Stats{KVUsage: e.cache.Usage(), CacheQueries: e.queries, CacheHits: e.hits}
	if e.batch != nil {
		s.Waiting, s.Preemptions = e.batch.Waiting(), e.batch.Preemptions()
	}
	for tier := kv.GPU; tier <= kv.Storage; tier++ {
		s.Blocks[tier] = e.cache.Blocks(tier)
	}
	return s
}

// Hold processes a prompt in no time and keeps it in the prefix cache until
// release is called, and after that for as long as there is room. It tells what
// was found of it. A prompt for which running requests leave no room is not
// written.
func (e *Engine) Hold(p Prompt) (hit kv.Hit, release func()) {
	prompt := e.prompt(p)
	e.mu.Lock()
	defer e.mu.Unlock()
	held := e.cache.Admit(prompt)
	if held == nil {
		hit = e.cache.Peek(prompt)
		e.count(prompt, hit)
		return hit, func() {}
	}
	held.Computed(prompt.Tokens)
	e.count(prompt, held.Hit)
	return held.Hit, sync.OnceFunc(func() {
		e.mu.Lock()
		defer e.mu.Unlock()
		held.Release()
		e.run() // somebody may have waited for this room
	})
}

func (e *Engine) prompt(p Prompt) kv.Prompt {
	tokens := tokenize(p.Text)
	return kv.Prompt{Names: kv.Chain(p.Root, tokens, e.options.BlockSize), Tokens: len(tokens)}
}

func (e *Engine) count(p kv.Prompt, hit kv.Hit) {
	e.queries += int64(p.Tokens)
	e.hits += int64(hit.Tokens)
}
