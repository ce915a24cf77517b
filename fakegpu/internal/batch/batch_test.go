package batch

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plumbline.dev/plumbline/fakegpu/kv"
)

const size = 4 // tokens of a block in these tests

func newBatch(blocks, running, tokens int) *Batch {
	return New(Config{
		MaxRunning: running, MaxTokens: tokens,
		Pace:  Pace{Prefill: time.Millisecond, Decode: time.Second, Further: 100 * time.Millisecond},
		Cache: kv.New(kv.Config{BlockSize: size, GPUBlocks: blocks}),
	})
}

func sequence(number, tokens, limit int) *Sequence {
	text := make([]kv.Token, tokens)
	for i := range text {
		text[i] = kv.Token(number)
	}
	return &Sequence{Prompt: kv.Prompt{Names: kv.Chain("", text, size), Tokens: tokens}, Limit: limit}
}

// step makes one step and returns its time.
func step(t *testing.T, b *Batch) time.Duration {
	t.Helper()
	took, ok := b.Begin()
	require.True(t, ok)
	b.End()
	return took
}

// A long prompt is prefilled in chunks, between which the others decode.
func TestChunkedPrefill(t *testing.T) {
	b := newBatch(100, 10, 10)
	short, long := sequence(1, 4, 5), sequence(2, 20, 1)
	b.Add(short)
	b.Add(long)
	assert.Equal(t, 10*time.Millisecond, step(t, b), "4 tokens of the one and 6 of the other")
	assert.Equal(t, [2]int{1, 0}, [2]int{short.Generated, long.Generated})
	assert.Equal(t, time.Second+9*time.Millisecond, step(t, b), "one token decoded, 9 prefilled")
	assert.Equal(t, time.Second+5*time.Millisecond, step(t, b))
	assert.Equal(t, [2]int{3, 1}, [2]int{short.Generated, long.Generated})
	assert.Equal(t, 1, b.Running(), "one has all of its reply")
}

func TestWidthCostsTime(t *testing.T) {
	b := newBatch(100, 10, 100)
	s := sequence(1, 4, 2)
	s.Width = 3
	b.Add(s)
	step(t, b)
	assert.Equal(t, time.Second+200*time.Millisecond, step(t, b))
	_, ok := b.Begin()
	assert.False(t, ok)
}

func TestTheQueueKeepsItsOrder(t *testing.T) {
	b := newBatch(4, 10, 100)
	var order []int
	for n := range 3 {
		s := sequence(n, 6, 2) // two blocks each, for two of them
		s.OnAdmit = func() { order = append(order, n) }
		b.Add(s)
	}
	step(t, b)
	assert.Equal(t, []int{0, 1}, order)
	assert.Equal(t, 1, b.Waiting())
	step(t, b)
	step(t, b)
	assert.Equal(t, []int{0, 1, 2}, order)
}

// Whatever arrives, leaves early or has to wait again: everyone gets exactly
// its reply, in bounded steps, and the cache is empty of users at the end.
func TestRandomUse(t *testing.T) {
	for seed := range uint64(50) {
		random := rand.New(rand.NewPCG(seed, 0))
		b := newBatch(8+random.IntN(20), 1+random.IntN(6), 6+random.IntN(40))
		var all []*Sequence
		admitted, tokens := map[*Sequence]int{}, map[*Sequence]int{}
		removed := map[*Sequence]bool{}
		for steps := 0; ; steps++ {
			require.Less(t, steps, 100_000, "it goes on for ever")
			if len(all) < 60 && random.IntN(3) == 0 {
				s := sequence(random.IntN(5), random.IntN(16), 1+random.IntN(16))
				s.OnAdmit = func() { admitted[s]++ }
				s.OnToken = func() { tokens[s]++ }
				all = append(all, s)
				b.Add(s)
			}
			_, ok := b.Begin()
			if !ok && len(all) == 60 {
				break
			}
			if random.IntN(20) == 0 && len(all) > 0 {
				s := all[random.IntN(len(all))] // in the middle of the step
				removed[s] = removed[s] || tokens[s] < s.Limit
				b.Remove(s)
			}
			b.End()
			require.LessOrEqual(t, b.Running(), b.config.MaxRunning)
		}
		require.Zero(t, b.Waiting())
		require.Zero(t, b.config.Cache.Usage())
		for _, s := range all {
			require.Equal(t, s.Generated, tokens[s])
			if removed[s] {
				require.Less(t, tokens[s], s.Limit)
				continue
			}
			require.Equal(t, s.Limit, tokens[s])
			require.Equal(t, 1, admitted[s], "only the first time counts")
			require.Less(t, s.Hit.Tokens, max(s.Prompt.Tokens, 1))
		}
	}
}
