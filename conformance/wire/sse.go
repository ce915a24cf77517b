package wire

import "bytes"

// Stream is a body of server-sent events with everything that stood in it.
// Offsets are bytes of the body, lines count from 1.
type Stream struct {
	Lines    []Line
	Events   []Event
	Comments []Comment
	// BOM tells that a byte order mark stood before the first line.
	BOM bool
	// Tail is what the body left unfinished: from the start of the event that no
	// blank line ended, or else of the line that no line end ended.
	Tail []byte
}

// Line is one line of the body.
type Line struct {
	Number int
	Offset int    // of its first byte, behind any byte order mark
	End    int    // behind its line end
	Text   []byte // without the line end
	Ending string // "\n", "\r\n", "\r", or "" where the body ended first
}

// Event is a block of field lines. A block of comments alone is none.
type Event struct {
	Offset int // of its first field line
	End    int // behind the blank line that ends it
	Line   int // of its first field line
	Name   string
	Data   []byte // the values of its data lines, joined by LF
	Fields []Field
	// Terminated tells that a blank line ended it. A reader drops an event
	// without one.
	Terminated bool
	// Dispatched tells that an EventSource would hand it to the page: it is
	// terminated and has at least one data line.
	Dispatched bool
}

// Field is one line of an event that is not a comment.
type Field struct {
	Name  string
	Value []byte // without the one space that may follow the colon
	Line  int
	Colon bool // false on a bare name
	Space bool // one space followed the colon
}

// Comment is a line that begins with a colon.
type Comment struct {
	Line   int
	Offset int
	End    int    // behind its line end
	Text   string // behind the colon, less one space
	// InsideEvent tells that a field of an event not yet ended stands before it.
	InsideEvent bool
}

// Parse reads a whole body. The Stream shares its memory.
func Parse(body []byte) *Stream {
	var p Parser
	p.extend(body)
	p.Close()
	return p.Stream()
}

// Parser reads a body that comes in pieces; the result is the same however it
// was cut. Its zero value is ready. It keeps the whole body.
type Parser struct {
	body   []byte
	start  int // of the line being read
	lf, cr scanner
	begun  bool // the place of a byte order mark is behind us
	closed bool

	stream Stream
	open   Event // the event being read
	inside bool  // it has a field
}

// Feed reads the next piece and returns the events that it ended. A line that
// ends with CR is complete only with the byte behind it.
func (p *Parser) Feed(piece []byte) []Event {
	seen := len(p.stream.Events)
	p.extend(append(p.body, piece...))
	return p.Stream().Events[seen:]
}

// Close says that the body is over; what stands unfinished becomes visible.
func (p *Parser) Close() {
	if p.closed {
		return
	}
	p.closed = true
	p.scan()
	tail := p.start
	if p.start < len(p.body) {
		p.line(len(p.body), "")
	}
	if p.inside {
		tail = p.open.Offset
		p.finish(len(p.body))
	}
	if tail < len(p.body) {
		p.stream.Tail = p.body[tail:]
	}
}

// Stream returns what has been read up to now. It stays as it is while the
// Parser reads on.
func (p *Parser) Stream() *Stream {
	s := p.stream
	s.Lines = s.Lines[:len(s.Lines):len(s.Lines)]
	s.Events = s.Events[:len(s.Events):len(s.Events)]
	s.Comments = s.Comments[:len(s.Comments):len(s.Comments)]
	return &s
}

// extend reads on in body, which begins with all that was read before.
func (p *Parser) extend(body []byte) {
	p.body = body
	p.scan()
}

// pending is the length of the line being read.
func (p *Parser) pending() int { return len(p.body) - p.start }

var bom = []byte("\xef\xbb\xbf")

// scan reads every line that is complete.
func (p *Parser) scan() {
	if !p.begun {
		if len(p.body) < len(bom) && bytes.HasPrefix(bom, p.body) && !p.closed {
			return
		}
		p.begun = true
		if bytes.HasPrefix(p.body, bom) {
			p.stream.BOM = true
			p.start = len(bom)
		}
	}
	for p.start < len(p.body) {
		lf := p.lf.next(p.body, '\n', p.start)
		cr := p.cr.next(p.body, '\r', p.start)
		switch {
		case lf < cr:
			p.line(lf, "\n")
		case cr == len(p.body):
			return
		case cr+1 == len(p.body) && !p.closed:
			return // an LF may follow
		case cr+1 == lf && lf < len(p.body):
			p.line(cr, "\r\n")
		default:
			p.line(cr, "\r")
		}
	}
}

// scanner finds the next place of a byte, looking at each byte once only.
type scanner struct {
	found bool
	at    int // of the byte found; without one, how far we have looked
}

// next returns the first place of c in body from position from on, or
// len(body). From never decreases and body only grows.
func (s *scanner) next(body []byte, c byte, from int) int {
	if s.found && s.at >= from {
		return s.at
	}
	from = max(from, s.at)
	i := bytes.IndexByte(body[from:], c)
	s.found = i >= 0
	if s.found {
		s.at = from + i
	} else {
		s.at = len(body)
	}
	return s.at
}

// line takes the line that ends before end with this line end.
func (p *Parser) line(end int, ending string) {
	l := Line{
		Number: len(p.stream.Lines) + 1, Offset: p.start, End: end + len(ending),
		Text: p.body[p.start:end:end], Ending: ending,
	}
	p.start = l.End
	p.stream.Lines = append(p.stream.Lines, l)
	switch {
	case len(l.Text) == 0:
		p.dispatch(l.End)
	case l.Text[0] == ':':
		p.stream.Comments = append(p.stream.Comments, Comment{
			Line: l.Number, Offset: l.Offset, End: l.End,
			Text: string(bytes.TrimPrefix(l.Text[1:], []byte(" "))), InsideEvent: p.inside,
		})
	default:
		p.field(l)
	}
}

// field adds a field line to the event being read.
func (p *Parser) field(l Line) {
	if !p.inside {
		p.inside = true
		p.open = Event{Offset: l.Offset, Line: l.Number}
	}
	name, value, colon := bytes.Cut(l.Text, []byte(":"))
	trimmed := bytes.TrimPrefix(value, []byte(" "))
	f := Field{
		Name: string(name), Value: trimmed, Line: l.Number,
		Colon: colon, Space: len(trimmed) < len(value),
	}
	p.open.Fields = append(p.open.Fields, f)
	if f.Name == "event" {
		p.open.Name = string(f.Value)
	}
}

// dispatch ends the event being read, if there is one, before offset end.
func (p *Parser) dispatch(end int) {
	if !p.inside {
		return
	}
	p.open.Terminated = true
	p.finish(end)
}

// finish files the event being read, which ends before offset end.
func (p *Parser) finish(end int) {
	e := p.open
	p.open, p.inside = Event{}, false
	e.End = end
	var lines [][]byte
	for _, f := range e.Fields {
		if f.Name == "data" {
			lines = append(lines, f.Value)
		}
	}
	// One data line is the rule, and shares the memory of the body.
	if len(lines) == 1 {
		e.Data = lines[0]
	} else {
		e.Data = bytes.Join(lines, []byte("\n"))
	}
	e.Dispatched = e.Terminated && len(lines) > 0
	p.stream.Events = append(p.stream.Events, e)
}
