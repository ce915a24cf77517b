package mutant

import "encoding/json"

// noUsage is the usage object that says nothing was counted.
func noUsage() object {
	return object{"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0}
}

func usages() []Mutant {
	asked := []string{"mortar-stream-04", "openai-chat-12"}
	needIt := []string{"mortar-stream-31", "openai-chat-15", "openai-chat-18", "mortar-cancel-08"}
	return []Mutant{
		{Name: "usage-missing", Summary: "the usage chunk is lost although it was asked for", Report: "maximhq/bifrost#191",
			Breaks: append(asked, "mortar-stream-31", "openai-chat-15"), May: needIt, Wrap: onStream(drop(isUsage))},
		{Name: "usage-crashes", Summary: "the gateway dies of a chunk without choices", Report: "Portkey-AI/gateway#1072",
			Breaks: append(asked, "mortar-stream-11", "openai-chat-03"), May: append(needIt, "mortar-stream-02", "mortar-stream-12", "mortar-cancel-09", "openai-chat-*"),
			Wrap: onStream(nth(isUsage, func(s *stream, _ event, _ int) { s.abort() }))},
		{Name: "usage-null", Summary: "the usage chunk holds null", Report: "router-for-me/CLIProxyAPI#2531",
			Breaks: asked, May: needIt, Wrap: onStream(editIf(isUsage, func(c object) { c["usage"] = nil }))},
		{Name: "usage-with-choice", Summary: "the usage chunk carries a choice", Report: "BerriAI/litellm#8450",
			Breaks: asked, May: []string{"mortar-stream-12", "openai-chat-09", "openai-chat-30", "mortar-cancel-08"},
			Wrap: onStream(editIf(isUsage, func(c object) { c["choices"] = []any{openChoice(object{}, nil)} }))},
		{Name: "usage-on-finish", Summary: "usage stands on the finish chunk and has no chunk of its own", Report: "Portkey-AI/gateway#1259",
			Breaks: asked, May: needIt, Wrap: onStream(usageOnFinish(false))},
		{Name: "usage-not-last", Summary: "a chunk without usage and choices follows the usage chunk", Report: "BerriAI/litellm#17136",
			Breaks: asked, May: []string{"mortar-cancel-08"}, Wrap: onStream(nth(isUsage, func(s *stream, e event, _ int) {
				s.send(e)
				empty := e.chunk()
				empty["usage"] = nil
				s.sendChunk(empty)
			}))},
		{Name: "usage-before-finish", Summary: "the usage chunk comes before the finish chunk", Report: "musistudio/claude-code-router#1587",
			Breaks: asked, May: []string{"mortar-stream-31", "openai-chat-15"}, Wrap: onStream(usageOnFinish(true))},
		{Name: "usage-twice", Summary: "the usage chunk comes twice",
			Breaks: asked, May: []string{"mortar-cancel-08"}, Wrap: onStream(nth(isUsage, func(s *stream, e event, _ int) { s.write(e.raw + e.raw) }))},
		{Name: "usage-on-every-chunk", Summary: "every chunk carries a usage of zeros", Report: "mudler/LocalAI#1744",
			Breaks: []string{"mortar-stream-04", "mortar-stream-05", "openai-chat-12", "openai-chat-13"}, May: []string{"mortar-cancel-08"},
			Wrap: onStream(edit(func(c object) {
				if c.usage() == nil {
					c["usage"] = noUsage()
				}
			}))},
		{Name: "usage-counts-up", Summary: "every chunk carries the count so far", Report: "rashidrazak/opencode-cmd-provider#213",
			Breaks: []string{"mortar-stream-04", "openai-chat-12", "openai-chat-13"}, May: []string{"mortar-cancel-08", "mortar-stream-05"},
			Wrap: onStream(editNth(func(e event) bool { return !isUsage(e) }, func(c object, n int) {
				c["usage"] = object{"prompt_tokens": 1, "completion_tokens": n, "total_tokens": n + 1}
			}))},
		{Name: "usage-key-missing", Summary: "the chunks before the usage chunk leave the key out", Report: "BerriAI/litellm#9657",
			Breaks: []string{"openai-chat-12"}, Wrap: onStream(edit(func(c object) {
				if c.usage() == nil {
					delete(c, "usage")
				}
			}))},
		{Name: "usage-without-choices-key", Summary: "the usage chunk has no choices key", Report: "ROCm/ATOM#1711",
			Breaks: append(asked, "mortar-stream-02", "openai-chat-02", "mortar-stream-31"), May: []string{"mortar-cancel-08"},
			Wrap: onStream(editIf(isUsage, func(c object) { delete(c, "choices") }))},
		{Name: "usage-unasked", Summary: "the usage chunk comes although it was not asked for", Report: "entrius/gittensor#1749",
			Breaks: []string{"mortar-stream-05", "openai-chat-13"}, May: []string{"mortar-cancel-08", "openai-chat-12"},
			Wrap: onRequest(func(_ *exchange, o object) {
				if o["stream"] == true {
					o["stream_options"] = object{"include_usage": true}
				}
			})},
		{Name: "usage-when-refused", Summary: "the usage chunk comes although include_usage is false",
			Breaks: []string{"mortar-stream-05", "openai-chat-13"}, Wrap: onRequest(func(_ *exchange, o object) {
				if o.inner("stream_options")["include_usage"] == false {
					o["stream_options"] = object{"include_usage": true}
				}
			})},
		{Name: "usage-unasked-on-finish", Summary: "the finish chunk carries usage although it was not asked for",
			Breaks: []string{"mortar-stream-05", "openai-chat-13"}, May: []string{"mortar-cancel-08", "openai-chat-12"},
			Wrap: onStream(when(func(x *exchange) bool { return !asksUsage(x) }, editIf(isFinish, func(c object) { c["usage"] = noUsage() })))},
		{Name: "empty-choices-first", Summary: "the first chunk has no choices, only what a filter found", Report: "AbanteAI/archive-old-cli-mentat#429",
			Breaks: []string{"mortar-stream-05"}, May: []string{"mortar-stream-22"},
			Wrap: onStream(nth(isRole, func(s *stream, e event, _ int) {
				empty := e.chunk()
				empty["choices"] = []any{}
				s.sendChunk(empty)
				s.send(e)
			}))},
		{Name: "usage-lost-on-second", Summary: "an equal request is answered from a cache, which has no usage", Report: "tensorzero/tensorzero#5639",
			Breaks: []string{"mortar-stream-04"}, May: []string{"openai-chat-12"}, Wrap: stateful(func(Upstream) relay {
				seen := newSet()
				return relay{events: func(x *exchange, s *stream) func(event) {
					if seen.add(string(x.body)) {
						return s.send
					}
					return editIf(isUsage, func(c object) { c["usage"], c["choices"] = nil, []any{} })(x, s)
				}}
			})},
	}
}

// usageOnFinish moves the usage to the finish chunk, which it holds back for it,
// or puts its chunk before.
func usageOnFinish(apart bool) rewrite {
	return func(x *exchange, s *stream) func(event) {
		var held event
		return func(e event) {
			switch {
			case isFinish(e) && asksUsage(x):
				held = e
			case isUsage(e) && held.data != "":
				finish := held.chunk()
				if apart {
					s.sendChunk(e.chunk())
				} else {
					finish["usage"] = e.chunk()["usage"]
				}
				s.sendChunk(finish)
			default:
				s.send(e)
			}
		}
	}
}

func counts() []Mutant {
	sums := []string{"openai-chat-14"}
	counted := []string{"mortar-stream-32", "openai-chat-15", "openai-chat-18", "openai-chat-22", "mortar-cancel-08"}
	onUsage := func(change func(u object)) wrap {
		return onStream(editIf(isUsage, func(c object) { change(c.usage()) }))
	}
	return []Mutant{
		{Name: "total-too-high", Summary: "total_tokens counts hidden tokens that completion_tokens leaves out", Report: "Clarifai/clarifai-python#978",
			Breaks: append(sums, "openai-chat-22"), May: counted, Wrap: onUsage(func(u object) { u["total_tokens"] = u.number("total_tokens") + 500 })},
		{Name: "reasoning-exceeds-completion", Summary: "reasoning_tokens is more than completion_tokens", Report: "BerriAI/litellm#24546",
			Breaks: sums, Wrap: onUsage(func(u object) {
				u["completion_tokens_details"] = object{"reasoning_tokens": u.number("completion_tokens") + 15}
			})},
		{Name: "cached-exceeds-prompt", Summary: "cached_tokens is more than prompt_tokens",
			Breaks: sums, Wrap: onUsage(func(u object) { u["prompt_tokens_details"] = object{"cached_tokens": u.number("prompt_tokens") + 1} })},
		{Name: "counts-null", Summary: "the token counts are null", Report: "maximhq/bifrost#5425",
			Breaks: append(sums, "openai-chat-15"), May: counted, Wrap: onUsage(func(u object) { u["prompt_tokens"], u["completion_tokens"], u["total_tokens"] = nil, nil, nil })},
		{Name: "counts-as-text", Summary: "the token counts are texts",
			Breaks: append(sums, "openai-chat-15"), May: counted, Wrap: onUsage(func(u object) {
				u["completion_tokens"], u["total_tokens"] = encode(u["completion_tokens"]), encode(u["total_tokens"])
			})},
		{Name: "counts-negative", Summary: "prompt_tokens is -1 where it is not known",
			Breaks: append(sums, "openai-chat-22"), May: counted, Wrap: onUsage(func(u object) {
				u["prompt_tokens"], u["total_tokens"] = -1, u.number("completion_tokens")-1
			})},
		{Name: "count-one-too-low", Summary: "completion_tokens is one too low", Report: "lm-sys/FastChat#3843",
			Breaks: []string{"openai-chat-15", "openai-chat-18", "openai-chat-22", "mortar-stream-32", "mortar-cancel-08"},
			Wrap:   onUsage(addCompletion(-1))},
		{Name: "count-of-chunks", Summary: "completion_tokens counts the chunks, so also the one with the role and the last one",
			Breaks: []string{"openai-chat-15", "openai-chat-18", "openai-chat-22", "mortar-stream-32", "mortar-cancel-08"},
			Wrap:   onUsage(addCompletion(2))},
		{Name: "counts-zero", Summary: "the usage chunk of a stream counts nothing", Report: "tensorzero/tensorzero#5639",
			Breaks: []string{"openai-chat-15", "openai-chat-18", "openai-chat-22", "mortar-stream-32", "mortar-cancel-08"},
			Wrap:   onStream(editIf(isUsage, func(c object) { c["usage"] = noUsage() }))},
		{Name: "prompt-estimated", Summary: "a stream's prompt_tokens is an estimate, far from the count without stream", Report: "QuantumNous/new-api#6212",
			Breaks: []string{"mortar-stream-32", "openai-chat-22"}, Wrap: onUsage(func(u object) {
				u["prompt_tokens"], u["total_tokens"] = u.number("prompt_tokens")+700, u.number("total_tokens")+700
			})},
		{Name: "count-billed-not-delivered", Summary: "completion_tokens is a hundred times what was delivered", Report: "anomalyco/opencode#43379",
			Breaks: []string{"openai-chat-15", "openai-chat-18", "openai-chat-22", "mortar-stream-32", "mortar-cancel-08"},
			Wrap:   onUsage(func(u object) { addCompletion(99 * u.number("completion_tokens"))(u) })},
	}
}

// addCompletion adds to the completion tokens, and keeps the sum right.
func addCompletion(n int) func(u object) {
	return func(u object) {
		u["completion_tokens"] = json.Number(encode(u.number("completion_tokens") + n))
		u["total_tokens"] = u.number("total_tokens") + n
	}
}

// openChoice is a choice of a chunk, with finish_reason null where finish is nil.
func openChoice(delta object, finish any) object {
	return object{"index": 0, "delta": delta, "logprobs": nil, "finish_reason": finish}
}
