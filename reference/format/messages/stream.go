package messages

import (
	"strconv"

	"plumbline.dev/plumbline/reference/apierror"
	"plumbline.dev/plumbline/reference/completion"
	"plumbline.dev/plumbline/reference/format"
	"plumbline.dev/plumbline/reference/format/block"
)

// Stream writes a reply as Messages events: message_start; for each block
// content_block_start, its deltas, content_block_stop; message_delta;
// message_stop. A ping may stand anywhere after message_start.
type Stream struct {
	head    format.Head
	started bool
	blocks  *block.Sequence
	delta   []byte // the open block's delta event up to its text
	outcome outcome
}

var (
	_ format.Encoder = (*Stream)(nil)
	_ block.Writer   = (*Stream)(nil)
)

// NewStream makes the encoder of one reply.
func NewStream(h format.Head) *Stream {
	s := &Stream{head: h}
	s.blocks = block.NewSequence(s, false)
	return s
}

// start appends message_start, once.
func (s *Stream) start(buf []byte) []byte {
	if s.started {
		return buf
	}
	s.started = true
	buf = append(buf, "event: message_start\ndata: {\"type\":\"message_start\",\"message\":"...)
	buf = appendMessage(buf, s.head)
	buf = append(buf, `],"stop_reason":null,"stop_sequence":null,"usage":`...)
	buf = appendUsage(buf, completion.Usage{})
	return append(buf, "}}\n\n"...)
}

// Event implements [format.Encoder].
func (s *Stream) Event(buf []byte, e *completion.Event) []byte {
	buf = s.start(buf)
	if e.Kind == completion.KindStopSequence {
		s.outcome.stop = append([]byte(nil), e.Text...)
		return buf
	}
	return s.blocks.Event(buf, e)
}

// Open implements [block.Writer].
func (s *Stream) Open(buf []byte, b *block.Block) []byte {
	index := strconv.Itoa(b.Index)
	kind := `"text_delta","text":"`
	switch b.Kind {
	case block.Reasoning:
		kind = `"thinking_delta","thinking":"`
	case block.Call:
		kind = `"input_json_delta","partial_json":"`
	}
	s.delta = append(s.delta[:0], "event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":"+index+`,"delta":{"type":`+kind...)
	buf = append(buf, "event: content_block_start\ndata: {\"type\":\"content_block_start\",\"index\":"+index+`,"content_block":`...)
	buf = appendBlock(buf, s.head, b, nil)
	return append(buf, "}\n\n"...)
}

// Delta implements [block.Writer].
func (s *Stream) Delta(buf []byte, _ *block.Block, inside []byte, _ [][]byte) []byte {
	if len(inside) == 0 { // logprobs alone, for which there is no place
		return buf
	}
	buf = append(buf, s.delta...)
	buf = append(buf, inside...)
	return append(buf, "\"}}\n\n"...)
}

// Close implements [block.Writer].
func (s *Stream) Close(buf []byte, b *block.Block) []byte {
	buf = append(buf, "event: content_block_stop\ndata: {\"type\":\"content_block_stop\",\"index\":"...)
	buf = strconv.AppendInt(buf, int64(b.Index), 10)
	return append(buf, "}\n\n"...)
}

// Finish implements [format.Encoder].
func (s *Stream) Finish(buf []byte, _ int, reason completion.FinishReason) []byte {
	s.outcome.reason = reason
	return buf
}

// Usage implements [format.Encoder]; what it says is written by End.
func (s *Stream) Usage(buf []byte, u completion.Usage) []byte {
	s.outcome.usage = u
	return buf
}

// End implements [format.Encoder] ("Streaming, What to expect": message_delta
// and message_stop, no [DONE]).
func (s *Stream) End(buf []byte) []byte {
	buf = s.blocks.End(s.start(buf))
	buf = append(buf, "event: message_delta\ndata: {\"type\":\"message_delta\",\"delta\":{"...)
	buf = s.outcome.appendStop(buf, s.blocks.Blocks())
	buf = append(buf, `},"usage":`...)
	buf = appendUsage(buf, s.outcome.usage)
	return append(buf, "}\n\nevent: message_stop\ndata: {\"type\":\"message_stop\"}\n\n"...)
}

// Fail implements [format.Encoder]: an error event, after which nothing comes
// ("Streaming, What to expect").
func (s *Stream) Fail(buf []byte, e *apierror.Error) []byte {
	buf = append(buf, "event: error\ndata: "...)
	buf = appendError(buf, e, s.head.ID)
	return append(buf, "\n\n"...)
}

// Ping implements [format.Encoder]: a ping event ("Streaming, What to expect"),
// behind message_start, which every client expects first.
func (s *Stream) Ping(buf []byte) []byte {
	return append(s.start(buf), "event: ping\ndata: {\"type\":\"ping\"}\n\n"...)
}
