package check

import (
	"time"

	"plumbline.dev/plumbline/conformance/wire"
)

// Named is a stream of named events, as Responses and Messages send, taken
// apart but not judged.
type Named struct {
	Framed

	Events []NamedEvent // the events that hold one JSON object
	Dones  []int        // the events, by index into Stream.Events, that are [DONE]
	Broken []int        // the events whose data is neither JSON object nor [DONE]
}

// NamedEvent is one event with a JSON object.
type NamedEvent struct {
	Event int // index into Stream.Events
	At    time.Duration
	Name  string // of the line "event:", "" without one
	Type  string // of the data
	Raw   []byte

	object object
}

func parseNamed(t *wire.Transcript, ask Ask) Named {
	n := Named{Framed: parseFramed(t, ask)}
	for i, e := range n.Stream.Events {
		if !e.Dispatched {
			continue
		}
		if string(e.Data) == "[DONE]" {
			n.Dones = append(n.Dones, i)
			continue
		}
		o, ok := parseObject(e.Data)
		if !ok {
			n.Broken = append(n.Broken, i)
			continue
		}
		event := NamedEvent{Event: i, At: n.Transcript.EventAt(e), Type: text(o.get("type")), Raw: e.Data, object: o}
		for _, f := range e.Fields {
			if f.Name == "event" {
				event.Name = string(f.Value)
			}
		}
		n.Events = append(n.Events, event)
	}
	return n
}

// HasEvents: the reply has at least one event. What every event must hold is
// judged by other rules, and would hold of none.
func (s *Named) HasEvents() []Finding {
	n := s.notes("HasEvents")
	if len(s.Events) == 0 {
		n.end("at least one event", "none")
	}
	return n.found
}

// EventJSON: the data of an event is one whole JSON object, on one line.
func (s *Named) EventJSON() []Finding {
	n := s.notes("EventJSON")
	for _, i := range s.Broken {
		what := show(s.Stream.Events[i].Data)
		if what == "" {
			what = "empty data"
		}
		n.event(i, "one JSON object", what)
	}
	return n.found
}

// EventNames: each event has a name, which is the type of its data. The SDKs of
// Anthropic drop an event without a name, and say nothing.
func (s *Named) EventNames() []Finding {
	n := s.notes("EventNames")
	for _, e := range s.Events {
		switch {
		case e.Type == "":
			n.event(e.Event, "a type in the data of each event", "type "+seen(e.object.get("type")))
		case e.Name == "":
			n.event(e.Event, "a line event: "+e.Type, "no name")
		case e.Name != e.Type:
			n.event(e.Event, "a line event: "+e.Type, "event: "+e.Name)
		}
	}
	return n.found
}

// NoDoneMarker: [DONE] belongs to chat and text completions alone.
func (s *Named) NoDoneMarker() []Finding {
	n := s.notes("NoDoneMarker")
	for _, i := range s.Dones {
		n.event(i, "no [DONE] in this format", "[DONE]")
	}
	return n.found
}

// nothingAfter notes whatever follows the event with this index but [DONE],
// which has a rule of its own.
func (s *Named) nothingAfter(n *eventNotes, last int, what string) {
	end := s.Stream.Events[last].End
	for i := last + 1; i < len(s.Stream.Events); i++ {
		e := s.Stream.Events[i]
		if string(e.Data) != "[DONE]" {
			n.event(i, "nothing but the end of the body after "+what, show(s.Transcript.Body[e.Offset:e.End]))
		}
	}
	for _, k := range s.Stream.Comments {
		if k.Offset >= end {
			n.at(k.Offset, k.Line, "nothing but the end of the body after "+what, "a comment: "+k.Text)
		}
	}
}

// fieldsOf judges that each event has the fields of its type.
func (s *Named) fieldsOf(n *eventNotes, types map[string][]field) {
	for _, e := range s.Events {
		breaks(e.object, types[e.Type], func(expected, seen string) {
			n.event(e.Event, e.Type+" with "+expected, seen)
		})
	}
}

// last is the place of the last event, where what is missing at the end shows.
func (s *Named) last(n *eventNotes, expected, seen string) {
	if len(s.Events) == 0 {
		n.end(expected, seen)
		return
	}
	n.event(s.Events[len(s.Events)-1].Event, expected, seen)
}
