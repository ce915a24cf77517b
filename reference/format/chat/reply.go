package chat

import (
	"bytes"
	"strconv"

	"plumbline.dev/plumbline/reference/apierror"
	"plumbline.dev/plumbline/reference/completion"
	"plumbline.dev/plumbline/reference/format"
)

// Reply collects a reply and writes it as one chat.completion object, for
// requests that do not ask for a stream. A stopped reply has a finish_reason of
// null, as the model did not finish.
type Reply struct {
	head    format.Head
	choices []replyChoice
	usage   completion.Usage
}

type replyChoice struct {
	// content and refusal are the insides of JSON string literals.
	content, refusal []byte
	hasContent       bool
	calls            []replyCall
	// tokens and refused are the elements of the two lists of logprobs.
	tokens, refused []byte
	hasLogprobs     bool
	reason          completion.FinishReason
}

// replyCall is a tool call put together from its pieces; the fields are insides
// of JSON string literals.
type replyCall struct {
	index               int64
	id, name, arguments []byte
}

var _ format.Encoder = (*Reply)(nil)

// NewReply makes the encoder of one reply of n choices.
func NewReply(h format.Head, n int) *Reply { return &Reply{head: h, choices: make([]replyChoice, n)} }

// Event implements [format.Encoder]; it appends nothing.
func (r *Reply) Event(buf []byte, e *completion.Event) []byte {
	c := &r.choices[e.Choice]
	switch e.Kind {
	case completion.KindText:
		c.content = append(c.content, format.Inside(e.Text)...)
		c.hasContent = true
	case completion.KindRefusal:
		c.refusal = append(c.refusal, format.Inside(e.Text)...)
	case completion.KindToolCall:
		c.addCalls(e.ToolCalls)
	}
	if e.Logprobs != nil {
		c.addLogprobs(e.Logprobs)
	}
	return buf
}

// Finish implements [format.Encoder]; it appends nothing.
func (r *Reply) Finish(buf []byte, choice int, reason completion.FinishReason) []byte {
	r.choices[choice].reason = reason
	return buf
}

// Usage implements [format.Encoder]; it appends nothing.
func (r *Reply) Usage(buf []byte, u completion.Usage) []byte {
	r.usage = u
	return buf
}

// End implements [format.Encoder]: it appends the object.
func (r *Reply) End(buf []byte) []byte {
	buf = appendHead(buf, r.head, "chat.completion")
	buf = append(buf, `,"choices":[`...)
	for i := range r.choices {
		if i > 0 {
			buf = append(buf, ',')
		}
		buf = r.choices[i].append(buf, i)
	}
	buf = append(buf, `],"usage":`...)
	buf = format.AppendUsage(buf, r.usage)
	return append(buf, "}\n"...)
}

func (c *replyChoice) append(buf []byte, index int) []byte {
	buf = append(buf, `{"index":`...)
	buf = strconv.AppendInt(buf, int64(index), 10)
	buf = append(buf, `,"message":{"role":"assistant","content":`...)
	// A reply of tool calls alone, or a refusal, has no content; an empty answer
	// has the empty string.
	if c.hasContent || len(c.calls) == 0 && c.refusal == nil {
		buf = format.AppendInside(buf, c.content)
	} else {
		buf = append(buf, "null"...)
	}
	buf = append(buf, `,"refusal":`...)
	if c.refusal != nil {
		buf = format.AppendInside(buf, c.refusal)
	} else {
		buf = append(buf, "null"...)
	}
	for i, call := range c.calls {
		if i == 0 {
			buf = append(buf, `,"tool_calls":[`...)
		} else {
			buf = append(buf, ',')
		}
		buf = append(buf, `{"id":`...)
		buf = format.AppendInside(buf, call.id)
		buf = append(buf, `,"type":"function","function":{"name":`...)
		buf = format.AppendInside(buf, call.name)
		buf = append(buf, `,"arguments":`...)
		buf = format.AppendInside(buf, call.arguments)
		buf = append(buf, "}}"...)
	}
	if len(c.calls) > 0 {
		buf = append(buf, ']')
	}
	buf = append(buf, `},"logprobs":`...)
	buf = c.appendLogprobs(buf)
	buf = append(buf, `,"finish_reason":`...)
	buf = format.AppendReason(buf, c.reason)
	return append(buf, '}')
}

func (c *replyChoice) appendLogprobs(buf []byte) []byte {
	if !c.hasLogprobs {
		return append(buf, "null"...)
	}
	buf = append(buf, `{"content":`...)
	buf = appendList(buf, c.tokens)
	buf = append(buf, `,"refusal":`...)
	buf = appendList(buf, c.refused)
	return append(buf, '}')
}

func appendList(buf, elements []byte) []byte {
	if elements == nil {
		return append(buf, "null"...)
	}
	buf = append(buf, '[')
	buf = append(buf, bytes.TrimSuffix(elements, []byte(","))...)
	return append(buf, ']')
}

// Fail implements [format.Encoder]: the envelope is the whole body.
func (r *Reply) Fail(buf []byte, e *apierror.Error) []byte {
	return append(AppendErrorObject(buf, e), '\n')
}

// Ping implements [format.Encoder]: nothing may stand before the object.
func (r *Reply) Ping(buf []byte) []byte { return buf }
