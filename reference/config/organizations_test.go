package config

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestCreditsAndLimits(t *testing.T) {
	c, err := load(t, `
data: /from/the/file
organizations:
  - {id: a, credits: 10.000000000000000000001, keys: [{id: x, key: s, limits: {requestsPerMinute: 0}}, {id: y, key: t}]}
  - {id: b, credits: 0, keys: []}
  - {id: c, keys: []}
`, []string{"PLUMBLINE_GATEWAY_DATA=/from/a/variable"})
	require.NoError(t, err)
	assert.Equal(t, "/from/a/variable", c.Data)
	assert.Equal(t, "10.000000000000000000001", c.Organizations[0].Credits.String(), "to the last digit")
	assert.Equal(t, "0", c.Organizations[1].Credits.String())
	assert.Nil(t, c.Organizations[2].Credits, "no balance is not a balance of 0")
	x, y := c.Accounts()[0].Keys[0].Limits, c.Accounts()[0].Keys[1].Limits
	require.NotNil(t, x.RequestsPerMinute)
	assert.Zero(t, *x.RequestsPerMinute)
	assert.Nil(t, x.TokensPerMinute)
	assert.Nil(t, y.RequestsPerMinute)
}

func TestWrongCreditsAndLimits(t *testing.T) {
	for file, want := range map[string]string{
		"organizations: [{id: a, credits: -1, keys: []}]":                                     "organizations[0].credits: it is negative",
		"organizations: [{id: a, credits: ten, keys: []}]":                                    `"ten" is not an amount`,
		"organizations: [{id: a, credits: .nan, keys: []}]":                                   `".nan" is not an amount`,
		"organizations: [{id: a, credits: , keys: []}]":                                       "the value is missing",
		"organizations: [{id: a, keys: [{id: x, key: s, limits: {tokensPerMinute: -1}}]}]":    "organizations[0].keys[0].limits.tokensPerMinute: it is negative",
		"organizations: [{id: a, keys: [{id: x, key: s, limits: {requestsPerMinute: 1.5}}]}]": `"1.5" is not a whole number`,
		"organizations: [{id: a, keys: [{id: x, key: s, limits: {requestsPerMinutes: 1}}]}]":  "did you mean requestsPerMinute?",
		"listeners: [{address: '0.0.0.0:1'}]":                                                 "or a data directory that holds keys",
	} {
		_, err := load(t, file, nil)
		require.ErrorContains(t, err, want)
	}
}

func TestADataDirectoryHoldsTheKeys(t *testing.T) {
	c, err := load(t, "listeners: [{address: '0.0.0.0:1'}]", nil, "--data", "x")
	require.NoError(t, err)
	assert.False(t, c.DevelopmentKey)
	assert.Empty(t, c.Organizations)
}
