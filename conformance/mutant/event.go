package mutant

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"
)

// eventLimit bounds one event of the gateway behind a mutant, in bytes.
const eventLimit = 8 << 20

// event is one event of a stream, or a comment between two.
type event struct {
	raw  string // its bytes, with the blank line
	name string // what stands behind "event: ", "" for an event without a name
	data string // what stands behind "data: ", "" for a comment
	end  bool   // no event: the stream ended as it should

	parsed *object // the data as JSON, once it was asked for
}

// splitter cuts the stream of a right gateway into its events. It need not
// cope with anything odd: what comes is ": comment" or one data line, below an
// event line or not, then a blank line.
type splitter struct{ lines *bufio.Reader }

func newSplitter(r io.Reader) *splitter { return &splitter{bufio.NewReaderSize(r, 64<<10)} }

// next returns the next event; io.EOF stands for the end of the stream.
func (s *splitter) next() (event, error) {
	var raw strings.Builder
	for {
		line, err := s.lines.ReadString('\n')
		raw.WriteString(line)
		switch {
		case raw.Len() > eventLimit:
			return event{}, fmt.Errorf("an event of more than %d bytes", eventLimit)
		case errors.Is(err, io.EOF) && raw.Len() > 0:
			return event{}, io.ErrUnexpectedEOF
		case err != nil:
			return event{}, err
		case line == "\n":
			return parse(raw.String()), nil
		}
	}
}

// parse reads the text of one event.
func parse(raw string) event {
	e := event{raw: raw, parsed: new(object)}
	lines := raw
	if name, ok := strings.CutPrefix(raw, "event: "); ok {
		e.name, lines, _ = strings.Cut(name, "\n")
	}
	if data, ok := strings.CutPrefix(lines, "data: "); ok {
		e.data = strings.TrimSuffix(data, "\n\n")
	}
	return e
}

// dataEvent makes an event of these data.
func dataEvent(data string) event { return parse("data: " + data + "\n\n") }

// chunk is the chunk that the event holds, nil if it holds none. Every call
// returns the same one: who changes it owns the event.
func (e event) chunk() object {
	if e.name != "" {
		return nil
	}
	if c := e.json(); c["object"] == "chat.completion.chunk" {
		return c
	}
	return nil
}

// json is the object that the event holds, nil if it holds none. Every call
// returns the same one.
func (e event) json() object {
	if !strings.HasPrefix(e.data, "{") {
		return nil // so is the end of a stream, which has nothing parsed
	}
	if *e.parsed == nil {
		*e.parsed = decode(e.data)
	}
	return *e.parsed
}

// Kinds of events, to tell a rewrite which of them it is about.

func isDone(e event) bool    { return e.data == "[DONE]" }
func isComment(e event) bool { return !e.end && e.data == "" }
func isError(e event) bool   { return strings.HasPrefix(e.data, `{"error"`) }
func isChunk(e event) bool   { return e.chunk() != nil }
func isFinish(e event) bool  { return e.chunk().finish() != "" }
func isUsage(e event) bool   { return e.chunk().usage() != nil }
func isText(e event) bool    { return e.chunk().text() != "" }
func isRole(e event) bool    { return e.chunk().delta()["role"] != nil }
