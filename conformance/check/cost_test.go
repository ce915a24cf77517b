package check

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// costOf reads one cost.update.
func costOf(t testing.TB, event string) Cost {
	t.Helper()
	costs := telemetryOf(open, event).Costs("")
	require.Len(t, costs, 1)
	return costs[0]
}

func costRules(c Cost, p Prices) []Finding {
	return slices.Concat(c.CostFields(), c.CacheAmounts(p), c.InputAmount(p), c.OutputAmount(p), c.BaselineAmount(p), c.SavedAmount(p),
		c.TotalTokens(), c.Billed(), c.Digits(), c.SavesLessThanNothing(), c.Example(),
		c.UsageAgrees(&Usage{PromptTokens: 502, CompletionTokens: 120, TotalTokens: 622, CachedTokens: -1}), c.SourceIs("estimate"))
}

// The documents' own example breaks no rule, and each change of it breaks those
// that speak of what was changed.
func TestWorkedExample(t *testing.T) {
	tests := map[string]struct {
		old, new string
		want     []string
	}{
		"as documented":          {"", "", nil},
		"legal: exponents":       {"0.0000441886", "4.41886e-05", nil},
		"legal: trailing zeros":  {"0.000028476", "0.000028476000000000000000", nil},
		"legal: one more field":  {`"at"`, `"more":{},"at"`, nil},
		"legal: counts as 502.0": {`"promptTokens":502`, `"promptTokens":502.0`, nil},

		"float noise":                 {"0.00004811675", "0.000048116750000000003", []string{"Digits", "Example"}},
		"no at":                       {`"at":1767225600200,`, "", []string{"CostFields"}},
		"no baseline":                 {`"baseline":"Same model, no prefix cache",`, "", []string{"BaselineAmount", "CostFields", "Example"}},
		"another baseline":            {"Same model", "Other model", []string{"BaselineAmount", "Example"}},
		"no usageSource":              {`,"usageSource":"estimate"`, "", []string{"CostFields", "SourceIs"}},
		"usageSource upstream":        {"estimate", "upstream", []string{"SourceIs"}},
		"no billedPromptTokens":       {`"billedPromptTokens":502,`, "", []string{"Billed", "CostFields", "Example"}},
		"billed is 0":                 {`"billedPromptTokens":502,`, `"billedPromptTokens":0,`, []string{"Billed", "Example"}},
		"no cacheReadUsd":             {`"cacheReadUsd":0,`, "", []string{"CacheAmounts", "CostFields", "Digits", "Example"}},
		"a read that costs":           {`"cacheReadUsd":0,`, `"cacheReadUsd":0.00000001,`, []string{"CacheAmounts", "Example"}},
		"writes at the input price":   {`"cacheWriteUsd":0.00001964075`, `"cacheWriteUsd":0.0000157126`, []string{"CacheAmounts", "Example"}},
		"input without writes":        {`"inputUsd":0.00001964075`, `"inputUsd":0`, []string{"Example", "InputAmount"}},
		"output at another price":     {"0.000028476", "0.0000284761", []string{"Example", "OutputAmount"}},
		"a total of output alone":     {`"totalUsd":0.00004811675`, `"totalUsd":0.000028476`, []string{"Example", "OutputAmount"}},
		"a baseline without output":   {"0.0000441886", "0.0000157126", []string{"BaselineAmount", "Example"}},
		"a baseline at write prices":  {"0.0000441886", "0.00004811675", []string{"BaselineAmount", "Example"}},
		"savings of the wrong sign":   {"-0.00000392815", "0.00000392815", []string{"Example", "SavedAmount", "SavesLessThanNothing"}},
		"savings cut off at 0":        {"-0.00000392815", "0", []string{"Example", "SavedAmount", "SavesLessThanNothing"}},
		"an amount as text":           {"-0.00000392815", `"-0.00000392815"`, []string{"CostFields", "Digits", "Example", "SavedAmount", "SavesLessThanNothing"}},
		"rounded to 6 decimals":       {"0.00004811675", "0.000048", []string{"Example", "OutputAmount"}},
		"a wrong total of tokens":     {"622", "623", []string{"Example", "TotalTokens", "UsageAgrees"}},
		"a completion token more":     {`"completionTokens":120`, `"completionTokens":121`, []string{"BaselineAmount", "Example", "OutputAmount", "TotalTokens", "UsageAgrees"}},
		"completion tokens as text":   {`"completionTokens":120`, `"completionTokens":"120"`, []string{"BaselineAmount", "CostFields", "Example", "OutputAmount", "TotalTokens", "UsageAgrees"}},
		"a negative count":            {`"completionTokens":120`, `"completionTokens":-120`, []string{"BaselineAmount", "CostFields", "Example", "OutputAmount", "TotalTokens", "UsageAgrees"}},
		"more read than there is":     {`"cacheReadTokens":0`, `"cacheReadTokens":503`, []string{"BaselineAmount", "CacheAmounts", "Example", "InputAmount", "OutputAmount", "SavedAmount", "SavesLessThanNothing", "UsageAgrees"}},
		"written is not what is said": {`"cacheWriteTokens":502`, `"cacheWriteTokens":400`, []string{"Billed", "CacheAmounts", "Example", "InputAmount", "OutputAmount", "SavedAmount"}},
		"no written":                  {`"cacheWriteTokens":502,`, "", []string{"Billed", "CacheAmounts", "CostFields", "Example", "InputAmount", "OutputAmount", "SavedAmount"}},
		"no id":                       {exampleID, "", []string{"CostFields"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			event := cost
			if tt.old != "" {
				event = changed(t, cost, tt.old, tt.new)
			}
			found := costRules(costOf(t, event), ExamplePrices())
			assert.Equal(t, tt.want, names(found))
			wellFormed(t, found)
		})
	}
}

// warm is a cost.update of 300 prompt tokens, 120 read and 100 written, and 5
// completion tokens: 80 prompt tokens have the input price.
func warm(t testing.TB) string {
	event := cost
	for _, change := range [][2]string{
		{`"cacheReadTokens":0`, `"cacheReadTokens":120`}, {`"cacheReadUsd":0`, `"cacheReadUsd":0.0000003756`},
		{`"cacheWriteTokens":502`, `"cacheWriteTokens":100`}, {`"cacheWriteUsd":0.00001964075`, `"cacheWriteUsd":0.0000039125`},
		{`"billedPromptTokens":502`, `"billedPromptTokens":100`}, {`"promptTokens":502`, `"promptTokens":300`},
		{`"completionTokens":120`, `"completionTokens":5`}, {`"inputUsd":0.00001964075`, `"inputUsd":0.0000067921`},
		{`"outputUsd":0.000028476`, `"outputUsd":0.0000011865`}, {`"totalUsd":0.00004811675`, `"totalUsd":0.0000079786`},
		{`"baselineUsd":0.0000441886`, `"baselineUsd":0.0000105765`}, {`"savedUsd":-0.00000392815`, `"savedUsd":0.0000025979`},
		{`"totalTokens":622`, `"totalTokens":305`},
	} {
		event = changed(t, event, change[0], change[1])
	}
	return event
}

func TestFewerWritesThanUnread(t *testing.T) {
	c, p := costOf(t, warm(t)), ExamplePrices()
	assert.Empty(t, slices.Concat(c.EveryAmount(p), c.TotalTokens(), c.Billed(), c.Digits(), c.CostFields()))
	assert.Empty(t, c.CountsAre(Counts{300, 120, 100, 5}))
	assert.Empty(t, c.CountsAre(Counts{-1, -1, -1, -1}))
	assert.Len(t, c.CountsAre(Counts{301, 121, 101, 6}), 4)
	assert.Len(t, c.SavesLessThanNothing(), 2)
	assert.Len(t, c.UsageAgrees(nil), 1)
	assert.Len(t, c.UsageAgrees(&Usage{PromptTokens: 300, CompletionTokens: 5, TotalTokens: 305, CachedTokens: -1}), 1, "no details are no cached tokens")
	assert.Empty(t, c.UsageAgrees(&Usage{PromptTokens: 300, CompletionTokens: 5, TotalTokens: 305, CachedTokens: 120}))

	rest := costOf(t, changed(t, warm(t), `"inputUsd":0.0000067921`, `"inputUsd":0.0000042881`))
	assert.Len(t, rest.InputAmount(p), 1, "the 80 tokens that were neither cost nothing")
}

func TestCompletionBetween(t *testing.T) {
	c := costOf(t, cost)
	assert.Empty(t, c.CompletionBetween(120, 120))
	assert.Empty(t, c.CompletionBetween(100, 130))
	assert.Len(t, c.CompletionBetween(121, 130), 1)
	assert.Len(t, c.CompletionBetween(0, 119), 1)
}

func TestPriceOfZero(t *testing.T) {
	p := ExamplePrices()
	assert.Len(t, costOf(t, cost).Free(p), 1, "there is nothing to judge")
	p.CacheWrite = rat(t, "0")
	assert.Len(t, costOf(t, cost).Free(p), 1)
	assert.Len(t, costOf(t, cost).EveryAmount(p), 4, "writes, input, total, and what is saved")
	free := Prices{rat(t, "0"), rat(t, "0"), rat(t, "0"), rat(t, "0")}
	assert.True(t, free.free())
	var zero strings.Builder
	fmt.Fprintf(&zero, "event: cost.update\ndata: {\"requestId\":%q,\"promptTokens\":9,\"cacheWriteTokens\":9,\"cacheReadTokens\":0,\"completionTokens\":4", exampleID)
	for _, name := range amountNames {
		fmt.Fprintf(&zero, ",%q:0", name)
	}
	zero.WriteString("}\n\n")
	assert.Empty(t, costOf(t, zero.String()).EveryAmount(free))
	assert.Empty(t, costOf(t, zero.String()).Free(free))
}
