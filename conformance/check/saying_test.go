package check

import (
	"math/big"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// One reply in four formats says one thing.
func TestEveryFormatSaysTheSame(t *testing.T) {
	streams := map[Format][]string{
		FormatChat:      {role, hello, world, finish, usage, done},
		FormatText:      {textOne, textTwo, textFinish, textUsage, done},
		FormatResponses: numbered(helloResponse()...),
		FormatMessages:  helloMessage(),
	}
	want := Say(FormatChat, answer(streams[FormatChat]...), asked)
	assert.True(t, want.Complete)
	for format, events := range streams {
		got := Say(format, answer(events...), asked)
		assert.Empty(t, Same("chat completion", want, string(format), got), format)
		assert.Equal(t, "Hello wörld", joined(got.Deltas), format)
		assert.NotZero(t, got.Events, format)
	}
}

func TestSame(t *testing.T) {
	base := Saying{Text: "Hello", Finish: "stop", Usage: &Usage{PromptTokens: 9, CompletionTokens: 2, TotalTokens: 11, CachedTokens: 4},
		Calls: []ToolCall{{Name: "f", Arguments: `{"a":1}`}}}
	tests := map[string]struct {
		change func(*Saying)
		want   int
	}{
		"the same":           {func(*Saying) {}, 0},
		"another id":         {func(s *Saying) { s.ID = "x" }, 0},
		"other cached":       {func(s *Saying) { s.Usage = &Usage{PromptTokens: 9, CompletionTokens: 2, TotalTokens: 11} }, 0},
		"spaces in a call":   {func(s *Saying) { s.Calls = []ToolCall{{Name: "f", ID: "y", Arguments: `{ "a": 1 }`}} }, 0},
		"another text":       {func(s *Saying) { s.Text = "Hallo" }, 1},
		"another end":        {func(s *Saying) { s.Finish = "length" }, 1},
		"another call":       {func(s *Saying) { s.Calls = []ToolCall{{Name: "g", Arguments: `{"a":1}`}} }, 1},
		"no call":            {func(s *Saying) { s.Calls = nil }, 1},
		"other prompt":       {func(s *Saying) { s.Usage = &Usage{PromptTokens: 8, CompletionTokens: 2} }, 1},
		"other completion":   {func(s *Saying) { s.Usage = &Usage{PromptTokens: 9, CompletionTokens: 1} }, 1},
		"no usage":           {func(s *Saying) { s.Usage = nil }, 1},
		"everything differs": {func(s *Saying) { *s = Saying{} }, 4},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			other := base
			tt.change(&other)
			found := Same("one", base, "other", other)
			assert.Len(t, found, tt.want, "%v", found)
			wellFormed(t, found)
		})
	}
}

func TestAlive(t *testing.T) {
	at := func(seconds ...int) []time.Duration {
		var out []time.Duration
		for _, s := range seconds {
			out = append(out, time.Duration(s)*time.Second)
		}
		return out
	}
	tests := map[string]struct {
		signs []time.Duration
		want  int
	}{
		"every 10 s":             {at(12, 22, 32), 0},
		"every 15 s":             {at(17, 32), 0},
		"none":                   {nil, 1},
		"late":                   {at(19, 32), 1},
		"one only":               {at(12), 1},
		"the last is missing":    {at(12, 19), 1},
		"before and behind only": {at(1, 40), 1},
		"more than needed":       {at(3, 4, 5, 17, 18, 32, 36), 0},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			found := Alive(tt.signs, 15*time.Second, time.Second, 2*time.Second, 37*time.Second)
			assert.Len(t, found, tt.want, "%v", found)
		})
	}
	commented := answer(": one\n\n", role, ": two\n\n")
	assert.Len(t, CommentTimes(commented), 2)
	assert.Len(t, ParseMessages(answer(msgStart, msgPing, msgPing), Ask{}).PingTimes(), 2)
}

const balance = `{"object":"credits","balanceUsd":9.5,"charges":[{"id":"chatcmpl-1","usd":0.00000672,"model":"m"},{"id":"chatcmpl-2","usd":0.1,"model":"m"},{"id":"chatcmpl-2","usd":0.1,"model":"m"}]}`

func TestCredits(t *testing.T) {
	c := ParseCredits(jsonAnswer(200, balance))
	assert.Equal(t, big.NewRat(19, 2), c.Balance)
	assert.True(t, c.Lists)
	assert.Empty(t, c.ChargedOnce("chatcmpl-1"))
	assert.Len(t, c.ChargedOnce("chatcmpl-2"), 1, "charged twice")
	assert.Len(t, c.ChargedOnce("chatcmpl-3"), 1, "not charged")
	for _, body := range []string{"<html>", `{"balanceUsd":"9.5"}`, `[]`, `{"balanceUsd":null}`} {
		none := ParseCredits(jsonAnswer(200, body))
		assert.Nil(t, none.Balance, body)
		assert.False(t, none.Lists, body)
	}
}

func price(text string) *big.Rat {
	r, _ := new(big.Rat).SetString(text)
	return r
}

var prices = Prices{Input: price("0.24"), Output: price("0.96"), CacheRead: price("0.024"), CacheWrite: price("0.3")}

func charged(usd string) Charge { return Charge{ID: "x", USD: price(usd)} }

func TestChargeOfUsage(t *testing.T) {
	unknown := Usage{PromptTokens: 18, CompletionTokens: 7, CachedTokens: -1, WrittenTokens: -1}
	read := Usage{PromptTokens: 18, CompletionTokens: 7, CachedTokens: 16, WrittenTokens: 0}
	mixed := Usage{PromptTokens: 18, CompletionTokens: 7, CachedTokens: 10, WrittenTokens: 3}
	tests := map[string]struct {
		usage Usage
		usd   string
		ok    bool
	}{
		"all at the input price":         {unknown, "0.00001104", true},
		"all written":                    {unknown, "0.00001212", true},
		"half written":                   {unknown, "0.00001158", false},
		"nothing for the prompt":         {unknown, "0.00000672", false},
		"a float's rounding":             {unknown, "0.000011040000000000001", true},
		"one token too many":             {unknown, "0.000012", false},
		"free":                           {unknown, "0", false},
		"reads at their price":           {read, "0.000007584", true},
		"reads at the input price":       {read, "0.00001104", false},
		"each at its own":                {mixed, "0.00000906", true},
		"writes at the input price":      {mixed, "0.00000888", false},
		"the rest at the price of write": {mixed, "0.00000936", false},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			found := charged(tt.usd).ChargeOfUsage(tt.usage, prices)
			assert.Equal(t, tt.ok, len(found) == 0, "%v", found)
			wellFormed(t, found)
		})
	}
	require.Len(t, Charge{}.ChargeOfUsage(unknown, prices), 1, "a charge that is no number")
}

func TestChargeOfBreak(t *testing.T) {
	// 5 tokens at 0.96 are 4.8 millionths; the prompt of 10, of which 4 were cached,
	// is 2.4 or 3 more, or with reads at their price 1.536 or 1.896.
	for usd, ok := range map[string]bool{
		"0.0000048": true, "0.0000072": true, "0.0000078": true, "0.000006336": true, "0.000006696": true,
		"0": false, "0.00000384": false, "0.00000576": false, "0.0000047": false, "0.0000079": false, "0.0000024": false, "-0.0000048": false,
	} {
		found := charged(usd).ChargeOfBreak(5, 10, 4, prices)
		assert.Equal(t, ok, len(found) == 0, "%s: %v", usd, found)
		wellFormed(t, found)
	}
	assert.Len(t, Charge{}.ChargeOfBreak(5, 10, 4, prices), 1)
	assert.NotEmpty(t, charged("0.0000078").ChargeOfBreak(5, 0, 0, prices), "without a prompt")
}
