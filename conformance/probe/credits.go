package probe

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"plumbline.dev/plumbline/conformance/check"
	"plumbline.dev/plumbline/conformance/verdict"
	"plumbline.dev/plumbline/fakegpu/control"
)

const (
	defaultCreditsPath = "/v1/credits"
	// creditsEvery is how long to wait before credits are read again, which
	// nothing tells of.
	creditsEvery = 20 * time.Millisecond
)

// Credits reads the balance and the last charges of the organization of a key. A
// target that shows none cannot be judged.
func (s *Session) Credits(ctx context.Context, key Key) (*check.Credits, error) {
	path := s.env.Target.CreditsPath
	if path == "" {
		path = defaultCreditsPath
	}
	t := s.env.plain(ctx, http.MethodGet, path, nil, s.env.secret(key))
	credits := check.ParseCredits(t)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case t.Status != http.StatusOK:
		return nil, verdict.CannotJudge("the target shows no credits at %s: status %d", path, t.Status)
	case !credits.Lists && credits.Balance == nil:
		return nil, verdict.CannotJudge("what stands at %s has neither balanceUsd nor charges", path)
	}
	return credits, nil
}

// Charged waits until a reply has been charged, and returns the credits that say
// so. Charges come when a reply is over, which is not told to the client of one
// that it left.
func (s *Session) Charged(ctx context.Context, id string, key Key) (*check.Credits, error) {
	expected := "a charge for the reply " + id
	limit := s.env.patience()
	waitCtx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	ticker := time.NewTicker(creditsEvery)
	defer ticker.Stop()
	for {
		credits, err := s.Credits(waitCtx, key)
		switch {
		case errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil:
			return nil, verdict.Violated(expected, "none within %v", limit)
		case err != nil:
			return nil, err
		case !credits.Lists:
			return nil, verdict.CannotJudge("the target lists no charges, and its balance moves with every other request")
		case len(credits.Of(id)) > 0:
			return credits, nil
		}
		select {
		case <-ticker.C:
		case <-waitCtx.Done():
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			return nil, verdict.Violated(expected, "none within %v", limit)
		}
	}
}

// Generated waits until the model server is done with the scenario's requests and
// returns what it did with each.
func (s *Session) Generated(ctx context.Context) ([]control.Record, error) {
	if s.nonce == "" {
		return nil, fmt.Errorf("the scenario asks what a model server generated that it does not script")
	}
	journal, err := s.await(ctx, s.env.patience(), "the model server is done", control.Condition{Ended: true})
	if err != nil {
		return nil, err
	}
	return journal.Requests, nil
}
