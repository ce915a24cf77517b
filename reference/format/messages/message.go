package messages

import (
	"encoding/json"
	"strconv"

	"plumbline.dev/plumbline/reference/completion"
	"plumbline.dev/plumbline/reference/format"
	"plumbline.dev/plumbline/reference/format/block"
)

// outcome is how a reply ended.
type outcome struct {
	reason completion.FinishReason // "" when it was stopped by its id
	stop   []byte                  // the stop sequence that was hit, a literal; nil if none or unknown
	usage  completion.Usage
}

// stopReason maps the end of a reply. What the client reads next decides: tool_use
// is said if and only if there is a call to answer, whatever the model server
// calls its end.
func (o *outcome) stopReason(blocks []*block.Block) string {
	refused, called := false, false
	for _, b := range blocks {
		refused = refused || b.Kind == block.Refusal
		called = called || b.Kind == block.Call
	}
	switch {
	case o.reason == completion.FinishLength:
		return "max_tokens"
	case o.reason == completion.FinishContentFilter, refused:
		return "refusal"
	case o.reason != "" && called:
		return "tool_use"
	case o.reason == completion.FinishStop && o.stop != nil:
		return "stop_sequence"
	}
	return "end_turn"
}

// appendStop appends the members that tell how the reply ended.
func (o *outcome) appendStop(buf []byte, blocks []*block.Block) []byte {
	reason := o.stopReason(blocks)
	buf = append(buf, `"stop_reason":"`...)
	buf = append(buf, reason...)
	buf = append(buf, `","stop_sequence":`...)
	if reason == "stop_sequence" {
		return append(buf, o.stop...)
	}
	return append(buf, "null"...)
}

// appendUsage appends the counts of the whole reply. Here the input does not
// include what was read from or written to a cache.
func appendUsage(buf []byte, u completion.Usage) []byte {
	written := u.Written()
	for _, count := range []struct {
		name string
		n    int64
	}{
		{`{"input_tokens":`, max(u.PromptTokens-u.CachedTokens-written, 0)},
		{`,"cache_creation_input_tokens":`, written},
		{`,"cache_read_input_tokens":`, u.CachedTokens},
		{`,"output_tokens":`, u.CompletionTokens},
	} {
		buf = append(buf, count.name...)
		buf = strconv.AppendInt(buf, count.n, 10)
	}
	return append(buf, '}')
}

// appendMessage appends a message up to its content.
func appendMessage(buf []byte, h format.Head) []byte {
	buf = append(buf, `{"id":`...)
	buf = format.AppendString(buf, h.ID)
	buf = append(buf, `,"type":"message","role":"assistant","model":`...)
	buf = format.AppendString(buf, h.Model)
	return append(buf, `,"content":[`...)
}

// appendBlock appends a block with the text and input given, as literals.
func appendBlock(buf []byte, h format.Head, b *block.Block, inside []byte) []byte {
	switch b.Kind {
	case block.Reasoning:
		buf = append(buf, `{"type":"thinking","thinking":`...)
		buf = format.AppendInside(buf, inside)
		return append(buf, `,"signature":""}`...)
	case block.Call:
		buf = append(buf, `{"type":"tool_use","id":"`...)
		buf = append(buf, callID(h, b)...)
		buf = append(buf, `","name":"`...)
		buf = append(buf, b.Name...)
		buf = append(buf, `","input":`...)
		return append(appendInput(buf, inside), '}')
	default:
		buf = append(buf, `{"type":"text","text":`...)
		return append(format.AppendInside(buf, inside), '}')
	}
}

// callID is the id of a tool call: one is made for a model server that gave none.
func callID(h format.Head, b *block.Block) string {
	if b.ID != "" {
		return b.ID
	}
	return "toolu_" + idOf(h) + strconv.Itoa(b.Index)
}

// idOf is the part of a reply's id behind its prefix.
func idOf(h format.Head) string {
	if len(h.ID) > len(Prefix) {
		return h.ID[len(Prefix):]
	}
	return h.ID
}

// Prefix begins the ids of messages.
const Prefix = "msg_"

// appendInput appends the arguments of a call as the object that they are. What
// was cut off in its middle is no JSON, but no input may be anything else: such
// a text is put into an object, as Anthropic's documentation proposes.
func appendInput(buf, inside []byte) []byte {
	var arguments string
	if err := json.Unmarshal(format.AppendInside(nil, inside), &arguments); err != nil {
		arguments = ""
	}
	var object map[string]json.RawMessage
	switch {
	case arguments == "":
		return append(buf, "{}"...)
	case json.Unmarshal([]byte(arguments), &object) == nil && object != nil:
		return append(buf, arguments...)
	}
	buf = append(buf, `{"INVALID_JSON":`...)
	buf = format.AppendInside(buf, inside)
	return append(buf, '}')
}
