package kv

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const size = 4 // tokens of a block in these tests

func config(gpu, host, storage int) Config {
	return Config{BlockSize: size, GPUBlocks: gpu, HostBlocks: host, StorageBlocks: storage}
}

// numbered is a prompt of so many tokens that begins like every other one of
// the same number.
func numbered(number, tokens int) Prompt {
	text := make([]Token, tokens)
	for i := range text {
		text[i] = Token(number)
	}
	return Prompt{Names: Chain("", text, size), Tokens: tokens}
}

// use admits a prompt, computes it and ends it.
func use(t *testing.T, c *Cache, p Prompt) Hit {
	t.Helper()
	s := c.Admit(p)
	require.NotNil(t, s)
	s.Computed(p.Tokens)
	s.Release()
	check(t, c)
	return s.Hit
}

// check compares the cache's books with what is really there.
func check(t testing.TB, c *Cache) {
	t.Helper()
	var unused [Tiers]int
	for tier := GPU; tier <= Storage; tier++ {
		for b := c.unused[tier].ends.next; b != &c.unused[tier].ends; b = b.next {
			require.Zero(t, b.refs, "a used block in the order of unused ones")
			require.Equal(t, tier, b.tier)
			require.Same(t, b, c.named[b.name], "a block that is held twice, or not named")
			unused[tier]++
		}
		require.LessOrEqual(t, c.used[tier], c.capacity[tier], "%v", tier)
	}
	require.Equal(t, c.used[GPU], unused[GPU]+c.held)
	require.Equal(t, c.used[Host], unused[Host])
	require.Equal(t, c.used[Storage], unused[Storage])
	for name, b := range c.named {
		require.Equal(t, name, b.name)
		if b.refs > 0 {
			require.Equal(t, GPU, b.tier, "what is used lies in the GPU's memory")
		}
	}
}

func TestTheSamePromptAgain(t *testing.T) {
	for name, tc := range map[string]struct{ tokens, cached int }{
		"empty":                     {0, 0},
		"less than a block":         {3, 0},
		"one block, all of it":      {4, 0},
		"one token more":            {5, 4},
		"whole blocks":              {12, 8},
		"the last block is partial": {15, 12},
	} {
		t.Run(name, func(t *testing.T) {
			c := New(config(10, 0, 0))
			assert.Equal(t, Hit{}, use(t, c, numbered(1, tc.tokens)), "cold")
			hit := use(t, c, numbered(1, tc.tokens))
			assert.Equal(t, tc.cached, hit.Tokens, "the last token is always computed")
			assert.Equal(t, tc.cached/size, hit.Blocks[GPU])
			assert.Zero(t, use(t, c, numbered(2, tc.tokens)).Tokens)
		})
	}
}

func TestTiers(t *testing.T) {
	c := New(config(4, 4, 4))
	four := func(n int) Prompt { return numbered(n, 4*size) }
	tier := func(n int) Tier { return c.Peek(Prompt{Names: four(n).Names, Tokens: 4*size + 1}).Tier() }
	use(t, c, four(1))
	assert.Equal(t, GPU, tier(1))
	use(t, c, four(2))
	assert.Equal(t, [2]Tier{Host, GPU}, [2]Tier{tier(1), tier(2)})
	use(t, c, four(3))
	assert.Equal(t, [3]Tier{Storage, Host, GPU}, [3]Tier{tier(1), tier(2), tier(3)})
	use(t, c, four(4))
	assert.Equal(t, [4]Tier{Miss, Storage, Host, GPU}, [4]Tier{tier(1), tier(2), tier(3), tier(4)})

	hit := use(t, c, four(2))
	assert.Equal(t, Hit{Tokens: 3 * size, Blocks: [Tiers]int{Storage: 3}}, hit)
	assert.Equal(t, GPU, tier(2), "a hit moves up")
	assert.Equal(t, 4, c.Blocks(GPU))
	assert.Equal(t, Host, tier(4))
}

func TestTheLongestUnusedGoesFirst(t *testing.T) {
	c := New(config(3, 0, 0))
	one := func(n int) Prompt { return numbered(n, size) }
	found := func(n int) bool { return c.Peek(Prompt{Names: one(n).Names, Tokens: size + 1}).Tokens > 0 }
	for n := 1; n <= 3; n++ {
		use(t, c, one(n))
	}
	// A second use of 1 makes 2 the oldest. It is found when one token follows.
	use(t, c, Prompt{Names: one(1).Names, Tokens: size + 1})
	assert.False(t, found(2))
	assert.True(t, found(1))
	assert.True(t, found(3))
}

func TestTheBeginningOfAPromptStaysLongest(t *testing.T) {
	c := New(config(4, 0, 0))
	use(t, c, numbered(1, 4*size))
	use(t, c, numbered(2, 2*size))
	assert.Equal(t, 2*size, c.Peek(numbered(1, 4*size)).Tokens)
}

func TestWithoutLowerTiers(t *testing.T) {
	for name, cfg := range map[string]Config{
		"none": config(2, 0, 0), "only storage": config(2, 0, 2), "only the host": config(2, 2, 0),
	} {
		t.Run(name, func(t *testing.T) {
			c := New(cfg)
			use(t, c, numbered(1, 2*size))
			use(t, c, numbered(2, 2*size))
			want := Miss
			switch {
			case cfg.HostBlocks > 0:
				want = Host
			case cfg.StorageBlocks > 0:
				want = Storage
			}
			assert.Equal(t, want, c.Peek(numbered(1, 2*size)).Tier())
		})
	}
}

func TestRunningSequencesKeepTheirBlocks(t *testing.T) {
	c := New(config(4, 0, 0))
	a := c.Admit(numbered(1, 2*size))
	require.NotNil(t, a)
	a.Computed(2 * size)
	assert.Nil(t, c.Admit(numbered(2, 3*size)), "two blocks are left")
	assert.InDelta(t, 0.5, c.Usage(), 0)
	b := c.Admit(numbered(1, 3*size))
	require.NotNil(t, b, "two of its three blocks are shared")
	assert.Equal(t, 2*size, b.Hit.Tokens)
	b.Computed(3 * size)
	assert.True(t, b.Grow(4*size))
	assert.False(t, b.Grow(4*size+1))
	assert.False(t, a.Grow(2*size+1))
	a.Release()
	check(t, c)
	assert.InDelta(t, 1, c.Usage(), 0, "b still holds what both used")
	b.Release()
	check(t, c)
	assert.Zero(t, c.Usage())
	assert.Equal(t, 3, c.Blocks(GPU), "named ones stay, the reply's own is given back")
}

// Two sequences compute the same prompt at the same time: neither finds it, and
// only one of them names it.
func TestComputedTwiceIsHeldOnce(t *testing.T) {
	c := New(config(8, 0, 0))
	a, b := c.Admit(numbered(1, 2*size)), c.Admit(numbered(1, 2*size))
	assert.Zero(t, b.Hit.Tokens)
	a.Computed(2 * size)
	b.Computed(2 * size)
	check(t, c)
	a.Release()
	b.Release()
	check(t, c)
	assert.Equal(t, 2, c.Blocks(GPU))
}

func TestOnlyWhatIsComputedIsFound(t *testing.T) {
	c := New(config(8, 0, 0))
	s := c.Admit(numbered(1, 3*size))
	s.Computed(size + 1)
	assert.Equal(t, size, c.Peek(numbered(1, 3*size)).Tokens)
	s.Release()
	check(t, c)
	assert.Equal(t, 1, c.Blocks(GPU))
}

// Whatever is done in whatever order, the books are right, nothing is held
// twice, no tier overflows, and no more is reused than there is.
func TestBooksOfRandomUse(t *testing.T) {
	for seed := range uint64(12) {
		random := rand.New(rand.NewPCG(seed, 0))
		c := New(config(1+random.IntN(20), random.IntN(10), random.IntN(10)))
		var running []*Sequence
		for range 2000 {
			switch action := random.IntN(4); {
			case action == 0 && len(running) > 0:
				i := random.IntN(len(running))
				running[i].Release()
				running = append(running[:i], running[i+1:]...)
			case action == 1 && len(running) > 0:
				s := running[random.IntN(len(running))]
				s.Grow(len(s.blocks)*size + random.IntN(2*size))
			default:
				p := branching(random)
				peeked := c.Peek(p)
				s := c.Admit(p)
				if s == nil {
					assert.Equal(t, peeked, c.Peek(p), "a refusal changes nothing")
					break
				}
				require.Equal(t, peeked, s.Hit)
				require.Less(t, s.Hit.Tokens, max(p.Tokens, 1))
				s.Computed(random.IntN(p.Tokens + 1))
				running = append(running, s)
			}
			check(t, c)
		}
		for _, s := range running {
			s.Release()
		}
		check(t, c)
		require.Zero(t, c.held, "no block is lost")
	}
}

// branching is a prompt from a small tree, so that many share beginnings.
func branching(random *rand.Rand) Prompt {
	text := make([]Token, random.IntN(6*size))
	for i := range text {
		text[i] = Token(random.IntN(2) * (i % size / (size - 1)))
	}
	return Prompt{Names: Chain("", text, size), Tokens: len(text)}
}

func TestConfigs(t *testing.T) {
	require.NoError(t, config(1, 0, 0).Validate())
	for want, c := range map[string]Config{
		"block size is 0":    {GPUBlocks: 1},
		"GPU memory has 0":   config(0, 1, 1),
		"host memory has -1": config(1, -1, 1),
		"storage has -2":     config(1, 1, -2),
	} {
		require.ErrorContains(t, c.Validate(), want)
	}
}
