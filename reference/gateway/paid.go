package gateway

import (
	"context"
	"net/http"

	"plumbline.dev/plumbline/reference/account"
	"plumbline.dev/plumbline/reference/config"
	"plumbline.dev/plumbline/reference/credits"
	"plumbline.dev/plumbline/reference/generation"
	"plumbline.dev/plumbline/reference/idempotency"
	"plumbline.dev/plumbline/reference/ledger"
	"plumbline.dev/plumbline/reference/limit"
	"plumbline.dev/plumbline/reference/price"
)

// purchase is a generation with what its price depends on.
type purchase struct {
	*generation.Generation
	who    account.Identity
	prices price.Prices
}

// paid makes a reply that is paid for. A request that the client may repeat is
// answered once, however often it comes.
func (f *face) paid(w http.ResponseWriter, r *http.Request, p *purchase, body []byte) {
	repeat, repeatable, e := idempotency.RequestOf(r.Header, p.who.Org, string(f.profile)+" "+r.URL.EscapedPath(), body)
	if e != nil {
		f.refuse(w, r, e)
		return
	}
	if !repeatable {
		if _, abort := f.serve(r.Context(), w, r, p, nil); abort {
			panic(http.ErrAbortHandler)
		}
		return
	}
	recording, leads, e := f.repeats.Claim(repeat)
	switch {
	case e != nil:
		f.refuse(w, r, e)
	case leads:
		f.record(w, r, p, recording, repeat)
	case recording.Play(r.Context(), w):
		panic(http.ErrAbortHandler)
	}
}

// record makes a reply and keeps it for those who ask for it again.
func (f *face) record(w http.ResponseWriter, r *http.Request, p *purchase, recording *idempotency.Recording, repeat idempotency.Request) {
	ctx, w, free := recording.Writer(r.Context(), w)
	keep, abort := false, true
	defer func() { // also when a panic ends it
		recording.End(keep, abort)
		free()
	}()
	ending, abort := f.serve(ctx, w, r, p, &ledger.Retry{Key: repeat.Key, Request: repeat.Content})
	keep = ending == generation.Finished || ending == generation.Overrun || ending == generation.Stopped
	if abort {
		panic(http.ErrAbortHandler)
	}
}

// serve opens a tab and makes the reply; it tells how the reply ended, Running
// if it was refused.
func (f *face) serve(ctx context.Context, w http.ResponseWriter, r *http.Request, p *purchase, retry *ledger.Retry) (ending generation.Ending, abort bool) {
	paying, e := f.book.Open(credits.Terms{Org: p.who.Org, Prices: p.prices, Rule: f.rule(), Retry: retry})
	if e != nil {
		f.refuse(w, r, e)
		return generation.Running, false
	}
	t := &tab{Tab: paying, limits: f.limits, who: p.who}
	p.Tab = t
	abort = p.Serve(ctx, w)
	return t.ending, abort
}

// rule is what the document of the profile says of replies that break.
func (f *face) rule() credits.Rule {
	if f.profile == config.ProfileNotholy {
		return credits.TokensOfBreaks
	}
	return credits.UsageAlways
}

// tab charges the credits and counts the limits.
type tab struct {
	*credits.Tab
	limits *limit.Limiter
	who    account.Identity
	ending generation.Ending
}

// Settle implements [generation.Tab].
func (t *tab) Settle(s generation.Settlement) {
	t.Tab.Settle(s)
	t.limits.Spend(limit.Key{Org: t.who.Org, KeyID: t.who.KeyID}, t.who.Limits, s.Usage.TotalTokens())
	t.ending = s.Ending
}
