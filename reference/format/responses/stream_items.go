package responses

import (
	"strconv"

	"plumbline.dev/plumbline/reference/format"
	"plumbline.dev/plumbline/reference/format/block"
)

// names are the names of the events of a part, by its kind. The member is what
// its text is called in the last of its events.
var names = [...]struct{ delta, done, member string }{
	block.Text:      {"response.output_text.delta", "response.output_text.done", "text"},
	block.Refusal:   {"response.refusal.delta", "response.refusal.done", "refusal"},
	block.Reasoning: {"response.reasoning_text.delta", "response.reasoning_text.done", "text"},
	block.Call:      {"response.function_call_arguments.delta", "response.function_call_arguments.done", "arguments"},
}

// Open implements [block.Writer]: it begins an item, unless the block belongs to
// the one under way, and a part of it.
func (s *Stream) Open(buf []byte, b *block.Block) []byte {
	if s.item != nil && (s.item.kind != block.Text || b.Kind != block.Text && b.Kind != block.Refusal) {
		buf = s.endItem(buf)
	}
	it, begun := s.output.add(b)
	s.item = it
	if begun {
		buf = s.event(buf, "response.output_item.added")
		buf = append(buf, `,"output_index":`...)
		buf = strconv.AppendInt(buf, int64(it.index), 10)
		buf = it.append(append(buf, `,"item":`...), s.output.unique, inProgress, false)
		buf = append(buf, endOfEvent...)
	}
	s.place = append(append(s.place[:0], `,"item_id":"`...), it.id...)
	s.place = append(s.place, `","output_index":`...)
	s.place = strconv.AppendInt(s.place, int64(it.index), 10)
	name := names[b.Kind].delta
	s.delta = append(append(s.delta[:0], "event: "...), name...)
	s.delta = append(append(s.delta, "\ndata: {\"type\":\""...), name...)
	s.delta = append(s.delta, `","sequence_number":`...)
	if b.Kind == block.Call {
		return buf
	}
	s.place = append(s.place, `,"content_index":`...)
	s.place = strconv.AppendInt(s.place, int64(len(it.parts)-1), 10)
	buf = append(s.event(buf, "response.content_part.added"), s.place...)
	buf = appendPart(append(buf, `,"part":`...), b, false)
	return append(buf, endOfEvent...)
}

// Delta implements [block.Writer].
func (s *Stream) Delta(buf []byte, b *block.Block, inside []byte, logprobs [][]byte) []byte {
	buf = s.number(append(buf, s.delta...))
	buf = append(buf, s.place...)
	buf = format.AppendInside(append(buf, `,"delta":`...), inside)
	if b.Kind == block.Text {
		buf = appendLogprobs(append(buf, `,"logprobs":`...), logprobs)
	}
	return append(buf, endOfEvent...)
}

// Close implements [block.Writer]: it ends a part, and the item if nothing can
// be added to it.
func (s *Stream) Close(buf []byte, b *block.Block) []byte {
	name := names[b.Kind]
	buf = append(s.event(buf, name.done), s.place...)
	buf = append(append(append(buf, `,"`...), name.member...), `":`...)
	buf = format.AppendInside(buf, b.Text)
	switch b.Kind {
	case block.Text:
		buf = appendLogprobs(append(buf, `,"logprobs":`...), b.Logprobs)
	case block.Call:
		buf = append(append(append(buf, `,"name":"`...), b.Name...), '"')
		buf = append(buf, endOfEvent...)
		return s.endItem(buf)
	}
	buf = append(buf, endOfEvent...)
	buf = append(s.event(buf, "response.content_part.done"), s.place...)
	buf = appendPart(append(buf, `,"part":`...), b, true)
	buf = append(buf, endOfEvent...)
	if b.Kind == block.Reasoning {
		return s.endItem(buf)
	}
	return buf
}

// endItem ends the item under way.
func (s *Stream) endItem(buf []byte) []byte {
	it := s.item
	if it == nil {
		return buf
	}
	s.item = nil
	it.status = s.response.itemStatus(it, s.blocks.Blocks())
	buf = s.event(buf, "response.output_item.done")
	buf = append(buf, `,"output_index":`...)
	buf = strconv.AppendInt(buf, int64(it.index), 10)
	buf = it.append(append(buf, `,"item":`...), s.output.unique, it.status, true)
	return append(buf, endOfEvent...)
}
