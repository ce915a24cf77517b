package telemetry

import (
	"fmt"
	"math/big"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plumbline.dev/plumbline/reference/completion"
	"plumbline.dev/plumbline/reference/generation"
	"plumbline.dev/plumbline/reference/price"
)

// Every ending, with everything that can be missing: one cost, in its place.
func TestEventsOfEveryEnding(t *testing.T) {
	route := &completion.Route{Server: "gpu-0", Reason: "prefix-affinity", ExpectedReuse: 64, Load: 3}
	books := &completion.Route{Server: "sample", Cache: &completion.CacheLookup{Prompt: 100, Reused: 25, Tier: completion.TierHost, Final: true}}
	guess := &completion.Route{Server: "gpu-1", Cache: &completion.CacheLookup{Prompt: 100, Reused: 64, Tier: completion.TierStorage}}
	estimate := completion.Usage{PromptTokens: 100, CompletionTokens: 7, CacheWriteTokens: -1, Estimated: true}
	for name, want := range map[string]struct {
		route  *completion.Route
		ending generation.Ending
		usage  completion.Usage
		atHead string // what is published before the first token
		atEnd  string
		cost   string // read+written of prompt, completion, source
		tier   any
	}{
		"finished":                   {route, generation.Finished, completion.Usage{PromptTokens: 100, CachedTokens: 30, CacheWriteTokens: -1, CompletionTokens: 7}, "[route.decision]", "[cache.lookup latency.update cost.update session.metrics]", "30+70 of 100, 7, upstream", "gpu-hbm"},
		"fewer writes":               {route, generation.Finished, completion.Usage{PromptTokens: 100, CachedTokens: 30, CacheWriteTokens: 10, CompletionTokens: 7}, "[route.decision]", "[cache.lookup latency.update cost.update session.metrics]", "30+10 of 100, 7, upstream", "gpu-hbm"},
		"a miss":                     {route, generation.Finished, completion.Usage{PromptTokens: 100, CacheWriteTokens: -1, CompletionTokens: 7}, "[route.decision]", "[cache.lookup latency.update cost.update session.metrics]", "0+100 of 100, 7, upstream", nil},
		"the index knows the tier":   {guess, generation.Finished, completion.Usage{PromptTokens: 100, CachedTokens: 48, CacheWriteTokens: -1, CompletionTokens: 7}, "[route.decision]", "[cache.lookup latency.update cost.update session.metrics]", "48+52 of 100, 7, upstream", "storage"},
		"the gateway's own books":    {books, generation.Finished, completion.Usage{PromptTokens: 100, CachedTokens: 25, CacheWriteTokens: -1, CompletionTokens: 7, Estimated: true}, "[route.decision cache.lookup]", "[latency.update cost.update session.metrics]", "25+75 of 100, 7, estimate", "host-memory"},
		"stopped":                    {route, generation.Stopped, estimate, "[route.decision]", "[cache.lookup latency.update cost.update session.metrics]", "0+100 of 100, 7, estimate", nil},
		"client gone":                {route, generation.Disconnected, estimate, "[route.decision]", "[cache.lookup latency.update cost.update session.metrics]", "0+100 of 100, 7, estimate", nil},
		"client gone before headers": {nil, generation.Disconnected, completion.Usage{PromptTokens: 100, CacheWriteTokens: -1, Estimated: true}, "[]", "[cache.lookup latency.update cost.update session.metrics]", "0+100 of 100, 0, estimate", nil},
		"failed":                     {route, generation.Failed, estimate, "[route.decision]", "[cache.lookup latency.update cost.update session.metrics]", "0+100 of 100, 7, estimate", nil},
		"failed before any server":   {nil, generation.Failed, completion.Usage{CacheWriteTokens: -1, Estimated: true}, "[]", "[latency.update cost.update session.metrics]", "0+0 of 0, 0, estimate", nil},
		"overrun":                    {route, generation.Overrun, estimate, "[route.decision]", "[cache.lookup latency.update cost.update session.metrics]", "0+100 of 100, 7, estimate", nil},
		"shut down":                  {route, generation.ShutDown, estimate, "[route.decision]", "[cache.lookup latency.update cost.update session.metrics]", "0+100 of 100, 7, estimate", nil},
		"counts that contradict":     {route, generation.Finished, completion.Usage{PromptTokens: 5, CachedTokens: 9, CompletionTokens: 7}, "[route.decision]", "[latency.update cost.update session.metrics]", "0+0 of 0, 0, estimate", nil},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t, Limits{})
				client := r.subscribe("s", "acme")
				defer client.leave()
				info := r.started("acme", "s")
				var head []received
				if want.route != nil {
					time.Sleep(5 * time.Millisecond)
					r.observer.Routed(info, *want.route)
					head = client.events(t)
					assert.Equal(t, want.route.Server, head[0].text("server"))
					assert.Equal(t, want.route.ExpectedReuse, head[0].integer("expectedReuseTokens"))
					assert.EqualValues(t, want.route.Load, head[0].integer("load"))
				}
				assert.Equal(t, want.atHead, fmt.Sprint(names(head)))
				r.observer.FirstToken(info, 30*time.Millisecond)
				assert.Empty(t, client.events(t))
				time.Sleep(time.Second)
				r.observer.Settled(settled(info, want.ending, want.usage))
				end := client.events(t)
				assert.Equal(t, want.atEnd, fmt.Sprint(names(end)))

				cost := end[len(end)-2]
				assert.Equal(t, want.cost, fmt.Sprintf("%d+%d of %d, %d, %s", cost.integer("cacheReadTokens"), cost.integer("cacheWriteTokens"),
					cost.integer("promptTokens"), cost.integer("completionTokens"), cost.text("usageSource")))
				at := int64(0)
				for _, e := range append(head, end...) {
					assert.GreaterOrEqual(t, e.integer("at"), at)
					at = e.integer("at")
					if e.name != "session.metrics" {
						assert.Equal(t, info.ID, e.text("requestId"), e.name)
					}
					switch e.name {
					case "cache.lookup":
						assert.Equal(t, want.tier, e.json["tier"])
						assert.Equal(t, cost.integer("cacheReadTokens"), e.integer("cacheReadTokens"))
					case "latency.update":
						assert.Equal(t, want.ending.String(), e.text("ending"))
					}
				}
			})
		})
	}
}

// The worked example of "Serving telemetry, Reading cache and cost events".
func TestCostUpdateExample(t *testing.T) {
	counts := price.Counts{Prompt: 502, CacheWrite: 502, Completion: 120}
	got := encode(costUpdate{requestID: "chatcmpl-7c1e9a3f5b2d4c6e8a0f1b3d", Cost: mortar("").Cost(counts), estimated: true}, 1767225600000)
	assert.Equal(t, "event: cost.update\ndata: "+`{"at":1767225600000,"baseline":"Same model, no prefix cache","baselineUsd":0.0000441886,`+
		`"billedPromptTokens":502,"cacheReadTokens":0,"cacheReadUsd":0,"cacheWriteTokens":502,"cacheWriteUsd":0.00001964075,`+
		`"completionTokens":120,"inputUsd":0.00001964075,"outputUsd":0.000028476,"promptTokens":502,`+
		`"requestId":"chatcmpl-7c1e9a3f5b2d4c6e8a0f1b3d","savedUsd":-0.00000392815,"totalTokens":622,"totalUsd":0.00004811675,`+
		`"usageSource":"estimate"}`+"\n\n", string(got))
}

func TestLatencyUpdate(t *testing.T) {
	info := generation.Info{ID: "id"}
	s := generation.Settlement{Info: info, Ending: generation.Finished, Generated: 11, FirstToken: 30 * time.Millisecond, Duration: 135500 * time.Microsecond}
	for name, c := range map[string]struct {
		event latencyUpdate
		want  string
	}{
		"streamed":  {latencyUpdate{s, 1234567 * time.Nanosecond}, `"durationMs":135.5,"ending":"finished","interTokenMs":10.55,"queueMs":1.234,"requestId":"id","ttftMs":30`},
		"no token":  {latencyUpdate{generation.Settlement{Info: info, Ending: generation.Failed, Duration: time.Second}, 0}, `"durationMs":1000,"ending":"failed","interTokenMs":null,"queueMs":null,"requestId":"id","ttftMs":null`},
		"one token": {latencyUpdate{generation.Settlement{Info: info, Ending: generation.Stopped, Generated: 1, FirstToken: time.Second, Duration: 2 * time.Second}, time.Second}, `"durationMs":2000,"ending":"stopped","interTokenMs":null,"queueMs":1000,"requestId":"id","ttftMs":1000`},
	} {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, `event: latency.update`+"\n"+`data: {"at":5,`+c.want+"}\n\n", string(encode(c.event, 5)))
		})
	}
}

func TestReuseRatio(t *testing.T) {
	for _, c := range []struct {
		part, whole int64
		want        string
	}{{0, 0, "0"}, {0, 7, "0"}, {7, 7, "1"}, {1, 3, "0.333333333333"}, {2, 3, "0.666666666667"}, {64, 100, "0.64"}, {1, 1 << 31, "0.000000000465661287308"}, {1<<31 - 1, 1 << 31, "0.999999999534"}} {
		o := object("{")
		o.ratio("r", c.part, c.whole)
		assert.Equal(t, `{"r":`+c.want, string(o))
	}
}

// A thousand requests at prices whose amounts have more digits than are sent:
// the session's sums are exact and rounded once, as sums of floats or of what
// was sent are not.
func TestSessionSumsAreExact(t *testing.T) {
	prices := price.Prices{
		Input: price.MustParse("0.0123456789012345"), Output: price.MustParse("0.9876543210987654321"),
		CacheRead: price.MustParse("0.00123456789012345"), CacheWrite: price.MustParse("0.0154320986265431"),
	}
	exact := map[string]*big.Rat{"totalUsd": {}, "savedUsd": {}, "inputUsd": {}, "outputUsd": {}, "baselineUsd": {}}
	var float float64
	roundedFirst := new(big.Rat)
	var s sums
	for i := range int64(1000) {
		counts := price.Counts{Prompt: 1000 + i, CacheRead: i, CacheWrite: 700 + i%300, Completion: 3*i + 1}
		cost := prices.Cost(counts)
		s.add(cost, i%2 == 0)

		part := func(price string, tokens int64) *big.Rat {
			return new(big.Rat).Mul(rational(t, price), big.NewRat(tokens, 1_000_000))
		}
		rest := counts.Prompt - counts.CacheRead - counts.CacheWrite
		input := new(big.Rat).Add(part("0.00123456789012345", counts.CacheRead), part("0.0154320986265431", counts.CacheWrite))
		input.Add(input, part("0.0123456789012345", rest))
		output := part("0.9876543210987654321", counts.Completion)
		total := new(big.Rat).Add(input, output)
		baseline := new(big.Rat).Add(part("0.0123456789012345", counts.Prompt), output)
		for key, amount := range map[string]*big.Rat{"inputUsd": input, "outputUsd": output, "totalUsd": total, "baselineUsd": baseline, "savedUsd": new(big.Rat).Sub(baseline, total)} {
			exact[key].Add(exact[key], amount)
		}
		sent := string(cost.SavedUSD.AppendJSON(nil))
		f, err := strconv.ParseFloat(sent, 64)
		require.NoError(t, err)
		float += f
		roundedFirst.Add(roundedFirst, rational(t, sent))
	}
	assert.Zero(t, rational(t, s.SavedUSD.String()).Cmp(exact["savedUsd"]), "to the last digit")
	assert.NotZero(t, roundedFirst.Cmp(exact["savedUsd"]), "this test can tell a sum of rounded amounts")
	assert.NotZero(t, new(big.Rat).SetFloat64(float).Cmp(exact["savedUsd"]), "this test can tell a float")
	t.Logf("saved: exact %s, sent %s, float %.25f", s.SavedUSD, s.SavedUSD.AppendJSON(nil), float)

	c := parse(t, encode(&s, 1))
	for key, want := range exact {
		text, _ := c.json[key].(fmt.Stringer)
		got := rational(t, text.String())
		relative := new(big.Rat).Quo(new(big.Rat).Sub(got, want), want)
		assert.LessOrEqual(t, relative.Abs(relative).Cmp(big.NewRat(5, 1_000_000_000_000)), 0, "%s: %s", key, text)
	}
	assert.EqualValues(t, 1000, c.integer("requests"))
	assert.EqualValues(t, 1000*1000+499500, c.integer("promptTokens"))
	assert.EqualValues(t, 499500, c.integer("reusedTokens"))
	assert.EqualValues(t, 1000*1000, c.integer("prefilledTokens"))
	assert.Equal(t, c.integer("promptTokens")+c.integer("completionTokens"), c.integer("totalTokens"))
	assert.Equal(t, "mixed", c.text("usageSource"))
}

func rational(t *testing.T, text string) *big.Rat {
	t.Helper()
	r, ok := new(big.Rat).SetString(text)
	require.True(t, ok, text)
	return r
}

func TestUsageSourceOfASession(t *testing.T) {
	for want, from := range map[string][]bool{"upstream": {false, false}, "estimate": {true, true}, "mixed": {true, false}} {
		var s sums
		for _, estimated := range from {
			s.add(price.Cost{}, estimated)
		}
		assert.Equal(t, want, s.source())
	}
}

// Whatever event it is and whenever it is made, it is seen by the subscribers
// of its own address alone.
func TestIsolation(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, Limits{})
		mine := []*client{r.subscribe("s", "acme"), r.subscribe("s", "acme"), r.subscribe("s", "acme-2")}
		others := map[string]*client{
			"another organization, the same session": r.subscribe("s", "rival"),
			"the same organization, another session": r.subscribe("s2", "acme"),
			"the same letters in another case":       r.subscribe("S", "acme"),
			"no key":                                 r.subscribe("s", ""),
			"no key, again":                          r.subscribe("s", ""),
		}
		for ending := generation.Finished; ending <= generation.ShutDown; ending++ {
			info := r.started("acme", "s")
			r.observer.Routed(info, completion.Route{Server: "gpu-0", Cache: &completion.CacheLookup{Prompt: 5, Final: ending%2 == 0}})
			r.observer.Settled(settled(info, ending, completion.Usage{PromptTokens: 5, CompletionTokens: 1, CacheWriteTokens: -1, Estimated: true}))
			r.request("acme", "") // a request without a session is nobody's
		}
		seen := make(map[string]int)
		for i, c := range mine {
			for _, e := range c.events(t) {
				if i == 0 {
					seen[e.name]++
				}
			}
		}
		assert.Equal(t, map[string]int{"route.decision": 6, "cache.lookup": 6, "latency.update": 6, "cost.update": 6, "session.metrics": 6}, seen)
		for name, c := range others {
			assert.Empty(t, c.events(t), name)
		}
		for _, c := range others {
			c.leave()
		}
		for _, c := range mine {
			c.leave()
		}
	})
}

// All subscribers see the same, and the sums of many requests at once are those
// of all of them.
func TestRequestsAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, Limits{})
		a, b := r.subscribe("s", "acme"), r.subscribe("s", "acme")
		var all sync.WaitGroup
		for i := range 100 {
			all.Go(func() {
				info := generation.Info{ID: fmt.Sprint("chatcmpl-", i), Org: "acme", Session: "s", Model: "m"}
				r.observer.Started(info)
				r.observer.Routed(info, completion.Route{Server: "gpu-0"})
				r.observer.Settled(settled(info, generation.Finished, completion.Usage{PromptTokens: 10, CachedTokens: 4, CompletionTokens: 2, CacheWriteTokens: -1}))
			})
		}
		all.Wait()
		seen := a.events(t)
		assert.Equal(t, seen, b.events(t))
		costs := make(map[string]int)
		requests := int64(0)
		for i, e := range seen {
			switch e.name {
			case "cost.update":
				costs[e.text("requestId")]++
			case "session.metrics":
				requests++
				assert.Equal(t, "cost.update", seen[i-1].name)
				assert.Equal(t, requests, e.integer("requests"))
				assert.Equal(t, 12*requests, e.integer("totalTokens"))
			}
		}
		assert.Len(t, costs, 100)
		for id, n := range costs {
			assert.Equal(t, 1, n, id)
		}
		a.leave()
		b.leave()
	})
}
