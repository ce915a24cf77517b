package check

import (
	"fmt"
	"math/big"

	"github.com/tidwall/gjson"
)

// Sums is a session.metrics with the stream in which it stands.
type Sums struct{ eventOf }

// SumOfPrompt is how many prompt tokens a session.metrics adds up: those read
// from the prefix cache and those that were not. It is false for other events.
func (e TelemetryEvent) SumOfPrompt() (int64, bool) {
	read, okRead := integer(e.object.get("reusedTokens"))
	rest, okRest := integer(e.object.get("prefilledTokens"))
	return read + rest, okRead && okRest && e.IsSums()
}

// SumsOf returns the last session.metrics that adds up this many prompt tokens.
func (t *Telemetry) SumsOf(prompt int64) (Sums, bool) {
	for i := len(t.Events) - 1; i >= 0; i-- {
		if sum, ok := t.Events[i].SumOfPrompt(); ok && sum == prompt {
			return Sums{eventOf{t, t.Events[i]}}, true
		}
	}
	return Sums{}, false
}

// PromptOf is how many prompt tokens these completions had.
func PromptOf(costs []Cost) int64 {
	var sum int64
	for _, c := range costs {
		sum += c.Counts.Prompt
	}
	return sum
}

func (s Sums) notes(rule string) (*frameNotes, object) { return s.eventOf.notes(rule), s.event.object }

// total adds up what the completions cost, exactly.
func total(costs []Cost, p Prices) map[string]*big.Rat {
	sums := map[string]*big.Rat{}
	for _, key := range amountNames {
		sums[key] = new(big.Rat)
	}
	for _, c := range costs {
		for key, amount := range p.amounts(c.Counts).byName() {
			sums[key].Add(sums[key], amount)
		}
	}
	return sums
}

// SumSaved: savedUsd is what the completions saved, added up exactly and rounded
// once.
func (s Sums) SumSaved(costs []Cost, p Prices) []Finding {
	n, o := s.notes("SumSaved")
	n.amount(o, "savedUsd", total(costs, p)["savedUsd"])
	return n.found
}

// SumAmounts: every other amount that a completion has is added up in the same
// way, if it is there.
func (s Sums) SumAmounts(costs []Cost, p Prices) []Finding {
	n, o := s.notes("SumAmounts")
	exact := total(costs, p)
	for _, key := range amountNames {
		if o.get(key).Exists() {
			n.amount(o, key, exact[key])
		}
	}
	return n.found
}

// SumTokens: reusedTokens are the tokens that were read from the prefix cache,
// prefilledTokens those that were not.
func (s Sums) SumTokens(costs []Cost) []Finding {
	n, o := s.notes("SumTokens")
	var read int64
	for _, c := range costs {
		read += c.Counts.Read
	}
	n.count(o, "reusedTokens", read)
	n.count(o, "prefilledTokens", PromptOf(costs)-read)
	return n.found
}

// PrefilledIsWritten: where nothing was written less than unread, prefilledTokens
// is the sum of the tokens that were written to the prefix cache.
func (s Sums) PrefilledIsWritten(costs []Cost) []Finding {
	n, o := s.notes("PrefilledIsWritten")
	var written int64
	for _, c := range costs {
		written += c.Counts.Write
	}
	n.count(o, "prefilledTokens", written)
	return n.found
}

// SourceIs: usageSource is want.
func (s Sums) SourceIs(want string) []Finding {
	n, o := s.notes("SourceIs")
	if v := o.get("usageSource"); text(v) != want {
		n.bad("usageSource "+want, "usageSource "+seen(v))
	}
	return n.found
}

// SumDigits: what it sends has at most 12 significant digits.
func (s Sums) SumDigits() []Finding {
	n, o := s.notes("SumDigits")
	for _, key := range amountNames {
		if v := o.get(key); v.Exists() && (v.Type != gjson.Number || significant(v.Raw) > sentDigits) {
			n.bad(fmt.Sprintf("%s as a number of at most %d significant digits", key, sentDigits), key+" "+seen(v))
		}
	}
	return n.found
}
