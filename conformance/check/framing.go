package check

import (
	"bytes"
	"iter"
	"unicode/utf8"

	"plumbline.dev/plumbline/conformance/wire"
)

// LFOnly: every line ends with LF.
func (f *Framed) LFOnly() []Finding {
	n := f.notes("LFOnly")
	for _, l := range f.Stream.Lines {
		if l.Ending == "\r" || l.Ending == "\r\n" {
			n.at(l.Offset+len(l.Text), l.Number, "a line that ends with LF", "it ends with "+l.Ending)
		}
	}
	return n.found
}

// EventsTerminated: a blank line ends every event, also the last one, and no
// line is left without its end.
func (f *Framed) EventsTerminated() []Finding {
	n := f.notes("EventsTerminated")
	if tail := f.Stream.Tail; len(tail) > 0 && !f.leftEarly() {
		n.at(len(f.Transcript.Body)-len(tail), 0, "a blank line after the last event", show(tail))
	}
	return n.found
}

// DataSpace: a data line begins with "data: ", with one space.
func (f *Framed) DataSpace() []Finding {
	n := f.notes("DataSpace")
	for l, field := range f.fields() {
		if field.Name == "data" && field.Colon && (!field.Space || bytes.HasPrefix(field.Value, []byte(" "))) {
			n.at(l.Offset, l.Number, "a line that begins with 'data: ', with one space", show(l.Text))
		}
	}
	return n.found
}

// OneDataLine: an event has one data line.
func (f *Framed) OneDataLine() []Finding {
	n := f.notes("OneDataLine")
	for i, e := range f.Stream.Events {
		lines := 0
		for _, field := range e.Fields {
			if field.Name == "data" {
				lines++
			}
		}
		if lines > 1 {
			n.event(i, "one data line in an event", show(e.Data))
		}
	}
	return n.found
}

// DataJSON: the data of an event is one whole JSON object, or exactly [DONE].
func (c *Chat) DataJSON() []Finding {
	n := c.notes("DataJSON")
	for _, i := range c.Broken {
		what := show(c.Stream.Events[i].Data)
		if what == "" {
			what = "empty data"
		}
		n.event(i, "one JSON object or [DONE]", what)
	}
	return n.found
}

// UnnamedEvents: no line names an event.
func (f *Framed) UnnamedEvents() []Finding {
	n := f.notes("UnnamedEvents")
	for l, field := range f.fields() {
		if field.Name == "event" && field.Colon {
			n.at(l.Offset, l.Number, "an event without a name", show(l.Text))
		}
	}
	return n.found
}

// OnlyComments: every line that is neither data nor the name of an event is a
// comment: no id, no retry, no unknown field, no bare text.
func (f *Framed) OnlyComments() []Finding {
	n := f.notes("OnlyComments")
	for l, field := range f.fields() {
		if !field.Colon || field.Name != "data" && field.Name != "event" {
			n.at(l.Offset, l.Number, "a data line, or a comment that begins with a colon", show(l.Text))
		}
	}
	return n.found
}

// CommentsBetweenEvents: a comment stands between events, never inside one.
func (f *Framed) CommentsBetweenEvents() []Finding {
	n := f.notes("CommentsBetweenEvents")
	for _, k := range f.Stream.Comments {
		if k.InsideEvent {
			n.at(k.Offset, k.Line, "a comment between two events", "inside an event: "+k.Text)
		}
	}
	return n.found
}

// UTF8: the body is valid UTF-8.
func (f *Framed) UTF8() []Finding {
	n := f.notes("UTF8")
	if utf8.Valid(f.Transcript.Body) {
		return nil
	}
	for _, l := range f.Stream.Lines {
		for i := 0; i < len(l.Text); {
			_, size := utf8.DecodeRune(l.Text[i:])
			if size == 1 && l.Text[i] >= utf8.RuneSelf {
				n.at(l.Offset+i, l.Number, "valid UTF-8", string(l.Text[max(0, i-20):min(len(l.Text), i+20)]))
				break
			}
			i += size
		}
	}
	return n.found
}

// NoBOM: no byte order mark stands before the first event.
func (f *Framed) NoBOM() []Finding {
	n := f.notes("NoBOM")
	if f.Stream.BOM {
		n.at(0, 1, "no byte order mark", "\uFEFF")
	}
	return n.found
}

// leftEarly tells that we ended the body ourselves, so that what is missing
// at its end is nobody's fault.
func (f *Framed) leftEarly() bool { return f.Transcript.End == wire.EndLeft }

// fields ranges over the field lines. A line that the body left unfinished is
// not among them: what it would have become is unknown.
func (f *Framed) fields() iter.Seq2[wire.Line, wire.Field] {
	return func(yield func(wire.Line, wire.Field) bool) {
		for _, e := range f.Stream.Events {
			for _, field := range e.Fields {
				l := f.Stream.Lines[field.Line-1]
				if l.Ending != "" && !yield(l, field) {
					return
				}
			}
		}
	}
}
