package text

import (
	"strconv"

	"plumbline.dev/plumbline/reference/apierror"
	"plumbline.dev/plumbline/reference/completion"
	"plumbline.dev/plumbline/reference/format"
	"plumbline.dev/plumbline/reference/format/chat"
)

// Stream writes a reply as text_completion chunks: a chunk for each piece of
// text, one with the finish reason and no more text for each choice, the usage
// chunk if it is to be shown, [DONE]. Reasoning and tool calls have no place in
// this format and are left out; the text of a refusal is text.
type Stream struct {
	prefix, suffix []byte // around the choices of every chunk
	echo           []byte
	offsets        []int // of the next token of each choice, for logprobs
}

var _ format.Encoder = (*Stream)(nil)

// NewStream makes the encoder of the reply to a request.
func NewStream(h format.Head, req *Request) *Stream {
	s := &Stream{echo: req.Echo, offsets: make([]int, max(req.Choices, 1)), suffix: []byte("]}\n\n")}
	s.prefix = append(appendHead([]byte("data: "), h), `,"choices":[`...)
	if req.IncludeUsage {
		s.suffix = []byte("],\"usage\":null}\n\n")
	}
	return s
}

func appendHead(buf []byte, h format.Head) []byte {
	buf = append(buf, `{"id":`...)
	buf = format.AppendString(buf, h.ID)
	buf = append(buf, `,"object":"text_completion","created":`...)
	buf = strconv.AppendInt(buf, h.Created, 10)
	buf = append(buf, `,"model":`...)
	return format.AppendString(buf, h.Model)
}

// Event implements [format.Encoder].
func (s *Stream) Event(buf []byte, e *completion.Event) []byte {
	switch e.Kind {
	case completion.KindRole:
		if s.echo == nil {
			return buf
		}
		return s.chunk(buf, e.Choice, s.echo, nil, "")
	case completion.KindText, completion.KindRefusal:
		return s.chunk(buf, e.Choice, e.Text, e.Logprobs, "")
	}
	return buf
}

// Finish implements [format.Encoder].
func (s *Stream) Finish(buf []byte, choice int, reason completion.FinishReason) []byte {
	return s.chunk(buf, choice, []byte(`""`), nil, textReason(reason))
}

// textReason is a finish reason in the words of this format, which knows no
// tool calls.
func textReason(reason completion.FinishReason) completion.FinishReason {
	switch reason {
	case completion.FinishToolCalls, completion.FinishFunctionCall:
		return completion.FinishStop
	}
	return reason
}

// chunk appends one event with one choice. The text is the literal that the
// model server wrote, untouched.
func (s *Stream) chunk(buf []byte, choice int, text, logprobs []byte, reason completion.FinishReason) []byte {
	buf = append(buf, s.prefix...)
	buf = append(buf, `{"index":`...)
	buf = strconv.AppendInt(buf, int64(choice), 10)
	buf = append(buf, `,"text":`...)
	buf = append(buf, text...)
	buf = append(buf, `,"logprobs":`...)
	if logprobs == nil {
		buf = append(buf, "null"...)
	} else {
		l := newLogprobs(s.offsets[choice])
		l.add(logprobs)
		s.offsets[choice] = l.offset
		buf = l.append(buf)
	}
	buf = append(buf, `,"finish_reason":`...)
	buf = format.AppendReason(buf, reason)
	buf = append(buf, '}')
	return append(buf, s.suffix...)
}

// Usage implements [format.Encoder]: the last chunk, with no choices
// ("Streaming, What to expect").
func (s *Stream) Usage(buf []byte, u completion.Usage) []byte {
	buf = append(buf, s.prefix...)
	buf = append(buf, `],"usage":`...)
	buf = format.AppendUsage(buf, u)
	return append(buf, "}\n\n"...)
}

// End implements [format.Encoder].
func (s *Stream) End(buf []byte) []byte { return append(buf, "data: [DONE]\n\n"...) }

// Fail implements [format.Encoder]: one event with the error envelope.
func (s *Stream) Fail(buf []byte, e *apierror.Error) []byte {
	buf = append(buf, "data: "...)
	buf = chat.AppendErrorObject(buf, e)
	return append(buf, "\n\n"...)
}

// Ping implements [format.Encoder]: a comment ("Streaming, What to expect").
func (s *Stream) Ping(buf []byte) []byte { return append(buf, ": ping\n\n"...) }
