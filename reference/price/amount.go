package price

import (
	"errors"
	"fmt"

	"github.com/cockroachdb/apd/v3"
)

const (
	// maxAmountText and maxAmountDecimals leave room for every amount that
	// prices and token counts can make.
	maxAmountText     = 200
	maxAmountDecimals = maxPriceDecimals + 6
	maxAmountDigits   = 40 // before the decimal point
)

// ParseMoney reads an exact amount of US dollars as plain or exponent decimal
// text, such as 10.00 or -0.000039125. It reads what [Money.String] writes.
func ParseMoney(text string) (Money, error) {
	if text == "" {
		return Money{}, errors.New("the amount is missing: write a number of US dollars, such as 10.00")
	}
	if len(text) > maxAmountText {
		return Money{}, fmt.Errorf("the amount has %d characters, at most %d are possible", len(text), maxAmountText)
	}
	if !isDecimal(text) {
		return Money{}, fmt.Errorf("%q is not an amount: write a number of US dollars, such as 10.00", text)
	}
	d, _, err := apd.NewFromString(text)
	if err != nil {
		return Money{}, fmt.Errorf("reading the amount %q: %w", text, err)
	}
	if d.IsZero() {
		return Money{}, nil
	}
	d.Reduce(d)
	if d.Exponent < -maxAmountDecimals {
		return Money{}, fmt.Errorf("the amount %s has more than %d decimals", text, maxAmountDecimals)
	}
	if d.NumDigits()+int64(d.Exponent) > maxAmountDigits {
		return Money{}, fmt.Errorf("the amount %s is too high: the unit is US dollars", text)
	}
	return Money{d}, nil
}

// MustParseMoney is [ParseMoney] for amounts that are known to be right; it
// panics on others.
func MustParseMoney(text string) Money {
	m, err := ParseMoney(text)
	if err != nil {
		panic("price: " + err.Error())
	}
	return m
}
