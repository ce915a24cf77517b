package mutant

import (
	"net/http"
	"slices"
)

func messageFailures() []Mutant {
	rows := []string{"anthropic-messages-20", "notholy-errors-06"}
	success := func(s *stream) {
		s.say(object{"type": "content_block_stop", "index": 0})
		s.say(object{"type": "message_delta", "delta": object{"stop_reason": "end_turn", "stop_sequence": nil}, "usage": object{"output_tokens": 3}})
		s.say(object{"type": "message_stop"})
	}
	failure := func(f func(s *stream, o object)) wrap {
		return onMessageIf(isFailed, func(s *stream, o object, _ int) { f(s, o) })
	}
	return []Mutant{
		{Name: "messages-failure-silent", Summary: "a message that fails just ends", Breaks: rows, Wrap: lostMessage(isFailed)},
		{Name: "messages-failure-cuts", Summary: "a message that fails is cut", Breaks: rows, Wrap: failure(func(s *stream, _ object) { s.abort() })},
		{Name: "messages-failure-as-success", Summary: "a message that fails ends with end_turn and message_stop", Report: "NVIDIA/TensorRT-LLM#18289",
			Breaks: rows, Wrap: failure(func(s *stream, _ object) { success(s) })},
		{Name: "messages-failure-then-stop", Summary: "message_stop follows the error event",
			Breaks: rows, Wrap: failure(func(s *stream, o object) {
				s.say(o)
				s.say(object{"type": "message_stop"})
			})},
		{Name: "messages-failure-behind-end", Summary: "the error event comes behind message_delta",
			Breaks: rows, Wrap: failure(func(s *stream, o object) {
				s.say(object{"type": "message_delta", "delta": object{"stop_reason": "end_turn", "stop_sequence": nil}, "usage": object{"output_tokens": 3}})
				s.say(o)
			})},
		{Name: "messages-failure-unnamed", Summary: "the error event has no name, so that the SDK drops it", Report: "mlflow/mlflow#25897",
			Breaks: rows, Wrap: failure(func(s *stream, o object) { s.sendChunk(o) })},
		{Name: "messages-failure-of-chat", Summary: "the error event has the envelope of chat completions", Report: "BerriAI/litellm#39037",
			Breaks: rows, Wrap: failure(func(s *stream, o object) {
				s.tell("error", object{"error": object{"message": o.inner("error")["message"], "type": "None", "param": "None", "code": "500"}})
			})},
		{Name: "messages-failure-twice", Summary: "the error event comes twice",
			Breaks: rows, Wrap: failure(func(s *stream, o object) {
				s.say(o)
				s.say(o)
			})},
		{Name: "messages-failure-then-done", Summary: "[DONE] follows the error event",
			Breaks: rows, May: []string{"anthropic-messages-07"}, Wrap: failure(func(s *stream, o object) {
				s.say(o)
				s.write("data: [DONE]\n\n")
			})},
		{Name: "messages-failure-then-open", Summary: "the stream stays open behind the error event", Breaks: rows, Wrap: failure(func(s *stream, o object) { s.say(o); s.hang() })},
		{Name: "messages-failure-says-nothing", Summary: "the message of the error event is empty",
			Breaks: rows, Wrap: changedMessage(isFailed, func(o object) { o.inner("error")["message"] = "" })},
		{Name: "messages-failure-tells-key", Summary: "the error event holds the key of the model server",
			Breaks: rows, Wrap: changedMessage(isFailed, func(o object) {
				o.inner("error")["message"] = "401 for Authorization: Bearer sk-prod-9f8e7d6c5b4a39281706"
			})},
	}
}

func messageWholes() []Mutant {
	shape := []string{"anthropic-messages-15"}
	same := []string{"anthropic-messages-16", "notholy-stream-10"}
	whole := func(change func(o object)) wrap { return onWholeAt(pathMessages, change) }
	texts := func(change func(block object)) func(o object) {
		return func(o object) {
			for _, block := range o.list("content") {
				change(block)
			}
		}
	}
	return []Mutant{
		{Name: "messages-whole-as-stream", Summary: "a message without stream is an event stream",
			Breaks: slices.Concat(shape, same), May: []string{"anthropic-messages-1[789]", "notholy-billing-02"}, Wrap: answeredAsStream(pathMessages)},
		{Name: "messages-whole-of-other-type", Summary: "the type of a whole message is completion", Breaks: shape, Wrap: whole(with("type", "completion"))},
		{Name: "messages-whole-content-as-text", Summary: "the content of a whole message is a text",
			Breaks: slices.Concat(shape, same), Wrap: whole(func(o object) {
				for _, block := range o.list("content") {
					o["content"] = block["text"]
				}
			})},
		{Name: "messages-whole-without-usage", Summary: "a whole message has no usage",
			Breaks: slices.Concat(shape, same), May: []string{"notholy-billing-02"}, Wrap: whole(without("usage"))},
		{Name: "messages-whole-text-trimmed", Summary: "a whole message loses the last character of its text", Breaks: same, Wrap: whole(texts(func(block object) { block.cut("text") }))},
		{Name: "messages-whole-ends-turn-at-limit", Summary: "stop_reason of a whole message is end_turn also at max_tokens",
			Breaks: []string{"anthropic-messages-16"}, Wrap: whole(func(o object) {
				if o["stop_reason"] == "max_tokens" {
					o["stop_reason"] = "end_turn"
				}
			})},
		{Name: "messages-whole-counts-otherwise", Summary: "a whole message counts one token more than its stream",
			Breaks: append(same, "notholy-billing-02"), Wrap: whole(func(o object) { o.usage().add("output_tokens", 1) })},
		{Name: "messages-whole-input-lost", Summary: "the input of a tool is empty in a whole message",
			Breaks: []string{"anthropic-messages-16"}, Wrap: whole(texts(func(block object) {
				if block["type"] == "tool_use" {
					block["input"] = object{}
				}
			}))},
		{Name: "messages-whole-with-201", Summary: "a whole message is answered with 201", Breaks: shape, Wrap: onAnswer(hasStatusAt(pathMessages, http.StatusOK), withStatus(http.StatusCreated))},
	}
}
