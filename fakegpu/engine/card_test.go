package engine

import (
	"context"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plumbline.dev/plumbline/fakegpu/kv"
)

// prompts of that many tokens, which differ from their first token on.
func promptOf(letter string, tokens int) Prompt {
	return Prompt{Text: strings.Repeat(letter, tokens*tokenBytes)}
}

// read generates the whole reply and returns when its tokens came.
func read(t *testing.T, g *Generation) (times []time.Duration) {
	t.Helper()
	started := time.Now()
	for token, err := range g.Tokens(context.Background()) {
		require.NoError(t, err)
		if token.Finish == "" {
			times = append(times, time.Since(started))
		}
	}
	g.Close()
	return times
}

func generate(t *testing.T, e *Engine, p Prompt, n int) *Generation {
	t.Helper()
	g, err := e.Generate(context.Background(), p, Params{MaxTokens: n, IgnoreEOS: true})
	require.NoError(t, err)
	return g
}

func TestCardPace(t *testing.T) {
	const decode = time.Second / 100 // of an a100
	for name, tc := range map[string]struct {
		options Options
		want    []time.Duration
	}{
		"the card's own":              {Options{Card: "a100"}, []time.Duration{1000 * (time.Second / 11_000), decode, decode}},
		"its own time to first token": {Options{Card: "a100", TTFT: time.Second}, []time.Duration{time.Second, decode, decode}},
		"its own inter-token latency": {Options{Card: "a100", ITL: time.Second}, []time.Duration{1000 * (time.Second / 11_000), time.Second, time.Second}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				e, err := New(tc.options)
				require.NoError(t, err)
				times := read(t, generate(t, e, promptOf("a", 1000), 3))
				require.Len(t, times, 3)
				assert.Equal(t, tc.want, []time.Duration{times[0], times[1] - times[0], times[2] - times[1]})
			})
		})
	}
}

// What is found in the cache costs no prefill, only the move of its blocks.
func TestCachedPromptsStartSooner(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e, err := New(Options{Card: "h100", KVBlocks: 100, ContextWindow: 1600})
		require.NoError(t, err)
		cold := read(t, generate(t, e, promptOf("a", 1200), 1))[0]
		warm := generate(t, e, promptOf("a", 1200), 1)
		assert.Equal(t, kv.Hit{Tokens: 1184, Blocks: [kv.Tiers]int{kv.GPU: 74}}, warm.Hit)
		gpu := read(t, warm)[0]
		read(t, generate(t, e, promptOf("b", 1500), 1)) // takes the room
		moved := generate(t, e, promptOf("a", 1200), 1)
		assert.Equal(t, kv.Host, moved.Hit.Tier())
		host := read(t, moved)[0]
		assert.Less(t, gpu, host)
		assert.Less(t, host, cold)
		stats := e.Stats()
		assert.EqualValues(t, 3*1200+1500, stats.CacheQueries)
		assert.EqualValues(t, warm.Hit.Tokens+moved.Hit.Tokens, stats.CacheHits)
		assert.Zero(t, stats.KVUsage)
	})
}

// A step takes longer the more sequences are in it.
func TestBatchesGrowSlower(t *testing.T) {
	last := func(t *testing.T, n int) (d time.Duration) {
		synctest.Test(t, func(t *testing.T) {
			e, err := New(Options{Card: "h100"})
			require.NoError(t, err)
			started := time.Now()
			var readers sync.WaitGroup
			for range n {
				readers.Go(func() { read(t, generate(t, e, promptOf("a", 10), 50)) })
			}
			readers.Wait()
			d = time.Since(started)
		})
		return d
	}
	one, many := last(t, 1), last(t, 64)
	assert.Greater(t, many, one)
	assert.Less(t, many, 8*one, "together they are much faster than one after the other")
}

func TestMaxRunningQueues(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e, err := New(Options{Card: "h100", MaxRunning: 1, TTFT: time.Second, ITL: time.Second})
		require.NoError(t, err)
		first := generate(t, e, promptOf("a", 10), 3)
		started := time.Now()
		second := make(chan *Generation)
		go func() { second <- generate(t, e, promptOf("b", 10), 1) }()
		synctest.Wait()
		assert.Equal(t, 1, e.Stats().Waiting)

		// One who leaves the queue changes nothing for the others.
		ctx, cancel := context.WithCancel(context.Background())
		left := make(chan error)
		go func() {
			_, err := e.Generate(ctx, promptOf("c", 10), Params{})
			left <- err
		}()
		synctest.Wait()
		assert.Equal(t, 2, e.Stats().Waiting)
		cancel()
		assert.ErrorIs(t, <-left, context.Canceled)

		read(t, first)
		g := <-second
		assert.Equal(t, 3*time.Second, time.Since(started), "it is admitted when the first one has ended")
		read(t, g)
		synctest.Wait()
		assert.Zero(t, e.Stats().Waiting)
	})
}

// A request that is closed early gives its room to the next at once, and the
// engine's goroutine ends with the last one: synctest would find it.
func TestClosingEarly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e, err := New(Options{Card: "l4", KVBlocks: 10, ContextWindow: 160, ITL: time.Hour})
		require.NoError(t, err)
		first := generate(t, e, promptOf("a", 150), 5)
		second := make(chan *Generation)
		go func() { second <- generate(t, e, promptOf("b", 150), 1) }()
		synctest.Wait()
		started := time.Now()
		first.Close()
		g := <-second
		assert.Zero(t, time.Since(started), "an hour's step is not waited for")
		first.Close()
		g.Close()
	})
}

// When no block is free, the request that was admitted last waits again, and
// both get the replies that they would have had alone.
func TestPreemption(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e, err := New(Options{Card: "h100", KVBlocks: 6, HostBlocks: -1, StorageBlocks: -1, ContextWindow: 96})
		require.NoError(t, err)
		text := func(letter string) (all string) {
			g := generate(t, e, promptOf(letter, 40), 50)
			defer g.Close()
			for token, err := range g.Tokens(context.Background()) {
				require.NoError(t, err)
				all += token.Text
			}
			return all
		}
		alone := [2]string{text("a"), text("b")}
		require.Zero(t, e.Stats().Preemptions)
		var both [2]string
		var readers sync.WaitGroup
		readers.Go(func() { both[0] = text("a") })
		readers.Go(func() { both[1] = text("b") })
		readers.Wait()
		assert.Equal(t, alone, both)
		assert.Positive(t, e.Stats().Preemptions)
		assert.Zero(t, e.Stats().KVUsage)
	})
}

// A scripted prompt holds room that a queued one waits for.
func TestHoldingRoom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e, err := New(Options{Card: "h100", KVBlocks: 4, ContextWindow: 64})
		require.NoError(t, err)
		hit, release := e.Hold(promptOf("a", 40))
		assert.Zero(t, hit.Tokens)
		_, none := e.Hold(promptOf("c", 40)) // no room: it is not written
		none()
		admitted := make(chan *Generation)
		go func() { admitted <- generate(t, e, promptOf("b", 40), 1) }()
		synctest.Wait()
		assert.Equal(t, 1, e.Stats().Waiting)
		release()
		release()
		read(t, <-admitted)
		hit, release = e.Hold(promptOf("c", 40))
		assert.Zero(t, hit.Tokens)
		release()
	})
}

func TestRootsAreApart(t *testing.T) {
	e, err := New(Options{})
	require.NoError(t, err)
	for _, root := range []string{"one", "two"} {
		p := promptOf("a", 100)
		p.Root = root
		hit, release := e.Hold(p)
		release()
		assert.Zero(t, hit.Tokens, root)
		hit, release = e.Hold(p)
		release()
		assert.Equal(t, 96, hit.Tokens, root)
	}
}

// On a virtual clock nobody waits: an hour's decoding step is over at once.
func TestVirtualClock(t *testing.T) {
	clock := NewVirtualClock()
	e, err := New(Options{Card: "h100", ITL: time.Hour, Clock: clock})
	require.NoError(t, err)
	started := clock.Now()
	assert.Len(t, read(t, generate(t, e, promptOf("a", 10), 20)), 20)
	assert.GreaterOrEqual(t, clock.Now().Sub(started), 19*time.Hour)
}

func TestOptions(t *testing.T) {
	for want, o := range map[string]Options{
		"time to first token is -1ns":                  {TTFT: -1},
		"max num seqs is -1":                           {MaxRunning: -1},
		"block size is -1":                             {BlockSize: -1},
		"GPU memory has -1 KV blocks":                  {KVBlocks: -1},
		"host memory has -2 KV blocks":                 {HostBlocks: -2},
		"storage has -2 KV blocks":                     {StorageBlocks: -2},
		`card "h20" is unknown`:                        {Card: "h20"},
		"hold 64 tokens, want room for the context wi": {Card: "l4", KVBlocks: 4, ContextWindow: 65},
	} {
		assert.ErrorContains(t, o.Validate(), want)
	}
	for _, card := range Cards() {
		e, err := New(Options{Card: card})
		require.NoError(t, err)
		assert.Equal(t, DefaultContextWindow, e.ContextWindow(), "%s has room for it", card)
	}
	small, err := New(Options{Card: "l4", KVBlocks: 4})
	require.NoError(t, err)
	assert.Equal(t, 64, small.ContextWindow())
}
