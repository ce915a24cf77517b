package prefix

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plumbline.dev/plumbline/reference/completion"
)

// check compares the books of the tiers with what they hold.
func check(t testing.TB, l *Ledger) {
	t.Helper()
	held := 0
	for tier, order := range l.tiers.order {
		require.LessOrEqual(t, order.Len(), l.tiers.capacity[tier])
		for e := order.Front(); e != nil; e = e.Next() {
			b := e.Value.(*block)
			require.Equal(t, tier, b.tier)
			require.Same(t, e, l.tiers.blocks[b.name], "a block that is held twice")
			held++
		}
	}
	require.Len(t, l.tiers.blocks, held)
}

func TestThePromptAgainReadsWhatItWrote(t *testing.T) {
	l := NewLedger(LedgerOptions{})
	for _, tokens := range []int64{1, 2, 9, 502, 100_000} {
		text := strings.Repeat(fmt.Sprint(tokens, " "), 1+int(tokens)/2)
		cold := l.Prefill(chain(text), tokens)
		assert.Equal(t, Outcome{PromptTokens: tokens, WriteTokens: tokens}, cold)
		assert.Zero(t, cold.ReuseRatio())
		warm := l.Prefill(chain(text), tokens)
		assert.EqualValues(t, 1, warm.WriteTokens, "the last token is always computed")
		assert.Equal(t, tokens-1, warm.CachedTokens)
		if tokens > 1 {
			assert.Equal(t, completion.TierGPU, warm.Tier)
		}
		assert.Equal(t, &completion.CacheLookup{Prompt: tokens, Reused: tokens - 1, Tier: warm.Tier, Final: true}, warm.Lookup())
	}
	assert.Equal(t, Outcome{}, l.Prefill(Chain{}, 0))
	assert.Equal(t, Outcome{PromptTokens: 3, WriteTokens: 3}, l.Prefill(Chain{}, 3))
	check(t, l)
}

func TestSharedBeginnings(t *testing.T) {
	l := NewLedger(LedgerOptions{})
	first := l.Prefill(chain(prompt("system", "one question", 10)), 200)
	second := l.Prefill(chain(prompt("system", "another", 10)), 190)
	assert.Zero(t, first.CachedTokens)
	assert.Greater(t, second.CachedTokens, int64(160))
	assert.Less(t, second.CachedTokens, int64(190))
	assert.Equal(t, second.PromptTokens, second.CachedTokens+second.WriteTokens)
	other := l.Prefill(NewChain("globex", ask(prompt("system", "one question", 10))), 200)
	assert.Equal(t, Outcome{PromptTokens: 200, WriteTokens: 200}, other, "another organization")
}

func TestPressureMovesPromptsDown(t *testing.T) {
	l := NewLedger(LedgerOptions{GPUBlocks: 10, HostBlocks: 10, StorageBlocks: 10})
	tier := func(topic string) completion.Tier {
		defer check(t, l)
		return l.Prefill(chain(strings.Repeat(topic, 10*blockBytes-len("user\n\n"))), 160).Tier
	}
	for _, topic := range []string{"1", "2", "3"} {
		assert.Equal(t, completion.TierNone, tier(topic))
	}
	assert.Equal(t, completion.TierGPU, tier("3"))
	assert.Equal(t, completion.TierStorage, tier("1"))
	assert.Equal(t, completion.TierGPU, tier("1"), "a hit moves up")
	assert.Equal(t, completion.TierHost, tier("3"))
	assert.Equal(t, completion.TierNone, tier("4"))
	assert.Equal(t, completion.TierNone, tier("2"), "it has left the last tier")
}

func TestTheSlowestTierIsTold(t *testing.T) {
	l := NewLedger(LedgerOptions{GPUBlocks: 10, HostBlocks: 10, StorageBlocks: 10})
	l.Prefill(chain(prompt("a", "", 8)), 130)
	l.Prefill(chain(prompt("b", "", 4)), 66)
	assert.Equal(t, completion.TierHost, l.Prefill(chain(prompt("a", "", 8)), 130).Tier, "its end has moved down, its beginning has not")
}

// Whatever is asked in whatever order: no block twice, no tier overflows, and
// no prompt reads more than it has.
func TestBooksOfRandomUse(t *testing.T) {
	for seed := range uint64(20) {
		random := rand.New(rand.NewPCG(seed, 0))
		l := NewLedger(LedgerOptions{GPUBlocks: 1 + random.IntN(20), HostBlocks: 1 + random.IntN(20), StorageBlocks: 1 + random.IntN(20)})
		for range 500 {
			c := NewChain(fmt.Sprint(random.IntN(2)), ask(prompt(fmt.Sprint(random.IntN(4)), fmt.Sprint(random.IntN(9)), random.IntN(12))))
			tokens := random.Int64N(300)
			o := l.Prefill(c, tokens)
			require.Equal(t, tokens, o.CachedTokens+o.WriteTokens)
			require.Less(t, o.CachedTokens, max(tokens, 1))
			require.GreaterOrEqual(t, o.CachedTokens, int64(0))
			require.Equal(t, o.CachedTokens > 0, o.Tier != completion.TierNone)
			require.LessOrEqual(t, o.ReuseRatio(), 1.0)
			check(t, l)
		}
	}
}

// Of many equal prompts at the same time exactly one writes.
func TestOneOfManyWrites(t *testing.T) {
	l := NewLedger(LedgerOptions{})
	var users sync.WaitGroup
	var cold atomic.Int64
	for range 50 {
		users.Go(func() {
			if l.Prefill(chain(prompt("a", "", 9)), 150).CachedTokens == 0 {
				cold.Add(1)
			}
		})
	}
	users.Wait()
	assert.EqualValues(t, 1, cold.Load())
}

func TestShare(t *testing.T) {
	assert.EqualValues(t, 33, share(100, 1, 3))
	assert.EqualValues(t, 100, share(100, 3, 3))
	assert.EqualValues(t, 1<<40/4, share(1<<40, 1<<18, 1<<20), "no overflow")
}

func BenchmarkPrefill(b *testing.B) {
	l := NewLedger(LedgerOptions{})
	req := ask(prompt("a", "", 64)) // 4 KiB
	for b.Loop() {
		l.Prefill(NewChain("acme", req), 1000)
	}
}
