package check

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/tidwall/gjson"
)

// ToolCall is a tool call put together from its deltas.
type ToolCall struct {
	Index     int64
	ID        string
	Type      string
	Name      string
	Arguments string
}

// ToolCalls returns the tool calls of a choice in the order in which they began.
func (c *Chat) ToolCalls(choice int) []ToolCall {
	var calls []ToolCall
	var arguments []*strings.Builder
	place := map[int64]int{}
	for _, k := range c.Chunks {
		for _, ch := range k.Choices {
			if ch.Index != choice {
				continue
			}
			for _, v := range list(ch.delta.get("tool_calls")) {
				d, ok := readToolDelta(v)
				if !ok {
					continue
				}
				i, known := place[d.index]
				if !known {
					i = len(calls)
					place[d.index] = i
					calls = append(calls, ToolCall{Index: d.index, ID: d.id, Type: d.kind, Name: text(d.name)})
					arguments = append(arguments, &strings.Builder{})
				}
				arguments[i].WriteString(d.arguments)
			}
		}
	}
	for i := range calls {
		calls[i].Arguments = arguments[i].String()
	}
	return calls
}

// toolDelta is one element of delta.tool_calls.
type toolDelta struct {
	index              int64
	id, kind           string
	name, rawArguments gjson.Result
	arguments          string
}

// readToolDelta reads one; false is for what is no object with an index.
func readToolDelta(v gjson.Result) (toolDelta, bool) {
	o, ok := asObject(v)
	if !ok {
		return toolDelta{}, false
	}
	i, ok := integer(o.get("index"))
	if !ok {
		return toolDelta{}, false
	}
	f, _ := asObject(o.get("function"))
	return toolDelta{
		index: i, id: text(o.get("id")), kind: text(o.get("type")),
		name: f.get("name"), rawArguments: f.get("arguments"), arguments: text(f.get("arguments")),
	}, true
}

// ToolDeltas: tool calls come as deltas. The first of an index has id, type and
// name, the later ones pieces of arguments alone; indexes count from 0 without a
// gap; whole arguments are JSON and the choice finishes with tool_calls.
func (c *Chat) ToolDeltas() []Finding {
	n := c.notes("ToolDeltas")
	begun := map[int]map[int64]string{} // choice, index of the call: its id
	for _, k := range c.Chunks {
		for _, ch := range k.Choices {
			ids := begun[ch.Index]
			if ids == nil {
				ids = map[int64]string{}
				begun[ch.Index] = ids
			}
			n.toolChunk(k, ch, ids)
		}
	}
	for choice := range min(c.Ask.choices(), maxChoices) {
		if len(begun[choice]) > 0 && c.Finish(choice) != "" {
			n.toolEnd(choice)
		}
	}
	return n.found
}

// toolChunk judges the tool calls of one choice in one chunk.
func (n *chatNotes) toolChunk(k Chunk, ch Choice, ids map[int64]string) {
	inChunk := map[int64]bool{}
	for _, v := range list(ch.delta.get("tool_calls")) {
		d, ok := readToolDelta(v)
		switch id, known := ids[d.index]; {
		case !ok:
			n.event(k.Event, "an integer index in each tool call delta", v.Raw)
			continue
		case inChunk[d.index]:
			n.event(k.Event, "each tool call once in a chunk", fmt.Sprintf("index %d twice", d.index))
		case !known && d.index != int64(len(ids)):
			n.event(k.Event, fmt.Sprintf("%d as index of the next tool call", len(ids)), v.Raw)
		case !known && (d.id == "" || d.kind != "function" || text(d.name) == ""):
			n.event(k.Event, "id, type function and name in the first delta of a tool call", v.Raw)
		case known && (d.id != "" && d.id != id || d.name.Exists() && !isNull(d.name)):
			n.event(k.Event, "only pieces of arguments after the first delta of a tool call", v.Raw)
		case d.rawArguments.Exists() && d.rawArguments.Type != gjson.String:
			n.event(k.Event, "arguments as a string", v.Raw)
		}
		if _, known := ids[d.index]; !known {
			ids[d.index] = d.id
		}
		inChunk[d.index] = true
	}
}

// toolEnd judges the tool calls of a choice that finished.
func (n *chatNotes) toolEnd(choice int) {
	reason := n.c.Finish(choice)
	switch reason {
	case "length", "content_filter": // cut short, and says so
		return
	case "tool_calls":
	default:
		n.finish("finish_reason tool_calls behind tool calls", "finish_reason "+reason)
	}
	for _, call := range n.c.ToolCalls(choice) {
		if !json.Valid([]byte(call.Arguments)) {
			n.finish("whole arguments that are JSON", call.Arguments)
		}
	}
}
