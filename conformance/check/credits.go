package check

import (
	"fmt"
	"math/big"

	"plumbline.dev/plumbline/conformance/wire"
)

// Credits is the answer that shows a balance and the last charges. No document
// gives it a form; the reference's is {"object": "credits", "balanceUsd": number,
// "charges": [{"id", "usd", …}]}.
type Credits struct {
	document
	Status int
	// Balance is what is left, in US dollars; nil where it is not told.
	Balance *big.Rat
	Charges []Charge
	// Lists tells whether charges are told at all.
	Lists bool
}

// Charge is what one reply cost.
type Charge struct {
	ID  string // of the reply
	USD *big.Rat
}

// ParseCredits reads the answer. It never fails.
func ParseCredits(t *wire.Transcript) *Credits {
	c := &Credits{document: parseDocument(t, nil), Status: t.Status}
	c.Balance = numberOf(c.body.get("balanceUsd"))
	c.Lists = c.body.get("charges").IsArray()
	for _, v := range list(c.body.get("charges")) {
		o, _ := asObject(v)
		c.Charges = append(c.Charges, Charge{ID: text(o.get("id")), USD: numberOf(o.get("usd"))})
	}
	return c
}

// Of returns the charges for the reply with this id.
func (c *Credits) Of(id string) []Charge {
	var found []Charge
	for _, charge := range c.Charges {
		if charge.ID == id {
			found = append(found, charge)
		}
	}
	return found
}

// ChargedOnce judges that a reply was charged exactly once.
func (c *Credits) ChargedOnce(id string) []Finding {
	n := c.notes("ChargedOnce")
	if charges := c.Of(id); len(charges) != 1 {
		n.body("one charge for the reply "+id, fmt.Sprintf("%d", len(charges)))
	}
	return n.found
}

// amount is a number of tokens at a price, in US dollars.
func amount(tokens int64, price *big.Rat) *big.Rat {
	sum := new(big.Rat).Mul(new(big.Rat).SetInt64(tokens), price)
	return sum.Quo(sum, million)
}

// usd writes an amount for a finding.
func usd(x *big.Rat) string {
	if x == nil {
		return "no number"
	}
	return x.FloatString(15) + " USD"
}

// ChargeOfUsage judges that a charge is what the usage says at these prices: reads
// from the cache, writes to it, and the rest of the prompt each at its own. Where
// usage does not say what was written, all that was not read may have been.
func (c Charge) ChargeOfUsage(u Usage, p Prices) []Finding {
	read := max(u.CachedTokens, 0)
	written := []int64{u.WrittenTokens}
	if u.WrittenTokens < 0 {
		written = []int64{0, u.PromptTokens - read}
	}
	var wanted *big.Rat
	for _, w := range written {
		wanted = amount(read, p.CacheRead)
		wanted.Add(wanted, amount(w, p.CacheWrite))
		wanted.Add(wanted, amount(u.PromptTokens-read-w, p.Input))
		wanted.Add(wanted, amount(u.CompletionTokens, p.Output))
		if c.USD != nil && sentAs(wanted, c.USD) {
			return nil
		}
	}
	return []Finding{{Rule: "ChargeOfUsage", Expected: fmt.Sprintf("a charge of %s for %d prompt tokens, %d of them cached, and %d generated ones",
		usd(wanted), u.PromptTokens, read, u.CompletionTokens), Seen: usd(c.USD)}}
}

// ChargeOfBreak judges the charge for a reply that broke: the tokens generated
// before the break at the output price, and beside them either nothing or the
// prompt at its price ("Streaming, What to expect"): what was cached of it at the
// price of reads or as the rest, and the rest as input or as written.
func (c Charge) ChargeOfBreak(generated, prompt, cached int64, p Prices) []Finding {
	least := amount(generated, p.Output)
	wanted := []*big.Rat{least}
	for _, read := range []int64{0, cached} {
		for _, rest := range []*big.Rat{p.Input, p.CacheWrite} {
			sum := new(big.Rat).Add(least, amount(read, p.CacheRead))
			wanted = append(wanted, sum.Add(sum, amount(prompt-read, rest)))
		}
	}
	for _, w := range wanted {
		if c.USD != nil && sentAs(w, c.USD) {
			return nil
		}
	}
	return []Finding{{Rule: "ChargeOfBreak", Expected: fmt.Sprintf("a charge of %s for %d generated tokens, and nothing or the price of a prompt of %d beside it",
		usd(least), generated, prompt), Seen: usd(c.USD)}}
}
