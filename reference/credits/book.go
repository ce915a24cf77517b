package credits

import (
	"fmt"
	"log/slog"
	"sync"

	"plumbline.dev/plumbline/reference/apierror"
	"plumbline.dev/plumbline/reference/ledger"
	"plumbline.dev/plumbline/reference/price"
)

// Book holds the balances of all organizations. It is safe for concurrent use.
type Book struct {
	ledger ledger.Ledger
	log    *slog.Logger

	mu       sync.RWMutex
	accounts map[string]*account // by organization
}

// Statement is the state of one organization's credits.
type Statement struct {
	// Limited tells that there is a balance; without one nothing is refused.
	Limited bool
	Balance price.Money // exact; what was granted less what was charged
	// Charges are the last of them, at most 100, the newest first.
	Charges []ledger.Entry
}

// NewBook makes a book that writes to a ledger. What the ledger has of earlier
// processes is taken in with [Book.Replay].
func NewBook(l ledger.Ledger, log *slog.Logger) *Book {
	return &Book{ledger: l, log: log, accounts: make(map[string]*account)}
}

// Replay takes in an entry that was written before.
func (b *Book) Replay(e ledger.Entry) { b.account(e.Org).charge(e, price.Money{}) }

// Grant sets how much an organization has been granted in all, up to now.
func (b *Book) Grant(org string, total price.Money) { b.account(org).grant(total) }

// Statement tells the state of an organization's credits.
func (b *Book) Statement(org string) Statement { return b.account(org).statement() }

func (b *Book) account(org string) *account {
	b.mu.RLock()
	a := b.accounts[org]
	b.mu.RUnlock()
	if a != nil {
		return a
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.accounts[org] == nil {
		b.accounts[org] = new(account)
	}
	return b.accounts[org]
}

// Terms are how one completion is paid for.
type Terms struct {
	Org    string
	Prices price.Prices
	Rule   Rule
	// Retry names the request for a client that repeats it, nil if it cannot.
	Retry *ledger.Retry
}

// Open opens the tab of a completion, or refuses it: without credits, and when
// the ledger cannot be written to, because what is not written down cannot be
// charged.
func (b *Book) Open(t Terms) (*Tab, *apierror.Error) {
	if err := b.ledger.Err(); err != nil {
		b.log.Error("the ledger cannot be written to, so nothing is served", "error", err.Error())
		return nil, apierror.Internal()
	}
	a := b.account(t.Org)
	if !a.solvent() {
		return nil, apierror.InsufficientQuota()
	}
	return &Tab{book: b, account: a, terms: t}, nil
}

// Close waits until the ledger has what was charged.
func (b *Book) Close() error {
	if err := b.ledger.Close(); err != nil {
		return fmt.Errorf("closing the ledger: %w", err)
	}
	return nil
}
