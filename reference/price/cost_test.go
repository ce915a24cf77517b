package price

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plumbline.dev/plumbline/reference/completion"
)

func mortar() Prices {
	return Prices{Input: MustParse("0.0313"), Output: MustParse("0.2373"), CacheRead: MustParse("0.00313"), CacheWrite: MustParse("0.039125")}
}

func sent(m Money) string { return string(m.AppendJSON(nil)) }

// The worked example of "Serving telemetry, Reading cache and cost events".
func TestCostOfTheWorkedExample(t *testing.T) {
	counts, err := CountsOf(completion.Usage{PromptTokens: 502, CompletionTokens: 120, CacheWriteTokens: -1})
	require.NoError(t, err)
	assert.Equal(t, Counts{Prompt: 502, CacheWrite: 502, Completion: 120}, counts)
	cost := mortar().Cost(counts)
	assert.Equal(t, "0.0000441886", sent(cost.BaselineUSD))
	assert.Equal(t, "0", sent(cost.CacheReadUSD))
	assert.Equal(t, "0.00001964075", sent(cost.CacheWriteUSD))
	assert.Equal(t, "0.00001964075", sent(cost.InputUSD))
	assert.Equal(t, "0.000028476", sent(cost.OutputUSD))
	assert.Equal(t, "-0.00000392815", sent(cost.SavedUSD))
	assert.Equal(t, "0.00004811675", sent(cost.TotalUSD))
}

func TestCost(t *testing.T) {
	million := int64(1_000_000)
	plain := Prices{Input: MustParse("10"), Output: MustParse("100"), CacheRead: MustParse("1"), CacheWrite: MustParse("12")}
	for name, c := range map[string]struct {
		prices                                           Prices
		counts                                           Counts
		read, write, input, output, total, baseln, saved string
	}{
		"all read":               {plain, Counts{Prompt: million, CacheRead: million}, "1", "0", "1", "0", "1", "10", "9"},
		"fewer writes than rest": {plain, Counts{Prompt: 4 * million, CacheRead: million, CacheWrite: million, Completion: million}, "1", "12", "33", "100", "133", "140", "7"},
		"no writes":              {plain, Counts{Prompt: million}, "0", "0", "10", "0", "10", "10", "0"},
		"nothing":                {plain, Counts{}, "0", "0", "0", "0", "0", "0", "0"},
		"all for free":           {Prices{}, Counts{Prompt: 9, CacheRead: 3, CacheWrite: 3, Completion: 9}, "0", "0", "0", "0", "0", "0", "0"},
		"free writes":            {Prices{Input: plain.Input}, Counts{Prompt: million, CacheWrite: million}, "0", "0", "0", "0", "0", "10", "10"},
	} {
		t.Run(name, func(t *testing.T) {
			cost := c.prices.Cost(c.counts)
			assert.Equal(t, []string{c.read, c.write, c.input, c.output, c.total, c.baseln, c.saved}, []string{
				sent(cost.CacheReadUSD), sent(cost.CacheWriteUSD), sent(cost.InputUSD), sent(cost.OutputUSD),
				sent(cost.TotalUSD), sent(cost.BaselineUSD), sent(cost.SavedUSD),
			})
			assert.Equal(t, c.counts, cost.Counts)
		})
	}
}

func TestCountsOf(t *testing.T) {
	for name, c := range map[string]struct {
		usage completion.Usage
		want  Counts
		err   string
	}{
		"writes unreported": {completion.Usage{PromptTokens: 10, CachedTokens: 4, CacheWriteTokens: -1, CompletionTokens: 2}, Counts{10, 4, 6, 2}, ""},
		"writes reported":   {completion.Usage{PromptTokens: 10, CachedTokens: 4, CacheWriteTokens: 5, CompletionTokens: 2}, Counts{10, 4, 5, 2}, ""},
		"no writes":         {completion.Usage{PromptTokens: 10, CachedTokens: 4}, Counts{10, 4, 0, 0}, ""},
		"negative":          {completion.Usage{PromptTokens: -1}, Counts{}, "negative"},
		"negative writes":   {completion.Usage{PromptTokens: 1, CacheWriteTokens: -2}, Counts{}, "negative"},
		"more read":         {completion.Usage{PromptTokens: 10, CachedTokens: 11}, Counts{}, "11 read from the cache, of a prompt of 10"},
		"more written":      {completion.Usage{PromptTokens: 10, CachedTokens: 4, CacheWriteTokens: 7}, Counts{}, "7 written to the cache, of 6"},
		"too many":          {completion.Usage{PromptTokens: math.MaxInt64, CompletionTokens: 1}, Counts{}, "impossibly many"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := CountsOf(c.usage)
			if c.err != "" {
				require.ErrorContains(t, err, c.err)
				return
			}
			require.NoError(t, err)
			assert.Equal(t, c.want, got)
		})
	}
}

// A session adds exact amounts and rounds once: a float, or amounts that were
// rounded before, come out differently.
func TestSumOfAThousandRequests(t *testing.T) {
	prices := Prices{Input: MustParse("0.0123456789012345"), Output: MustParse("0.9876543210987654321"), CacheRead: MustParse("0.001"), CacheWrite: MustParse("0.0154320986265431")}
	var sum Money
	var float float64
	rounded := new(big.Rat)
	want := new(big.Rat)
	for i := range int64(1000) {
		cost := prices.Cost(Counts{Prompt: 100 + i, CacheRead: i, CacheWrite: 50, Completion: 3 * i})
		sum = sum.Add(cost.TotalUSD)
		f, err := strconv.ParseFloat(sent(cost.TotalUSD), 64)
		require.NoError(t, err)
		float += f
		rounded.Add(rounded, rat(t, sent(cost.TotalUSD)))
		for _, part := range []struct {
			price string
			n     int64
		}{{"0.001", i}, {"0.0154320986265431", 50}, {"0.0123456789012345", 50}, {"0.9876543210987654321", 3 * i}} {
			p := new(big.Rat).Mul(rat(t, part.price), big.NewRat(part.n, 1_000_000))
			want.Add(want, p)
		}
	}
	assert.Zero(t, rat(t, sum.String()).Cmp(want), "exact")
	assert.NotZero(t, rounded.Cmp(want), "rounding first would accumulate")
	assert.NotZero(t, rat(t, fmt.Sprintf("%.25f", float)).Cmp(want), "a float would not be exact")
}

func rat(t *testing.T, text string) *big.Rat {
	t.Helper()
	r, ok := new(big.Rat).SetString(text)
	require.True(t, ok, text)
	return r
}

// Every amount is that of an independent arithmetic, and what is sent is it,
// rounded half up to 12 significant digits.
func TestCostAgreesWithRationals(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	price := func() string {
		digits := strings.TrimLeft(strconv.FormatUint(random.Uint64()>>random.IntN(60), 10), "0")
		if random.IntN(5) == 0 {
			return "0"
		}
		return fmt.Sprintf("%de-%d", must(strconv.ParseUint("0"+digits, 10, 64)), 19+random.IntN(20))
	}
	for range 2000 {
		texts := [4]string{price(), price(), price(), price()}
		prices := Prices{MustParse(texts[0]), MustParse(texts[1]), MustParse(texts[2]), MustParse(texts[3])}
		read, write, rest, out := random.Int64N(1<<30), random.Int64N(1<<random.IntN(31)), random.Int64N(1000), random.Int64N(1<<20)
		cost := prices.Cost(Counts{Prompt: read + write + rest, CacheRead: read, CacheWrite: write, Completion: out})
		amount := func(i int, tokens int64) *big.Rat {
			return new(big.Rat).Mul(rat(t, texts[i]), big.NewRat(tokens, 1_000_000))
		}
		add := func(parts ...*big.Rat) *big.Rat {
			sum := new(big.Rat)
			for _, p := range parts {
				sum.Add(sum, p)
			}
			return sum
		}
		input := add(amount(2, read), amount(3, write), amount(0, rest))
		total := add(input, amount(1, out))
		baseline := add(amount(0, read+write+rest), amount(1, out))
		saved := new(big.Rat).Sub(baseline, total)
		for name, c := range map[string]struct {
			got  Money
			want *big.Rat
		}{
			"read": {cost.CacheReadUSD, amount(2, read)}, "write": {cost.CacheWriteUSD, amount(3, write)}, "input": {cost.InputUSD, input},
			"output": {cost.OutputUSD, amount(1, out)}, "total": {cost.TotalUSD, total}, "baseline": {cost.BaselineUSD, baseline}, "saved": {cost.SavedUSD, saved},
		} {
			require.Zero(t, rat(t, c.got.String()).Cmp(c.want), "%s of %v", name, texts)
			requireRounded(t, c.want, sent(c.got))
		}
	}
}

// requireRounded holds that text is exact to within half a unit of the twelfth
// significant digit, in plain and shortest notation.
func requireRounded(t *testing.T, exact *big.Rat, text string) {
	t.Helper()
	require.NotContains(t, text, "e")
	digits := strings.Trim(strings.NewReplacer("-", "", ".", "").Replace(text), "0")
	require.LessOrEqual(t, len(digits), 12, text)
	if strings.Contains(text, ".") {
		require.False(t, strings.HasSuffix(text, "0"), text)
	}
	if exact.Sign() == 0 {
		require.Equal(t, "0", text)
		return
	}
	difference := new(big.Rat).Sub(rat(t, text), exact)
	relative := new(big.Rat).Quo(difference, exact)
	require.LessOrEqual(t, relative.Abs(relative).Cmp(big.NewRat(5, 1_000_000_000_000)), 0, "%s for %s", text, exact.FloatString(30))
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
