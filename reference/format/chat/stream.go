package chat

import (
	"strconv"

	"plumbline.dev/plumbline/reference/apierror"
	"plumbline.dev/plumbline/reference/completion"
	"plumbline.dev/plumbline/reference/format"
)

// Stream writes a reply as chat.completion.chunk events, as the OpenAI API
// does: a role chunk, a chunk for each piece, a finish chunk for each choice, the
// usage chunk if it was asked for, [DONE].
type Stream struct {
	prefix []byte // up to the choices
	suffix []byte // behind the choices
}

var _ format.Encoder = (*Stream)(nil)

// NewStream makes the encoder of one reply. With usage, the chunks before the
// usage chunk carry a usage of null, as OpenAI's do.
func NewStream(h format.Head, usage bool) *Stream {
	prefix := append([]byte(nil), "data: "...)
	prefix = appendHead(prefix, h, "chat.completion.chunk")
	s := &Stream{prefix: append(prefix, `,"choices":[`...)}
	if usage {
		s.suffix = []byte("],\"usage\":null}\n\n")
	} else {
		s.suffix = []byte("]}\n\n")
	}
	return s
}

func appendHead(buf []byte, h format.Head, object string) []byte {
	buf = append(buf, `{"id":`...)
	buf = format.AppendString(buf, h.ID)
	buf = append(buf, `,"object":"`...)
	buf = append(buf, object...)
	buf = append(buf, `","created":`...)
	buf = strconv.AppendInt(buf, h.Created, 10)
	buf = append(buf, `,"model":`...)
	return format.AppendString(buf, h.Model)
}

// Event implements [format.Encoder]. Reasoning has no place in OpenAI's chat
// format and is left out.
func (s *Stream) Event(buf []byte, e *completion.Event) []byte {
	switch e.Kind {
	case completion.KindRole:
		return s.chunk(buf, e.Choice, `"role":"assistant","content":""`, nil, nil, "")
	case completion.KindText:
		return s.chunk(buf, e.Choice, `"content":`, e.Text, e.Logprobs, "")
	case completion.KindRefusal:
		return s.chunk(buf, e.Choice, `"refusal":`, e.Text, e.Logprobs, "")
	case completion.KindToolCall:
		return s.chunk(buf, e.Choice, `"tool_calls":`, e.ToolCalls, e.Logprobs, "")
	default:
		return buf
	}
}

// Finish implements [format.Encoder].
func (s *Stream) Finish(buf []byte, choice int, reason completion.FinishReason) []byte {
	return s.chunk(buf, choice, "", nil, nil, reason)
}

// chunk appends one event with one choice. The delta's text is the JSON that
// the model server wrote, untouched.
func (s *Stream) chunk(buf []byte, choice int, delta string, text, logprobs []byte, reason completion.FinishReason) []byte {
	buf = append(buf, s.prefix...)
	buf = append(buf, `{"index":`...)
	buf = strconv.AppendInt(buf, int64(choice), 10)
	buf = append(buf, `,"delta":{`...)
	buf = append(buf, delta...)
	buf = append(buf, text...)
	buf = append(buf, `},"logprobs":`...)
	if logprobs == nil {
		buf = append(buf, "null"...)
	} else {
		buf = append(buf, logprobs...)
	}
	buf = append(buf, `,"finish_reason":`...)
	buf = format.AppendReason(buf, reason)
	buf = append(buf, '}')
	return append(buf, s.suffix...)
}

// Usage implements [format.Encoder]: the last chunk, with no choices
// ("Stream responses, Stream with an SDK").
func (s *Stream) Usage(buf []byte, u completion.Usage) []byte {
	buf = append(buf, s.prefix...)
	buf = append(buf, `],"usage":`...)
	buf = format.AppendUsage(buf, u)
	return append(buf, "}\n\n"...)
}

// End implements [format.Encoder].
func (s *Stream) End(buf []byte) []byte { return append(buf, "data: [DONE]\n\n"...) }

// Fail implements [format.Encoder]: one event with an error envelope
// ("Stream responses, Know when a reply is complete").
func (s *Stream) Fail(buf []byte, e *apierror.Error) []byte {
	buf = append(buf, "data: "...)
	buf = AppendErrorObject(buf, e)
	return append(buf, "\n\n"...)
}

// Ping implements [format.Encoder] ("Stream responses, Proxies and timeouts").
func (s *Stream) Ping(buf []byte) []byte { return append(buf, ": ping\n\n"...) }
