package mutant

import "strings"

// readText are rows whose scenarios compare or count the text of a reply.
func readText() []string {
	return []string{"mortar-stream-03", "mortar-stream-07", "mortar-stream-08", "mortar-stream-09", "mortar-stream-1?", "mortar-stream-2?", "mortar-stream-32",
		"mortar-cancel-*", "openai-chat-10", "openai-chat-16", "openai-chat-17", "openai-chat-22"}
}

func texts() []Mutant {
	row := []string{"openai-chat-30"}
	return []Mutant{
		{Name: "text-doubled", Summary: "each delta is sent twice", Report: "openclaw/openclaw#1284",
			Breaks: append(row, "openai-chat-22"), May: readText(), Wrap: onStream(nth(isText, func(s *stream, e event, _ int) { s.write(e.raw + e.raw) }))},
		{Name: "text-cumulative", Summary: "each delta holds the text so far", Report: "perplexityai/api-discussion#209",
			Breaks: append(row, "openai-chat-22"), May: readText(), Wrap: onStream(func(_ *exchange, s *stream) func(event) {
				var all strings.Builder
				return editIf(isText, func(c object) {
					all.WriteString(c.text())
					c.delta()["content"] = all.String()
				})(nil, s)
			})},
		{Name: "text-repeated-at-end", Summary: "the last delta repeats the whole reply", Report: "infiniflow/ragflow#15443",
			Breaks: append(row, "openai-chat-22"), May: readText(), Wrap: onStream(func(_ *exchange, s *stream) func(event) {
				var all strings.Builder
				var last event
				return func(e event) {
					if isText(e) {
						all.WriteString(e.chunk().text())
						last = e
					}
					if isFinish(e) && all.Len() > 0 {
						again := last.chunk().clone()
						again.delta()["content"] = all.String()
						s.sendChunk(again)
					}
					s.send(e)
				}
			})},
		{Name: "text-loses-seventh", Summary: "the seventh delta is lost", Report: "raullenchai/Rapid-MLX#209",
			Breaks: append(row, "openai-chat-22"), May: readText(), Wrap: onStream(nth(isText, func(s *stream, e event, n int) {
				if n != 7 {
					s.send(e)
				}
			}))},
		{Name: "text-loses-every-fiftieth", Summary: "of a long reply one delta in fifty is lost",
			Breaks: row, Wrap: onStream(nth(isText, func(s *stream, e event, n int) {
				if n%50 != 0 {
					s.send(e)
				}
			}))},
		{Name: "text-loses-first", Summary: "the first delta is lost",
			Breaks: append(row, "openai-chat-22"), May: readText(), Wrap: onStream(nth(isText, func(s *stream, e event, n int) {
				if n > 1 {
					s.send(e)
				}
			}))},
		{Name: "text-out-of-order", Summary: "of a long reply two deltas change places",
			Breaks: row, Wrap: onStream(func(_ *exchange, s *stream) func(event) {
				var held event
				return nth(isText, func(s *stream, e event, n int) {
					switch n {
					case 60:
						held = e
					case 61:
						s.send(e)
						s.send(held)
					default:
						s.send(e)
					}
				})(nil, s)
			})},
		{Name: "text-trimmed", Summary: "blanks around each delta are lost",
			Breaks: append(row, "openai-chat-22"), May: readText(), Wrap: rewriteText(strings.TrimSpace)},
		{Name: "text-lost-with-finish", Summary: "the last text before the finish chunk is lost", Report: "nguyenphutrong/quotio#459",
			Breaks: append(row, "openai-chat-22"), May: readText(), Wrap: onStream(func(_ *exchange, s *stream) func(event) {
				var held event
				return func(e event) {
					if !isFinish(e) {
						s.send(event{raw: held.raw})
					}
					if held = (event{}); isText(e) {
						held = e
						return
					}
					s.send(e)
				}
			})},
	}
}

func limits() []Mutant {
	length := []string{"mortar-stream-14", "openai-chat-18"}
	return []Mutant{
		{Name: "limit-ignored", Summary: "max_tokens is ignored",
			Breaks: length, Wrap: onRequest(func(_ *exchange, o object) {
				if o.number("max_tokens") > 0 {
					delete(o, "max_tokens")
				}
			})},
		{Name: "completion-limit-ignored", Summary: "max_completion_tokens is ignored",
			Breaks: length, Wrap: onRequest(func(_ *exchange, o object) { delete(o, "max_completion_tokens") })},
		{Name: "limit-one-more", Summary: "a reply has one token more than max_tokens",
			Breaks: []string{"openai-chat-18"}, May: []string{"mortar-stream-13", "mortar-stream-14", "mortar-stream-32", "openai-chat-22"}, Wrap: onRequest(func(_ *exchange, o object) {
				if n := o.number("max_tokens"); n > 0 {
					o["max_tokens"] = n + 1
				}
			})},
		{Name: "stop-sequence-ignored", Summary: "stop is ignored",
			Breaks: []string{"openai-chat-17"}, Wrap: onRequest(func(_ *exchange, o object) { delete(o, "stop") })},
		{Name: "stop-sequence-in-text", Summary: "the stop sequence stays in the text",
			Breaks: []string{"openai-chat-17"}, Wrap: onStream(func(x *exchange, s *stream) func(event) {
				word, _ := x.asked()["stop"].(string)
				return nth(isFinish, func(s *stream, e event, _ int) {
					if word != "" {
						s.write(chunkOf(x.id, object{"content": word}, nil))
					}
					s.send(e)
				})(x, s)
			})},
		{Name: "stop-sequence-over-tokens-missed", Summary: "a stop sequence that spans two tokens is missed", Report: "SharpAI/SwiftLM#126",
			Breaks: []string{"openai-chat-17"}, Wrap: onRequest(func(_ *exchange, o object) {
				if o["stop"] == "STOP" {
					delete(o, "stop")
				}
			})},
		{Name: "stop-sequence-as-length", Summary: "a reply that a stop sequence ended finishes with length",
			Breaks: []string{"openai-chat-17"}, Wrap: finishOf(func(x *exchange, reason string) any {
				if x.asked()["stop"] != nil {
					return "length"
				}
				return reason
			})},
	}
}
