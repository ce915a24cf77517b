package wire

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"
)

// Limits bound what is read of one body. A zero field takes its default.
type Limits struct {
	Body int // bytes of the body; 64 MiB
	Line int // bytes of one line; 33 MiB, just over what any official SDK reads
}

// Limits where none are given.
const (
	DefaultBodyLimit = 64 << 20
	DefaultLineLimit = 33 << 20
)

// Exchange is a request on its way and the answer that is being read. All its
// methods may be called from any goroutine.
type Exchange struct {
	cancel context.CancelCauseFunc
	limits Limits
	start  time.Time
	done   chan struct{} // closed when nothing more will come

	mu      sync.Mutex
	changed chan struct{} // closed and replaced whenever something came
	t       Transcript
	parser  Parser
}

// errLeft is the cause of a cancellation by Leave.
var errLeft = errors.New("we left")

// errLimit is the cause of a cancellation because a limit was passed.
var errLimit = errors.New("limit passed")

// Start sends req and reads the answer in the background until its body ends,
// a limit is passed, ctx is over or Leave is called. One of these must happen,
// or the reading never ends.
func Start(ctx context.Context, hc *http.Client, req *http.Request, limits Limits) *Exchange {
	if limits.Body <= 0 {
		limits.Body = DefaultBodyLimit
	}
	if limits.Line <= 0 {
		limits.Line = DefaultLineLimit
	}
	ctx, cancel := context.WithCancelCause(ctx)
	x := &Exchange{
		cancel: cancel, limits: limits, start: time.Now(),
		done: make(chan struct{}), changed: make(chan struct{}),
		t: Transcript{Request: describe(req), ContentLength: -1},
	}
	go x.run(ctx, hc, req.WithContext(ctx))
	return x
}

// run performs the exchange from the first byte to the end.
func (x *Exchange) run(ctx context.Context, hc *http.Client, req *http.Request) {
	defer close(x.done)
	defer x.cancel(nil)
	resp, err := hc.Do(req)
	at := time.Since(x.start)
	if err != nil {
		x.end(at, endOfHead(ctx, err), err)
		return
	}
	defer resp.Body.Close()
	x.update(func() {
		x.t.Status, x.t.Proto, x.t.Header = resp.StatusCode, resp.Proto, resp.Header
		x.t.HeaderAt, x.t.ContentLength = at, resp.ContentLength
		x.t.Encoding = resp.Header.Get("Content-Encoding")
	})
	x.read(ctx, resp.Body)
}

// read reads the body to its end.
func (x *Exchange) read(ctx context.Context, body io.Reader) {
	buf := make([]byte, 32<<10)
	for {
		n, err := body.Read(buf)
		at := time.Since(x.start)
		if n > 0 && !x.take(buf[:n], at) {
			x.cancel(errLimit)
			x.end(at, EndLimit, fmt.Errorf("%w: more than %d bytes of body or %d of one line", errLimit, x.limits.Body, x.limits.Line))
			return
		}
		if err != nil {
			x.end(at, endOfBody(ctx, err), err)
			return
		}
	}
}

// take adds what one read returned. It is false when that passes a limit.
func (x *Exchange) take(piece []byte, at time.Duration) (within bool) {
	x.update(func() {
		room := x.limits.Body - len(x.t.Body)
		within = len(piece) <= room
		x.t.Body = append(x.t.Body, piece[:min(len(piece), room)]...)
		x.t.Reads = append(x.t.Reads, Read{End: len(x.t.Body), At: at})
		x.parser.extend(x.t.Body)
		within = within && x.parser.pending() <= x.limits.Line
	})
	return within
}

// end records how it ended.
func (x *Exchange) end(at time.Duration, end End, err error) {
	x.update(func() {
		x.parser.Close()
		x.t.End, x.t.EndAt = end, at
		if end != EndClean {
			x.t.EndError = words(err)
		}
	})
}

// update changes the state and wakes everyone who waits for a change.
func (x *Exchange) update(change func()) {
	x.mu.Lock()
	defer x.mu.Unlock()
	change()
	close(x.changed)
	x.changed = make(chan struct{})
}

// wait returns nil once ok holds, which is called with the state locked. It
// fails when the answer is over without it, or ctx is.
func (x *Exchange) wait(ctx context.Context, what string, ok func() bool) error {
	for {
		x.mu.Lock()
		holds, changed, end, words, seen := ok(), x.changed, x.t.End, x.t.EndError, len(x.parser.stream.Events)
		x.mu.Unlock()
		switch {
		case holds:
			return nil
		case end != "":
			return &EndedError{What: what, End: end, Events: seen, Words: words}
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return fmt.Errorf("waiting for %s (%d events so far): %w", what, seen, context.Cause(ctx))
		}
	}
}

// EndedError says that the answer was over before what was waited for came.
type EndedError struct {
	What   string // what was waited for
	End    End
	Events int    // how many events had come
	Words  string // the transport's own, as in Transcript.EndError
}

func (e *EndedError) Error() string {
	s := fmt.Sprintf("waiting for %s: the answer was over (%s) after %d events", e.What, e.End, e.Events)
	if e.Words != "" {
		s += ": " + e.Words
	}
	return s
}

// WaitHead waits for the status and the headers.
func (x *Exchange) WaitHead(ctx context.Context) error {
	return x.wait(ctx, "the response head", func() bool { return x.t.Status != 0 })
}

// WaitEvent waits for the event with index n, counted from 0, and returns it.
// An event that no blank line ended does not count.
func (x *Exchange) WaitEvent(ctx context.Context, n int) (Event, error) {
	var e Event
	err := x.wait(ctx, fmt.Sprintf("event %d", n), func() bool {
		events := x.parser.stream.Events
		if n < 0 || n >= len(events) || !events[n].Terminated {
			return false
		}
		e = events[n]
		return true
	})
	return e, err
}

// WaitUntil waits until ok holds for what has come so far. It is called after
// each read and at the end, and must not call methods of x.
func (x *Exchange) WaitUntil(ctx context.Context, ok func(*Stream) bool) error {
	return x.wait(ctx, "what the stream should hold", func() bool { return ok(x.parser.Stream()) })
}

// WaitEnd waits until nothing more can come, however it ended.
func (x *Exchange) WaitEnd(ctx context.Context) error {
	select {
	case <-x.done:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("waiting for the end of the body: %w", context.Cause(ctx))
	}
}

// Leave closes the connection, as a client does that cancels, and returns when
// it is closed. After the end it does nothing.
func (x *Exchange) Leave() {
	x.cancel(errLeft)
	<-x.done
}

// Events returns the events that have come so far.
func (x *Exchange) Events() []Event { return x.Stream().Events }

// Stream returns what has come so far.
func (x *Exchange) Stream() *Stream {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.parser.Stream()
}

// Elapsed returns the time since the request was sent: the clock of Transcript.
func (x *Exchange) Elapsed() time.Duration { return time.Since(x.start) }

// Transcript returns the evidence up to now. It stays as it is while the
// exchange goes on. Keys are redacted in it.
func (x *Exchange) Transcript() *Transcript {
	x.mu.Lock()
	defer x.mu.Unlock()
	t := x.t
	t.Body = t.Body[:len(t.Body):len(t.Body)]
	t.Reads = t.Reads[:len(t.Reads):len(t.Reads)]
	t.Header = t.Header.Clone()
	return &t
}
