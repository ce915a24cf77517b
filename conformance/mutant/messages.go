package mutant

import "fmt"

// onMessage is a mutant that handles the events of each message. Comments and the
// end pass by.
func onMessage(begin func(x *exchange, s *stream) func(o object)) wrap {
	return onStreamAt(pathMessages, func(x *exchange, s *stream) func(event) {
		handle := begin(x, s)
		return func(e event) {
			if e.end || e.json() == nil {
				s.send(e)
				return
			}
			handle(e.json())
		}
	})
}

// say sends an event under the name of its type.
func (s *stream) say(o object) { s.tell(o.word("type"), o) }

// onMessageIf is a mutant that does f with each event of a message that matches,
// and its number from 1 on, and sends the others.
func onMessageIf(match func(o object) bool, f func(s *stream, o object, n int)) wrap {
	return onMessage(func(_ *exchange, s *stream) func(object) {
		n := 0
		return func(o object) {
			if !match(o) {
				s.say(o)
				return
			}
			n++
			f(s, o, n)
		}
	})
}

// changedMessage is a mutant that changes the events of a message that match.
func changedMessage(match func(o object) bool, change func(o object)) wrap {
	return onStreamAt(pathMessages, rewrittenIf(match, change))
}

// lostMessage is a mutant that loses the events of a message that match.
func lostMessage(match func(o object) bool) wrap {
	return onStreamAt(pathMessages, drop(holds(match)))
}

// Kinds of events of a message.

func isStart(o object) bool      { return typed("message_start")(o) }
func isBlockStart(o object) bool { return typed("content_block_start")(o) }
func isBlockDelta(o object) bool { return typed("content_block_delta")(o) }
func isBlockStop(o object) bool  { return typed("content_block_stop")(o) }
func isEnd(o object) bool        { return typed("message_delta")(o) }
func isStop(o object) bool       { return typed("message_stop")(o) }
func isFailed(o object) bool     { return typed("error")(o) }
func isTextDelta(o object) bool  { return isBlockDelta(o) && o.inner("delta")["type"] == "text_delta" }
func isInputDelta(o object) bool {
	return isBlockDelta(o) && o.inner("delta")["type"] == "input_json_delta"
}

// messageAll are the rows that most faults of a message break beside their own,
// as their scenarios judge it whole or read its text.
func messageAll() []string {
	return []string{"anthropic-messages-*", "notholy-stream-*", "notholy-billing-0[12]"}
}

func messages() []Mutant {
	return notholy(messageEvents(), messageBlocks(), messageTools(), messageEnds(), messageUsages(), messageFailures(), messageWholes(), messageRefusals())
}

func messageEvents() []Mutant {
	names := []string{"anthropic-messages-02", "notholy-stream-09"}
	start := []string{"anthropic-messages-03", "notholy-stream-09"}
	fields := []string{"anthropic-messages-05", "notholy-stream-09"}
	return []Mutant{
		{Name: "messages-content-type-json", Summary: "a streamed message is sent as application/json",
			Breaks: []string{"anthropic-messages-01", "notholy-stream-01", "notholy-stream-09"},
			Wrap:   onHeadAt(pathMessages, func(_ *exchange, r *reply) { r.Header.Set("Content-Type", "application/json") })},
		{Name: "messages-answered-whole", Summary: "a streamed message is answered whole",
			Breaks: []string{"anthropic-messages-01", "anthropic-messages-02", "notholy-stream-01", "notholy-stream-02", "notholy-stream-06"},
			May:    append(messageAll(), "notholy-errors-06"), Wrap: answeredWhole(pathMessages)},
		{Name: "messages-events-unnamed", Summary: "events of a message have no name, so that the SDK drops them", Report: "earendil-works/pi#1983",
			Breaks: names, May: []string{"anthropic-messages-20", "notholy-errors-06", "notholy-stream-08"}, Wrap: onStreamAt(pathMessages, nth(holds(anything), func(s *stream, e event, _ int) { s.sendChunk(e.json()) }))},
		{Name: "messages-events-named-message", Summary: "every event of a message is called message",
			Breaks: names, May: []string{"anthropic-messages-20", "notholy-errors-06"}, Wrap: onStreamAt(pathMessages, nth(holds(anything), func(s *stream, e event, _ int) { s.tell("message", e.json()) }))},
		{Name: "messages-type-missing", Summary: "events of a message have no type",
			Breaks: append(names, "anthropic-messages-07", "notholy-stream-06"), May: append(messageAll(), "notholy-errors-06"), Wrap: onStreamAt(pathMessages, rewritten(without("type")))},
		{Name: "messages-start-missing", Summary: "a message begins with its first block",
			Breaks: append(start, "anthropic-messages-04"), May: messageAll(), Wrap: lostMessage(isStart)},
		{Name: "messages-start-twice", Summary: "message_start comes again with the first text, relayed behind one that was made up", Report: "maximhq/bifrost#4556",
			Breaks: start, Wrap: onMessageIf(isStart, func(s *stream, o object, _ int) {
				s.say(o)
				o.inner("message")["service_tier"] = "standard"
				s.say(o)
			})},
		{Name: "messages-start-of-fallback", Summary: "the message_start of a second try follows that of the first", Report: "BerriAI/litellm#38153",
			Breaks: start, May: []string{"anthropic-messages-24"}, Wrap: onMessage(func(_ *exchange, s *stream) func(object) {
				var start object
				return func(o object) {
					if isStart(o) {
						start = o.clone()
					}
					if isBlockStart(o) && start != nil {
						start.inner("message")["id"] = "msg_fallback"
						s.say(start)
						start = nil
					}
					s.say(o)
				}
			})},
		{Name: "messages-start-with-reason", Summary: "message_start says end_turn already",
			Breaks: start, Wrap: changedMessage(isStart, func(o object) { o.inner("message")["stop_reason"] = "end_turn" })},
		{Name: "messages-start-with-content", Summary: "message_start holds an empty block",
			Breaks: start, Wrap: changedMessage(isStart, func(o object) { o.inner("message")["content"] = []any{object{"type": "text", "text": ""}} })},
		{Name: "messages-start-without-model", Summary: "message_start names no model",
			Breaks: start, Wrap: changedMessage(isStart, func(o object) { delete(o.inner("message"), "model") })},
		{Name: "messages-block-without-text", Summary: "a block of text begins without the key",
			Breaks: fields, Wrap: changedMessage(isBlockStart, func(o object) { delete(o.inner("content_block"), "text") })},
		{Name: "messages-end-without-usage", Summary: "message_delta has no usage",
			Breaks: append(fields, "anthropic-messages-12", "anthropic-messages-13", "notholy-stream-10"), May: messageAll(), Wrap: changedMessage(isEnd, without("usage"))},
		{Name: "messages-end-without-sequence", Summary: "message_delta has no stop_sequence",
			Breaks: fields, May: []string{"anthropic-messages-14"}, Wrap: changedMessage(isEnd, func(o object) { delete(o.inner("delta"), "stop_sequence") })},
		{Name: "messages-id-shared", Summary: "every message has the same id",
			Breaks: []string{"anthropic-messages-24"}, May: []string{"notholy-billing-*"}, Wrap: changedMessage(isStart, func(o object) { o.inner("message")["id"] = "msg_1" })},
		{Name: "messages-id-by-request", Summary: "the id of a message is made of its request",
			Breaks: []string{"anthropic-messages-24"}, May: []string{"notholy-billing-*"}, Wrap: onMessage(func(x *exchange, s *stream) func(object) {
				return func(o object) {
					if isStart(o) {
						o.inner("message")["id"] = fmt.Sprintf("msg_%024x", len(x.body))
					}
					s.say(o)
				}
			})},
	}
}
