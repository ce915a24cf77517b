package mutant

func messageEnds() []Mutant {
	end := []string{"anthropic-messages-07", "notholy-stream-06", "notholy-stream-09"}
	words := []string{"anthropic-messages-06", "notholy-stream-06", "notholy-stream-09"}
	stop := []string{"anthropic-messages-14"}
	reason := func(from, to string) wrap {
		return changedMessage(isEnd, func(o object) {
			if d := o.inner("delta"); d["stop_reason"] == from {
				d["stop_reason"] = to
			}
		})
	}
	stopping := func(change func(delta object)) wrap {
		return changedMessage(isEnd, func(o object) {
			if d := o.inner("delta"); d["stop_reason"] == "stop_sequence" {
				change(d)
			}
		})
	}
	return []Mutant{
		{Name: "messages-stop-missing", Summary: "a message ends without message_stop",
			Breaks: append(end, "anthropic-messages-06", "anthropic-messages-12", "notholy-stream-10"), May: messageAll(), Wrap: lostMessage(isStop)},
		{Name: "messages-stop-twice", Summary: "message_stop comes twice", Breaks: end, May: messageAll(), Wrap: onMessageIf(isStop, func(s *stream, o object, _ int) {
			s.say(o)
			s.say(o)
		})},
		{Name: "messages-end-missing", Summary: "a message ends without message_delta",
			Breaks: append(end, "anthropic-messages-06", "anthropic-messages-08", "notholy-stream-10"), May: messageAll(), Wrap: lostMessage(isEnd)},
		{Name: "messages-end-after-stop", Summary: "message_delta comes behind message_stop",
			Breaks: end, May: messageAll(), Wrap: onMessage(func(_ *exchange, s *stream) func(object) {
				var held object
				return func(o object) {
					if isEnd(o) {
						held = o
						return
					}
					if s.say(o); isStop(o) && held != nil {
						s.say(held)
					}
				}
			})},
		{Name: "messages-done-appended", Summary: "[DONE] follows message_stop",
			Breaks: end, Wrap: onMessageIf(isStop, func(s *stream, o object, _ int) {
				s.say(o)
				s.write("data: [DONE]\n\n")
			})},
		{Name: "messages-ping-after-stop", Summary: "a ping follows message_stop",
			Breaks: end, May: messageAll(), Wrap: onMessageIf(isStop, func(s *stream, o object, _ int) {
				s.say(o)
				s.say(object{"type": "ping"})
			})},
		{Name: "messages-error-before-stop", Summary: "an error event says that the reply came from a cache",
			Breaks: []string{"anthropic-messages-07", "notholy-stream-06", "notholy-stream-09"}, May: []string{"notholy-billing-*"}, Wrap: onMessageIf(isStop, func(s *stream, o object, _ int) {
				s.say(object{"type": "error", "error": object{"type": "api_error", "message": "cache hit"}})
				s.say(o)
			})},
		{Name: "messages-then-open", Summary: "the stream of a message stays open behind message_stop",
			Breaks: []string{"anthropic-messages-07", "notholy-stream-06"}, May: append(messageAll(), "notholy-*"), Wrap: onMessageIf(isStop, func(s *stream, o object, _ int) { s.say(o); s.hang() })},
		{Name: "messages-reason-null", Summary: "stop_reason is null to the end",
			Breaks: append(words, "anthropic-messages-08", "anthropic-messages-09", "notholy-stream-10"), May: messageAll(), Wrap: changedMessage(isEnd, func(o object) { o.inner("delta")["stop_reason"] = nil })},
		{Name: "messages-reason-of-chat", Summary: "stop_reason has the words of chat completions",
			Breaks: append(words, "anthropic-messages-08", "anthropic-messages-09"), May: messageAll(), Wrap: changedMessage(isEnd, func(o object) {
				d := o.inner("delta")
				d["stop_reason"] = map[any]any{"end_turn": "stop", "max_tokens": "length", "tool_use": "tool_calls", "stop_sequence": "stop"}[d["stop_reason"]]
			})},
		{Name: "messages-turn-ends-by-limit", Summary: "stop_reason is max_tokens also where the model finished",
			Breaks: []string{"anthropic-messages-08", "notholy-stream-10"}, May: []string{"anthropic-messages-07", "anthropic-messages-16"}, Wrap: reason("end_turn", "max_tokens")},
		{Name: "messages-turn-pauses", Summary: "stop_reason is pause_turn where the model finished",
			Breaks: []string{"anthropic-messages-08", "notholy-stream-10"}, May: []string{"anthropic-messages-07", "anthropic-messages-16"}, Wrap: reason("end_turn", "pause_turn")},
		{Name: "messages-limit-ends-turn", Summary: "stop_reason is end_turn where the reply reached max_tokens",
			Breaks: []string{"anthropic-messages-09", "anthropic-messages-16", "notholy-stream-10"}, Wrap: reason("max_tokens", "end_turn")},
		{Name: "messages-limit-raised", Summary: "max_tokens of a message counts twice",
			Breaks: []string{"anthropic-messages-09", "notholy-stream-10"}, May: []string{"notholy-stream-09", "anthropic-messages-16"}, Wrap: onAskedAt(pathMessages, func(o object) {
				if n := o.number("max_tokens"); n > 0 {
					o["max_tokens"] = 2 * n
				}
			})},
		{Name: "messages-stop-sequence-ends-turn", Summary: "stop_reason is end_turn where a stop sequence ended the message",
			Breaks: stop, Wrap: stopping(func(d object) { d["stop_reason"], d["stop_sequence"] = "end_turn", nil })},
		{Name: "messages-stop-sequence-unnamed", Summary: "the stop sequence that ended the message is not named",
			Breaks: stop, Wrap: stopping(with("stop_sequence", nil))},
		{Name: "messages-stop-sequence-in-text", Summary: "the stop sequence is part of the text",
			Breaks: append(stop, "notholy-stream-10"), Wrap: onMessage(func(x *exchange, s *stream) func(object) {
				sequences, _ := x.asked()["stop_sequences"].([]any)
				return func(o object) {
					if isBlockStop(o) && len(sequences) > 0 {
						s.say(object{"type": "content_block_delta", "index": o["index"], "delta": object{"type": "text_delta", "text": sequences[0]}})
					}
					s.say(o)
				}
			})},
		{Name: "messages-stop-sequences-ignored", Summary: "stop sequences of a message are ignored",
			Breaks: append(stop, "notholy-stream-10"), May: []string{"anthropic-messages-18"}, Wrap: onAskedAt(pathMessages, without("stop_sequences"))},
	}
}

func messageUsages() []Mutant {
	row := []string{"anthropic-messages-11", "notholy-stream-09"}
	prompt := []string{"anthropic-messages-12", "notholy-stream-09", "notholy-stream-10"}
	counted := []string{"anthropic-messages-13", "notholy-stream-10"}
	may := []string{"anthropic-messages-09", "anthropic-messages-13", "anthropic-messages-16", "notholy-stream-09", "notholy-stream-10", "notholy-billing-02"}
	usage := func(change func(u object)) wrap { return changedMessage(isEnd, func(o object) { change(o.usage()) }) }
	none := func(u object) {
		for _, key := range []string{"input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens"} {
			u[key] = 0
		}
	}
	return []Mutant{
		{Name: "messages-count-falls", Summary: "message_start counts more output than message_delta", Breaks: row, May: []string{"notholy-billing-02"},
			Wrap: changedMessage(isStart, func(o object) { o.inner("message").usage()["output_tokens"] = 10000 })},
		{Name: "messages-counts-negative", Summary: "input_tokens is -1 where it is not known", Breaks: row, May: may,
			Wrap: usage(func(u object) { u["input_tokens"] = -1 })},
		{Name: "messages-counts-as-text", Summary: "output_tokens is a text", Breaks: append(row, "anthropic-messages-13"), May: may,
			Wrap: usage(func(u object) { u["output_tokens"] = encode(u["output_tokens"]) })},
		{Name: "messages-prompt-uncounted", Summary: "the tokens of the prompt are 0 everywhere", Breaks: prompt, May: may, Wrap: usage(none)},
		{Name: "messages-prompt-of-start-alone", Summary: "the prompt is read from message_start, where it is not known yet", Report: "envoyproxy/ai-gateway#2290",
			Breaks: prompt, May: may, Wrap: usage(without("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens"))},
		{Name: "messages-cache-counts-missing", Summary: "usage of a stream has no cache counts, which the whole message has", Report: "8monkey-ai/hebo-gateway#187",
			Breaks: []string{"anthropic-messages-16", "notholy-stream-10"}, May: append(may, "anthropic-messages-12"), Wrap: usage(without("cache_creation_input_tokens", "cache_read_input_tokens"))},
		{Name: "messages-input-with-cache", Summary: "input_tokens counts what is cached too, as prompt_tokens does", Report: "Gitlawb/openclaude#577",
			Breaks: []string{"anthropic-messages-16", "notholy-stream-10"}, May: may, Wrap: usage(func(u object) {
				u.add("input_tokens", u.number("cache_creation_input_tokens")+u.number("cache_read_input_tokens"))
			})},
		{Name: "messages-counts-summed", Summary: "the cumulative count of message_delta is added to that of message_start", Report: "tensorzero/tensorzero#5481",
			Breaks: counted, May: may, Wrap: changedMessage(func(o object) bool { return isStart(o) || isEnd(o) }, func(o object) {
				if isStart(o) {
					o.inner("message").usage()["output_tokens"] = 1
					return
				}
				o.usage().add("output_tokens", 1)
			})},
		{Name: "messages-count-one-too-low", Summary: "output_tokens is one too low", Breaks: counted, May: may, Wrap: usage(func(u object) { u.add("output_tokens", -1) })},
		{Name: "messages-count-zero", Summary: "output_tokens is 0", Breaks: append(counted, "notholy-stream-09"), May: may, Wrap: usage(with("output_tokens", 0))},
	}
}
