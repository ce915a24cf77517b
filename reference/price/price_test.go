package price

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/cockroachdb/apd/v3"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestParse(t *testing.T) {
	for text, want := range map[string]string{
		"0": "0", "0.0": "0", "-0": "0", "0e-50": "0", "0.0313": "0.0313", "3.13e-2": "0.0313", "3.13E-02": "0.0313", "+1": "1", ".5": "0.5", "5.": "5",
		"1.50": "1.5", "15e1": "150", "999999999": "999999999",
		"0.1234567890123456789012345678901": "0.1234567890123456789012345678901",
		"1e-80":                             "0." + strings.Repeat("0", 79) + "1",
	} {
		t.Run(text, func(t *testing.T) {
			p, err := Parse(text)
			require.NoError(t, err)
			assert.Equal(t, want, p.String())
			b, err := json.Marshal(p)
			require.NoError(t, err)
			assert.Equal(t, want, string(b))
		})
	}
}

func TestParseRefuses(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"nothing":           {"", "the price is missing"},
		"a negative price":  {"-0.01", "negative"},
		"a word":            {"free", "is not a price"},
		"infinity":          {"Infinity", "is not a price"},
		"YAML's infinity":   {".inf", "is not a price"},
		"NaN":               {"NaN", "is not a price"},
		"a currency":        {"$1", "is not a price"},
		"a comma":           {"1,5", "is not a price"},
		"two points":        {"1.2.3", "is not a price"},
		"a blank":           {" 1", "is not a price"},
		"underscores":       {"1_000", "is not a price"},
		"hexadecimal":       {"0x10", "is not a price"},
		"half an exponent":  {"1e", "is not a price"},
		"half a sign":       {"1e+", "is not a price"},
		"a sign inside":     {"1-2", "is not a price"},
		"two exponents":     {"1e2e3", "is not a price"},
		"no digit":          {".", "is not a price"},
		"too many digits":   {strings.Repeat("1", 101), "at most 100"},
		"too many decimals": {"1e-81", "more than 80 decimals"},
		"too high":          {"1000000000", "too high"},
		"far too high":      {"1e99999", "too high"},
		"beyond decimals":   {"1e99999999999", "reading the price"},
		"far too precise":   {"1e-99999", "decimals"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Parse(c.text)
			assert.ErrorContains(t, err, c.want)
		})
	}
}

func TestMustParsePanics(t *testing.T) {
	assert.Panics(t, func() { MustParse("x") })
}

func TestAmount(t *testing.T) {
	for _, c := range []struct {
		price  string
		tokens int64
		want   string
	}{
		{"0.039125", 502, "0.00001964075"},
		{"0.2373", 120, "0.000028476"},
		{"0", 1 << 60, "0"},
		{"5", 0, "0"},
		{"1", 1_000_000, "1"},
		{"0.1234567890123456789012345678901", 7, "0.0000008641975230864197523086419752307"},
		{"999999999", 9223372036854775807, "9223372027631403770145.224193"},
	} {
		assert.Equal(t, c.want, MustParse(c.price).Amount(c.tokens).String())
	}
}

func TestMoneyAppendJSON(t *testing.T) {
	for _, c := range []struct{ exact, want string }{
		{"0", "0"},
		{"1", "1"},
		{"100", "100"},
		{"1234567890123", "1234567890120"},
		{"0.0000000001", "0.0000000001"},
		{"0.123456789012", "0.123456789012"},
		{"0.1234567890124", "0.123456789012"},
		{"0.1234567890125", "0.123456789013"}, // a tie goes away from zero
		{"0.1234567890135", "0.123456789014"},
		{"0.99999999999951", "1"},
		{"1.00000000000049", "1"},
	} {
		d, _, err := apd.NewFromString(c.exact)
		require.NoError(t, err)
		amount := Money{d}
		assert.Equal(t, c.want, string(amount.AppendJSON(nil)), c.exact)
		negative := Money{}.Sub(amount)
		want := "-" + c.want
		if c.want == "0" {
			want = "0"
		}
		assert.Equal(t, want, string(negative.AppendJSON([]byte("x")))[1:], "-%s", c.exact)
	}
}

func TestMoneyZeroValue(t *testing.T) {
	var zero Money
	one := MustParse("1000000").Amount(1)
	assert.Equal(t, "0", zero.String())
	assert.Equal(t, "1", zero.Add(one).String())
	assert.Equal(t, "-1", zero.Sub(one).String())
	assert.Equal(t, 0, zero.Cmp(one.Sub(one)))
	assert.Equal(t, -1, zero.Cmp(one))
	assert.Equal(t, 1, one.Sign())
	assert.Equal(t, "0", string(one.Sub(one).AppendJSON(nil)))
	assert.Equal(t, "1", one.String(), "operands do not change")
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{"0.0313", "3.13e-2", "-1", "1e99999", "NaN", ".5", "5.", "1e-81"} {
		f.Add(seed, int64(502))
	}
	f.Fuzz(func(t *testing.T, text string, tokens int64) {
		p, err := Parse(text)
		if err != nil {
			return
		}
		again, err := Parse(p.String())
		if err == nil { // a long exponent form is longer still in plain notation
			require.Zero(t, p.Cmp(again))
		}
		require.True(t, json.Valid([]byte(p.String())))
		require.True(t, json.Valid(p.Amount(tokens).AppendJSON(nil)))
	})
}
