package check

import (
	"bytes"
	"iter"
	"unicode/utf8"

	"plumbline.dev/plumbline/conformance/wire"
)

// LFOnly: every line ends with LF.
func (c *Chat) LFOnly() []Finding {
	n := c.notes("LFOnly")
	for _, l := range c.Stream.Lines {
		if l.Ending == "\r" || l.Ending == "\r\n" {
			n.at(l.Offset+len(l.Text), l.Number, "a line that ends with LF", "it ends with "+l.Ending)
		}
	}
	return n.found
}

// EventsTerminated: a blank line ends every event, also the last one, and no
// line is left without its end.
func (c *Chat) EventsTerminated() []Finding {
	n := c.notes("EventsTerminated")
	if tail := c.Stream.Tail; len(tail) > 0 && !c.leftEarly() {
		n.at(len(c.Transcript.Body)-len(tail), 0, "a blank line after the last event", show(tail))
	}
	return n.found
}

// DataSpace: a data line begins with "data: ", with one space.
func (c *Chat) DataSpace() []Finding {
	n := c.notes("DataSpace")
	for l, f := range c.fields() {
		if f.Name == "data" && f.Colon && (!f.Space || bytes.HasPrefix(f.Value, []byte(" "))) {
			n.at(l.Offset, l.Number, "a line that begins with 'data: ', with one space", show(l.Text))
		}
	}
	return n.found
}

// OneDataLine: an event has one data line.
func (c *Chat) OneDataLine() []Finding {
	n := c.notes("OneDataLine")
	for i, e := range c.Stream.Events {
		lines := 0
		for _, f := range e.Fields {
			if f.Name == "data" {
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
func (c *Chat) UnnamedEvents() []Finding {
	n := c.notes("UnnamedEvents")
	for l, f := range c.fields() {
		if f.Name == "event" && f.Colon {
			n.at(l.Offset, l.Number, "an event without a name", show(l.Text))
		}
	}
	return n.found
}

// OnlyComments: every line that is neither data nor the name of an event is a
// comment: no id, no retry, no unknown field, no bare text.
func (c *Chat) OnlyComments() []Finding {
	n := c.notes("OnlyComments")
	for l, f := range c.fields() {
		if !f.Colon || f.Name != "data" && f.Name != "event" {
			n.at(l.Offset, l.Number, "a data line, or a comment that begins with a colon", show(l.Text))
		}
	}
	return n.found
}

// CommentsBetweenEvents: a comment stands between events, never inside one.
func (c *Chat) CommentsBetweenEvents() []Finding {
	n := c.notes("CommentsBetweenEvents")
	for _, k := range c.Stream.Comments {
		if k.InsideEvent {
			n.at(k.Offset, k.Line, "a comment between two events", "inside an event: "+k.Text)
		}
	}
	return n.found
}

// UTF8: the body is valid UTF-8.
func (c *Chat) UTF8() []Finding {
	n := c.notes("UTF8")
	if utf8.Valid(c.Transcript.Body) {
		return nil
	}
	for _, l := range c.Stream.Lines {
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
func (c *Chat) NoBOM() []Finding {
	n := c.notes("NoBOM")
	if c.Stream.BOM {
		n.at(0, 1, "no byte order mark", "\uFEFF")
	}
	return n.found
}

// leftEarly tells that we ended the body ourselves, so that what is missing
// at its end is nobody's fault.
func (c *Chat) leftEarly() bool { return c.Transcript.End == wire.EndLeft }

// fields ranges over the field lines. A line that the body left unfinished is
// not among them: what it would have become is unknown.
func (c *Chat) fields() iter.Seq2[wire.Line, wire.Field] {
	return func(yield func(wire.Line, wire.Field) bool) {
		for _, e := range c.Stream.Events {
			for _, f := range e.Fields {
				l := c.Stream.Lines[f.Line-1]
				if l.Ending != "" && !yield(l, f) {
					return
				}
			}
		}
	}
}
