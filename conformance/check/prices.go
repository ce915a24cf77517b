package check

import "math/big"

// Prices are what a model costs, exactly, in US dollars for a million tokens. A
// price that the list of models does not hold is nil.
type Prices struct {
	Input, Output, CacheRead, CacheWrite *big.Rat
}

// Prices returns the prices of a model of the list.
func (m Model) Prices() Prices {
	return Prices{
		Input: m.Price("costPerMillionInput"), Output: m.Price("costPerMillionOutput"),
		CacheRead: m.Price("costPerMillionCacheRead"), CacheWrite: m.Price("costPerMillionCacheWrite"),
	}
}

// Missing names the first price that is not listed, "" if all are.
func (p Prices) Missing() string {
	switch {
	case p.CacheRead == nil:
		return "costPerMillionCacheRead"
	case p.CacheWrite == nil:
		return "costPerMillionCacheWrite"
	case p.Input == nil:
		return "costPerMillionInput"
	case p.Output == nil:
		return "costPerMillionOutput"
	}
	return ""
}

// HasZero tells whether a listed price is 0.
func (p Prices) HasZero() bool {
	for _, price := range []*big.Rat{p.Input, p.Output, p.CacheRead, p.CacheWrite} {
		if price != nil && price.Sign() == 0 {
			return true
		}
	}
	return false
}

// free tells that nothing costs anything.
func (p Prices) free() bool { return p.Missing() == "" && p.HasZero() && p.Digits() == 0 }

// Digits is how many significant digits the longest of the prices has, as far as
// they can be written out.
func (p Prices) Digits() int {
	longest := 0
	for _, price := range []*big.Rat{p.Input, p.Output, p.CacheRead, p.CacheWrite} {
		if price != nil {
			longest = max(longest, significant(price.FloatString(64)))
		}
	}
	return longest
}

// ExamplePrices are those with which the documents' worked example comes out.
func ExamplePrices() Prices {
	return Prices{
		Input: big.NewRat(313, 10_000), Output: big.NewRat(2373, 10_000),
		CacheRead: big.NewRat(313, 100_000), CacheWrite: big.NewRat(39_125, 1_000_000),
	}
}

// Equal tells whether all four prices are there and the same.
func (p Prices) Equal(q Prices) bool {
	return p.Missing() == "" && q.Missing() == "" && p.Input.Cmp(q.Input) == 0 && p.Output.Cmp(q.Output) == 0 &&
		p.CacheRead.Cmp(q.CacheRead) == 0 && p.CacheWrite.Cmp(q.CacheWrite) == 0
}

// Counts are the token counts of one completion.
type Counts struct {
	Prompt     int64 // all of the prompt, Read and Write included
	Read       int64 // read from the prefix cache
	Write      int64 // processed and written to it
	Completion int64
}

// amounts are what a completion costs, or a session, exactly, in US dollars.
type amounts struct {
	read, write, input, output, total, baseline, saved *big.Rat
}

// amounts computes what the counts cost. All prices are listed.
func (p Prices) amounts(c Counts) amounts {
	cost := func(tokens int64, price *big.Rat) *big.Rat {
		amount := new(big.Rat).SetInt64(tokens)
		return amount.Quo(amount.Mul(amount, price), million)
	}
	sum := func(parts ...*big.Rat) *big.Rat {
		total := new(big.Rat)
		for _, part := range parts {
			total.Add(total, part)
		}
		return total
	}
	a := amounts{read: cost(c.Read, p.CacheRead), write: cost(c.Write, p.CacheWrite), output: cost(c.Completion, p.Output)}
	a.input = sum(a.read, a.write, cost(c.Prompt-c.Read-c.Write, p.Input))
	a.total = sum(a.input, a.output)
	a.baseline = sum(cost(c.Prompt, p.Input), a.output)
	a.saved = new(big.Rat).Sub(a.baseline, a.total)
	return a
}

// byName are the amounts by the names under which events carry them.
func (a amounts) byName() map[string]*big.Rat {
	return map[string]*big.Rat{
		"cacheReadUsd": a.read, "cacheWriteUsd": a.write, "inputUsd": a.input, "outputUsd": a.output,
		"totalUsd": a.total, "baselineUsd": a.baseline, "savedUsd": a.saved,
	}
}

// amountNames are the names of the amounts, in the order of the documents' example.
var amountNames = []string{"baselineUsd", "cacheReadUsd", "cacheWriteUsd", "inputUsd", "outputUsd", "savedUsd", "totalUsd"}
