package modelserver

import (
	"bytes"
	"errors"
	"io"
)

// scanner splits a body into server-sent events by the rules of the HTML
// standard: lines end with LF, CR LF or CR; a leading byte order mark is
// dropped; comments and unknown fields are ignored; an event that no blank
// line ends is discarded.
type scanner struct {
	r   io.Reader
	max int // bytes of one line, and of the data of one event

	buf        []byte
	start, end int // the bytes read and not yet taken
	scanned    int // up to where no line end was found
	begun      bool
	skipLF     bool // the latest line ended with CR: a LF belongs to it
	err        error

	data    []byte // of the event under way
	hasData bool
	isError bool // its name is "error"
}

// Most streams are slow and their lines short: a buffer begins small, and grows
// for a server that fills it or for a line that needs it.
const (
	firstBuffer = 1 << 10
	fastBuffer  = 16 << 10
	keepBuffer  = 64 << 10
)

var (
	errTooLong  = errors.New("line too long")
	errNeedMore = errors.New("no whole event is buffered")
)

var (
	fieldData  = []byte("data")
	fieldEvent = []byte("event")
	nameError  = []byte("error")
	bom        = []byte("\xEF\xBB\xBF")
)

// next returns the data of the next event, valid until the next call, and
// whether the event is named "error". With wait false it never reads, and
// returns errNeedMore instead. At the end of the body it returns io.EOF.
func (s *scanner) next(wait bool) (data []byte, isError bool, err error) {
	if !s.hasData { // the event that the previous call returned is done with
		if cap(s.data) > keepBuffer {
			s.data = nil
		}
		s.data = s.data[:0]
	}
	for {
		line, ok := s.line()
		if !ok {
			switch {
			case s.end-s.start > s.max:
				return nil, false, errTooLong
			case s.err != nil:
				return nil, false, s.err
			case !wait:
				return nil, false, errNeedMore
			}
			s.fill()
			continue
		}
		if len(line) > s.max {
			return nil, false, errTooLong
		}
		if len(line) == 0 {
			if s.hasData {
				isError = s.isError
				s.hasData, s.isError = false, false
				return s.data, isError, nil
			}
			s.isError = false
			continue
		}
		if err := s.field(line); err != nil {
			return nil, false, err
		}
	}
}

// field takes one line that is not blank into the event under way.
func (s *scanner) field(line []byte) error {
	name, value, _ := bytes.Cut(line, []byte{':'})
	if len(value) > 0 && value[0] == ' ' {
		value = value[1:]
	}
	switch {
	case bytes.Equal(name, fieldData):
		if s.hasData {
			s.data = append(s.data, '\n')
		}
		s.data = append(s.data, value...)
		s.hasData = true
		if len(s.data) > s.max {
			return errTooLong
		}
	case bytes.Equal(name, fieldEvent):
		s.isError = bytes.Equal(value, nameError)
	}
	return nil
}

// line takes the next whole line from the buffer, without its end.
func (s *scanner) line() ([]byte, bool) {
	if s.skipLF && s.start < s.end {
		if s.buf[s.start] == '\n' {
			s.start++
		}
		s.skipLF = false
	}
	if !s.begun {
		head := s.buf[s.start:min(s.end, s.start+len(bom))]
		if len(head) < len(bom) && bytes.HasPrefix(bom, head) && s.err == nil {
			return nil, false // too few bytes to tell
		}
		if bytes.Equal(head, bom) {
			s.start += len(bom)
		}
		s.begun = true
	}
	from := max(s.scanned, s.start)
	rest := s.buf[from:s.end]
	at := bytes.IndexByte(rest, '\n')
	if at >= 0 {
		rest = rest[:at]
	}
	if cr := bytes.IndexByte(rest, '\r'); cr >= 0 {
		at = cr
	}
	if at < 0 {
		s.scanned = s.end
		return nil, false
	}
	line := s.buf[s.start : from+at]
	s.skipLF = s.buf[from+at] == '\r'
	s.start = from + at + 1
	s.scanned = s.start
	return line, true
}

// fill reads once. The transport's error is kept for when the bytes that came
// with it are used up.
func (s *scanner) fill() {
	if s.start == s.end {
		filled := s.end == len(s.buf)
		s.start, s.end, s.scanned = 0, 0, 0
		switch {
		case len(s.buf) > keepBuffer:
			s.buf = nil
		case filled && s.buf != nil && len(s.buf) < fastBuffer:
			s.buf = make([]byte, 2*len(s.buf))
		}
	}
	switch {
	case s.buf == nil:
		s.buf = make([]byte, firstBuffer)
	case s.end == len(s.buf) && s.start > 0:
		copy(s.buf, s.buf[s.start:s.end])
		s.end -= s.start
		s.scanned -= s.start
		s.start = 0
	case s.end == len(s.buf):
		grown := make([]byte, 2*len(s.buf))
		copy(grown, s.buf)
		s.buf = grown
	}
	for range 100 { // as bufio: a reader that keeps returning nothing is broken
		n, err := s.r.Read(s.buf[s.end:])
		s.end += n
		if err != nil {
			s.err = err
			return
		}
		if n > 0 {
			return
		}
	}
	s.err = io.ErrNoProgress
}
