package engine

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plumbline.dev/plumbline/fakegpu/kv"
)

func traffic(seed uint64, d time.Duration, perSecond float64) Traffic {
	return Traffic{
		Seed: seed, Duration: d, Conversations: perSecond, BlockSize: DefaultBlockSize, SystemPrompts: 20, SystemTokens: 800,
	}
}

func simulate(t testing.TB, f Fleet, traffic Traffic) Report {
	t.Helper()
	clock := NewVirtualClock()
	r, err := f.Simulate(context.Background(), clock, traffic.Arrivals())
	require.NoError(t, err)
	require.Equal(t, r.Duration, clock.Now().Sub(time.Unix(0, 0)), "the clock shows what was simulated")
	return r
}

func TestAnHourOfAFleetIsDeterministic(t *testing.T) {
	f := Fleet{Servers: 3, Options: Options{Card: "l4", KVBlocks: 600, HostBlocks: 600, ContextWindow: 8192}}
	first := simulate(t, f, traffic(1, time.Hour, 0.2))
	assert.Equal(t, first, simulate(t, f, traffic(1, time.Hour, 0.2)))
	assert.NotEqual(t, first, simulate(t, f, traffic(2, time.Hour, 0.2)))

	assert.GreaterOrEqual(t, first.Duration, 59*time.Minute)
	assert.Greater(t, first.Requests, 1000)
	assert.Positive(t, first.CachedTokens)
	assert.Less(t, first.CachedTokens, first.PromptTokens)
	for tier := kv.Miss; tier <= kv.Storage; tier++ {
		assert.Positive(t, first.Hits[tier], "%q", tier)
	}
	assert.Positive(t, first.Blocks[kv.Storage], "pressure moves blocks down to the last tier")
	// A thousand times real time leaves this much work 3.6 s: 10 µs for a step,
	// of which one takes about one.
	assert.Less(t, first.Steps, int64(360_000))
}

func TestAffinityReusesMore(t *testing.T) {
	options := Options{Card: "l4", ContextWindow: 8192}
	load := traffic(1, 10*time.Minute, 0.5)
	spread := simulate(t, Fleet{Servers: 4, Options: options}, load)
	affine := simulate(t, Fleet{Servers: 4, Options: options, Route: Affine}, load)
	assert.Equal(t, spread.Requests, affine.Requests)
	assert.Equal(t, spread.GeneratedTokens, affine.GeneratedTokens)
	assert.Greater(t, affine.CachedTokens, spread.CachedTokens)
}

func TestFasterCardsAreFaster(t *testing.T) {
	var waits []time.Duration
	for _, card := range Cards() {
		waits = append(waits, simulate(t, Fleet{Servers: 1, Options: Options{Card: card, ContextWindow: 8192}}, traffic(1, time.Minute, 1)).MeanFirstToken)
	}
	assert.IsNonDecreasing(t, waits)
}

func TestFleetRefusals(t *testing.T) {
	arrivals := func(a ...Arrival) func(func(Arrival) bool) { return slices.Values(a) }
	good := Fleet{Servers: 1, Options: Options{Card: "l4", KVBlocks: 4}}
	for name, tc := range map[string]struct {
		fleet    Fleet
		arrivals []Arrival
		want     string
	}{
		"no server":       {Fleet{Options: Options{Card: "l4"}}, nil, "0 servers"},
		"no card":         {Fleet{Servers: 1}, nil, `the card ""`},
		"another card":    {Fleet{Servers: 1, Options: Options{Card: "h10"}}, nil, `did you mean "h100"?`},
		"too long":        {good, []Arrival{{Prompt: kv.Prompt{Tokens: 60}, Reply: 5}}, "64 tokens at most"},
		"no reply":        {good, []Arrival{{Prompt: kv.Prompt{Tokens: 60}}}, "want a reply"},
		"an earlier time": {good, []Arrival{{At: time.Second, Reply: 1}, {Reply: 1}}, "comes after one at"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := tc.fleet.Simulate(context.Background(), NewVirtualClock(), arrivals(tc.arrivals...))
			assert.ErrorContains(t, err, tc.want)
		})
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err := good.Simulate(ctx, NewVirtualClock(), arrivals(Arrival{Reply: 1}))
	assert.ErrorIs(t, err, context.Canceled)
}

// BenchmarkFleet prints how much faster than real time a fleet is simulated.
func BenchmarkFleet(b *testing.B) {
	f := Fleet{Servers: 4, Options: Options{Card: "h100"}, Route: Affine}
	var virtual time.Duration
	for i := range b.N {
		virtual += simulate(b, f, traffic(uint64(i), time.Hour, 2)).Duration
	}
	b.ReportMetric(virtual.Seconds()/b.Elapsed().Seconds(), "x-realtime")
}
