package telemetry

import (
	"context"
	"errors"
	"net/http"
	"time"

	"plumbline.dev/plumbline/reference/apierror"
)

// errOver is why streams end when the gateway shuts down.
var errOver = errors.New("the gateway shuts down")

// subscription is a place for one stream. Its context ends with the client, the
// hub, or when the reader falls behind.
type subscription struct {
	ctx    context.Context
	reader *reader // nil without a key
	close  func()
}

// more is closed when there is something to read; without a key it never is.
func (s *subscription) more() <-chan struct{} {
	if s.reader == nil {
		return nil
	}
	return s.reader.more()
}

// subscribe joins an address. The caller closes the subscription.
func (h *Hub) subscribe(ctx context.Context, a Address) (*subscription, *apierror.Error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	o := h.org(a.Org)
	of := 0
	if s := h.sessions[a]; s != nil {
		of = s.subscribers
	}
	switch {
	case h.draining:
		return nil, apierror.ShuttingDown()
	case of >= h.limits.PerSession:
		return nil, tooMany("session")
	case o.subscribers >= h.limits.PerOrganization:
		return nil, tooMany("organization")
	case h.keyed >= h.limits.Keyed:
		return nil, noRoom()
	}
	s := h.use(a)
	s.subscribers++
	o.subscribers++
	h.keyed++
	sub, leave, detach := h.attach(ctx)
	s.mu.Lock()
	sub.reader = s.feed.join(leave)
	s.mu.Unlock()
	sub.close = func() {
		detach()
		s.mu.Lock()
		s.feed.part(sub.reader)
		s.mu.Unlock()
		h.mu.Lock()
		defer h.mu.Unlock()
		s.subscribers--
		o.subscribers--
		h.keyed--
		h.release(s)
	}
	return sub, nil
}

// admit makes room for a stream that follows nothing.
func (h *Hub) admit(ctx context.Context) (*subscription, *apierror.Error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case h.draining:
		return nil, apierror.ShuttingDown()
	case h.keyless >= h.limits.Keyless:
		return nil, noRoom()
	}
	h.keyless++
	sub, _, detach := h.attach(ctx)
	sub.close = func() {
		detach()
		h.mu.Lock()
		defer h.mu.Unlock()
		h.keyless--
	}
	return sub, nil
}

// attach makes a subscription that ends with the hub.
func (h *Hub) attach(ctx context.Context) (sub *subscription, leave context.CancelCauseFunc, detach func()) {
	ctx, leave = context.WithCancelCause(ctx)
	stop := context.AfterFunc(h.over, func() { leave(errOver) })
	return &subscription{ctx: ctx}, leave, func() {
		stop()
		leave(nil)
	}
}

const retryAfter = 5 * time.Second

func tooMany(of string) *apierror.Error {
	code := "too_many_streams"
	return &apierror.Error{
		Status: http.StatusTooManyRequests, Type: apierror.TypeRateLimitRequests, Code: &code, RetryAfter: retryAfter,
		Message: "Too many telemetry streams of this " + of + " are open. Close one and try again.",
	}
}

func noRoom() *apierror.Error {
	code := "too_many_streams"
	return &apierror.Error{
		Status: http.StatusServiceUnavailable, Type: apierror.TypeServiceUnavailable, Code: &code, RetryAfter: retryAfter,
		Message: "Too many streams are open. Please try again later.",
	}
}
