package check

import (
	"math/big"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"
)

func rat(t testing.TB, text string) *big.Rat {
	t.Helper()
	r, ok := new(big.Rat).SetString(text)
	require.True(t, ok, text)
	return r
}

func TestSentAs(t *testing.T) {
	tests := map[string]struct {
		exact, sent string
		want        bool
	}{
		"zero":                        {"0", "0", true},
		"zero with an exponent":       {"0", "0e-5", true},
		"a little for nothing":        {"0", "0.000000000000000001", false},
		"nothing for a little":        {"0.000000000000000001", "0", false},
		"the same":                    {"0.0000441886", "0.0000441886", true},
		"the same, as an exponent":    {"0.0000441886", "4.41886e-05", true},
		"more digits than are sent":   {"0.0000441886", "0.000044188600000000003", true},
		"rounded down":                {"0.1234567890124", "0.123456789012", true},
		"rounded up":                  {"0.1234567890126", "0.123456789013", true},
		"cut instead of rounded":      {"0.1234567890126", "0.123456789012", false},
		"rounded to 11 digits":        {"0.123456789014", "0.12345678901", false},
		"a tie down":                  {"0.1234567890125", "0.123456789012", true},
		"a tie up":                    {"0.1234567890125", "0.123456789013", true},
		"beyond a tie":                {"0.1234567890125001", "0.123456789012", false},
		"a carry into the next digit": {"0.99999999999951", "1", true},
		"off by one digit":            {"0.0000441886", "0.0000441885999999", false},
		"negative":                    {"-0.00000392815", "-0.00000392815", true},
		"the other sign":              {"-0.00000392815", "0.00000392815", false},
		"a large one":                 {"1234567890123.4", "1234567890120", true},
		"a large one, cut":            {"1234567890128.4", "1234567890120", false},
		"a power of ten":              {"0.001", "0.001", true},
		"just below a power of ten":   {"0.00099999999999", "0.001", false},
		"a third":                     {"1/3", "0.333333333333", true},
		"a third, shorter":            {"1/3", "0.33333333333", false},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, tt.want, sentAs(rat(t, tt.exact), rat(t, tt.sent)))
		})
	}
	assert.False(t, sentAs(rat(t, "1"), nil))
	assert.False(t, sentAs(rat(t, "0"), nil))
}

func TestSignificant(t *testing.T) {
	for raw, want := range map[string]int{
		"0": 0, "0.0": 0, "-0.00000392815": 6, "0.000028476": 5, "4.811675e-05": 7, "120": 2, "1E+20": 1,
		"0.123456789012": 12, "0.1234567890123": 13, "0.1234567890120": 12, "1000000000001": 13, "-100.50": 4,
	} {
		assert.Equal(t, want, significant(raw), raw)
	}
}

func TestDecimal(t *testing.T) {
	for exact, want := range map[string]string{
		"0": "0", "1/3": "0.333333333333", "0.0000441886": "0.0000441886", "1234567890123.4": "1234567890123", "-2/3": "-0.666666666667", "100": "100",
	} {
		assert.Equal(t, want, decimal(rat(t, exact)), exact)
	}
}

func TestNumberOf(t *testing.T) {
	for raw, want := range map[string]string{"1.5": "3/2", "-0": "0", "1e2": "100"} {
		assert.Zero(t, numberOf(gjson.Parse(raw)).Cmp(rat(t, want)), raw)
	}
	for _, raw := range []string{`"1"`, "null", "true", "1e999999999", "1e-999999999", ""} {
		assert.Nil(t, numberOf(gjson.Parse(raw)), raw)
	}
}

func TestPrices(t *testing.T) {
	m := ParseModels(jsonAnswer(200, models))
	p := m.List[0].Prices()
	assert.True(t, p.Equal(ExamplePrices()))
	assert.Empty(t, p.Missing())
	assert.False(t, p.HasZero())
	assert.Equal(t, 5, p.Digits())
	assert.Equal(t, "costPerMillionOutput", Prices{Input: p.Input, CacheRead: p.CacheRead, CacheWrite: p.CacheWrite}.Missing())
	assert.False(t, Prices{}.Equal(ExamplePrices()))
	p.Output = new(big.Rat)
	assert.True(t, p.HasZero())
	assert.False(t, p.free())
	assert.False(t, p.Equal(ExamplePrices()))
}
