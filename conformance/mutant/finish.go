package mutant

// finishOf replaces the finish reason of the finish chunk.
func finishOf(change func(x *exchange, reason string) any) wrap {
	return onStream(func(x *exchange, s *stream) func(event) {
		return editIf(isFinish, func(c object) {
			for _, choice := range c.choices() {
				choice["finish_reason"] = change(x, c.finish())
			}
		})(x, s)
	})
}

// limited tells whether a request bounds its reply.
func limited(x *exchange) bool {
	o := x.asked()
	return o["max_tokens"] != nil || o["max_completion_tokens"] != nil
}

func finishes() []Mutant {
	once := []string{"mortar-stream-12", "openai-chat-09"}
	readIt := []string{"mortar-stream-13", "mortar-stream-14", "mortar-stream-15", "mortar-stream-31", "mortar-stream-32",
		"openai-chat-10", "openai-chat-11", "openai-chat-17", "openai-chat-18", "openai-chat-22"}
	return []Mutant{
		{Name: "finish-missing", Summary: "no finish chunk comes before [DONE]", Report: "screenpipe/screenpipe#3616",
			Breaks: append(once, "mortar-stream-13", "mortar-stream-14", "mortar-stream-31"), May: readIt, Wrap: onStream(drop(isFinish))},
		{Name: "finish-null", Summary: "the last chunk has finish_reason null", Report: "vllm-project/vllm#27572",
			Breaks: append(once, "mortar-stream-13", "mortar-stream-14", "mortar-stream-31"), May: readIt,
			Wrap: finishOf(func(*exchange, string) any { return nil })},
		{Name: "finish-stop-lost", Summary: "a natural end has finish_reason null, while length works", Report: "waybarrios/vllm-mlx#628",
			Breaks: append(once, "mortar-stream-13"), May: []string{"mortar-stream-31", "mortar-stream-32", "openai-chat-10", "openai-chat-17", "openai-chat-22"},
			Wrap: finishOf(func(_ *exchange, reason string) any {
				if reason == "stop" {
					return nil
				}
				return reason
			})},
		{Name: "finish-twice", Summary: "an empty finish chunk with stop follows the right one", Report: "RayBytes/ChatMock#114",
			Breaks: once, May: []string{"openai-chat-10", "openai-chat-11"}, Wrap: onStream(nth(isFinish, func(s *stream, e event, _ int) {
				s.send(e)
				again := e.chunk()
				again.choice()["finish_reason"] = "stop"
				s.sendChunk(again)
			}))},
		{Name: "finish-on-usage", Summary: "the usage chunk repeats the finish", Report: "ddalcu/mlx-serve#147",
			Breaks: []string{"mortar-stream-04", "mortar-stream-12", "openai-chat-09", "openai-chat-12"}, May: []string{"mortar-cancel-08"},
			Wrap: onStream(editIf(isUsage, func(c object) { c["choices"] = []any{openChoice(object{}, "stop")} }))},
		{Name: "finish-then-empty", Summary: "a chunk with an empty delta follows the finish chunk", Report: "ai-dynamo/dynamo#4153",
			Breaks: once, May: []string{"openai-chat-10"}, Wrap: onStream(nth(isFinish, func(s *stream, e event, _ int) {
				s.send(e)
				again := e.chunk()
				again.choice()["finish_reason"] = nil
				s.sendChunk(again)
			}))},
		{Name: "finish-then-content", Summary: "the last text comes after the finish chunk", Report: "anomalyco/opencode#49167",
			Breaks: once, May: []string{"mortar-stream-03", "mortar-stream-10", "mortar-stream-14", "mortar-stream-28", "mortar-cancel-*", "openai-chat-10", "openai-chat-16", "openai-chat-17", "openai-chat-30"},
			Wrap: onStream(contentAfterFinish)},
		{Name: "finish-empty-text", Summary: "finish_reason is an empty text before the end", Report: "ollama/ollama#4357",
			Breaks: once, May: []string{"openai-chat-10"}, Wrap: onStream(edit(func(c object) {
				for _, choice := range c.choices() {
					if choice["finish_reason"] == nil {
						choice["finish_reason"] = ""
					}
				}
			}))},
		{Name: "finish-key-missing", Summary: "chunks before the last leave finish_reason out", Report: "mudler/LocalAI#1744",
			Breaks: once, May: []string{"openai-chat-10"}, Wrap: onStream(edit(func(c object) {
				for _, choice := range c.choices() {
					if choice["finish_reason"] == nil {
						delete(choice, "finish_reason")
					}
				}
			}))},
		{Name: "finish-on-every-chunk", Summary: "every chunk has finish_reason stop",
			Breaks: append(once, "mortar-stream-14"), May: []string{"mortar-stream-15", "openai-chat-10", "openai-chat-11", "openai-chat-18", "mortar-stream-18", "mortar-cancel-07", "openai-chat-22", "mortar-stream-32"},
			Wrap: onStream(edit(func(c object) {
				for _, choice := range c.choices() {
					choice["finish_reason"] = "stop"
				}
			}))},
		{Name: "finish-unknown-word", Summary: "finish_reason is a word that OpenAI does not document", Report: "kekzl/imp#1590",
			Breaks: append(once, "mortar-stream-13"), May: []string{"mortar-stream-32", "openai-chat-10", "openai-chat-17", "openai-chat-22"},
			Wrap: finishOf(func(_ *exchange, reason string) any {
				if reason == "stop" {
					return "eos_token"
				}
				return reason
			})},
		{Name: "finish-always-length", Summary: "finish_reason is length although the model finished its answer",
			Breaks: []string{"mortar-stream-13", "openai-chat-17", "mortar-stream-32", "openai-chat-22"}, May: []string{"openai-chat-11"},
			Wrap: finishOf(func(*exchange, string) any { return "length" })},
		{Name: "finish-guessed-from-limit", Summary: "finish_reason is length for each reply that has a limit",
			Breaks: []string{"mortar-stream-13"}, Wrap: finishOf(func(x *exchange, reason string) any {
				if limited(x) {
					return "length"
				}
				return reason
			})},
		{Name: "finish-always-stop", Summary: "finish_reason is stop although the reply hit max_tokens",
			Breaks: []string{"mortar-stream-14", "mortar-stream-15", "openai-chat-18", "openai-chat-11", "mortar-stream-32", "openai-chat-22"},
			Wrap:   finishOf(func(*exchange, string) any { return "stop" })},
		{Name: "finish-window-as-stop", Summary: "a reply that filled the context window finishes with stop",
			Breaks: []string{"mortar-stream-15"}, Wrap: finishOf(func(x *exchange, reason string) any {
				if reason == "length" && !limited(x) {
					return "stop"
				}
				return reason
			})},
		{Name: "finish-window-unknown-word", Summary: "a reply that filled the context window finishes with a word of the model server",
			Breaks: []string{"mortar-stream-15"}, Wrap: finishOf(func(x *exchange, reason string) any {
				if reason == "length" && !limited(x) {
					return "model_length"
				}
				return reason
			})},
	}
}

// contentAfterFinish holds the last text back until the finish chunk is sent.
func contentAfterFinish(_ *exchange, s *stream) func(event) {
	var held event
	return func(e event) {
		switch {
		case isText(e):
			s.send(event{raw: held.raw})
			held = e
		case isFinish(e):
			s.send(e)
			s.send(event{raw: held.raw})
			held = event{}
		case e.end || isDone(e) || isError(e):
			s.send(event{raw: held.raw})
			held = event{}
			s.send(e)
		default:
			s.send(e)
		}
	}
}
