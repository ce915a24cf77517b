package credits

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"math"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plumbline.dev/plumbline/reference/completion"
	"plumbline.dev/plumbline/reference/generation"
	"plumbline.dev/plumbline/reference/ledger"
	"plumbline.dev/plumbline/reference/price"
)

// prices are such that each kind of token shows in a sum.
var prices = price.Prices{
	Input: price.MustParse("1000"), CacheRead: price.MustParse("100"),
	CacheWrite: price.MustParse("10000"), Output: price.MustParse("1000000"), // one dollar a token
}

func usd(text string) price.Money { return price.MustParseMoney(text) }

func newBook(t *testing.T, l ledger.Ledger) *Book {
	t.Helper()
	b := NewBook(l, slog.New(slog.DiscardHandler))
	for e, err := range l.Entries() {
		require.NoError(t, err)
		b.Replay(e)
	}
	return b
}

func terms(rule Rule) Terms { return Terms{Org: "org", Prices: prices, Rule: rule} }

func settlement(id string, ending generation.Ending, usage completion.Usage) generation.Settlement {
	return generation.Settlement{Info: generation.Info{ID: id, Org: "org", Model: "m"}, Ending: ending, Usage: usage, Generated: usage.CompletionTokens}
}

func openTab(t *testing.T, b *Book, terms Terms) *Tab {
	t.Helper()
	tab, e := b.Open(terms)
	require.Nil(t, e)
	return tab
}

func TestWhatEachEndingCosts(t *testing.T) {
	usage := completion.Usage{PromptTokens: 100, CachedTokens: 20, CacheWriteTokens: 30, CompletionTokens: 2}
	// 20 × 0.0001 + 30 × 0.01 + 50 × 0.001 + 2 × 1
	const whole, tokens = "2.352", "2"
	for _, c := range []struct {
		ending          generation.Ending
		mortar, notholy string
		kind            ledger.Kind
	}{
		{generation.Finished, whole, whole, ledger.Finish},
		{generation.Overrun, whole, whole, ledger.Finish},
		{generation.Stopped, whole, whole, ledger.Stop},
		{generation.Disconnected, whole, tokens, ledger.Break},
		{generation.Failed, whole, tokens, ledger.Break},
		{generation.ShutDown, whole, tokens, ledger.Break},
		{generation.Exhausted, whole, tokens, ledger.Break},
	} {
		for rule, want := range map[Rule]string{UsageAlways: c.mortar, TokensOfBreaks: c.notholy} {
			t.Run(fmt.Sprintf("%s, rule %d", c.ending, rule), func(t *testing.T) {
				b := newBook(t, new(ledger.Memory))
				b.Grant("org", usd("10"))
				tab := openTab(t, b, terms(rule))
				tab.Grant(1)
				for range 3 { // however often it is told
					tab.Settle(settlement("a", c.ending, usage))
				}
				s := b.Statement("org")
				require.Len(t, s.Charges, 1)
				assert.Equal(t, want, s.Charges[0].USD.String())
				assert.Equal(t, c.kind, s.Charges[0].Kind)
				assert.Equal(t, usd("10").Sub(usd(want)).String(), s.Balance.String())
				assert.Zero(t, b.account("org").reserved.Sign(), "nothing stays reserved")
			})
		}
	}
}

func TestOtherUsage(t *testing.T) {
	for name, c := range map[string]struct {
		usage completion.Usage
		want  string
	}{
		"no writes reported: all that was not read": {completion.Usage{PromptTokens: 10, CachedTokens: 2, CacheWriteTokens: -1, CompletionTokens: 1}, "1.0802"},
		"nothing":                     {completion.Usage{CacheWriteTokens: -1}, "0"},
		"what cannot be true is free": {completion.Usage{PromptTokens: 1, CachedTokens: 2, CompletionTokens: 5}, "0"},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBook(t, new(ledger.Memory))
			openTab(t, b, terms(UsageAlways)).Settle(settlement("a", generation.Finished, c.usage))
			assert.Equal(t, c.want, b.Statement("org").Charges[0].USD.String())
		})
	}
}

func TestOpenRefusesWithoutCredits(t *testing.T) {
	for balance, refused := range map[string]bool{"0": true, "0.0000000001": false, "10": false} {
		b := newBook(t, new(ledger.Memory))
		b.Grant("org", usd(balance))
		_, e := b.Open(terms(UsageAlways))
		if !refused {
			require.Nil(t, e, balance)
			continue
		}
		require.NotNil(t, e, balance)
		assert.Equal(t, 402, e.Status)
		assert.Equal(t, "insufficient_quota", e.Type)
		assert.Empty(t, b.Statement("org").Charges, "a refused request costs nothing")
	}
	b := newBook(t, new(ledger.Memory))
	b.Grant("org", usd("1"))
	openTab(t, b, terms(UsageAlways)).Settle(settlement("a", generation.Finished, completion.Usage{CompletionTokens: 2, CacheWriteTokens: -1}))
	_, e := b.Open(terms(UsageAlways))
	require.NotNil(t, e, "below zero")
	b.Grant("org", usd("3"))
	_, e = b.Open(terms(UsageAlways))
	require.Nil(t, e, "after more was granted")
}

func TestWithoutABalanceNothingIsRefused(t *testing.T) {
	b := newBook(t, new(ledger.Memory))
	tab := openTab(t, b, terms(UsageAlways))
	assert.EqualValues(t, math.MaxInt64, tab.Grant(1))
	tab.Settle(settlement("a", generation.Finished, completion.Usage{CompletionTokens: 1000, CacheWriteTokens: -1}))
	s := b.Statement("org")
	assert.False(t, s.Limited)
	assert.Len(t, s.Charges, 1, "but it is written down")
	openTab(t, b, terms(UsageAlways))
}

func TestGrantEndsWithTheBalance(t *testing.T) {
	for name, c := range map[string]struct {
		balance string
		tokens  int64
	}{
		"one token":      {"1", 1},
		"not quite two":  {"1.999999", 1},
		"five":           {"5", 5},
		"a block":        {"64", 64},
		"many and a bit": {"1000.5", 1000},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBook(t, new(ledger.Memory))
			b.Grant("org", usd(c.balance))
			tab := openTab(t, b, terms(TokensOfBreaks))
			generated := int64(0)
			for granted := int64(0); ; {
				if generated++; generated > granted {
					granted = tab.Grant(generated)
				}
				if granted < generated {
					break
				}
			}
			assert.Equal(t, c.tokens+1, generated, "the token after the last that is paid for")
			tab.Settle(settlement("a", generation.Exhausted, completion.Usage{CompletionTokens: generated, CacheWriteTokens: -1}))
			assert.Equal(t, usd(c.balance).Sub(prices.Output.Amount(generated)).String(), b.Statement("org").Balance.String())
		})
	}
}

func TestTokensThatComeAtOnceAreGrantedAtOnce(t *testing.T) {
	b := newBook(t, new(ledger.Memory))
	b.Grant("org", usd("100000"))
	assert.GreaterOrEqual(t, openTab(t, b, terms(UsageAlways)).Grant(5000), int64(5000))
	free := terms(UsageAlways)
	free.Prices = price.Prices{}
	assert.GreaterOrEqual(t, openTab(t, b, free).Grant(5000), int64(5000), "tokens without a price")
}

// Whatever runs side by side, no token is granted twice and none is charged
// twice: 40 replies compete for 1,000 dollars, and take a dollar a token.
func TestConcurrentRepliesShareABalance(t *testing.T) {
	b := newBook(t, new(ledger.Memory))
	b.Grant("org", usd("1000"))
	var wait sync.WaitGroup
	var mu sync.Mutex
	paid := int64(0)
	for i := range 40 {
		wait.Go(func() {
			tab, e := b.Open(terms(TokensOfBreaks))
			if e != nil {
				return // the others have it all
			}
			generated, granted := int64(0), int64(0)
			ending := generation.Finished
			for generated < 60 {
				if generated+1 > granted {
					granted = tab.Grant(generated + 1)
				}
				if generated+1 > granted {
					ending = generation.Exhausted
					break
				}
				generated++
			}
			tab.Settle(settlement(fmt.Sprint(i), ending, completion.Usage{CompletionTokens: generated, CacheWriteTokens: -1}))
			mu.Lock()
			defer mu.Unlock()
			paid += generated
		})
	}
	wait.Wait()
	s := b.Statement("org")
	assert.LessOrEqual(t, paid, int64(1000), "no more than there was")
	assert.Equal(t, usd("1000").Sub(prices.Output.Amount(paid)).String(), s.Balance.String())
	assert.Zero(t, b.account("org").reserved.Sign())
}

func TestARestartNeitherGrantsAgainNorForgets(t *testing.T) {
	path := filepath.Join(t.TempDir(), ledger.FileName)
	for restart := range 3 {
		file, err := ledger.Open(path)
		require.NoError(t, err)
		b := newBook(t, file)
		b.Grant("org", usd("10")) // from the settings, each time
		tab := openTab(t, b, terms(UsageAlways))
		id := fmt.Sprint(restart / 2) // the second is settled again after a restart
		tab.Grant(1)
		tab.Settle(settlement(id, generation.Finished, completion.Usage{CompletionTokens: 1, CacheWriteTokens: -1}))
		assert.Zero(t, b.account("org").reserved.Sign())
		assert.Equal(t, fmt.Sprint(9-restart/2), b.Statement("org").Balance.String())
		require.NoError(t, b.Close())
	}
}

func TestStatementListsTheLastCharges(t *testing.T) {
	b := newBook(t, new(ledger.Memory))
	for i := range 555 {
		openTab(t, b, terms(UsageAlways)).Settle(settlement(fmt.Sprint(i), generation.Finished, completion.Usage{CompletionTokens: 1, CacheWriteTokens: -1}))
	}
	charges := b.Statement("org").Charges
	require.Len(t, charges, 100)
	assert.Equal(t, "554", charges[0].ID)
	assert.Equal(t, "455", charges[99].ID)
	assert.Empty(t, b.Statement("other").Charges, "of its own organization")
}

// broken is a ledger on a disk that fails.
type broken struct{ err error }

func (b *broken) Write(context.Context, ledger.Entry) (bool, error) {
	b.err = errors.New("the disk is full")
	return false, b.err
}
func (*broken) Entries() iter.Seq2[ledger.Entry, error] {
	return func(func(ledger.Entry, error) bool) {}
}
func (b *broken) Err() error { return b.err }
func (*broken) Close() error { return nil }

func TestABrokenLedgerEndsTheService(t *testing.T) {
	b := newBook(t, new(broken))
	b.Grant("org", usd("10"))
	openTab(t, b, terms(UsageAlways)).Settle(settlement("a", generation.Finished, completion.Usage{CompletionTokens: 1, CacheWriteTokens: -1}))
	assert.Equal(t, "9", b.Statement("org").Balance.String(), "in memory it is charged")
	_, e := b.Open(terms(UsageAlways))
	require.NotNil(t, e)
	assert.Equal(t, 500, e.Status)
}
