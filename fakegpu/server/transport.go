package server

import (
	"compress/gzip"
	"context"
	"net"
	"net/http"
	"time"

	"plumbline.dev/plumbline/fakegpu/control"
)

const byteOrderMark = "\xef\xbb\xbf"

// transport puts the bytes of a body on the wire: one write and one flush for
// each event, or as the script's framing has it.
type transport struct {
	life    context.Context
	dst     http.ResponseWriter
	rc      *http.ResponseController
	framing *control.Script
	zip     *gzip.Writer
	begun   bool // the first byte of the body has been written

	held    []byte    // what a coalescing transport has not written yet
	dueAt   time.Time // when held has to be written; zero: nothing is held
	onFlush func()    // called after each flush
}

func newTransport(ctx context.Context, w http.ResponseWriter, script *control.Script, onFlush func()) *transport {
	return &transport{life: ctx, dst: w, rc: http.NewResponseController(w), framing: script, onFlush: onFlush}
}

// head sends the response's head, at once when flush is set.
func (t *transport) head(contentType string, flush bool) error {
	h := t.dst.Header()
	h.Set("Content-Type", contentType)
	h.Set("Cache-Control", "no-cache")
	if t.framing.Gzip {
		h.Set("Content-Encoding", "gzip")
		t.zip = gzip.NewWriter(t.dst)
	}
	t.dst.WriteHeader(http.StatusOK)
	if !flush {
		return nil
	}
	return t.flush()
}

// send writes one event. It flushes behind each of the cuts, which are offsets
// into the event, waiting pause there, and behind the event.
func (t *transport) send(event []byte, cuts []int, pause time.Duration) error {
	if t.life.Err() != nil {
		return errLeft
	}
	if !t.begun {
		t.begun = true
		if t.framing.BOM {
			if err := t.mark(); err != nil {
				return err
			}
		}
	}
	switch {
	case t.framing.CoalesceMS > 0:
		return t.hold(event)
	case t.framing.ChopBytes > 0:
		return t.chop(event)
	case len(cuts) > 0:
		return t.cut(event, cuts, pause)
	}
	return t.put(event)
}

// mark writes the byte order mark, which goes with the first event.
func (t *transport) mark() error {
	if t.framing.CoalesceMS > 0 {
		return t.hold([]byte(byteOrderMark))
	}
	return t.write([]byte(byteOrderMark))
}

// put writes and flushes.
func (t *transport) put(b []byte) error {
	if err := t.write(b); err != nil {
		return err
	}
	return t.flush()
}

func (t *transport) write(b []byte) error {
	var err error
	if t.zip != nil {
		_, err = t.zip.Write(b)
	} else {
		_, err = t.dst.Write(b)
	}
	if err != nil {
		return errLeft
	}
	return nil
}

func (t *transport) flush() error {
	if t.zip != nil && t.begun {
		if err := t.zip.Flush(); err != nil {
			return errLeft
		}
	}
	if err := t.rc.Flush(); err != nil {
		return errLeft
	}
	t.onFlush()
	return nil
}

func (t *transport) chop(event []byte) error {
	for len(event) > 0 {
		n := min(t.framing.ChopBytes, len(event))
		if err := t.put(event[:n]); err != nil {
			return err
		}
		event = event[n:]
	}
	return nil
}

func (t *transport) cut(event []byte, cuts []int, pause time.Duration) error {
	from := 0
	for _, at := range cuts {
		if at <= from || at >= len(event) {
			continue
		}
		if err := t.put(event[from:at]); err != nil {
			return err
		}
		from = at
		if pause > 0 {
			if err := t.wait(pause, nil); err != nil {
				return err
			}
		}
	}
	return t.put(event[from:])
}

func (t *transport) hold(event []byte) error {
	if t.dueAt.IsZero() {
		t.dueAt = time.Now().Add(time.Duration(t.framing.CoalesceMS) * time.Millisecond)
	}
	t.held = append(t.held, event...)
	if time.Now().Before(t.dueAt) {
		return nil
	}
	return t.release()
}

// release writes what is held.
func (t *transport) release() error {
	if t.dueAt.IsZero() {
		return nil
	}
	held := t.held
	t.held, t.dueAt = t.held[:0], time.Time{}
	return t.put(held)
}

// wait waits for d (or forever), or until opened is closed. It ends at once
// when the peer leaves. Held bytes are written when they are due meanwhile.
func (t *transport) wait(d time.Duration, opened <-chan struct{}) error {
	var end time.Time
	if d != forever {
		end = time.Now().Add(d)
	}
	for {
		until := end
		if !t.dueAt.IsZero() && (until.IsZero() || t.dueAt.Before(until)) {
			until = t.dueAt
		}
		var alarm <-chan time.Time
		if !until.IsZero() {
			alarm = time.After(time.Until(until))
		}
		select {
		case <-t.life.Done():
			return errLeft
		case <-opened:
			return nil
		case <-alarm:
		}
		if !t.dueAt.IsZero() && !time.Now().Before(t.dueAt) {
			if err := t.release(); err != nil {
				return err
			}
		}
		if !end.IsZero() && !time.Now().Before(end) {
			return nil
		}
	}
}

// end completes the body; net/http writes the final chunk afterwards.
func (t *transport) end() error {
	if err := t.release(); err != nil {
		return err
	}
	if t.zip == nil {
		return nil
	}
	if err := t.zip.Close(); err != nil {
		return errLeft
	}
	return nil
}

// kill closes the connection without the final chunk, or resets it. It returns
// errFailed.
func (t *transport) kill(reset bool) error {
	if err := t.release(); err != nil {
		return err
	}
	conn, _, err := t.rc.Hijack()
	if err != nil {
		// No connection of its own (HTTP/2, a recorder): this is as near as it gets.
		panic(http.ErrAbortHandler)
	}
	if reset {
		if tls, ok := conn.(interface{ NetConn() net.Conn }); ok {
			conn = tls.NetConn()
		}
		if tcp, ok := conn.(*net.TCPConn); ok {
			// Lingering for no time turns the close into a reset. If that fails
			// the connection is gone already.
			_ = tcp.SetLinger(0)
		}
	}
	_ = conn.Close()
	return errFailed
}
