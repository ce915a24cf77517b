package responses

import (
	"time"

	"plumbline.dev/plumbline/reference/apierror"
	"plumbline.dev/plumbline/reference/completion"
	"plumbline.dev/plumbline/reference/format"
	"plumbline.dev/plumbline/reference/format/block"
	"plumbline.dev/plumbline/reference/format/chat"
)

// Reply collects a reply and writes it as one Response object, the same with
// which its stream would end.
type Reply struct {
	response
	now    func() time.Time
	blocks *block.Sequence
}

var _ format.Encoder = (*Reply)(nil)

// NewReply makes the encoder of the reply to a request.
func NewReply(h format.Head, req *Request, now func() time.Time) *Reply {
	return &Reply{response: newResponse(h, req), now: now, blocks: block.NewSequence(block.Discard, true)}
}

// Event implements [format.Encoder]; it appends nothing.
func (r *Reply) Event(buf []byte, e *completion.Event) []byte { return r.blocks.Event(buf, e) }

// Finish implements [format.Encoder]; it appends nothing.
func (r *Reply) Finish(buf []byte, _ int, reason completion.FinishReason) []byte {
	r.reason = reason
	return buf
}

// Usage implements [format.Encoder]; it appends nothing.
func (r *Reply) Usage(buf []byte, u completion.Usage) []byte {
	r.usage = &u
	return buf
}

// End implements [format.Encoder]: it appends the object.
func (r *Reply) End(buf []byte) []byte {
	r.done = r.now().Unix()
	buf = r.blocks.End(r.blank(buf, r.blocks))
	blocks := r.blocks.Blocks()
	for _, b := range blocks {
		r.output.add(b)
	}
	for _, it := range r.output.items {
		it.status = r.itemStatus(it, blocks)
	}
	return append(r.append(buf, r.status()), '\n')
}

// Fail implements [format.Encoder]: the envelope is the whole body.
func (r *Reply) Fail(buf []byte, e *apierror.Error) []byte {
	return append(chat.AppendErrorObject(buf, e), '\n')
}

// Ping implements [format.Encoder]: nothing may stand before the object.
func (r *Reply) Ping(buf []byte) []byte { return buf }
