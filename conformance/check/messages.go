package check

import (
	"strings"

	"github.com/tidwall/gjson"

	"plumbline.dev/plumbline/conformance/wire"
)

// Messages is a streamed reply of the Messages API, taken apart but not judged.
type Messages struct {
	Named

	Starts []NamedEvent // message_start
	Blocks []*Block
	Ends   []NamedEvent // message_delta
	Stops  []NamedEvent // message_stop
	Errors []NamedEvent
	Pings  []NamedEvent

	open     *Block // the block that is not stopped
	disorder []misplaced
}

// Block is one block of the content, as its events built it up.
type Block struct {
	Type   string
	Deltas []Delta // the pieces of its text, its thinking, or the JSON of its input

	start   NamedEvent
	block   object // as it began
	stopped bool
}

// pieces says in which field the delta of a block has its piece, by its type.
var pieces = map[string]string{
	"text_delta": "text", "input_json_delta": "partial_json", "thinking_delta": "thinking", "signature_delta": "", "citations_delta": "",
}

// deltasOf says which deltas a block may have. Others are not judged.
var deltasOf = map[string][]string{
	"text":     {"text_delta", "citations_delta"},
	"tool_use": {"input_json_delta"},
	"thinking": {"thinking_delta", "signature_delta"},
}

// ParseMessages takes a streamed message apart. It never fails: what it cannot
// read is for the rules to judge.
func ParseMessages(t *wire.Transcript, ask Ask) *Messages {
	m := &Messages{Named: parseNamed(t, ask)}
	for _, e := range m.Events {
		switch e.Type {
		case "message_start":
			m.Starts = append(m.Starts, e)
		case "content_block_start":
			m.begin(e)
		case "content_block_delta":
			m.delta(e)
		case "content_block_stop":
			m.stop(e)
		case "message_delta":
			if m.open != nil {
				m.misplace(e, "every block stopped before message_delta", "the last one is not")
			}
			m.Ends = append(m.Ends, e)
		case "message_stop":
			m.Stops = append(m.Stops, e)
		case "error":
			m.Errors = append(m.Errors, e)
		case "ping":
			m.Pings = append(m.Pings, e)
		}
	}
	return m
}

// startUsage and endUsage are the counts at the beginning, and the latest ones.
func (m *Messages) startUsage() object {
	if len(m.Starts) == 0 {
		return object{}
	}
	u, _ := asObject(m.Starts[0].object.get("message").Get("usage"))
	return u
}

func (m *Messages) endUsage() object {
	if len(m.Ends) == 0 {
		return object{}
	}
	u, _ := asObject(m.Ends[len(m.Ends)-1].object.get("usage"))
	return u
}

// counters are the parts of the prompt, of which each token is in one.
var counters = []string{"input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens"}

// Usage returns the counts, those of message_delta over those of message_start,
// nil without any. Its prompt is the whole prompt, cached or not.
func (m *Messages) Usage() *Usage { return readCounters(m.endUsage(), m.startUsage()) }

// readCounters adds up the counts of the first object that has each.
func readCounters(objects ...object) *Usage {
	find := func(key string) (int64, bool) {
		for _, o := range objects {
			if count, ok := integer(o.get(key)); ok {
				return count, true
			}
		}
		return 0, false
	}
	output, ok := find("output_tokens")
	if !ok {
		return nil
	}
	u := Usage{CompletionTokens: output, CachedTokens: -1, WrittenTokens: -1}
	for _, key := range counters {
		count, _ := find(key)
		u.PromptTokens += count
	}
	if cached, ok := find("cache_read_input_tokens"); ok {
		u.CachedTokens = cached
	}
	if written, ok := find("cache_creation_input_tokens"); ok {
		u.WrittenTokens = written
	}
	u.TotalTokens = u.PromptTokens + u.CompletionTokens
	return &u
}

// StopReason returns stop_reason of the last message_delta, "" without one.
func (m *Messages) StopReason() string { return text(m.stopField("stop_reason")) }

// StopSequence returns stop_sequence likewise.
func (m *Messages) StopSequence() string { return text(m.stopField("stop_sequence")) }

func (m *Messages) stopField(key string) (v gjson.Result) {
	if len(m.Ends) > 0 {
		delta, _ := asObject(m.Ends[len(m.Ends)-1].object.get("delta"))
		v = delta.get(key)
	}
	return v
}

// Deltas returns the pieces of text, in order.
func (m *Messages) Deltas() []Delta {
	var out []Delta
	for _, b := range m.Blocks {
		if b.Type == "text" {
			out = append(out, b.Deltas...)
		}
	}
	return out
}

// Text returns the text of all blocks: what they began with, and their deltas.
func (m *Messages) Text() string {
	var b strings.Builder
	for _, block := range m.Blocks {
		if block.Type == "text" {
			b.WriteString(text(block.block.get("text")))
			b.WriteString(joined(block.Deltas))
		}
	}
	return b.String()
}

// Saying returns what the message says.
func (m *Messages) Saying() Saying {
	s := Saying{Text: m.Text(), Usage: m.Usage(), Deltas: m.Deltas(), Finish: finishOfStop(m.StopReason()),
		Events: len(m.Events) - len(m.Pings) - len(m.Errors), Complete: len(m.Stops) > 0, Failed: len(m.Errors) > 0}
	if len(m.Starts) > 0 {
		s.ID = text(m.Starts[0].object.get("message").Get("id"))
	}
	for _, b := range m.Blocks {
		if b.Type == "tool_use" {
			s.Calls = append(s.Calls, ToolCall{Index: int64(len(s.Calls)), ID: text(b.block.get("id")), Type: "function",
				Name: text(b.block.get("name")), Arguments: joined(b.Deltas)})
		}
	}
	return s
}

// finishOfStop says a stop_reason in the words of chat completions.
func finishOfStop(reason string) string {
	switch reason {
	case "end_turn", "stop_sequence":
		return "stop"
	case "max_tokens", "model_context_window_exceeded":
		return "length"
	case "tool_use":
		return "tool_calls"
	case "refusal":
		return "content_filter"
	}
	return reason
}
