package probe

import (
	"context"
	"fmt"
	"net/http"
	"sync"

	"plumbline.dev/plumbline/conformance/check"
	"plumbline.dev/plumbline/conformance/verdict"
)

// crowdSize is how many requests of a crowd run at the same time.
const crowdSize = 8

// Crowd sends many completions of one session, not streamed. Its replies take turns.
type Crowd struct {
	session *Session
	request Request
	nonces  []string // of the replies; empty with a live model
	sent    int
}

// Crowd registers the replies of a crowd. Requests are made like r.
func (s *Session) Crowd(ctx context.Context, r Request, replies ...*Reply) (*Crowd, error) {
	c := &Crowd{session: s, request: r}
	if !s.env.Scripted() {
		return c, nil
	}
	for _, reply := range replies {
		nonce := newNonce()
		if err := s.env.gpu.Register(ctx, reply.build(nonce)); err != nil {
			return nil, fmt.Errorf("register the script of a crowd's reply: %w", err)
		}
		c.nonces = append(c.nonces, nonce)
	}
	return c, nil
}

// Send sends n more requests and waits for their answers. Each must be 200.
func (c *Crowd) Send(ctx context.Context, n int) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	numbers := make(chan int)
	var workers sync.WaitGroup
	for range min(n, crowdSize) {
		workers.Go(func() {
			for number := range numbers {
				if err := c.one(ctx, number); err != nil {
					cancel(err)
				}
			}
		})
	}
	for range n {
		numbers <- c.sent
		c.sent++
	}
	close(numbers)
	workers.Wait()
	return context.Cause(ctx)
}

// one sends the request with this number.
func (c *Crowd) one(ctx context.Context, number int) error {
	if ctx.Err() != nil {
		return nil // another one has said why
	}
	s, r := c.session, c.request
	nonce := ""
	if len(c.nonces) > 0 {
		nonce = c.nonces[number%len(c.nonces)]
	}
	t := s.env.plainWith(ctx, http.MethodPost, "/v1/chat/completions", s.env.body(r, nonce), s.env.secret(r.Key), s.header(r))
	if t.Status != http.StatusOK && ctx.Err() == nil {
		return verdict.Violated(fmt.Sprintf("request %d is answered 200", number+1), "status %d %s", t.Status, t.EndError)
	}
	return nil
}

// WaitCosts waits until the costs of n completions have come, whichever.
func (f *Feed) WaitCosts(ctx context.Context, n int) error {
	costs := 0
	return f.WaitEvent(ctx, fmt.Sprintf("cost.update of %d requests", n), 0, func(e check.TelemetryEvent) bool {
		if e.IsCost() {
			costs++
		}
		return costs >= n
	})
}

// WaitSumsOf waits for the sums of a session whose requests had this many prompt
// tokens together. With several requests at once, that tells when a
// session.metrics has all of them in it.
func (f *Feed) WaitSumsOf(ctx context.Context, prompt int64) error {
	expected := fmt.Sprintf("session.metrics whose reusedTokens and prefilledTokens are %d together", prompt)
	return f.WaitEvent(ctx, expected, 0, func(e check.TelemetryEvent) bool {
		sum, ok := e.SumOfPrompt()
		return ok && sum == prompt
	})
}
