package credits

import (
	"slices"
	"sync"

	"plumbline.dev/plumbline/reference/ledger"
	"plumbline.dev/plumbline/reference/price"
)

// shown is how many charges a statement lists.
const shown = 100

// account is the state of one organization.
type account struct {
	mu       sync.Mutex
	limited  bool
	granted  price.Money
	spent    price.Money
	reserved price.Money    // for tokens of running replies
	last     []ledger.Entry // the last charges, the newest at the end
}

// left is what is neither spent nor reserved. The lock is held.
func (a *account) left() price.Money { return a.granted.Sub(a.spent).Sub(a.reserved) }

func (a *account) grant(total price.Money) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.limited, a.granted = true, total
}

// solvent tells whether anything is left to begin a reply with.
func (a *account) solvent() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return !a.limited || a.left().Sign() > 0
}

// reserve sets the price of up to so many tokens aside, and returns of how many.
func (a *account) reserve(tokens int64, each price.Price) (int64, price.Money) {
	a.mu.Lock()
	defer a.mu.Unlock()
	left := a.left()
	for ; tokens > 0; tokens /= 2 {
		amount := each.Amount(tokens)
		if amount.Cmp(left) <= 0 {
			a.reserved = a.reserved.Add(amount)
			return tokens, amount
		}
	}
	return 0, price.Money{}
}

// charge replaces a reservation by what it was for.
func (a *account) charge(e ledger.Entry, reserved price.Money) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.reserved = a.reserved.Sub(reserved)
	a.spent = a.spent.Add(e.USD)
	if len(a.last) == 2*shown { // half of it moves once in a hundred times
		a.last = slices.Delete(a.last, 0, shown)
	}
	a.last = append(a.last, e)
}

// release gives a reservation back.
func (a *account) release(reserved price.Money) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.reserved = a.reserved.Sub(reserved)
}

func (a *account) statement() Statement {
	a.mu.Lock()
	defer a.mu.Unlock()
	s := Statement{Limited: a.limited, Balance: a.granted.Sub(a.spent)}
	for _, e := range slices.Backward(a.last[max(0, len(a.last)-shown):]) {
		s.Charges = append(s.Charges, e)
	}
	return s
}
