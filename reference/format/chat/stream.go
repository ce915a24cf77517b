package chat

import (
	"encoding/json"
	"strconv"

	"plumbline.dev/plumbline/reference/apierror"
	"plumbline.dev/plumbline/reference/completion"
	"plumbline.dev/plumbline/reference/format"
)

// Head is what stands on every chunk of a reply.
type Head struct {
	ID      string // chatcmpl- and 24 lower-case hexadecimal digits
	Model   string
	Created int64 // Unix seconds
}

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
func NewStream(h Head, usage bool) *Stream {
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

func appendHead(buf []byte, h Head, object string) []byte {
	buf = append(buf, `{"id":`...)
	buf = appendLiteral(buf, h.ID)
	buf = append(buf, `,"object":"`...)
	buf = append(buf, object...)
	buf = append(buf, `","created":`...)
	buf = strconv.AppendInt(buf, h.Created, 10)
	buf = append(buf, `,"model":`...)
	return appendLiteral(buf, h.Model)
}

func appendLiteral(buf []byte, s string) []byte {
	literal, err := json.Marshal(s)
	if err != nil { // strings always marshal
		return append(buf, `""`...)
	}
	return append(buf, literal...)
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
	buf = appendReason(buf, reason)
	buf = append(buf, '}')
	return append(buf, s.suffix...)
}

func appendReason(buf []byte, reason completion.FinishReason) []byte {
	if reason == "" {
		return append(buf, "null"...)
	}
	buf = append(buf, '"')
	buf = append(buf, reason...)
	return append(buf, '"')
}

// Usage implements [format.Encoder]: the last chunk, with no choices
// ("Stream responses, Stream with an SDK").
func (s *Stream) Usage(buf []byte, u completion.Usage) []byte {
	buf = append(buf, s.prefix...)
	buf = append(buf, `],"usage":`...)
	buf = appendUsage(buf, u)
	return append(buf, "}\n\n"...)
}

func appendUsage(buf []byte, u completion.Usage) []byte {
	buf = append(buf, `{"prompt_tokens":`...)
	buf = strconv.AppendInt(buf, u.PromptTokens, 10)
	buf = append(buf, `,"completion_tokens":`...)
	buf = strconv.AppendInt(buf, u.CompletionTokens, 10)
	buf = append(buf, `,"total_tokens":`...)
	buf = strconv.AppendInt(buf, u.TotalTokens(), 10)
	buf = append(buf, `,"prompt_tokens_details":{"cached_tokens":`...)
	buf = strconv.AppendInt(buf, u.CachedTokens, 10)
	if u.CacheWriteTokens >= 0 {
		buf = append(buf, `,"cache_write_tokens":`...)
		buf = strconv.AppendInt(buf, u.CacheWriteTokens, 10)
	}
	buf = append(buf, `},"completion_tokens_details":{"reasoning_tokens":`...)
	buf = strconv.AppendInt(buf, u.ReasoningTokens, 10)
	return append(buf, `}}`...)
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
