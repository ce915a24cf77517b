package telemetry

import (
	"context"
	"errors"
	"net/http"
	"time"
)

// writeSize is about how many bytes of events are sent in one write, keepBuffer
// how many a stream keeps for the next.
const (
	writeSize  = 16 << 10
	keepBuffer = 2 << 10
)

// farewell is how long a stream that ends may take to say so.
const farewell = time.Second

var pingFrame = []byte(": ping\n\n")

// stream is the client's side of an event stream. One goroutine writes.
type stream struct {
	w       http.ResponseWriter
	rc      *http.ResponseController
	sub     *subscription
	unwatch func() bool
	broken  bool
}

// start sends the head of an event stream.
func (h *Handler) start(w http.ResponseWriter, r *http.Request, sub *subscription) *stream {
	s := &stream{w: w, rc: http.NewResponseController(w), sub: sub}
	header := w.Header()
	header.Set("Content-Type", "text/event-stream; charset=utf-8")
	header.Set("Cache-Control", "no-cache, no-transform")
	header.Set("X-Accel-Buffering", "no")
	w.WriteHeader(http.StatusOK)
	s.broken = r.Method == http.MethodHead
	// A client that does not read can hold the writer for ever; what ends the
	// stream has to end the write as well.
	s.unwatch = context.AfterFunc(sub.ctx, func() {
		limit := time.Now()
		if !s.cut() {
			limit = limit.Add(farewell)
		}
		// A server that cannot set deadlines has other means, or none.
		_ = s.rc.SetWriteDeadline(limit)
	})
	return s
}

// open tells whether there is still somebody to write to.
func (s *stream) open() bool { return !s.broken && s.sub.ctx.Err() == nil }

// put writes whole events at once.
func (s *stream) put(p []byte) {
	if s.broken || len(p) == 0 {
		return
	}
	if _, err := s.w.Write(p); err != nil {
		s.broken = true
		return
	}
	s.broken = s.rc.Flush() != nil
}

// cut tells whether the stream ends because its reader was too slow.
func (s *stream) cut() bool { return errors.Is(context.Cause(s.sub.ctx), errBehind) }
