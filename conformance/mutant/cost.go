package mutant

import "math/big"

// costs are mutants of how a request is priced.
func costs() []Mutant {
	row := func(numbers ...string) []string {
		var rows []string
		for _, n := range numbers {
			rows = append(rows, "mortar-cost-"+n)
		}
		return rows
	}
	exact := row("11", "12", "16") // which look at every amount
	// priced is a gateway that prices tokens otherwise, and is right in every sum.
	priced := func(change func(price map[string]*big.Rat)) wrap {
		return onBill(func(b *bill) {
			price := map[string]*big.Rat{}
			for name, p := range b.price {
				price[name] = p
			}
			change(price)
			b.price = price
			b.redo()
		})
	}
	// saves is a gateway that is right in what it costs and wrong in what it saves.
	saves := func(change func(b *bill) *big.Rat) wrap {
		return onBill(func(b *bill) { b.set("savedUsd", change(b)) })
	}
	// inputs is a gateway that adds up the input otherwise, and the total from it.
	inputs := func(change func(b *bill) *big.Rat) wrap {
		return onBill(func(b *bill) {
			input := change(b)
			total := sum(input, b.exact("outputUsd"))
			b.set("inputUsd", input)
			b.set("totalUsd", total)
			b.set("savedUsd", minus(b.exact("baselineUsd"), total))
		})
	}
	input := append(row("03", "04", "07", "15"), exact...)
	return []Mutant{
		{Name: "writes-at-input-price", Summary: "cache writes cost what input tokens cost",
			Breaks: append(row("02", "03", "04", "07", "15"), exact...), Wrap: priced(func(p map[string]*big.Rat) { p[priceWrite] = p[priceInput] })},
		{Name: "writes-free", Summary: "cache writes cost nothing",
			Breaks: append(row("02", "03", "04", "07", "15"), exact...), Wrap: priced(func(p map[string]*big.Rat) { p[priceWrite] = new(big.Rat) })},
		{Name: "reads-at-input-price", Summary: "cache reads cost what input tokens cost", Report: "BerriAI/litellm#11789",
			Breaks: append(row("02", "03", "04", "07", "15"), row("11", "16")...), Wrap: priced(func(p map[string]*big.Rat) { p[priceRead] = p[priceInput] })},
		{Name: "reads-and-writes-exchanged", Summary: "reads cost what writes do, and writes what reads do",
			Breaks: append(row("02", "03", "04", "07", "15"), exact...), Wrap: priced(func(p map[string]*big.Rat) { p[priceRead], p[priceWrite] = p[priceWrite], p[priceRead] })},
		{Name: "output-at-input-price", Summary: "the output costs what the input does",
			Breaks: append(row("04", "06"), exact...), Wrap: priced(func(p map[string]*big.Rat) { p[priceOutput] = p[priceInput] })},
		{Name: "prices-for-a-thousand", Summary: "prices are taken for a thousand tokens",
			Breaks: append(row("02", "03", "04", "06", "07", "15"), exact...), Wrap: priced(func(p map[string]*big.Rat) {
				for name, price := range p {
					p[name] = new(big.Rat).Mul(price, big.NewRat(1000, 1))
				}
			})},
		{Name: "zero-price-as-missing", Summary: "a price of 0 is taken for none, so the input price holds",
			Breaks: row("16"), Wrap: priced(func(p map[string]*big.Rat) {
				for name, price := range p {
					if price.Sign() == 0 {
						p[name] = p[priceInput]
					}
				}
			})},
		{Name: "zero-price-as-null", Summary: "what costs nothing is null",
			Breaks: row("16"), May: append(row("01", "02", "07"), exact...), Wrap: onBill(func(b *bill) {
				for _, name := range []string{"cacheReadUsd", "cacheWriteUsd", "outputUsd"} {
					if exactly(b.object[name]).Sign() == 0 && len(b.free()) > 0 {
						b.object[name] = nil
					}
				}
			})},
		{Name: "free-model-at-default-price", Summary: "a model that charges nothing is charged at a price in the code",
			Breaks: row("16"), Wrap: priced(func(p map[string]*big.Rat) {
				if sum(p[priceInput], p[priceOutput], p[priceRead], p[priceWrite]).Sign() == 0 {
					p[priceInput], p[priceOutput] = big.NewRat(1, 2), big.NewRat(3, 2)
				}
			})},

		{Name: "streams-cost-nothing", Summary: "the tokens of a streamed reply are counted and cost 0", Report: "BerriAI/litellm#37923",
			Breaks: append(row("02", "03", "04", "06", "07", "15"), exact...), Wrap: onBillIf(func(latency object) bool { return latency["ttftMs"] != nil }, func(b *bill) {
				for _, name := range amountNames() {
					b.object[name] = 0
				}
			})},

		{Name: "input-without-writes", Summary: "inputUsd leaves out what was written",
			Breaks: input, Wrap: inputs(func(b *bill) *big.Rat { return sum(b.exact("cacheReadUsd"), b.cost(b.rest(), priceInput)) })},
		{Name: "input-without-reads", Summary: "inputUsd leaves out what was read",
			Breaks: append(row("03", "04", "07", "15"), "mortar-cost-11"), Wrap: inputs(func(b *bill) *big.Rat { return sum(b.exact("cacheWriteUsd"), b.cost(b.rest(), priceInput)) })},
		{Name: "input-without-rest", Summary: "prompt tokens that were neither read nor written cost nothing",
			Breaks: row("03", "15"), May: row("16"), Wrap: inputs(func(b *bill) *big.Rat { return sum(b.exact("cacheReadUsd"), b.exact("cacheWriteUsd")) })},
		{Name: "rest-at-write-price", Summary: "every prompt token that was not read costs what a write does",
			Breaks: row("03", "15"), May: row("16"), Wrap: inputs(func(b *bill) *big.Rat { return sum(b.exact("cacheReadUsd"), b.cost(b.prompt-b.read, priceWrite)) })},
		{Name: "writes-priced-twice", Summary: "what was written costs the write price and the input price", Report: "maximhq/bifrost#3451",
			Breaks: input, Wrap: inputs(func(b *bill) *big.Rat { return sum(b.exact("inputUsd"), b.cost(b.write, priceInput)) })},
		{Name: "reads-priced-twice", Summary: "what was read costs the read price and the input price", Report: "Gitlawb/openclaude#577",
			Breaks: append(row("03", "04", "07", "15"), row("11", "16")...), Wrap: inputs(func(b *bill) *big.Rat { return sum(b.exact("inputUsd"), b.cost(b.read, priceInput)) })},

		{Name: "total-without-output", Summary: "totalUsd is the input alone",
			Breaks: append(row("04"), "mortar-cost-11", "mortar-cost-12"), Wrap: onBill(func(b *bill) { b.set("totalUsd", b.exact("inputUsd")) })},
		{Name: "total-zero", Summary: "totalUsd is 0 while its parts are not", Report: "BerriAI/litellm#41007",
			Breaks: append(row("04"), exact...), Wrap: onBill(func(b *bill) { b.object["totalUsd"] = 0 })},
		{Name: "total-with-cache-twice", Summary: "totalUsd adds the cache amounts to an input that has them",
			Breaks: append(row("04"), exact...), Wrap: onBill(func(b *bill) {
				b.set("totalUsd", b.exact("totalUsd"), b.exact("cacheReadUsd"), b.exact("cacheWriteUsd"))
			})},
		{Name: "tokens-without-reads", Summary: "totalTokens leaves out what was read",
			Breaks: row("14"), May: row("04"), Wrap: onBill(func(b *bill) { b.object["totalTokens"] = b.prompt - b.read + b.completion })},
		{Name: "tokens-of-prompt", Summary: "totalTokens is promptTokens",
			Breaks: row("04", "12", "14"), Wrap: onBill(func(b *bill) { b.object["totalTokens"] = b.prompt })},

		{Name: "billed-all", Summary: "billedPromptTokens is every prompt token",
			Breaks: row("05"), Wrap: onBill(func(b *bill) { b.object["billedPromptTokens"] = b.prompt })},
		{Name: "billed-unread", Summary: "billedPromptTokens is every prompt token that was not read",
			Breaks: row("05"), Wrap: onBill(func(b *bill) { b.object["billedPromptTokens"] = b.prompt - b.read })},
		{Name: "billed-zero", Summary: "billedPromptTokens is 0",
			Breaks: row("05", "12"), Wrap: onBill(func(b *bill) { b.object["billedPromptTokens"] = 0 })},

		{Name: "baseline-with-cache", Summary: "baselineUsd is priced with the prefix cache",
			Breaks: append(row("06"), exact...), Wrap: onBill(func(b *bill) { b.set("baselineUsd", b.exact("totalUsd")) })},
		{Name: "baseline-at-write-price", Summary: "baselineUsd prices every prompt token as a write",
			Breaks: append(row("06"), exact...), Wrap: onBill(func(b *bill) { b.set("baselineUsd", b.cost(b.prompt, priceWrite), b.exact("outputUsd")) })},
		{Name: "baseline-without-output", Summary: "baselineUsd leaves the output out",
			Breaks: append(row("06"), "mortar-cost-11", "mortar-cost-12"), Wrap: onBill(func(b *bill) { b.set("baselineUsd", b.cost(b.prompt, priceInput)) })},
		{Name: "baseline-without-reads", Summary: "baselineUsd prices only the prompt tokens that were not read",
			Breaks: append(row("06"), row("11", "16")...), Wrap: onBill(func(b *bill) { b.set("baselineUsd", b.cost(b.prompt-b.read, priceInput), b.exact("outputUsd")) })},
		{Name: "baseline-of-another-name", Summary: "baseline says something else",
			Breaks: row("06", "12"), Wrap: onTold(tellsCost, with("baseline", "no cache"))},

		{Name: "saving-clamped", Summary: "savedUsd is never below 0", Report: "BerriAI/litellm#35402",
			Breaks: append(row("07"), exact...), Wrap: saves(func(b *bill) *big.Rat {
				if saved := b.exact("savedUsd"); saved.Sign() > 0 {
					return saved
				}
				return new(big.Rat)
			})},
		{Name: "saving-without-write-premium", Summary: "savedUsd leaves out what writes cost more", Report: "BerriAI/litellm#36452",
			Breaks: append(row("07"), exact...), Wrap: saves(func(b *bill) *big.Rat { return minus(b.cost(b.read, priceInput), b.exact("cacheReadUsd")) })},
		{Name: "saving-of-other-sign", Summary: "savedUsd is totalUsd minus baselineUsd",
			Breaks: append(row("07"), exact...), Wrap: saves(func(b *bill) *big.Rat { return minus(b.exact("totalUsd"), b.exact("baselineUsd")) })},
		{Name: "saving-without-sign", Summary: "savedUsd has no sign",
			Breaks: append(row("07"), exact...), Wrap: saves(func(b *bill) *big.Rat { saved := b.exact("savedUsd"); return saved.Abs(saved) })},
		{Name: "saving-of-rounded", Summary: "savedUsd is the difference of two amounts that were rounded before",
			Breaks: row("11"), Wrap: saves(func(b *bill) *big.Rat {
				return minus(exactly(digits(b.exact("baselineUsd"), 12)), exactly(digits(b.exact("totalUsd"), 12)))
			})},
	}
}

// free are the prices of 0.
func (b *bill) free() []string {
	var names []string
	for name, price := range b.price {
		if price.Sign() == 0 {
			names = append(names, name)
		}
	}
	return names
}
