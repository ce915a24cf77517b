package generation

import (
	"net/http"
	"strconv"
)

// response is the client's side of a generation.
type response struct {
	w      http.ResponseWriter
	rc     *http.ResponseController
	id     string
	stream bool
	status int    // 0 until the head is sent
	broken bool   // the client cannot be written to
	buf    []byte // reused for every write
}

// keepBuffer bounds what a stream keeps between writes: one huge chunk must not
// cost its size for the rest of the reply.
const keepBuffer = 64 << 10

// head sends the status and the headers of a reply that has begun or is
// complete ("Stream responses, Proxies and timeouts").
func (o *response) head(status int) {
	o.status = status
	h := o.w.Header()
	h.Set(RequestIDHeader, o.id)
	if o.stream {
		h.Set("Content-Type", "text/event-stream; charset=utf-8")
		h.Set("Cache-Control", "no-cache, no-transform")
		h.Set("X-Accel-Buffering", "no")
		o.w.WriteHeader(status)
		return
	}
	h.Set("Content-Type", "application/json")
	h.Set("Cache-Control", "no-store")
}

// put writes and flushes what it is given, and tells whether the client can
// still be written to. A reply that is not streamed is one write.
func (o *response) put(p []byte) bool {
	if o.broken {
		return false
	}
	if cap(p) > 0 {
		o.buf = p[:0]
	}
	if cap(p) > keepBuffer {
		o.buf = nil
	}
	if !o.stream {
		o.w.Header().Set("Content-Length", strconv.Itoa(len(p)))
		o.w.WriteHeader(o.status)
	}
	if len(p) > 0 {
		if _, err := o.w.Write(p); err != nil {
			o.broken = true
			return false
		}
	}
	if err := o.rc.Flush(); err != nil {
		o.broken = true
		return false
	}
	return true
}
