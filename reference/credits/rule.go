package credits

import (
	"plumbline.dev/plumbline/reference/generation"
	"plumbline.dev/plumbline/reference/ledger"
	"plumbline.dev/plumbline/reference/price"
)

// Rule is what a document says of the price of a reply that breaks.
type Rule uint8

// Rules.
const (
	// UsageAlways prices prompt and generated tokens, however the reply ended:
	// what cost.update says ("Serving telemetry, Reading cache and cost events").
	UsageAlways Rule = iota
	// TokensOfBreaks prices nothing but the generated tokens of a reply that
	// breaks ("Streaming, What to expect": you pay only for the tokens that
	// were generated before the break).
	TokensOfBreaks
)

// kindOf tells apart what is priced differently. A reply that runs past its
// limit is complete: the gateway ended it where the client wanted it to.
func kindOf(e generation.Ending) ledger.Kind {
	switch e {
	case generation.Finished, generation.Overrun:
		return ledger.Finish
	case generation.Stopped:
		return ledger.Stop
	default:
		return ledger.Break
	}
}

// charge is the exact price of a settled completion. Usage that contradicts
// itself was refused when it was read; should it come here all the same, no
// token is charged for which nobody can account.
func (r Rule) charge(s generation.Settlement, prices price.Prices) price.Money {
	counts, err := price.CountsOf(s.Usage)
	if err != nil {
		return price.Money{}
	}
	if r == TokensOfBreaks && kindOf(s.Ending) == ledger.Break {
		return prices.Output.Amount(counts.Completion)
	}
	return prices.Cost(counts).TotalUSD
}
