package mutant

// several tells whether a request asks for more than one choice.
func several(x *exchange) bool { return x.asked().number("n") > 1 }

// index is the index of the first choice of a chunk.
func index(e event) int { return e.chunk().choice().number("index") }

func choices() []Mutant {
	row := []string{"openai-chat-10"}
	lost := []string{"mortar-*", "openai-chat-*"} // the text is looked for in choice 0
	return []Mutant{
		{Name: "index-counts-up", Summary: "the index of the choice counts the chunks", Report: "microsoft/foundry-local#263",
			Breaks: []string{"openai-chat-08"}, May: lost, Wrap: onStream(editNth(isChunk, func(c object, n int) { c.choice()["index"] = n - 1 }))},
		{Name: "index-missing", Summary: "choices have no index",
			Breaks: []string{"openai-chat-08", "mortar-stream-31"}, May: append(row, "mortar-stream-12"), Wrap: onStream(edit(func(c object) { delete(c.choice(), "index") }))},
		{Name: "index-as-text", Summary: "the index of a choice is a text",
			Breaks: []string{"openai-chat-08", "mortar-stream-31"}, May: append(row, "mortar-stream-12"), Wrap: onStream(edit(func(c object) {
				for _, choice := range c.choices() {
					choice["index"] = encode(choice["index"])
				}
			}))},
		{Name: "index-zero-for-all", Summary: "every choice has the index 0", Report: "envoyproxy/ai-gateway#1487",
			Breaks: row, May: []string{"mortar-stream-12", "openai-chat-07", "openai-chat-09", "openai-chat-08"}, Wrap: onStream(edit(func(c object) {
				for _, choice := range c.choices() {
					choice["index"] = 0
				}
			}))},
		{Name: "choices-ignored", Summary: "n is ignored",
			Breaks: row, May: []string{"mortar-stream-12", "openai-chat-07", "openai-chat-12", "openai-chat-14", "openai-chat-21"},
			Wrap: onRequest(func(_ *exchange, o object) {
				if o.number("n") > 1 && o.number("n") <= 128 {
					delete(o, "n")
				}
			})},
		{Name: "choice-unfinished", Summary: "only the first choice finishes",
			Breaks: append(row, "mortar-stream-12"), Wrap: onStream(drop(func(e event) bool { return isFinish(e) && index(e) > 0 }))},
		{Name: "choice-without-role", Summary: "only the first choice has a role",
			Breaks: []string{"openai-chat-07"}, Wrap: onStream(editIf(isRole, func(c object) {
				if c.choice().number("index") > 0 {
					delete(c.delta(), "role")
				}
			}))},
		{Name: "choice-cut-short", Summary: "the last choice loses its last token",
			Breaks: row, Wrap: onStream(when(several, func(_ *exchange, s *stream) func(event) {
				texts := 0
				return func(e event) {
					if isText(e) && index(e) == 2 {
						if texts++; texts == 4 {
							return
						}
					}
					s.send(e)
				}
			}))},
	}
}
