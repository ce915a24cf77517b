// Package limit bounds how many requests and tokens an API key may use in a
// minute. Windows are fixed: one begins with the first request after the last
// window ended. Requests count when they come, tokens (of prompt and completion)
// when a reply is settled, so a window may run over by the replies that were
// running when it was full.
package limit

import (
	"net/http"
	"strconv"
	"sync"
	"time"

	"plumbline.dev/plumbline/reference/apierror"
)

// Window is how long a window lasts.
const Window = time.Minute

// Limits are the bounds of one key; nil is none, and 0 lets nothing pass.
type Limits struct {
	RequestsPerMinute *int64
	TokensPerMinute   *int64
}

// none tells that nothing is bounded.
func (l Limits) none() bool { return l.RequestsPerMinute == nil && l.TokensPerMinute == nil }

// Key names an API key, not by its text.
type Key struct{ Org, KeyID string }

// Limiter counts what keys use. It is safe for concurrent use.
type Limiter struct {
	now func() time.Time

	mu   sync.Mutex
	keys map[Key]*window // only of keys with limits, so never more than there are
}

type window struct {
	began            time.Time
	requests, tokens int64
}

// New makes a limiter that has counted nothing, on the given clock.
func New(now func() time.Time) *Limiter {
	return &Limiter{now: now, keys: make(map[Key]*window)}
}

// current returns the window of a key, a new one if the last is over. The lock
// is held.
func (l *Limiter) current(k Key) *window {
	now := l.now()
	w := l.keys[k]
	if w == nil {
		w = new(window)
		l.keys[k] = w
	}
	if now.Sub(w.began) >= Window {
		*w = window{began: now}
	}
	return w
}

// Take counts a request, if the limits let it pass, and sets the headers that
// tell what is left; else it returns the refusal, which counts nothing.
func (l *Limiter) Take(k Key, limits Limits, h http.Header) *apierror.Error {
	if limits.none() {
		return nil
	}
	l.mu.Lock()
	w := l.current(k)
	refused := w.full(limits)
	if refused == "" {
		w.requests++
	}
	seen := *w
	reset := w.began.Add(Window).Sub(l.now())
	l.mu.Unlock()

	setHeaders(h, "requests", limits.RequestsPerMinute, seen.requests, reset)
	setHeaders(h, "tokens", limits.TokensPerMinute, seen.tokens, reset)
	if refused != "" {
		return apierror.RateLimited(refused, max(reset, time.Second))
	}
	return nil
}

// full tells which limit is reached, "" for none.
func (w *window) full(limits Limits) string {
	switch {
	case limits.RequestsPerMinute != nil && w.requests >= *limits.RequestsPerMinute:
		return apierror.TypeRateLimitRequests
	case limits.TokensPerMinute != nil && w.tokens >= *limits.TokensPerMinute:
		return apierror.TypeRateLimitTokens
	}
	return ""
}

// setHeaders tells what is left, in the headers of OpenAI's API.
func setHeaders(h http.Header, what string, limit *int64, used int64, reset time.Duration) {
	if limit == nil {
		return
	}
	h.Set("X-Ratelimit-Limit-"+what, strconv.FormatInt(*limit, 10))
	h.Set("X-Ratelimit-Remaining-"+what, strconv.FormatInt(max(*limit-used, 0), 10))
	h.Set("X-Ratelimit-Reset-"+what, max(reset, 0).Round(time.Millisecond).String())
}

// Spend counts the tokens of a reply that is over.
func (l *Limiter) Spend(k Key, limits Limits, tokens int64) {
	if limits.TokensPerMinute == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.current(k).tokens += tokens
}
