package main

import (
	"bytes"
	"io"
	"time"
)

// bytewise hands out one byte at each read, of a long reply only at its beginning:
// each costs a packet.
type bytewise struct {
	io.ReadCloser
	left int
}

func (b *bytewise) Read(p []byte) (int, error) {
	if b.left--; b.left >= 0 {
		p = p[:min(len(p), 1)]
	}
	return b.ReadCloser.Read(p)
}

// dripping hands out what comes in three pieces, a little apart.
type dripping struct {
	io.ReadCloser
	buf   []byte
	ready []byte
	piece int
}

func (d *dripping) Read(p []byte) (int, error) {
	if len(d.ready) == 0 {
		if d.buf == nil {
			d.buf = make([]byte, 32<<10)
		}
		n, err := d.ReadCloser.Read(d.buf)
		if n == 0 {
			return 0, err
		}
		d.ready, d.piece = d.buf[:n], n/3+1
	} else {
		time.Sleep(2 * time.Millisecond) // to be slow is what it is for
	}
	n := copy(p, d.ready[:min(len(d.ready), d.piece)])
	d.ready = d.ready[n:]
	return n, nil
}

// edited hands out each event, or comment, as edit has it.
type edited struct {
	io.ReadCloser
	edit           func(event []byte) []byte
	ready, pending []byte
	err            error
}

func (e *edited) Read(p []byte) (int, error) {
	for len(e.ready) == 0 {
		if e.err != nil {
			return 0, e.err
		}
		buf := make([]byte, 4<<10)
		var n int
		n, e.err = e.ReadCloser.Read(buf)
		e.pending = append(e.pending, buf[:n]...)
		for {
			event, rest, found := bytes.Cut(e.pending, []byte("\n\n"))
			if !found {
				break
			}
			e.ready = append(e.ready, e.edit(append(bytes.Clone(event), "\n\n"...))...)
			e.pending = rest
		}
		if e.err != nil {
			e.ready = append(e.ready, e.pending...)
		}
	}
	n := copy(p, e.ready)
	e.ready = e.ready[n:]
	return n, nil
}

// commented puts a comment before each event.
func commented(event []byte) []byte {
	return append([]byte(": a comment with words, and a colon: so\n\n"), event...)
}

// furnished puts fields into each chunk that OpenAI's API has, though seldom.
func furnished(event []byte) []byte {
	if bytes.HasPrefix(event, []byte(`data: {"error"`)) {
		return event
	}
	const fields = `data: {"service_tier":"default","system_fingerprint":"fp_44709d6fcb","obfuscation":"aQ3",`
	return bytes.Replace(event, []byte(`data: {`), []byte(fields), 1)
}

// paired hands out what comes two by two: it keeps the first of two reads back
// until the second one is there, or for a moment if there is none.
type paired struct {
	io.ReadCloser
	pieces chan []byte
	err    error // set before pieces is closed
	left   chan struct{}
	ready  []byte
}

func newPaired(body io.ReadCloser) *paired {
	p := &paired{ReadCloser: body, pieces: make(chan []byte), left: make(chan struct{})}
	go func() {
		defer close(p.pieces)
		for {
			buf := make([]byte, 4<<10)
			n, err := body.Read(buf)
			if n > 0 {
				select {
				case p.pieces <- buf[:n]:
				case <-p.left:
					return
				}
			}
			if err != nil {
				p.err = err
				return
			}
		}
	}()
	return p
}

func (p *paired) Read(into []byte) (int, error) {
	if len(p.ready) == 0 {
		first, more := <-p.pieces
		if !more {
			return 0, p.err
		}
		p.ready = first
		select {
		case second := <-p.pieces:
			p.ready = append(p.ready, second...)
		case <-time.After(15 * time.Millisecond):
		}
	}
	n := copy(into, p.ready)
	p.ready = p.ready[n:]
	return n, nil
}

func (p *paired) Close() error {
	close(p.left)
	return p.ReadCloser.Close()
}
