package check

import (
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestSums(t *testing.T) {
	p := ExamplePrices()
	tests := map[string]struct {
		old, new string
		want     []string
	}{
		"good":                     {"", "", nil},
		"legal: no other amounts":  {`,"totalUsd":0.00004811675`, "", nil},
		"legal: more sums":         {`"reusedTokens"`, `"requests":1,"outputUsd":0.000028476,"reusedTokens"`, nil},
		"another saving":           {`"savedUsd":-0.00000392815`, `"savedUsd":-0.00000392816`, []string{"SumAmounts", "SumSaved"}},
		"no saving":                {`"savedUsd":-0.00000392815,`, "", []string{"SumSaved"}},
		"another total":            {`"totalUsd":0.00004811675`, `"totalUsd":0.000028476`, []string{"SumAmounts"}},
		"float noise":              {`"savedUsd":-0.00000392815`, `"savedUsd":-0.0000039281500000000001`, []string{"SumDigits"}},
		"an amount as text":        {`"totalUsd":0.00004811675`, `"totalUsd":"0.00004811675"`, []string{"SumAmounts", "SumDigits"}},
		"a token reused":           {`"reusedTokens":0`, `"reusedTokens":1`, []string{"SumTokens"}},
		"no prefilledTokens":       {`"prefilledTokens":502,`, "", []string{"PrefilledIsWritten", "SumTokens"}},
		"prefilled is what is new": {`"prefilledTokens":502`, `"prefilledTokens":501`, []string{"PrefilledIsWritten", "SumTokens"}},
		"another source":           {"estimate", "mixed", []string{"SourceIs"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			event := sums
			if tt.old != "" {
				event = changed(t, sums, tt.old, tt.new)
			}
			tel := telemetryOf(open, cost, event)
			all, costs := tel.Sums(), tel.Costs("")
			require.Len(t, all, 1)
			found := slices.Concat(all[0].SumSaved(costs, p), all[0].SumAmounts(costs, p), all[0].SumTokens(costs), all[0].PrefilledIsWritten(costs),
				all[0].SourceIs("estimate"), all[0].SumDigits())
			assert.Equal(t, tt.want, names(found))
			wellFormed(t, found)
		})
	}
}

func TestSumsOf(t *testing.T) {
	tel := telemetryOf(open, cost, sums, cost, changed(t, sums, `"prefilledTokens":502`, `"prefilledTokens":1004`))
	assert.Equal(t, int64(1004), PromptOf(tel.Costs("")))
	_, ok := tel.SumsOf(1004)
	assert.True(t, ok)
	_, ok = tel.SumsOf(1003)
	assert.False(t, ok)
}

// longPrices are prices at which reads save nearly what writes lose.
func longPrices(t testing.TB) Prices {
	return Prices{
		Input: rat(t, "0.03131234567890123"), Output: rat(t, "0.2373123456789012345"),
		CacheRead: rat(t, "0.01126666677766664"), CacheWrite: rat(t, "0.05135802458013579"),
	}
}

// balanced are the counts of n requests of which every second saves what the one
// before has lost.
func balanced(n int) []Counts {
	var all []Counts
	for i := range n {
		if i%2 == 0 {
			all = append(all, Counts{Prompt: 100, Write: 100, Completion: 3})
		} else {
			all = append(all, Counts{Prompt: 200, Read: 150, Write: 50, Completion: 4})
		}
	}
	return all
}

// sessionOf is the telemetry of a session whose sums have this savedUsd.
func sessionOf(t testing.TB, requests []Counts, saved string) ([]Cost, Sums) {
	t.Helper()
	events := []string{open}
	for i, c := range requests {
		events = append(events, fmt.Sprintf("event: cost.update\ndata: {\"requestId\":\"chatcmpl-%d\",\"promptTokens\":%d,\"cacheReadTokens\":%d,\"cacheWriteTokens\":%d,\"completionTokens\":%d}\n\n",
			i, c.Prompt, c.Read, c.Write, c.Completion))
	}
	events = append(events, "event: session.metrics\ndata: {\"savedUsd\":"+saved+"}\n\n")
	tel := telemetryOf(events...)
	require.Len(t, tel.Costs(""), len(requests))
	return tel.Costs(""), tel.Sums()[0]
}

// Three ways to add the savings of 1,000 requests: exactly, as floats, and as
// amounts that were rounded one by one. The rule lets the first pass alone.
func TestRoundingThatAccumulates(t *testing.T) {
	p := longPrices(t)
	requests := balanced(1000)
	exact, rounded, float := new(big.Rat), new(big.Rat), 0.0
	for _, c := range requests {
		saved := p.amounts(c).saved
		exact.Add(exact, saved)
		rounded.Add(rounded, rat(t, decimal(saved)))
		one, _ := saved.Float64()
		float += one
	}
	t.Logf("exact %s, floats %s, rounded one by one %s", decimal(exact), strconv.FormatFloat(float, 'g', 12, 64), decimal(rounded))
	for sum, want := range map[string]int{
		decimal(exact):                          0,
		strconv.FormatFloat(float, 'g', 12, 64): 1,
		strconv.FormatFloat(float, 'f', -1, 64): 1,
		decimal(rounded):                        1,
		"-" + decimal(exact):                    1,
	} {
		costs, sums := sessionOf(t, requests, sum)
		assert.Len(t, sums.SumSaved(costs, p), want, sum)
	}
}
