package mutant

import (
	"bytes"
	"encoding/json"
	"sync/atomic"
)

// leniencies accept what must be refused: they repair a request on its way.
func leniencies() []Mutant {
	return []Mutant{
		{Name: "types-coerced", Summary: "fields of a wrong type are ignored",
			Breaks: []string{"openai-chat-24"}, Wrap: onRequest(func(_ *exchange, o object) {
				for _, field := range []string{"stream", "max_tokens", "temperature"} {
					if _, text := o[field].(string); text {
						delete(o, field)
					}
				}
			})},
		{Name: "any-body-accepted", Summary: "a body that is no JSON object gets a default answer",
			Breaks: []string{"openai-chat-24", "mortar-stream-20"}, Wrap: fixed(relay{request: func(x *exchange) {
				if x.isChat() && (!json.Valid(x.body) || !bytes.HasPrefix(bytes.TrimSpace(x.body), []byte("{"))) {
					x.body = []byte(`{"messages":[{"role":"user","content":"Hello"}]}`)
				}
			}})},
		{Name: "no-messages-accepted", Summary: "a request without messages is answered",
			Breaks: []string{"openai-chat-25", "mortar-stream-20"}, May: []string{"openai-chat-23"}, Wrap: onRequest(func(_ *exchange, o object) {
				if m, ok := o["messages"].([]any); o["messages"] == nil || ok && len(m) == 0 {
					o["messages"] = []any{object{"role": "user", "content": "Hello"}}
				}
			})},
		{Name: "unknown-role-accepted", Summary: "an unknown role is taken for user",
			Breaks: []string{"openai-chat-25"}, Wrap: onRequest(func(_ *exchange, o object) {
				for _, m := range o.list("messages") {
					if m["role"] == "wizard" {
						m["role"] = "user"
					}
				}
			})},
		{Name: "bounds-ignored", Summary: "numbers outside their bounds are ignored",
			Breaks: []string{"openai-chat-26"}, Wrap: onRequest(func(_ *exchange, o object) {
				for field, bounds := range map[string][2]float64{"n": {1, 128}, "max_tokens": {1, 1 << 30}, "temperature": {0, 2}, "top_p": {0, 1}, "presence_penalty": {-2, 2}, "top_logprobs": {0, 20}} {
					n, ok := o[field].(json.Number)
					if v, err := n.Float64(); ok && err == nil && (v < bounds[0] || v > bounds[1]) {
						delete(o, field)
					}
				}
			})},
		{Name: "top-logprobs-clamped", Summary: "top_logprobs above 20 counts as 20",
			Breaks: []string{"openai-chat-26"}, Wrap: onRequest(func(_ *exchange, o object) {
				if o.number("top_logprobs") > 20 {
					o["top_logprobs"] = 20
				}
			})},
		{Name: "unknown-model-falls-back", Summary: "an unknown model is answered by the default one",
			Breaks: []string{"openai-chat-27"}, Wrap: onRequest(func(_ *exchange, o object) {
				if o["model"] == "plumbline-no-such-model" {
					delete(o, "model")
				}
			})},
		{Name: "no-key-accepted", Summary: "a request without a key is answered",
			Breaks: []string{"openai-chat-28"}, Wrap: borrowedKey(func(key string) bool { return key == "" })},
		{Name: "wrong-key-accepted", Summary: "a wrong key is accepted",
			Breaks: []string{"openai-chat-28", "mortar-stream-20"}, Wrap: borrowedKey(func(key string) bool { return key == "Bearer sk-plumbline-0000000000000000-wrong" })},
		{Name: "stream-options-ignored", Summary: "stream_options without stream are ignored",
			Breaks: []string{"openai-chat-29"}, Wrap: onRequest(func(_ *exchange, o object) {
				if o["stream"] != true {
					delete(o, "stream_options")
				}
			})},
	}
}

// borrowedKey is a mutant that serves chat completions whose key matches with
// the first key that it saw.
func borrowedKey(match func(key string) bool) wrap {
	return stateful(func(Upstream) relay {
		var known atomic.Pointer[string]
		return relay{request: func(x *exchange) {
			key := x.key()
			if !match(key) {
				known.CompareAndSwap(nil, &key)
				return
			}
			if lent := known.Load(); x.isChat() && lent != nil {
				x.header.Set("Authorization", *lent)
			}
		}}
	})
}
