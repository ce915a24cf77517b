package telemetry

import (
	"context"
	"errors"
	"log/slog"
	"math"
	"net/http"
	"time"

	"plumbline.dev/plumbline/reference/account"
	"plumbline.dev/plumbline/reference/apierror"
)

// Handler serves the two event streams. All fields are required.
type Handler struct {
	Hub *Hub
	// Authenticate tells who sent a request that has a key.
	Authenticate func(*http.Request) (account.Identity, *apierror.Error)
	// Refuse answers a request that gets no stream.
	Refuse func(http.ResponseWriter, *http.Request, *apierror.Error)
	// Heartbeat is the time between two pings of a telemetry stream, Tick that
	// between two events of the fleet's; documented are 15 s and 2 s.
	Heartbeat, Tick time.Duration
	Log             *slog.Logger
}

// Telemetry serves GET /v1/telemetry/stream ("Stream serving telemetry").
func (h *Handler) Telemetry(w http.ResponseWriter, r *http.Request) {
	session, e := sessionAsked(r.URL)
	if e != nil {
		h.Refuse(w, r, e)
		return
	}
	sub, e := h.join(r, session)
	if e != nil {
		h.Refuse(w, r, e)
		return
	}
	defer sub.close()
	s := h.start(w, r, sub)
	defer s.unwatch()
	ping := time.NewTicker(h.Heartbeat)
	defer ping.Stop()
	s.put(encode(streamOpen{session, h.Heartbeat}, time.Now().UnixMilli()))
	var buf []byte
	for s.open() {
		select {
		case <-sub.ctx.Done():
		case <-sub.more():
			buf = sub.reader.read(buf[:0], writeSize)
			s.put(buf)
			if cap(buf) > keepBuffer {
				buf = nil
			}
		case <-ping.C:
			s.put(pingFrame)
		}
	}
	if errors.Is(context.Cause(sub.ctx), errOver) && sub.reader != nil {
		s.put(sub.reader.read(buf[:0], math.MaxInt)) // the last requests' costs
	}
	if s.cut() {
		h.Log.Warn("a telemetry subscriber fell behind and was disconnected")
		panic(http.ErrAbortHandler) // a clean end would look as if nothing was lost
	}
}

// join finds the stream's place. A key that is given has to be right: who
// mistypes it must not wait on a stream that stays empty.
func (h *Handler) join(r *http.Request, session string) (*subscription, *apierror.Error) {
	if len(r.Header.Values("Authorization")) == 0 && len(r.Header.Values("X-Api-Key")) == 0 {
		return h.Hub.admit(r.Context())
	}
	who, e := h.Authenticate(r)
	if e != nil {
		return nil, e
	}
	return h.Hub.subscribe(r.Context(), Address{Org: who.Org, Session: session})
}

// Fleet serves GET /v1/metrics/stream ("Stream fleet metrics"). The first tick
// comes at once.
func (h *Handler) Fleet(w http.ResponseWriter, r *http.Request) {
	sub, e := h.Hub.admit(r.Context())
	if e != nil {
		h.Refuse(w, r, e)
		return
	}
	defer sub.close()
	s := h.start(w, r, sub)
	defer s.unwatch()
	ticker := time.NewTicker(h.Tick)
	defer ticker.Stop()
	began := time.Now()
	for s.open() {
		// By the monotonic clock, so that no counter ever goes back.
		now := began.Add(time.Since(began))
		s.put(encode(fleetAt(now), now.UnixMilli()))
		select {
		case <-sub.ctx.Done():
		case <-ticker.C:
		}
	}
}
