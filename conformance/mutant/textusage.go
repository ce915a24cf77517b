package mutant

func textUsages() []Mutant {
	counted := []string{"openai-text-11", "openai-text-14", "openai-text-15", "notholy-stream-04", "notholy-stream-10"}
	// What usage says is charged, so that a wrong count is a wrong charge too.
	may := []string{"openai-text-19", "notholy-billing-02"}
	onUsage := func(change func(u object)) wrap { return onText(isTextUsage, func(c object) { change(c.usage()) }) }
	return []Mutant{
		{Name: "completions-usage-missing", Summary: "a text completion has no usage chunk",
			Breaks: []string{"openai-text-08", "openai-text-10", "notholy-stream-04", "notholy-stream-10"}, May: append(textAll(), may...),
			Wrap: onTextEvents(isTextUsage, func(*stream, event, int) {})},
		{Name: "completions-usage-with-choice", Summary: "the usage chunk of a text completion has a choice, as the schema wants one", Report: "ogx-ai/ogx#6541",
			Breaks: []string{"openai-text-08", "notholy-stream-04"}, May: []string{"openai-text-07", "openai-text-10", "notholy-stream-09"}, Wrap: onText(isTextUsage, func(c object) {
				c["choices"] = []any{object{"index": 0, "text": "", "logprobs": nil, "finish_reason": nil}}
			})},
		{Name: "completions-usage-null", Summary: "the usage chunk of a text completion holds null",
			Breaks: []string{"openai-text-08", "notholy-stream-04", "notholy-stream-10"}, May: append(textAll(), may...), Wrap: onText(isTextUsage, func(c object) { c["usage"] = nil })},
		{Name: "completions-usage-key-missing", Summary: "the chunks before the usage chunk of a text completion leave the key out",
			Breaks: []string{"openai-text-08", "notholy-stream-09"}, Wrap: onText(isTextOpen, func(c object) { delete(c, "usage") })},
		{Name: "completions-usage-on-every-chunk", Summary: "every chunk of a text completion carries a usage of zeros",
			Breaks: []string{"openai-text-08"}, May: []string{"notholy-stream-09"}, Wrap: onText(isTextOpen, func(c object) { c["usage"] = noUsage() })},
		{Name: "completions-usage-when-asked-alone", Summary: "a text completion carries usage only if it was asked for",
			Breaks: []string{"notholy-stream-04", "notholy-stream-10"}, May: []string{"notholy-billing-02", "openai-text-14", "openai-text-15"},
			Wrap: onStreamAt(pathText, when(func(x *exchange) bool { return !asksUsage(x) }, drop(holds(isTextUsage))))},
		{Name: "completions-usage-refused", Summary: "a text completion carries no usage if include_usage is false",
			Breaks: []string{"notholy-stream-04"}, Wrap: onStreamAt(pathText, when(refusesUsage, drop(holds(isTextUsage))))},
		{Name: "completions-usage-too-early", Summary: "the usage chunk of a text completion comes before the finish chunk",
			Breaks: []string{"openai-text-08", "notholy-stream-04"}, May: []string{"openai-text-10", "notholy-stream-09"}, Wrap: onStreamAt(pathText, func(_ *exchange, s *stream) func(event) {
				finish := ""
				return func(e event) {
					switch {
					case !e.end && holds(isTextFinish)(e):
						finish += e.raw
					case !e.end && holds(isTextUsage)(e):
						s.write(e.raw + finish)
					default:
						s.send(e)
					}
				}
			})},
		{Name: "completions-usage-lost-on-second", Summary: "an equal text completion is answered from a cache, which has no usage",
			Breaks: []string{"notholy-stream-04"}, Wrap: stateful(func(Upstream) relay {
				seen := newSet()
				return relay{events: func(x *exchange, s *stream) func(event) {
					if x.path != pathText || seen.add(string(x.body)) {
						return s.send
					}
					return drop(holds(isTextUsage))(x, s)
				}}
			})},
		{Name: "completions-usage-unasked", Profile: "openai", Summary: "a text completion carries usage that was not asked for",
			Breaks: []string{"openai-text-09"}, May: []string{"openai-text-08"}, Wrap: onAskedAt(pathText, func(o object) {
				if o["stream"] == true {
					o["stream_options"] = object{"include_usage": true}
				}
			})},
		{Name: "completions-usage-when-refused", Profile: "openai", Summary: "a text completion carries usage although include_usage is false",
			Breaks: []string{"openai-text-09"}, Wrap: onAskedAt(pathText, func(o object) {
				if o.inner("stream_options")["include_usage"] == false {
					o["stream_options"] = object{"include_usage": true}
				}
			})},
		{Name: "completions-usage-on-finish", Profile: "openai", Summary: "the finish chunk of a text completion carries usage that was not asked for",
			Breaks: []string{"openai-text-09"}, Wrap: onStreamAt(pathText, when(func(x *exchange) bool { return !asksUsage(x) },
				rewrittenIf(isTextFinish, func(c object) { c["usage"] = noUsage() })))},
		{Name: "completions-total-wrong", Summary: "total_tokens of a text completion is not the sum",
			Breaks: []string{"openai-text-10", "notholy-stream-09"}, May: may, Wrap: onUsage(func(u object) { u.add("total_tokens", 7) })},
		{Name: "completions-counts-negative", Summary: "prompt_tokens of a text completion is -1",
			Breaks: []string{"openai-text-10", "notholy-stream-09", "notholy-stream-10"}, May: append(may, "notholy-stream-04"), Wrap: onUsage(func(u object) {
				u["prompt_tokens"], u["total_tokens"] = -1, u.number("completion_tokens")-1
			})},
		{Name: "completions-count-one-too-low", Summary: "completion_tokens of a text completion is one too low",
			Breaks: counted, May: may, Wrap: onUsage(addCompletion(-1))},
		{Name: "completions-count-of-chunks", Summary: "completion_tokens of a text completion counts the finish chunk too",
			Breaks: counted, May: append(may, "notholy-stream-09"), Wrap: onUsage(addCompletion(1))},
	}
}

// refusesUsage tells the requests whose include_usage is false.
func refusesUsage(x *exchange) bool {
	return x.asked().inner("stream_options")["include_usage"] == false
}
