package mutant

import (
	"encoding/json"
	"math/big"
	"strings"
)

// amounts are mutants of how amounts and counts are written down, and of who
// counted.
func amounts() []Mutant {
	digitsRow := []string{"mortar-cost-11"}
	fields := []string{"mortar-cost-01"}
	source := []string{"mortar-cost-09"}
	// written is a gateway that writes each amount down otherwise.
	written := func(write func(exact *big.Rat) any) wrap {
		return onBill(func(b *bill) {
			for _, name := range amountNames() {
				b.object[name] = write(b.exact(name))
			}
		})
	}
	counts := func(change func(b *bill)) wrap {
		return onBill(func(b *bill) {
			change(b)
			b.recount()
		})
	}
	return []Mutant{
		{Name: "amounts-of-floats", Summary: "amounts are sums of floats, written as they come", Report: "Mai0313/VibeCodingTracker#226",
			Breaks: append(digitsRow, "mortar-cost-12"), Wrap: onBill(func(b *bill) {
				f := func(name string) float64 { x, _ := b.exact(name).Float64(); return x }
				rest, _ := b.cost(b.rest(), priceInput).Float64()
				input := f("cacheReadUsd") + f("cacheWriteUsd") + rest
				total := input + f("outputUsd")
				b.object["inputUsd"], b.object["totalUsd"], b.object["savedUsd"] = input, total, f("baselineUsd")-total
			})},
		{Name: "amounts-of-13-digits", Summary: "amounts have 13 significant digits",
			Breaks: digitsRow, Wrap: written(func(x *big.Rat) any { return digits(x, 13) })},
		{Name: "amounts-of-11-digits", Summary: "amounts have 11 significant digits",
			Breaks: digitsRow, Wrap: written(func(x *big.Rat) any { return digits(x, 11) })},
		{Name: "amounts-of-6-digits", Summary: "amounts have 6 significant digits",
			Breaks: append(digitsRow, "mortar-cost-12"), May: []string{"mortar-cost-*"}, Wrap: written(func(x *big.Rat) any { return digits(x, 6) })},
		{Name: "amounts-cut-off", Summary: "amounts are cut after 12 digits, not rounded",
			Breaks: digitsRow, Wrap: written(func(x *big.Rat) any { return cutOff(x) })},
		{Name: "amounts-of-12-decimals", Summary: "amounts have 12 digits behind the point",
			Breaks: digitsRow, May: []string{"mortar-cost-*"}, Wrap: written(func(x *big.Rat) any { return json.Number(x.FloatString(12)) })},
		{Name: "amounts-in-micros", Summary: "amounts are rounded to millionths of a dollar", Report: "langfuse/langfuse#1041",
			Breaks: append(digitsRow, "mortar-cost-02", "mortar-cost-12"), May: []string{"mortar-cost-*"}, Wrap: written(func(x *big.Rat) any { return json.Number(x.FloatString(6)) })},
		{Name: "amounts-as-text", Summary: "amounts are texts",
			Breaks: append(digitsRow, "mortar-cost-01"), May: []string{"mortar-cost-*"}, Wrap: written(func(x *big.Rat) any { return string(digits(x, 12)) })},
		{Name: "amounts-with-currency", Summary: "an amount is an object with its currency",
			Breaks: append(digitsRow, "mortar-cost-01"), May: []string{"mortar-cost-*"}, Wrap: written(func(x *big.Rat) any { return object{"amount": digits(x, 12), "currency": "USD"} })},

		{Name: "cost-without-baseline", Summary: "cost.update leaves the name of the baseline out",
			Breaks: fields, May: []string{"mortar-cost-06", "mortar-cost-12"}, Wrap: onTold(tellsCost, without("baseline"))},
		{Name: "cost-without-billed", Summary: "cost.update leaves billedPromptTokens out",
			Breaks: append(fields, "mortar-cost-05", "mortar-cost-12"), Wrap: onTold(tellsCost, without("billedPromptTokens"))},
		{Name: "cost-without-source", Summary: "cost.update does not say who counted",
			Breaks: append(fields, "mortar-cost-08", "mortar-cost-09"), Wrap: onTold(tellsCost, without("usageSource"))},
		{Name: "cost-in-snake-case", Summary: "the keys of cost.update are in snake case",
			Breaks: append(fields, "mortar-cost-04"), May: []string{"mortar-*"}, Wrap: onTold(tellsCost, func(o object) {
				o["saved_usd"], o["total_tokens"] = o["savedUsd"], o["totalTokens"]
				delete(o, "savedUsd")
				delete(o, "totalTokens")
			})},
		{Name: "cost-counts-as-text", Summary: "the counts of cost.update are texts",
			Breaks: append(fields, "mortar-cost-08"), May: []string{"mortar-*"}, Wrap: onTold(tellsCost, func(o object) {
				o["completionTokens"] = encode(o["completionTokens"])
			})},

		{Name: "source-always-upstream", Summary: "usageSource is upstream although the gateway counted",
			Breaks: source, Wrap: onTold(tellsCost, with("usageSource", "upstream"))},
		{Name: "source-always-estimate", Summary: "usageSource is estimate although the model server counted",
			Breaks: []string{"mortar-cost-08"}, Wrap: onTold(tellsCost, with("usageSource", "estimate"))},
		{Name: "source-of-overrun-upstream", Summary: "a reply that the gateway ended counts as counted by its model server",
			Breaks: source, Wrap: onBillIf(endedAs("overrun"), func(b *bill) { b.object["usageSource"] = "upstream" })},
		{Name: "source-of-other-words", Summary: "usageSource is provider or estimated",
			Breaks: append(source, "mortar-cost-08"), Wrap: onTold(tellsCost, func(o object) {
				o["usageSource"] = strings.NewReplacer("upstream", "provider", "estimate", "estimated").Replace(o.word("usageSource"))
			})},
		{Name: "overrun-billed-to-its-end", Summary: "what the model server generated past max_tokens is billed", Report: "BerriAI/litellm#30244",
			Breaks: append(source, "mortar-cost-14"), Wrap: onBillIf(endedAs("overrun"), func(b *bill) { b.more(32) })},
		{Name: "cost-counts-reads-as-none", Summary: "cost.update counts no reads",
			Breaks: []string{"mortar-cost-08", "mortar-cost-13", "mortar-cost-14", "mortar-cost-15", "mortar-cost-02"}, May: []string{"mortar-session-*"}, Wrap: counts(func(b *bill) { b.write, b.read = b.write+b.read, 0 })},
		{Name: "cost-counts-prompt-without-reads", Summary: "promptTokens leaves out what was read",
			Breaks: []string{"mortar-cost-08", "mortar-cost-14"}, May: []string{"mortar-cost-*", "mortar-session-*"}, Wrap: onBill(func(b *bill) {
				b.object["promptTokens"], b.object["totalTokens"] = b.prompt-b.read, b.prompt-b.read+b.completion
			})},
		{Name: "cost-counts-unread-as-written", Summary: "cacheWriteTokens is what was not read, whatever the model server says",
			Breaks: []string{"mortar-cost-15"}, May: []string{"mortar-session-02"}, Wrap: counts(func(b *bill) { b.write = b.prompt - b.read })},
		{Name: "cost-counts-no-writes-as-all", Summary: "a report of no writes is taken for none, so all that was not read counts as written",
			Breaks: []string{"mortar-cost-15"}, Wrap: counts(func(b *bill) {
				if b.write == 0 {
					b.write = b.prompt - b.read
				}
			})},
		{Name: "cost-counts-one-more", Summary: "cost.update counts a token for the end of the reply",
			Breaks: []string{"mortar-cost-08", "mortar-cost-09", "mortar-cost-12", "mortar-cost-14", "mortar-telemetry-13"}, May: []string{"mortar-cost-04", "mortar-cancel-02", "mortar-session-01"},
			Wrap: counts(func(b *bill) { b.completion++ })},
	}
}

// cutOff writes an amount with 12 significant digits and cuts off the rest.
func cutOff(x *big.Rat) json.Number {
	const more = 40
	long, exponent, hasExponent := strings.Cut(string(digits(x, more)), "e")
	seen, cut := 0, len(long)
	for i, r := range long {
		if r >= '1' && r <= '9' || r == '0' && seen > 0 {
			seen++
		}
		if seen == 12 {
			cut = i + 1
			break
		}
	}
	if hasExponent {
		return json.Number(long[:cut] + "e" + exponent)
	}
	return json.Number(long[:cut])
}
