package check

import (
	"fmt"
	"math/big"

	"github.com/tidwall/gjson"
)

// baselineName is what the documents say that baselineUsd prices.
const baselineName = "Same model, no prefix cache"

// Cost is a cost.update with the stream in which it stands.
type Cost struct {
	eventOf
	// Counts are those that it tells, 0 where it tells none.
	Counts Counts
}

func (t *Telemetry) cost(e TelemetryEvent) Cost {
	return Cost{eventOf: eventOf{t, e}, Counts: Counts{
		Prompt: e.count("promptTokens"), Read: e.count("cacheReadTokens"),
		Write: e.count("cacheWriteTokens"), Completion: e.count("completionTokens"),
	}}
}

// count is a count of the event, 0 if it has none.
func (e TelemetryEvent) count(key string) int64 {
	n, _ := integer(e.object.get(key))
	return n
}

// RequestID is the id of the completion.
func (c Cost) RequestID() string { return c.event.RequestID }

// UsageSource says who counted the tokens.
func (c Cost) UsageSource() string { return text(c.event.object.get("usageSource")) }

func (c Cost) notes(rule string) (*frameNotes, object) { return c.eventOf.notes(rule), c.event.object }

// CostFields: cost.update has every documented field, each of its type.
func (c Cost) CostFields() []Finding {
	n, o := c.notes("CostFields")
	for _, key := range []string{"baseline", "requestId", "usageSource"} {
		if v := o.get(key); text(v) == "" {
			n.bad(key+" as a text", key+" "+seen(v))
		}
	}
	for _, key := range []string{"at", "billedPromptTokens", "cacheReadTokens", "cacheWriteTokens", "completionTokens", "promptTokens", "totalTokens"} {
		if i, ok := integer(o.get(key)); !ok || i < 0 {
			n.bad(key+" as an integer of 0 or more", key+" "+seen(o.get(key)))
		}
	}
	for _, key := range amountNames {
		if v := o.get(key); numberOf(v) == nil {
			n.bad(key+" as a number", key+" "+seen(v))
		}
	}
	return n.found
}

// CacheAmounts: the tokens read and written cost what the model's prices say.
func (c Cost) CacheAmounts(p Prices) []Finding {
	return c.amountsAre("CacheAmounts", p, "cacheReadUsd", "cacheWriteUsd")
}

// InputAmount: inputUsd is what was read and written, and the input price for
// prompt tokens that were neither.
func (c Cost) InputAmount(p Prices) []Finding { return c.amountsAre("InputAmount", p, "inputUsd") }

// OutputAmount: outputUsd prices the completion tokens, and totalUsd is
// inputUsd and outputUsd.
func (c Cost) OutputAmount(p Prices) []Finding {
	return c.amountsAre("OutputAmount", p, "outputUsd", "totalUsd")
}

// BaselineAmount: baselineUsd prices every prompt token at the input price.
func (c Cost) BaselineAmount(p Prices) []Finding {
	found := c.amountsAre("BaselineAmount", p, "baselineUsd")
	n, o := c.notes("BaselineAmount")
	if v := o.get("baseline"); text(v) != baselineName {
		n.bad("baseline "+baselineName, "baseline "+seen(v))
	}
	return append(found, n.found...)
}

// SavedAmount: savedUsd is baselineUsd minus totalUsd.
func (c Cost) SavedAmount(p Prices) []Finding { return c.amountsAre("SavedAmount", p, "savedUsd") }

// EveryAmount: each amount is the exact one, rounded once.
func (c Cost) EveryAmount(p Prices) []Finding { return c.amountsAre("EveryAmount", p, amountNames...) }

func (c Cost) amountsAre(rule string, p Prices, keys ...string) []Finding {
	n, o := c.notes(rule)
	if rest := c.Counts.Prompt - c.Counts.Read - c.Counts.Write; rest < 0 || c.Counts.Read < 0 || c.Counts.Write < 0 {
		n.bad("tokens read and written that are part of the prompt", fmt.Sprintf("%d and %d of %d", c.Counts.Read, c.Counts.Write, c.Counts.Prompt))
		return n.found
	}
	exact := p.amounts(c.Counts).byName()
	for _, key := range keys {
		n.amount(o, key, exact[key])
	}
	return n.found
}

// SavesLessThanNothing: a cold first request reads nothing, and its writes cost
// more than input tokens.
func (c Cost) SavesLessThanNothing() []Finding {
	n, o := c.notes("SavesLessThanNothing")
	n.count(o, "cacheReadTokens", 0)
	if saved := numberOf(o.get("savedUsd")); saved == nil || saved.Sign() >= 0 {
		n.bad("savedUsd below 0", "savedUsd "+seen(o.get("savedUsd")))
	}
	return n.found
}

// TotalTokens: totalTokens is promptTokens and completionTokens.
func (c Cost) TotalTokens() []Finding {
	n, o := c.notes("TotalTokens")
	n.count(o, "totalTokens", c.Counts.Prompt+c.Counts.Completion)
	return n.found
}

// Billed: billedPromptTokens equals cacheWriteTokens.
func (c Cost) Billed() []Finding {
	n, o := c.notes("Billed")
	if v := o.get("cacheWriteTokens"); v.Type != gjson.Number {
		n.bad("cacheWriteTokens", seen(v))
		return n.found
	}
	n.count(o, "billedPromptTokens", c.Counts.Write)
	return n.found
}

// Digits: amounts are JSON numbers of at most 12 significant digits.
func (c Cost) Digits() []Finding {
	n, o := c.notes("Digits")
	n.digits(o)
	return n.found
}

// digits judges every amount of an event.
func (n *frameNotes) digits(o object) {
	for _, key := range amountNames {
		if v := o.get(key); v.Type != gjson.Number || significant(v.Raw) > sentDigits {
			n.bad(fmt.Sprintf("%s as a number of at most %d significant digits", key, sentDigits), key+" "+seen(v))
		}
	}
}

// CountsAre: the counts are these. A count below 0 is not judged.
func (c Cost) CountsAre(want Counts) []Finding {
	n, o := c.notes("CountsAre")
	for _, count := range []struct {
		key  string
		want int64
	}{
		{"promptTokens", want.Prompt}, {"cacheReadTokens", want.Read}, {"cacheWriteTokens", want.Write}, {"completionTokens", want.Completion},
	} {
		if count.want >= 0 {
			n.count(o, count.key, count.want)
		}
	}
	return n.found
}

// CompletionBetween: completionTokens lies between what was received and what
// was generated.
func (c Cost) CompletionBetween(received, generated int64) []Finding {
	n, o := c.notes("CompletionBetween")
	v := o.get("completionTokens")
	if got, ok := integer(v); !ok || got < received || got > generated {
		n.bad(fmt.Sprintf("completionTokens from %d to %d", received, generated), "completionTokens "+seen(v))
	}
	return n.found
}

// SourceIs: usageSource is want.
func (c Cost) SourceIs(want string) []Finding {
	n, o := c.notes("SourceIs")
	if v := o.get("usageSource"); text(v) != want {
		n.bad("usageSource "+want, "usageSource "+seen(v))
	}
	return n.found
}

// UsageAgrees: the usage that the client received has the same counts.
func (c Cost) UsageAgrees(u *Usage) []Finding {
	n, o := c.notes("UsageAgrees")
	if u == nil {
		n.bad("usage in the reply, as it was asked for", "none")
		return n.found
	}
	n.count(o, "promptTokens", u.PromptTokens)
	n.count(o, "completionTokens", u.CompletionTokens)
	n.count(o, "totalTokens", u.TotalTokens)
	n.count(o, "cacheReadTokens", max(u.CachedTokens, 0)) // without details none were cached
	return n.found
}

// Example: it is the worked example of the documents, digit for digit.
func (c Cost) Example() []Finding {
	n, o := c.notes("Example")
	for _, count := range []struct {
		key  string
		want int64
	}{
		{"promptTokens", 502}, {"cacheReadTokens", 0}, {"cacheWriteTokens", 502}, {"completionTokens", 120},
		{"billedPromptTokens", 502}, {"totalTokens", 622},
	} {
		n.count(o, count.key, count.want)
	}
	for _, amount := range []struct{ key, want string }{
		{"baselineUsd", "0.0000441886"}, {"cacheReadUsd", "0"}, {"cacheWriteUsd", "0.00001964075"}, {"inputUsd", "0.00001964075"},
		{"outputUsd", "0.000028476"}, {"savedUsd", "-0.00000392815"}, {"totalUsd", "0.00004811675"},
	} {
		want, _ := new(big.Rat).SetString(amount.want)
		v := o.get(amount.key)
		if got := numberOf(v); got == nil || got.Cmp(want) != 0 {
			n.bad(amount.key+" "+amount.want, amount.key+" "+seen(v))
		}
	}
	if v := o.get("baseline"); text(v) != baselineName {
		n.bad("baseline "+baselineName, "baseline "+seen(v))
	}
	return n.found
}

// Free: every amount whose price is 0 is 0.
func (c Cost) Free(p Prices) []Finding {
	n, o := c.notes("Free")
	prices := map[string]*big.Rat{"cacheReadUsd": p.CacheRead, "cacheWriteUsd": p.CacheWrite, "outputUsd": p.Output}
	judged := 0
	for _, key := range amountNames {
		if price := prices[key]; price != nil && price.Sign() == 0 {
			judged++
			n.amount(o, key, new(big.Rat))
		}
	}
	if judged == 0 {
		n.bad("a price of 0 for reads, writes or output", "none")
	}
	return n.found
}
