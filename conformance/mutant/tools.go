package mutant

import "sync/atomic"

// eachCall changes each piece of a tool call; first tells whether it begins one.
func eachCall(change func(call object, first bool)) wrap {
	return onStream(edit(func(c object) {
		for _, call := range c.delta().list("tool_calls") {
			change(call, call["id"] != nil)
		}
	}))
}

func isCall(e event) bool { return len(e.chunk().delta().list("tool_calls")) > 0 }

func tools() []Mutant {
	row := []string{"openai-chat-11"}
	return []Mutant{
		{Name: "tool-index-zero", Summary: "all tool calls have the index 0", Report: "LibreChat-AI/agents#260",
			Breaks: row, Wrap: eachCall(func(call object, _ bool) { call["index"] = 0 })},
		{Name: "tool-index-missing", Summary: "tool calls have no index", Report: "openai/openai-python#3246",
			Breaks: row, Wrap: eachCall(func(call object, _ bool) { delete(call, "index") })},
		{Name: "tool-index-twice", Summary: "the first piece lists its index twice, for name and arguments", Report: "openai/openai-python#3425",
			Breaks: row, Wrap: onStream(editIf(isCall, func(c object) {
				call := c.delta().list("tool_calls")[0]
				if call["id"] != nil {
					more := object{"index": call["index"], "function": object{"arguments": ""}}
					c.delta()["tool_calls"] = []any{call, more}
				}
			}))},
		{Name: "tool-index-shared", Summary: "one counter of tool calls serves all replies", Report: "askalf/dario#646",
			Breaks: row, Wrap: stateful(func(Upstream) relay {
				var begun atomic.Int64
				return relay{events: editIf(isCall, func(c object) {
					call := c.delta().list("tool_calls")[0]
					if call["id"] != nil {
						begun.Add(1)
					}
					call["index"] = begun.Load()
				})}
			})},
		{Name: "tool-index-rising", Summary: "each piece has the next index", Report: "dirac-run/dirac#215",
			Breaks: row, Wrap: onStream(editNth(isCall, func(c object, n int) { c.delta().list("tool_calls")[0]["index"] = n - 1 }))},
		{Name: "tool-name-repeated", Summary: "every piece repeats type and an empty name", Report: "lmstudio-ai/lmstudio-bug-tracker#649",
			Breaks: row, Wrap: eachCall(func(call object, first bool) {
				if !first {
					call["type"] = "function"
					call.inner("function")["name"] = ""
				}
			})},
		{Name: "tool-id-missing", Summary: "tool calls have no id",
			Breaks: row, Wrap: eachCall(func(call object, _ bool) { delete(call, "id") })},
		{Name: "tool-arguments-lost", Summary: "pieces of arguments without an id are lost", Report: "BerriAI/litellm#20712",
			Breaks: row, Wrap: onStream(drop(func(e event) bool { return isCall(e) && e.chunk().delta().list("tool_calls")[0]["id"] == nil }))},
		{Name: "tool-arguments-as-object", Summary: "arguments are an object instead of a text",
			Breaks: row, Wrap: eachCall(func(call object, first bool) {
				if !first {
					call.inner("function")["arguments"] = object{"city": "Paris"}
				}
			})},
		{Name: "tool-finish-stop", Summary: "a tool call finishes with stop", Report: "BerriAI/litellm#12862",
			Breaks: row, Wrap: finishOf(func(_ *exchange, reason string) any {
				if reason == "tool_calls" {
					return "stop"
				}
				return reason
			})},
		{Name: "tool-as-text", Summary: "a tool call comes as text of the reply", Report: "smg-project/smg#2203",
			Breaks: row, Wrap: onStream(editIf(isCall, func(c object) {
				c.delta()["content"] = encode(c.delta()["tool_calls"])
				delete(c.delta(), "tool_calls")
			}))},
	}
}

func logprobs() []Mutant {
	row := []string{"openai-chat-16"}
	eachToken := func(change func(token object)) wrap {
		return onStream(edit(func(c object) {
			for _, token := range c.choice().inner("logprobs").list("content") {
				change(token)
			}
		}))
	}
	return []Mutant{
		{Name: "logprobs-missing", Summary: "logprobs are null although they were asked for", Report: "sgl-project/sglang#26778",
			Breaks: row, Wrap: onStream(edit(func(c object) { c.choice()["logprobs"] = nil }))},
		{Name: "logprobs-of-first-token", Summary: "only the first delta has logprobs",
			Breaks: row, Wrap: onStream(editNth(isText, func(c object, n int) {
				if n > 1 {
					c.choice()["logprobs"] = nil
				}
			}))},
		{Name: "logprobs-repeat-token", Summary: "every delta has the logprobs of the first one", Report: "sgl-project/sglang#39260",
			Breaks: row, Wrap: onStream(func(_ *exchange, s *stream) func(event) {
				var first any
				return editIf(isText, func(c object) {
					if first == nil {
						first = c.choice()["logprobs"]
					}
					c.choice()["logprobs"] = first
				})(nil, s)
			})},
		{Name: "logprobs-without-bytes", Summary: "tokens have no bytes",
			Breaks: row, Wrap: eachToken(func(token object) { delete(token, "bytes") })},
		{Name: "logprobs-without-top", Summary: "tokens have no top_logprobs",
			Breaks: row, Wrap: eachToken(func(token object) { delete(token, "top_logprobs") })},
		{Name: "logprobs-as-text", Summary: "logprob is a text",
			Breaks: row, Wrap: eachToken(func(token object) { token["logprob"] = encode(token["logprob"]) })},
		{Name: "logprobs-unasked", Summary: "every chunk has an empty list of logprobs that nobody asked for",
			Breaks: row, Wrap: onStream(edit(func(c object) {
				if c.choice()["logprobs"] == nil {
					c.choice()["logprobs"] = object{"content": []any{}, "refusal": nil}
				}
			}))},
	}
}
