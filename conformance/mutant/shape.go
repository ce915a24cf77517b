package mutant

import "encoding/json"

// everyDelta changes the delta of each choice of each chunk.
func everyDelta(change func(d object)) wrap {
	return onStream(edit(func(c object) {
		for _, choice := range c.choices() {
			change(choice.inner("delta"))
		}
	}))
}

// firstDelta changes the chunk that begins a choice.
func firstDelta(change func(d object)) wrap {
	return onStream(editIf(isRole, func(c object) { change(c.delta()) }))
}

func shapes() []Mutant {
	chunk := []string{"mortar-stream-02", "openai-chat-02"}
	role := []string{"openai-chat-07"}
	return []Mutant{
		{Name: "object-of-text-completion", Summary: "chunks have the object text_completion", Report: "huggingface/text-generation-inference#1648",
			Breaks: append(chunk, "mortar-stream-31"), Wrap: onStream(edit(func(c object) { c["object"] = "text_completion" }))},
		{Name: "object-missing", Summary: "chunks have no object",
			Breaks: append(chunk, "mortar-stream-31"), Wrap: onStream(edit(func(c object) { delete(c, "object") }))},
		{Name: "delta-missing", Summary: "the finish chunk has no delta",
			Breaks: append(chunk, "mortar-stream-31"), Wrap: onStream(editIf(isFinish, func(c object) { delete(c.choice(), "delta") }))},
		{Name: "content-as-list", Summary: "the content of a delta is a list of parts",
			Breaks: []string{"openai-chat-02"}, May: []string{"mortar-*", "openai-chat-*"}, // no reader of texts finds the reply
			Wrap: everyDelta(func(d object) {
				if text, ok := d["content"].(string); ok {
					d["content"] = []any{object{"type": "text", "text": text}}
				}
			})},
		{Name: "role-missing", Summary: "the chunk with the role is lost, as it has no content", Report: "langwatch/langwatch#6214",
			Breaks: append(role, "mortar-stream-31"), May: []string{"mortar-stream-11", "mortar-stream-12", "openai-chat-10"}, Wrap: firstDelta(func(d object) { delete(d, "role") })},
		{Name: "role-null", Summary: "role is null on every delta", Report: "lemonade-sdk/lemonade#350",
			Breaks: append(role, "openai-chat-02", "mortar-stream-31"), Wrap: everyDelta(func(d object) { d["role"] = nil })},
		{Name: "role-of-model", Summary: "the role is model",
			Breaks: append(role, "openai-chat-02"), Wrap: firstDelta(func(d object) { d["role"] = "model" })},
		{Name: "role-late", Summary: "the role comes with the finish chunk alone",
			Breaks: role, Wrap: onStream(edit(func(c object) {
				delete(c.delta(), "role")
				if c.finish() != "" {
					c.delta()["role"] = "assistant"
				}
			}))},
		{Name: "error-null", Summary: "every chunk has error null, which openai-go takes for a failure",
			Breaks: []string{"openai-chat-20", "mortar-stream-31"}, Wrap: onStream(edit(func(c object) { c["error"] = nil }))},
		{Name: "error-empty", Summary: "the finish chunk has an empty text as error",
			Breaks: []string{"openai-chat-20", "mortar-stream-31"}, Wrap: onStream(editIf(isFinish, func(c object) { c["error"] = "" }))},
		{Name: "error-says-cached", Summary: "an error object says that the reply came from a cache", Report: "gumieri/nenya#18",
			Breaks: []string{"openai-chat-20", "mortar-stream-31"}, May: []string{"mortar-*", "openai-chat-*"},
			Wrap: onStream(before(isDone, `data: {"error":{"message":"cache hit","type":"cache","param":null,"code":null}}`+"\n\n"))},
		{Name: "vendor-field", Summary: "every chunk names the provider",
			Breaks: []string{"mortar-stream-30"}, Wrap: onStream(edit(func(c object) { c["provider"] = "gpu-7" }))},
		{Name: "vendor-message", Summary: "a whole message stands beside each delta", Report: "microsoft/foundry-local#144",
			Breaks: []string{"mortar-stream-30"}, Wrap: onStream(edit(func(c object) {
				for _, choice := range c.choices() {
					choice["message"] = object{"role": "assistant", "content": ""}
				}
			}))},
		{Name: "vendor-cost", Summary: "usage holds the cost",
			Breaks: []string{"mortar-stream-30"}, Wrap: onStream(editIf(isUsage, func(c object) { c.usage()["cost"] = json.Number("0.00012") }))},
		{Name: "vendor-end-flag", Summary: "the last chunk has a flag of its own", Report: "NousResearch/hermes-agent#90848",
			Breaks: []string{"mortar-stream-30"}, Wrap: onStream(editIf(func(e event) bool { return isFinish(e) || isUsage(e) }, func(c object) { c["lastOne"] = true }))},
		{Name: "vendor-reasoning", Summary: "deltas hold reasoning_content",
			Breaks: []string{"mortar-stream-30"}, Wrap: everyDelta(func(d object) { d["reasoning_content"] = nil })},
	}
}
