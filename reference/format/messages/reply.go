package messages

import (
	"plumbline.dev/plumbline/reference/apierror"
	"plumbline.dev/plumbline/reference/completion"
	"plumbline.dev/plumbline/reference/format"
	"plumbline.dev/plumbline/reference/format/block"
)

// Reply collects a reply and writes it as one message, with the blocks that its
// stream would have.
type Reply struct {
	head    format.Head
	blocks  *block.Sequence
	outcome outcome
}

var _ format.Encoder = (*Reply)(nil)

// NewReply makes the encoder of one reply.
func NewReply(h format.Head) *Reply {
	return &Reply{head: h, blocks: block.NewSequence(block.Discard, true)}
}

// Event implements [format.Encoder]; it appends nothing.
func (r *Reply) Event(buf []byte, e *completion.Event) []byte {
	if e.Kind == completion.KindStopSequence {
		r.outcome.stop = append([]byte(nil), e.Text...)
		return buf
	}
	return r.blocks.Event(buf, e)
}

// Finish implements [format.Encoder]; it appends nothing.
func (r *Reply) Finish(buf []byte, _ int, reason completion.FinishReason) []byte {
	r.outcome.reason = reason
	return buf
}

// Usage implements [format.Encoder]; it appends nothing.
func (r *Reply) Usage(buf []byte, u completion.Usage) []byte {
	r.outcome.usage = u
	return buf
}

// End implements [format.Encoder]: it appends the message.
func (r *Reply) End(buf []byte) []byte {
	buf = appendMessage(r.blocks.End(buf), r.head)
	for i, b := range r.blocks.Blocks() {
		if i > 0 {
			buf = append(buf, ',')
		}
		buf = appendBlock(buf, r.head, b, b.Text)
	}
	buf = append(buf, `],`...)
	buf = r.outcome.appendStop(buf, r.blocks.Blocks())
	buf = append(buf, `,"usage":`...)
	buf = appendUsage(buf, r.outcome.usage)
	return append(buf, "}\n"...)
}

// Fail implements [format.Encoder]: the error is the whole body.
func (r *Reply) Fail(buf []byte, e *apierror.Error) []byte {
	return append(appendError(buf, e, r.head.ID), '\n')
}

// Ping implements [format.Encoder]: nothing may stand before the message.
func (r *Reply) Ping(buf []byte) []byte { return buf }
