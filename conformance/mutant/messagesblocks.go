package mutant

import "strings"

func messageBlocks() []Mutant {
	order := []string{"anthropic-messages-04", "notholy-stream-09"}
	whole := []string{"anthropic-messages-23", "notholy-stream-10"}
	may := []string{"anthropic-messages-16", "anthropic-messages-25", "notholy-stream-02", "notholy-stream-08"} // they read the text too
	thinking := []string{"anthropic-messages-25"}
	isThinking := func(o object) bool { return o.inner("content_block")["type"] == "thinking" }
	return []Mutant{
		{Name: "messages-block-start-missing", Summary: "blocks do not start", Report: "BerriAI/litellm#30115",
			Breaks: append(order, "anthropic-messages-23"), May: messageAll(), Wrap: lostMessage(isBlockStart)},
		{Name: "messages-block-stop-missing", Summary: "blocks do not stop", Breaks: order, Wrap: lostMessage(isBlockStop)},
		{Name: "messages-index-from-one", Summary: "the first block has the index 1",
			Breaks: order, Wrap: changedMessage(hasIndex, func(o object) { o.add("index", 1) })},
		{Name: "messages-index-zero-for-all", Summary: "every block has the index 0",
			Breaks: []string{"anthropic-messages-04"}, May: []string{"anthropic-messages-25"}, Wrap: changedMessage(hasIndex, func(o object) { o["index"] = 0 })},
		{Name: "messages-index-gap", Summary: "the indexes of blocks have a gap",
			Breaks: []string{"anthropic-messages-04"}, May: []string{"anthropic-messages-25"}, Wrap: changedMessage(hasIndex, func(o object) { o["index"] = 2 * o.number("index") })},
		{Name: "messages-text-after-end", Summary: "the last text comes behind message_delta", Report: "BerriAI/litellm#28868",
			Breaks: order, May: append(messageAll(), "notholy-errors-06"), Wrap: onMessage(func(_ *exchange, s *stream) func(object) {
				var held object
				return func(o object) {
					switch {
					case isTextDelta(o):
						if held != nil {
							s.say(held)
						}
						held = o
					case isEnd(o) && held != nil:
						s.say(o)
						s.say(held)
						held = nil
					default:
						s.say(o)
					}
				}
			})},
		{Name: "messages-blocks-stop-at-end", Summary: "blocks stop at the end of the message alone",
			Breaks: []string{"anthropic-messages-04"}, May: []string{"anthropic-messages-10", "anthropic-messages-25", "notholy-stream-09"}, Wrap: onMessage(func(_ *exchange, s *stream) func(object) {
				var stops []object
				return func(o object) {
					if isBlockStop(o) {
						stops = append(stops, o)
						return
					}
					if isEnd(o) {
						for _, stop := range stops {
							s.say(stop)
						}
					}
					s.say(o)
				}
			})},
		{Name: "messages-delta-lost", Summary: "the third delta of a message is lost",
			Breaks: whole, May: may, Wrap: onMessageIf(isTextDelta, func(s *stream, o object, n int) {
				if n != 3 {
					s.say(o)
				}
			})},
		{Name: "messages-delta-doubled", Summary: "the third delta of a message comes twice",
			Breaks: whole, May: may, Wrap: onMessageIf(isTextDelta, func(s *stream, o object, n int) {
				if s.say(o); n == 3 {
					s.say(o)
				}
			})},
		{Name: "messages-blanks-lost", Summary: "deltas of a message lose the blanks before them",
			Breaks: whole, May: may, Wrap: changedMessage(isTextDelta, func(o object) {
				o.inner("delta")["text"] = strings.TrimLeft(o.inner("delta").word("text"), " ")
			})},
		{Name: "messages-thinking-in-text", Summary: "thinking is a block of text",
			Breaks: thinking, May: []string{"anthropic-messages-04"}, Wrap: changedMessage(anything, func(o object) {
				if isThinking(o) {
					o["content_block"] = object{"type": "text", "text": ""}
				}
				if d := o.inner("delta"); d["type"] == "thinking_delta" {
					o["delta"] = object{"type": "text_delta", "text": d["thinking"]}
				}
			})},
		{Name: "messages-thinking-lost", Summary: "there is no block of thinking",
			Breaks: thinking, Wrap: onMessage(func(_ *exchange, s *stream) func(object) {
				lost := 0
				return func(o object) {
					if isThinking(o) {
						lost = 1
					}
					if lost > 0 && hasIndex(o) && o.number("index") == 0 {
						return
					}
					o.add("index", -lost)
					s.say(o)
				}
			})},
	}
}

// hasIndex tells the events of a block.
func hasIndex(o object) bool { return o["index"] != nil }

func messageTools() []Mutant {
	row := []string{"anthropic-messages-10"}
	may := []string{"anthropic-messages-04", "anthropic-messages-05", "anthropic-messages-16", "notholy-stream-09", "notholy-stream-10"}
	begins := func(change func(block object)) wrap {
		return changedMessage(isBlockStart, func(o object) {
			if block := o.inner("content_block"); block["type"] == "tool_use" {
				change(block)
			}
		})
	}
	return []Mutant{
		{Name: "messages-tool-begins-whole", Summary: "a tool_use block begins with its input", Breaks: append(row, "notholy-stream-09"), May: may, Wrap: begins(with("input", object{"city": "Paris"}))},
		{Name: "messages-tool-input-as-text", Summary: "a tool_use block begins with an empty text as input", Breaks: append(row, "notholy-stream-09"), May: may, Wrap: begins(with("input", ""))},
		{Name: "messages-tool-without-id", Summary: "tool_use blocks have no id", Breaks: append(row, "notholy-stream-09"), May: may, Wrap: begins(without("id"))},
		{Name: "messages-tool-input-lost", Summary: "of the input only the first piece arrives",
			Breaks: append(row, "anthropic-messages-16", "notholy-stream-09", "notholy-stream-10"), May: may, Wrap: onMessage(func(_ *exchange, s *stream) func(object) {
				seen := map[int]bool{}
				return func(o object) {
					if isInputDelta(o) {
						if seen[o.number("index")] {
							return
						}
						seen[o.number("index")] = true
					}
					s.say(o)
				}
			})},
		{Name: "messages-tool-ends-turn", Summary: "stop_reason is end_turn behind a tool call",
			Breaks: append(row, "anthropic-messages-16", "notholy-stream-09", "notholy-stream-10"), May: may, Wrap: changedMessage(isEnd, func(o object) {
				if d := o.inner("delta"); d["stop_reason"] == "tool_use" {
					d["stop_reason"] = "end_turn"
				}
			})},
		{Name: "messages-tool-input-in-text", Summary: "the input of a tool comes in deltas of text",
			Breaks: append(row, "anthropic-messages-04"), May: messageAll(), Wrap: changedMessage(isInputDelta, func(o object) {
				o["delta"] = object{"type": "text_delta", "text": o.inner("delta")["partial_json"]}
			})},
	}
}
