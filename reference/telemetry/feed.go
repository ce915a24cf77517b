package telemetry

import (
	"context"
	"errors"
	"sync/atomic"
)

// errBehind is why a subscriber that reads too slowly is disconnected.
var errBehind = errors.New("the subscriber fell too far behind")

// frame is one event as it is sent, in a list that grows at its end. Readers
// walk along it without a lock; frames that everybody has passed are garbage.
type frame struct {
	bytes  []byte
	number uint64
	more   chan struct{} // closed when next is set
	next   *frame
}

// feed is the list's end with its readers. It is guarded by its session's lock.
type feed struct {
	last    *frame
	readers map[*reader]struct{}
}

// reader is a place in the list. Its next and more belong to one goroutine.
type reader struct {
	at     *frame
	number atomic.Uint64 // of at
	// leave ends the reader's stream.
	leave context.CancelCauseFunc
}

func (f *feed) join(leave context.CancelCauseFunc) *reader {
	if f.last == nil {
		f.last = &frame{more: make(chan struct{})}
		f.readers = make(map[*reader]struct{})
	}
	r := &reader{at: f.last, leave: leave}
	r.number.Store(f.last.number)
	f.readers[r] = struct{}{}
	return r
}

func (f *feed) part(r *reader) { delete(f.readers, r) }

func (f *feed) heard() bool { return len(f.readers) > 0 }

// add appends a frame, and sends away readers that have more than behind frames
// still to read.
func (f *feed) add(bytes []byte, behind uint64) {
	next := &frame{bytes: bytes, number: f.last.number + 1, more: make(chan struct{})}
	f.last.next = next
	close(f.last.more)
	f.last = next
	for r := range f.readers {
		if next.number-r.number.Load() > behind {
			f.part(r)
			r.leave(errBehind)
		}
	}
}

// more is closed when there is something to read.
func (r *reader) more() <-chan struct{} { return r.at.more }

// read appends what there is to read, about up to limit bytes.
func (r *reader) read(buf []byte, limit int) []byte {
	for len(buf) < limit {
		select {
		case <-r.at.more:
		default:
			return buf
		}
		r.at = r.at.next
		r.number.Store(r.at.number)
		buf = append(buf, r.at.bytes...)
	}
	return buf
}
