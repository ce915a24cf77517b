// Package price computes what a completion costs, exactly: prices are read as
// decimal text, amounts are exact decimals, and nothing is rounded before it is
// sent ("Serving telemetry, Reading cache and cost events"). No float is
// involved anywhere.
package price

import "github.com/cockroachdb/apd/v3"

// sentDigits is how many significant digits an amount is sent with.
const sentDigits = 12

// exact never rounds sums and products: its precision is unlimited.
var exact = apd.BaseContext

// Money is an exact, possibly negative amount of US dollars. Its zero value is
// nothing, and it never changes.
type Money struct {
	d *apd.Decimal // nil is zero
}

func (m Money) decimal() *apd.Decimal {
	if m.d == nil {
		return new(apd.Decimal)
	}
	return m.d
}

// Add returns m + n, exactly.
func (m Money) Add(n Money) Money {
	sum := new(apd.Decimal)
	mustBeExact(exact.Add(sum, m.decimal(), n.decimal()))
	return Money{sum}
}

// Sub returns m - n, exactly.
func (m Money) Sub(n Money) Money {
	difference := new(apd.Decimal)
	mustBeExact(exact.Sub(difference, m.decimal(), n.decimal()))
	return Money{difference}
}

// Cmp returns -1, 0 or +1 as m is less than, equal to or more than n.
func (m Money) Cmp(n Money) int { return m.decimal().Cmp(n.decimal()) }

// Sign returns -1, 0 or +1.
func (m Money) Sign() int { return m.decimal().Sign() }

// String returns the exact amount in plain notation, without trailing zeros.
func (m Money) String() string { return string(appendPlain(nil, m.decimal())) }

// AppendJSON appends the amount as a JSON number of at most 12 significant
// digits, in plain notation, without trailing zeros; zero is 0. A tie is
// rounded away from zero.
func (m Money) AppendJSON(buf []byte) []byte {
	rounding := apd.Context{
		Precision:   sentDigits,
		Rounding:    apd.RoundHalfUp,
		MaxExponent: apd.MaxExponent,
		MinExponent: apd.MinExponent,
	}
	rounded := new(apd.Decimal)
	mustBeExact(rounding.Round(rounded, m.decimal()))
	return appendPlain(buf, rounded)
}

// MarshalJSON implements [encoding/json.Marshaler] as [Money.AppendJSON] does.
func (m Money) MarshalJSON() ([]byte, error) { return m.AppendJSON(nil), nil }

func appendPlain(buf []byte, d *apd.Decimal) []byte {
	if d.IsZero() {
		return append(buf, '0')
	}
	reduced, _ := new(apd.Decimal).Reduce(d)
	return append(buf, reduced.Text('f')...)
}

// mustBeExact panics when an operation left the range of decimals. Prices and
// token counts are bounded so that none can: see maxPriceText and [Counts].
func mustBeExact(_ apd.Condition, err error) {
	if err != nil {
		panic("price: amount out of range: " + err.Error())
	}
}
