package gateway

import (
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"

	"plumbline.dev/plumbline/reference/account"
	"plumbline.dev/plumbline/reference/admin"
	"plumbline.dev/plumbline/reference/apierror"
	"plumbline.dev/plumbline/reference/config"
	"plumbline.dev/plumbline/reference/credits"
	"plumbline.dev/plumbline/reference/idempotency"
	"plumbline.dev/plumbline/reference/ledger"
	"plumbline.dev/plumbline/reference/price"
)

// openAccounts opens what the gateway knows of money and keys: the ledger, and
// the organizations of the settings and of the data directory.
func (g *Gateway) openAccounts(l ledger.Ledger) error {
	if l == nil {
		var err error
		if l, err = openLedger(g.cfg.Data, g.log); err != nil {
			return err
		}
	}
	g.book = credits.NewBook(l, g.log)
	err := g.replay(l)
	if err == nil {
		g.accounts, err = newAccounts(g.cfg, g.book, g.log)
	}
	if err != nil {
		_ = l.Close() // nothing was written
	}
	return err
}

func openLedger(data string, log *slog.Logger) (ledger.Ledger, error) {
	if data == "" {
		return new(ledger.Memory), nil
	}
	if err := os.MkdirAll(data, 0o700); err != nil {
		return nil, fmt.Errorf("making the data directory: %w", err)
	}
	file, err := ledger.Open(filepath.Join(data, ledger.FileName))
	if err != nil {
		return nil, err
	}
	if torn := file.Torn(); torn > 0 {
		log.Warn("an unfinished write was cut off the ledger; it had not been acknowledged", "bytes", torn)
	}
	return file, nil
}

// replay takes in what earlier processes charged.
func (g *Gateway) replay(l ledger.Ledger) error {
	for e, err := range l.Entries() {
		if err != nil {
			return fmt.Errorf("replaying the ledger: %w", err)
		}
		g.book.Replay(e)
		if e.Retry != nil && e.Kind != ledger.Break {
			g.repeats.Remember(idempotency.Request{Key: e.Retry.Key, Content: e.Retry.Request}, e.At)
		}
	}
	return nil
}

// accounts are the organizations and their keys: those of the settings, and
// those of the data directory, which may change while the gateway runs.
type accounts struct {
	cfg       *config.Config
	book      *credits.Book
	log       *slog.Logger
	directory atomic.Pointer[account.Directory]

	mu       sync.Mutex
	follower *admin.Follower // nil without a data directory
}

func newAccounts(cfg *config.Config, book *credits.Book, log *slog.Logger) (*accounts, error) {
	a := &accounts{cfg: cfg, book: book, log: log}
	if cfg.Data != "" {
		var err error
		if a.follower, err = admin.Follow(filepath.Join(cfg.Data, admin.FileName)); err != nil {
			return nil, err
		}
	}
	return a, a.rebuild()
}

// authenticate tells who sent a request. Decisions of the administrator count
// from the next request on: looking for them costs a system call, no more.
func (g *Gateway) authenticate(r *http.Request) (account.Identity, *apierror.Error) {
	g.accounts.refresh()
	return g.accounts.directory.Load().Authenticate(r)
}

func (a *accounts) refresh() {
	if a.follower == nil {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	changed, err := a.follower.Refresh()
	if err != nil {
		a.log.Error("a decision of the administrator cannot be read; those before it hold", "error", err.Error())
	}
	if !changed {
		return
	}
	if err := a.rebuild(); err != nil {
		a.log.Error("the administrator's decisions cannot be followed; those before hold", "error", err.Error())
	}
}

// rebuild makes the directory of keys and the balances anew.
func (a *accounts) rebuild() error {
	orgs := a.cfg.Accounts()
	granted := make(map[string]price.Money)
	for _, org := range a.cfg.Organizations {
		if org.Credits != nil {
			granted[org.ID] = *org.Credits
		}
	}
	if a.follower != nil {
		for org := range a.follower.State().Find("") {
			orgs = merge(orgs, org)
			if org.Limited {
				granted[org.ID] = granted[org.ID].Add(org.Credits)
			}
		}
	}
	directory, err := account.NewDirectory(orgs)
	if err != nil {
		return err
	}
	a.directory.Store(directory)
	for org, total := range granted {
		a.book.Grant(org, total)
	}
	return nil
}

// merge adds an organization of the data directory to those of the settings. A
// key of the settings hides one of the same name.
func merge(orgs []account.Organization, added *admin.Organization) []account.Organization {
	i := slices.IndexFunc(orgs, func(o account.Organization) bool { return o.ID == added.ID })
	if i < 0 {
		i = len(orgs)
		orgs = append(orgs, account.Organization{ID: added.ID})
	}
	org := &orgs[i]
	for _, k := range added.Keys {
		taken := slices.ContainsFunc(org.Keys, func(other account.Key) bool { return other.ID == k.ID })
		if !k.Revoked && !taken {
			org.Keys = append(org.Keys, account.Key{ID: k.ID, Digest: k.Digest, Limits: k.Limits})
		}
	}
	return orgs
}
