package prefix

import (
	"slices"
	"sync"

	"plumbline.dev/plumbline/reference/completion"
)

// Capacities of the tiers when LedgerOptions name none, in blocks.
const (
	defaultGPUBlocks     = 8 << 10
	defaultHostBlocks    = 32 << 10
	defaultStorageBlocks = 128 << 10
)

// LedgerOptions are the capacities of the tiers, in blocks of 64 bytes of text;
// the zero value of each is its default: 8,192, 32,768 and 131,072.
type LedgerOptions struct{ GPUBlocks, HostBlocks, StorageBlocks int }

// Ledger keeps the books of the prefix cache that a deployment without model
// server would have. All organizations share its room, as they would share a
// machine's, but never a block. It is safe for concurrent use.
type Ledger struct {
	mu    sync.Mutex
	tiers *tiers
}

// NewLedger returns an empty ledger.
func NewLedger(o LedgerOptions) *Ledger {
	capacity := [3]int{o.GPUBlocks, o.HostBlocks, o.StorageBlocks}
	for i, standard := range [3]int{defaultGPUBlocks, defaultHostBlocks, defaultStorageBlocks} {
		if capacity[i] <= 0 {
			capacity[i] = standard
		}
	}
	return &Ledger{tiers: newTiers(capacity)}
}

// Outcome is what one prompt read and wrote.
type Outcome struct {
	PromptTokens int64
	CachedTokens int64 // read from the cache: at most all but the last one
	WriteTokens  int64 // processed and written to it: all others
	// Tier is where the cached tokens were found, the slowest one of several;
	// none on a miss.
	Tier completion.Tier
}

// ReuseRatio is the share of the prompt that was read from the cache, 0 to 1.
func (o Outcome) ReuseRatio() float64 {
	if o.PromptTokens == 0 {
		return 0
	}
	return float64(o.CachedTokens) / float64(o.PromptTokens)
}

// Lookup is the outcome as telemetry tells it. It is final: there is no model
// server that could know better.
func (o Outcome) Lookup() *completion.CacheLookup {
	return &completion.CacheLookup{Prompt: o.PromptTokens, Reused: o.CachedTokens, Tier: o.Tier, Final: true}
}

// Prefill reads of a prompt what is cached and writes the rest, in one step, so
// that two equal prompts at the same time cannot both be the first. The prompt
// has that many tokens, as counted by whoever bills them.
func (l *Ledger) Prefill(c Chain, promptTokens int64) Outcome {
	promptTokens = max(promptTokens, 0)
	l.mu.Lock()
	defer l.mu.Unlock()
	cached, found, tier := l.read(c)
	out := Outcome{PromptTokens: promptTokens, CachedTokens: max(min(cached, promptTokens-1), 0)}
	out.WriteTokens = promptTokens - out.CachedTokens
	if out.CachedTokens > 0 {
		out.Tier = tier
	}
	l.write(c, found, promptTokens)
	return out
}

// read finds the blocks at the beginning of the prompt: their tokens, their
// number, and the slowest tier of them.
func (l *Ledger) read(c Chain) (tokens int64, found int, tier completion.Tier) {
	slowest := 0
	for _, n := range c.names {
		b := l.tiers.find(n)
		if b == nil {
			break
		}
		tokens = b.tokens
		slowest = max(slowest, b.tier)
		found++
	}
	return tokens, found, tierNames()[slowest]
}

// write brings all blocks of the prompt to the front, the first one last, so
// that what most prompts share stays the longest. The tokens of new blocks are
// those of the prompt in proportion to its bytes.
func (l *Ledger) write(c Chain, found int, promptTokens int64) {
	tokens := make([]int64, len(c.names))
	counted := int64(0)
	for i, n := range c.names {
		if i < found {
			tokens[i] = l.tiers.find(n).tokens
		} else {
			tokens[i] = share(promptTokens, c.upTo(i+1), c.bytes)
		}
		// Two writers may have counted differently; more blocks are never fewer
		// tokens.
		counted = max(counted, tokens[i])
		tokens[i] = counted
	}
	for i, n := range slices.Backward(c.names) {
		l.tiers.put(n, tokens[i])
	}
}

// share is the tokens of that many of all bytes, rounded down.
func share(tokens int64, part, all int) int64 {
	whole, rest := tokens/int64(all), tokens%int64(all)
	return whole*int64(part) + rest*int64(part)/int64(all)
}
