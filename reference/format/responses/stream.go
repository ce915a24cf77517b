package responses

import (
	"strconv"
	"time"

	"plumbline.dev/plumbline/reference/apierror"
	"plumbline.dev/plumbline/reference/completion"
	"plumbline.dev/plumbline/reference/format"
	"plumbline.dev/plumbline/reference/format/block"
)

// Stream writes a reply as Responses events: response.created, in_progress; for
// each item output_item.added, its parts with their deltas, output_item.done;
// then response.completed, incomplete or failed. Every event has the next
// sequence number.
type Stream struct {
	response
	now     func() time.Time
	next    int64 // sequence number
	created bool
	blocks  *block.Sequence
	// item is the one under way; delta is its delta event up to the text, place
	// where its part stands.
	item         *item
	delta, place []byte
}

var (
	_ format.Encoder = (*Stream)(nil)
	_ block.Writer   = (*Stream)(nil)
)

// NewStream makes the encoder of the reply to a request.
func NewStream(h format.Head, req *Request, now func() time.Time) *Stream {
	s := &Stream{response: newResponse(h, req), now: now}
	s.blocks = block.NewSequence(s, true)
	return s
}

// event appends the beginning of an event, up to its own members.
func (s *Stream) event(buf []byte, kind string) []byte {
	buf = append(append(buf, "event: "...), kind...)
	buf = append(append(buf, "\ndata: {\"type\":\""...), kind...)
	return s.number(append(buf, `","sequence_number":`...))
}

func (s *Stream) number(buf []byte) []byte {
	buf = strconv.AppendInt(buf, s.next, 10)
	s.next++
	return buf
}

const endOfEvent = "}\n\n"

// state appends an event with the whole response.
func (s *Stream) state(buf []byte, kind, status string) []byte {
	buf = s.event(buf, "response."+kind)
	buf = s.append(append(buf, `,"response":`...), status)
	return append(buf, endOfEvent...)
}

// create appends the events with which every stream begins, once.
func (s *Stream) create(buf []byte) []byte {
	if s.created {
		return buf
	}
	s.created = true
	buf = s.state(buf, "created", inProgress)
	return s.state(buf, "in_progress", inProgress)
}

// Event implements [format.Encoder].
func (s *Stream) Event(buf []byte, e *completion.Event) []byte {
	return s.blocks.Event(s.create(buf), e)
}

// Finish implements [format.Encoder].
func (s *Stream) Finish(buf []byte, _ int, reason completion.FinishReason) []byte {
	s.reason = reason
	return buf
}

// Usage implements [format.Encoder]; what it says is written by End.
func (s *Stream) Usage(buf []byte, u completion.Usage) []byte {
	s.usage = &u
	return buf
}

// End implements [format.Encoder] ("Streaming, What to expect": completed, or
// incomplete at the output limit; no [DONE]).
func (s *Stream) End(buf []byte) []byte {
	s.done = s.now().Unix()
	buf = s.blocks.End(s.blank(s.create(buf), s.blocks))
	buf = s.endItem(buf)
	if status := s.status(); status != completed {
		return s.state(buf, status, status)
	}
	return s.state(buf, completed, completed)
}

// Fail implements [format.Encoder]: response.failed, after which nothing comes
// ("Streaming, What to expect").
func (s *Stream) Fail(buf []byte, e *apierror.Error) []byte {
	buf = s.create(buf)
	s.failure = e
	return s.state(buf, failed, failed)
}

// Ping implements [format.Encoder]: a comment ("Streaming, What to expect").
func (s *Stream) Ping(buf []byte) []byte { return append(buf, ": ping\n\n"...) }
