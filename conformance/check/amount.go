package check

import (
	"math/big"
	"strings"

	"github.com/tidwall/gjson"
)

// sentDigits is how many significant digits amounts are sent with ("Serving
// telemetry, Reading cache and cost events").
const sentDigits = 12

// million is the number of tokens that a price is for.
var million = big.NewRat(1_000_000, 1)

// numberOf returns the exact value of a JSON number; nil is for anything else,
// and for numbers that no amount can be.
func numberOf(v gjson.Result) *big.Rat {
	if v.Type != gjson.Number || !saneNumber(v.Raw) {
		return nil
	}
	number, ok := new(big.Rat).SetString(v.Raw)
	if !ok {
		return nil
	}
	return number
}

// significant counts the digits of a JSON number from the first that is not 0 to
// the last that is not 0.
func significant(raw string) int {
	digits, _, _ := strings.Cut(strings.ToLower(raw), "e")
	digits = strings.ReplaceAll(strings.TrimLeft(digits, "+-"), ".", "")
	return len(strings.Trim(digits, "0"))
}

// power returns 10^n.
func power(n int) *big.Rat {
	p := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(max(n, -n))), nil)
	if n < 0 {
		return new(big.Rat).SetFrac(big.NewInt(1), p)
	}
	return new(big.Rat).SetInt(p)
}

// magnitude returns the n for which 10^n <= |x| < 10^(n+1). x is not 0.
func magnitude(x *big.Rat) int {
	abs := new(big.Rat).Abs(x)
	n := len(abs.Num().String()) - len(abs.Denom().String())
	if abs.Cmp(power(n)) < 0 {
		n--
	}
	return n
}

// sentAs tells whether an exact amount may be sent as this number: it is no
// further away than the rounding to [sentDigits] digits, ties either way. A
// number with more digits than that may be nearer.
func sentAs(exact, sent *big.Rat) bool {
	if exact.Sign() == 0 || sent == nil {
		return sent != nil && sent.Sign() == 0
	}
	off := new(big.Rat).Sub(exact, sent)
	unit := power(magnitude(exact) - sentDigits + 1)
	return off.Abs(off).Add(off, off).Cmp(unit) <= 0
}

// decimal writes an exact amount as it would be sent.
func decimal(x *big.Rat) string {
	if x.Sign() == 0 {
		return "0"
	}
	text := x.FloatString(max(0, sentDigits-1-magnitude(x)))
	if strings.Contains(text, ".") {
		text = strings.TrimRight(strings.TrimRight(text, "0"), ".")
	}
	return text
}
