package mutant

import (
	"fmt"
	"io"
	"net/http"
	"strconv"
	"sync"
)

// reply is an answer of the gateway on its way to the client.
type reply struct {
	Status int
	Header http.Header
	Body   []byte // nil for a stream
}

// write sends an answer that is no stream.
func (r *reply) write(w http.ResponseWriter) {
	for name, values := range r.Header {
		w.Header()[name] = values
	}
	w.Header().Set("Content-Length", strconv.Itoa(len(r.Body)))
	w.WriteHeader(r.Status)
	_, _ = w.Write(r.Body) // a client that left has no use for it
}

// stream is what a mutant sends to the client. Each write goes out at once.
type stream struct {
	x    *exchange
	over chan struct{} // closed when the mutant has enough of the gateway's events
	once sync.Once

	mu      sync.Mutex // a mutant may write from its own timers
	to      *reply
	w       http.ResponseWriter
	out     io.Writer
	flush   func()
	started bool
	closed  bool // the answer is over: nothing may be written any more
}

func newStream(x *exchange, to *reply, w http.ResponseWriter, pipe through) *stream {
	s := &stream{over: make(chan struct{}), x: x, to: to, w: w, out: w, flush: func() {}}
	if pipe != nil {
		s.out, s.flush = pipe(x, w)
	}
	x.onClose(func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.closed = true
	})
	return s
}

// start sends the head.
func (s *stream) start() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.begin()
	s.push()
}

func (s *stream) begin() {
	if s.started {
		return
	}
	s.started = true
	for name, values := range s.to.Header {
		s.w.Header()[name] = values
	}
	s.w.WriteHeader(s.to.Status)
}

func (s *stream) push() {
	s.flush()
	_ = http.NewResponseController(s.w).Flush() // it fails when the client left
}

// write sends bytes.
func (s *stream) write(raw string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return
	}
	s.begin()
	_, _ = io.WriteString(s.out, raw) // it fails when the client left, of which ctx tells
	s.push()
}

// send passes an event on. The end passes by itself.
func (s *stream) send(e event) {
	if !e.end {
		s.write(e.raw)
	}
}

// sendChunk sends a chunk or any other JSON.
func (s *stream) sendChunk(v any) { s.write(fmt.Sprintf("data: %s\n\n", encode(v))) }

// stop ends the stream here, cleanly.
func (s *stream) stop() { s.once.Do(func() { close(s.over) }) }

func (s *stream) isOver() bool {
	select {
	case <-s.over:
		return true
	default:
		return false
	}
}

// abort ends it as a crash would. It is called by what handles events alone.
func (s *stream) abort() { panic(http.ErrAbortHandler) }

// hang leaves it open until the client leaves.
func (s *stream) hang() { <-s.x.ctx.Done() }

// finish sends what is still held.
func (s *stream) finish() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.begin()
	s.flush()
}

// through is what the bytes of a stream go through on their way out, and how it
// is made to let go of what it holds.
type through func(x *exchange, w io.Writer) (out io.Writer, flush func())
