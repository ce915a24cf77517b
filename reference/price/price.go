package price

import (
	"errors"
	"fmt"

	"github.com/cockroachdb/apd/v3"
)

const (
	// maxPriceText and the bounds on the exponent keep every amount small
	// enough to be written out in plain notation.
	maxPriceText     = 100
	maxPriceDecimals = 80
	maxPriceDigits   = 9 // before the decimal point
)

// Price is an exact price in US dollars per million tokens, never negative.
// Its zero value is a price of 0, which is a price.
type Price struct {
	perMillion Money
}

// Parse reads a price in US dollars per million tokens as plain or exponent
// decimal text, such as 0.039125 or 3.13e-2.
func Parse(text string) (Price, error) {
	if text == "" {
		return Price{}, errors.New("the price is missing: write a number of US dollars per million tokens, such as 0.0313")
	}
	if len(text) > maxPriceText {
		return Price{}, fmt.Errorf("the price has %d characters, at most %d are possible", len(text), maxPriceText)
	}
	if !isDecimal(text) {
		return Price{}, fmt.Errorf("%q is not a price: write a number of US dollars per million tokens, such as 0.0313", text)
	}
	d, _, err := apd.NewFromString(text)
	if err != nil {
		return Price{}, fmt.Errorf("reading the price %q: %w", text, err)
	}
	if d.Sign() < 0 {
		return Price{}, fmt.Errorf("the price %s is negative: a price is 0 or more", text)
	}
	if d.IsZero() {
		return Price{}, nil
	}
	d.Reduce(d)
	if d.Exponent < -maxPriceDecimals {
		return Price{}, fmt.Errorf("the price %s has more than %d decimals", text, maxPriceDecimals)
	}
	if d.NumDigits()+int64(d.Exponent) > maxPriceDigits {
		return Price{}, fmt.Errorf("the price %s is too high: the unit is US dollars per million tokens", text)
	}
	return Price{Money{d}}, nil
}

// MustParse is [Parse] for prices that are known to be right; it panics on others.
func MustParse(text string) Price {
	p, err := Parse(text)
	if err != nil {
		panic("price: " + err.Error())
	}
	return p
}

// isDecimal accepts the numbers of JSON and YAML alone, not the words (NaN,
// Infinity) that decimals also know.
func isDecimal(text string) bool {
	digits, exponent, point := false, false, false
	for i, c := range []byte(text) {
		switch {
		case '0' <= c && c <= '9':
			digits = true
		case c == '.' && !point && !exponent:
			point = true
		case (c == 'e' || c == 'E') && digits && !exponent:
			exponent, digits = true, false
		case (c == '+' || c == '-') && (i == 0 || text[i-1] == 'e' || text[i-1] == 'E'):
		default:
			return false
		}
	}
	return digits
}

// Amount returns what this many tokens cost, exactly.
func (p Price) Amount(tokens int64) Money {
	amount := new(apd.Decimal)
	mustBeExact(exact.Mul(amount, p.perMillion.decimal(), apd.New(tokens, 0)))
	if !amount.IsZero() {
		amount.Exponent -= 6 // per million
	}
	return Money{amount}
}

// Cmp returns -1, 0 or +1 as p is lower than, equal to or higher than q.
func (p Price) Cmp(q Price) int { return p.perMillion.Cmp(q.perMillion) }

// String returns the exact price in plain notation, which is a JSON number.
func (p Price) String() string { return p.perMillion.String() }

// MarshalJSON writes the exact price as a JSON number, as GET /v1/models
// reports it; unlike an amount it is not rounded.
func (p Price) MarshalJSON() ([]byte, error) { return []byte(p.String()), nil }
