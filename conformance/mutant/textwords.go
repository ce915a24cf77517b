package mutant

import "strings"

func textWords() []Mutant {
	logprobs := []string{"openai-text-12"}
	whole := []string{"openai-text-20", "notholy-stream-10"}
	may := []string{"openai-text-06", "openai-text-12", "openai-text-19", "notholy-stream-02", "notholy-stream-07"} // they read the text too
	asked := func(change func(l object)) wrap {
		return eachTextChoice(isTextPiece, func(choice object) {
			if l := choice.inner("logprobs"); len(l) > 0 {
				change(l)
			}
		})
	}
	return []Mutant{
		{Name: "completions-logprobs-missing", Summary: "logprobs of a text completion are null although they were asked for",
			Breaks: logprobs, Wrap: eachTextChoice(isTextPiece, func(choice object) { choice["logprobs"] = nil })},
		{Name: "completions-logprobs-of-chat", Summary: "logprobs of a text completion have the form of chat completions",
			Breaks: logprobs, Wrap: asked(func(l object) {
				clear(l)
				l["content"] = []any{}
			})},
		{Name: "completions-logprobs-without-offsets", Summary: "logprobs of a text completion have no text_offset",
			Breaks: logprobs, Wrap: asked(func(l object) { delete(l, "text_offset") })},
		{Name: "completions-logprobs-unasked", Summary: "a text completion has logprobs that nobody asked for",
			Breaks: append(logprobs, "notholy-stream-09"), Wrap: eachTextChoice(isTextPiece, func(choice object) {
				if choice["logprobs"] == nil {
					choice["logprobs"] = object{"tokens": []any{}, "token_logprobs": []any{}, "top_logprobs": []any{}, "text_offset": []any{}}
				}
			})},
		{Name: "completions-stop-in-text", Summary: "the stop sequence is part of a text completion",
			Breaks: []string{"openai-text-13", "notholy-stream-10"}, Wrap: onStreamAt(pathText, func(x *exchange, s *stream) func(event) {
				stop := x.asked().word("stop")
				return rewrittenIf(isTextFinish, func(c object) { c.choice().append("text", stop) })(x, s)
			})},
		{Name: "completions-stop-says-length", Summary: "finish_reason is length where a stop sequence ended a text completion",
			Breaks: []string{"openai-text-13", "notholy-stream-10"}, Wrap: onStreamAt(pathText, when(func(x *exchange) bool { return x.asked()["stop"] != nil },
				rewrittenIf(isTextFinish, func(c object) { c.choice()["finish_reason"] = "length" })))},
		{Name: "completions-stop-ignored", Summary: "stop sequences of a text completion are ignored",
			Breaks: []string{"openai-text-13", "notholy-stream-10"}, Wrap: onAskedAt(pathText, func(o object) { delete(o, "stop") })},
		{Name: "completions-piece-lost", Summary: "the third piece of a text completion is lost",
			Breaks: whole, May: may, Wrap: onTextEvents(isTextPiece, func(s *stream, e event, n int) {
				if n != 3 {
					s.send(e)
				}
			})},
		{Name: "completions-piece-doubled", Summary: "the third piece of a text completion comes twice",
			Breaks: whole, May: may, Wrap: onTextEvents(isTextPiece, func(s *stream, e event, n int) {
				if s.send(e); n == 3 {
					s.send(e)
				}
			})},
		{Name: "completions-text-trimmed", Summary: "the pieces of a text completion lose the blanks before them",
			Breaks: whole, May: may, Wrap: eachTextChoice(isTextPiece, func(choice object) { choice["text"] = strings.TrimLeft(choice.word("text"), " ") })},
		{Name: "completions-prompt-echoed", Summary: "a text completion begins with its prompt",
			Breaks: whole, May: may, Wrap: onStreamAt(pathText, func(x *exchange, s *stream) func(event) {
				prompt := x.asked().word("prompt")
				return nth(holds(isTextPiece), func(s *stream, e event, n int) {
					if n == 1 {
						e.json().choice()["text"] = prompt + e.json().choice().word("text")
					}
					s.sendChunk(e.json())
				})(x, s)
			})},
	}
}

func textWholes() []Mutant {
	shape := []string{"openai-text-18"}
	may := []string{"openai-text-19", "notholy-stream-10", "notholy-billing-02"}
	whole := func(change func(o object)) wrap { return onWholeAt(pathText, change) }
	return []Mutant{
		{Name: "completions-whole-as-stream", Summary: "a text completion without stream is an event stream",
			Breaks: append(shape, "openai-text-19", "notholy-stream-10"), May: append(may, "openai-text-2*"), Wrap: answeredAsStream(pathText)},
		{Name: "completions-whole-of-chat", Summary: "a whole text completion has the object chat.completion",
			Breaks: shape, Wrap: whole(func(o object) { o["object"] = "chat.completion" })},
		{Name: "completions-whole-with-message", Summary: "a whole text completion has a message instead of text",
			Breaks: append(shape, "openai-text-19", "notholy-stream-10"), Wrap: whole(func(o object) {
				for _, choice := range o.choices() {
					choice["message"] = object{"role": "assistant", "content": choice["text"]}
					delete(choice, "text")
				}
			})},
		{Name: "completions-whole-without-usage", Summary: "a whole text completion has no usage",
			Breaks: append(shape, "openai-text-19", "notholy-stream-10"), May: may, Wrap: whole(func(o object) { delete(o, "usage") })},
		{Name: "completions-whole-of-one-choice", Summary: "a whole text completion has one choice whatever n was",
			Breaks: shape, Wrap: whole(func(o object) { o["choices"] = []any{o.choice()} })},
		{Name: "completions-whole-text-trimmed", Summary: "a whole text completion loses its last character",
			Breaks: []string{"openai-text-19", "notholy-stream-10"}, Wrap: whole(func(o object) { o.choice().cut("text") })},
		{Name: "completions-whole-finishes-otherwise", Summary: "finish_reason of a whole text completion is stop also at max_tokens",
			Breaks: []string{"openai-text-19"}, Wrap: whole(func(o object) { o.choice()["finish_reason"] = "stop" })},
	}
}
