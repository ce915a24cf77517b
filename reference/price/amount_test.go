package price

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestParseMoney(t *testing.T) {
	for text, want := range map[string]string{
		"10.00": "10", "0": "0", "-0.0": "0", "-1.5": "-1.5", "1e-12": "0.000000000001", "0.0000020460375": "0.0000020460375",
		"1000000000.000000000000000000001": "1000000000.000000000000000000001",
	} {
		m, err := ParseMoney(text)
		require.NoError(t, err, text)
		assert.Equal(t, want, m.String())
		again, err := ParseMoney(m.String())
		require.NoError(t, err)
		assert.Zero(t, m.Cmp(again))
	}
	for text, want := range map[string]string{
		"": "missing", "ten": "is not an amount", "NaN": "is not an amount", "1,50": "is not an amount", "$1": "is not an amount",
		"1e-100": "decimals", "1e50": "too high", strings.Repeat("1", 300): "characters", "1e99999999999": "reading the amount",
	} {
		_, err := ParseMoney(text)
		assert.ErrorContains(t, err, want, text)
	}
	assert.Panics(t, func() { MustParseMoney("x") })
}

// Every amount that can be charged can be written down and read again.
func TestParseMoneyReadsWhatAPriceCanCost(t *testing.T) {
	for _, price := range []string{"999999999", "0." + strings.Repeat("0", 78) + "12"} {
		cost := MustParse(price).Amount(1<<62 - 1)
		again, err := ParseMoney(cost.String())
		require.NoError(t, err)
		assert.Zero(t, cost.Cmp(again))
	}
}
