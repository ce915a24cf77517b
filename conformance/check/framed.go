package check

import "plumbline.dev/plumbline/conformance/wire"

// Framed is a stream of server-sent events in any format: what its head and its
// bytes are, whatever the events say.
type Framed struct {
	Transcript *wire.Transcript
	Stream     *wire.Stream
	Ask        Ask
}

// ParseFramed finds the events of a stream in any format.
func ParseFramed(t *wire.Transcript, ask Ask) *Framed {
	f := parseFramed(t, ask)
	return &f
}

// parseFramed finds the events. A body packed with gzip is judged unpacked.
func parseFramed(t *wire.Transcript, ask Ask) Framed {
	t = t.Decoded()
	return Framed{Transcript: t, Stream: wire.Parse(t.Body), Ask: ask}
}

// notes begins the findings of the rule of this name.
func (f *Framed) notes(rule string) *eventNotes {
	return &eventNotes{notes{rule: rule, t: f.Transcript, keys: f.Ask.Keys}, f.Stream}
}

// eventNotes are notes that know the events.
type eventNotes struct {
	notes
	stream *wire.Stream
}

// event notes a finding at the event with this index.
func (n *eventNotes) event(i int, expected, seen string) {
	e := n.stream.Events[i]
	n.at(e.Offset, e.Line, expected, seen)
}
