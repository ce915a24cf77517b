package responses

import (
	"strconv"

	"plumbline.dev/plumbline/reference/format"
	"plumbline.dev/plumbline/reference/format/block"
)

// Prefix begins the ids of responses.
const Prefix = "resp_"

// Statuses of items and responses.
const (
	inProgress = "in_progress"
	completed  = "completed"
	incomplete = "incomplete"
	failed     = "failed"
)

// item is one element of a response's output.
type item struct {
	kind   block.Kind // block.Text stands for a message, of text and refusals
	index  int
	id     string
	status string
	parts  []*block.Block
}

// output is the items of a response. A message holds the text and the refusals
// that stand side by side; reasoning and calls are items of one block each.
type output struct {
	unique string // makes the ids of this response's items
	items  []*item
}

func newOutput(h format.Head) output {
	if len(h.ID) > len(Prefix) {
		return output{unique: h.ID[len(Prefix):]}
	}
	return output{unique: h.ID}
}

// add puts a block to its item, and tells whether the item is new.
func (o *output) add(b *block.Block) (it *item, begun bool) {
	kind := b.Kind
	if kind == block.Refusal {
		kind = block.Text
	}
	if n := len(o.items); n > 0 && kind == block.Text {
		if last := o.items[n-1]; last.kind == block.Text && last.status == inProgress {
			last.parts = append(last.parts, b)
			return last, false
		}
	}
	prefix := "msg_"
	switch kind {
	case block.Reasoning:
		prefix = "rs_"
	case block.Call:
		prefix = "fc_"
	}
	it = &item{
		kind: kind, index: len(o.items), status: inProgress, parts: []*block.Block{b},
		id: prefix + o.unique + strconv.Itoa(len(o.items)),
	}
	o.items = append(o.items, it)
	return it, true
}

// append appends the items that have begun, as a JSON array. An item that is
// still in progress will never be done: it is incomplete.
func (o *output) append(buf []byte) []byte {
	buf = append(buf, '[')
	for i, it := range o.items {
		if i > 0 {
			buf = append(buf, ',')
		}
		status := it.status
		if status == inProgress {
			status = incomplete
		}
		buf = it.append(buf, o.unique, status, true)
	}
	return append(buf, ']')
}

// append appends an item, with or without what it holds.
func (it *item) append(buf []byte, unique, status string, content bool) []byte {
	buf = append(append(buf, `{"id":"`...), it.id...)
	switch it.kind {
	case block.Reasoning:
		buf = append(buf, `","type":"reasoning","status":"`...)
		buf = append(buf, status...)
		buf = append(buf, `","summary":[],"content":[`...)
	case block.Call:
		b := it.parts[0]
		buf = append(buf, `","type":"function_call","status":"`...)
		buf = append(buf, status...)
		buf = append(append(buf, `","call_id":"`...), it.callID(unique)...)
		buf = append(append(buf, `","name":"`...), b.Name...)
		buf = append(buf, `","arguments":`...)
		if content {
			return append(format.AppendInside(buf, b.Text), '}')
		}
		return append(buf, `""}`...)
	default:
		buf = append(buf, `","type":"message","status":"`...)
		buf = append(buf, status...)
		buf = append(buf, `","role":"assistant","content":[`...)
	}
	if content {
		for i, b := range it.parts {
			if i > 0 {
				buf = append(buf, ',')
			}
			buf = appendPart(buf, b, true)
		}
	}
	return append(buf, "]}"...)
}

// callID is the id of a call: one is made for a model server that gave none.
func (it *item) callID(unique string) string {
	if id := it.parts[0].ID; id != "" {
		return id
	}
	return "call_" + unique + strconv.Itoa(it.index)
}

// appendPart appends a part of a message or of reasoning, with or without its
// text.
func appendPart(buf []byte, b *block.Block, content bool) []byte {
	var inside []byte
	if content {
		inside = b.Text
	}
	switch b.Kind {
	case block.Refusal:
		return append(format.AppendInside(append(buf, `{"type":"refusal","refusal":`...), inside), '}')
	case block.Reasoning:
		return append(format.AppendInside(append(buf, `{"type":"reasoning_text","text":`...), inside), '}')
	}
	buf = format.AppendInside(append(buf, `{"type":"output_text","text":`...), inside)
	buf = append(buf, `,"annotations":[],"logprobs":`...)
	if content {
		buf = appendLogprobs(buf, b.Logprobs)
	} else {
		buf = append(buf, "[]"...)
	}
	return append(buf, '}')
}
