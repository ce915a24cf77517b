package text

import (
	"strconv"

	"plumbline.dev/plumbline/reference/apierror"
	"plumbline.dev/plumbline/reference/completion"
	"plumbline.dev/plumbline/reference/format"
	"plumbline.dev/plumbline/reference/format/chat"
)

// Reply collects a reply and writes it as one text_completion object. A stopped
// reply has a finish_reason of null, as the model did not finish.
type Reply struct {
	head    format.Head
	choices []replyChoice
	usage   completion.Usage
}

type replyChoice struct {
	text     []byte // the inside of a JSON string literal
	logprobs *logprobs
	reason   completion.FinishReason
}

var _ format.Encoder = (*Reply)(nil)

// NewReply makes the encoder of the reply to a request.
func NewReply(h format.Head, req *Request) *Reply {
	r := &Reply{head: h, choices: make([]replyChoice, max(req.Choices, 1))}
	for i := range r.choices {
		r.choices[i].text = append([]byte(nil), format.Inside(req.Echo)...)
	}
	return r
}

// Event implements [format.Encoder]; it appends nothing.
func (r *Reply) Event(buf []byte, e *completion.Event) []byte {
	if e.Kind != completion.KindText && e.Kind != completion.KindRefusal {
		return buf
	}
	c := &r.choices[e.Choice]
	c.text = append(c.text, format.Inside(e.Text)...)
	if e.Logprobs != nil {
		if c.logprobs == nil {
			c.logprobs = newLogprobs(0)
		}
		c.logprobs.add(e.Logprobs)
	}
	return buf
}

// Finish implements [format.Encoder]; it appends nothing.
func (r *Reply) Finish(buf []byte, choice int, reason completion.FinishReason) []byte {
	r.choices[choice].reason = textReason(reason)
	return buf
}

// Usage implements [format.Encoder]; it appends nothing.
func (r *Reply) Usage(buf []byte, u completion.Usage) []byte {
	r.usage = u
	return buf
}

// End implements [format.Encoder]: it appends the object.
func (r *Reply) End(buf []byte) []byte {
	buf = append(appendHead(buf, r.head), `,"choices":[`...)
	for i, c := range r.choices {
		if i > 0 {
			buf = append(buf, ',')
		}
		buf = append(buf, `{"index":`...)
		buf = strconv.AppendInt(buf, int64(i), 10)
		buf = append(buf, `,"text":`...)
		buf = format.AppendInside(buf, c.text)
		buf = append(buf, `,"logprobs":`...)
		if c.logprobs == nil {
			buf = append(buf, "null"...)
		} else {
			buf = c.logprobs.append(buf)
		}
		buf = append(buf, `,"finish_reason":`...)
		buf = append(format.AppendReason(buf, c.reason), '}')
	}
	buf = append(buf, `],"usage":`...)
	buf = format.AppendUsage(buf, r.usage)
	return append(buf, "}\n"...)
}

// Fail implements [format.Encoder]: the envelope is the whole body.
func (r *Reply) Fail(buf []byte, e *apierror.Error) []byte {
	return append(chat.AppendErrorObject(buf, e), '\n')
}

// Ping implements [format.Encoder]: nothing may stand before the object.
func (r *Reply) Ping(buf []byte) []byte { return buf }
