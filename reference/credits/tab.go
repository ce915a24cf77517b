package credits

import (
	"context"
	"math"
	"time"

	"plumbline.dev/plumbline/reference/generation"
	"plumbline.dev/plumbline/reference/ledger"
	"plumbline.dev/plumbline/reference/price"
)

// block is how many tokens are reserved at once, where the balance has room.
const block = 64

// Tab pays for one completion. One goroutine uses it.
type Tab struct {
	book     *Book
	account  *account
	terms    Terms
	granted  int64
	reserved price.Money
	settled  bool
}

var _ generation.Tab = (*Tab)(nil)

// Grant implements [generation.Tab].
func (t *Tab) Grant(generated int64) int64 {
	t.account.mu.Lock()
	limited := t.account.limited
	t.account.mu.Unlock()
	if !limited {
		return math.MaxInt64
	}
	for t.granted < generated {
		tokens, amount := t.account.reserve(max(block, generated-t.granted), t.terms.Prices.Output)
		if tokens == 0 {
			break
		}
		t.granted += tokens
		t.reserved = t.reserved.Add(amount)
	}
	return t.granted
}

// Settle implements [generation.Tab]: the charge is in the ledger when it
// returns. Only the first call does anything.
func (t *Tab) Settle(s generation.Settlement) {
	if t.settled {
		return
	}
	t.settled = true
	e := ledger.Entry{
		ID: s.ID, Org: s.Org, KeyID: s.KeyID, Model: s.Model, Kind: kindOf(s.Ending),
		USD: t.terms.Rule.charge(s, t.terms.Prices), At: time.Now().Truncate(time.Millisecond),
		Prompt: s.Usage.PromptTokens, Cached: s.Usage.CachedTokens, CacheWrite: s.Usage.CacheWriteTokens,
		Completion: s.Usage.CompletionTokens, Estimated: s.Usage.Estimated, Retry: t.terms.Retry,
	}
	// Not the request's context: a charge is written also when its client left.
	written, err := t.book.ledger.Write(context.Background(), e)
	if err != nil {
		t.book.log.Error("a charge could not be written to the ledger", "id", e.ID, "org", e.Org, "usd", e.USD.String(), "error", err.Error())
	}
	if err == nil && !written {
		t.account.release(t.reserved) // it was charged before
		return
	}
	t.account.charge(e, t.reserved)
}
