package mutant

import (
	"encoding/json"
	"fmt"
	"strings"
)

// renamed is a mutant that gives ids another form, everywhere and with a right
// stop: only the form is wrong.
func renamed(outward, inward func(id string) string) wrap {
	return fixed(relay{
		request: func(x *exchange) {
			if id, ok := x.stops(); ok {
				x.stopInstead(inward(id))
			}
		},
		head:   func(x *exchange, r *reply) { r.Header.Set("X-Mortar-Request-Id", outward(x.id)) },
		events: edit(func(c object) { c["id"] = outward(fmt.Sprint(c["id"])) }),
		answer: func(_ *exchange, r *reply) {
			editJSON(func(o object) {
				if id, ok := o["id"].(string); ok {
					o["id"] = outward(id)
				}
			})(nil, r)
		},
	})
}

func identities() []Mutant {
	stays := []string{"mortar-stream-21", "openai-chat-04"}
	// The id is what a stop is sent by.
	loseIt := []string{"mortar-stream-22", "mortar-stream-23", "mortar-stream-31", "mortar-cancel-*"}
	return []Mutant{
		{Name: "id-per-chunk", Summary: "each chunk has an id of its own", Report: "ggml-org/llama.cpp#5876",
			Breaks: stays, May: loseIt, Wrap: onStream(editNth(isChunk, func(c object, n int) { c["id"] = fmt.Sprintf("chatcmpl-%024x", n) }))},
		{Name: "id-counts-up", Summary: "a number that counts up stands behind the id", Report: "microsoft/foundry-local#144",
			Breaks: stays, May: loseIt, Wrap: onStream(editNth(isChunk, func(c object, n int) { c["id"] = fmt.Sprintf("%v-%d", c["id"], n) }))},
		{Name: "id-empty-first", Summary: "the first chunk has an empty id", Report: "AbanteAI/archive-old-cli-mentat#429",
			Breaks: append(stays, "mortar-stream-23"), May: loseIt, Wrap: onStream(editNth(isChunk, func(c object, n int) {
				if n == 1 {
					c["id"] = ""
				}
			}))},
		{Name: "id-missing", Summary: "chunks have no id", Report: "mudler/LocalAI#340",
			Breaks: append(stays, "openai-chat-02", "mortar-stream-02"), May: loseIt, Wrap: onStream(edit(func(c object) { delete(c, "id") }))},
		{Name: "id-other-on-usage", Summary: "the usage chunk has an id of its own", Report: "microsoft/autogen#6465",
			Breaks: []string{"mortar-stream-21"}, May: append(loseIt, "openai-chat-04"), Wrap: onStream(editIf(isUsage, func(c object) { c["id"] = "chatcmpl-" + strings.Repeat("f", 24) }))},
		{Name: "id-shared", Summary: "every reply has the same id",
			Breaks: []string{"openai-chat-04", "mortar-stream-23"}, May: loseIt, Wrap: fixed(relay{
				head:   func(_ *exchange, r *reply) { r.Header.Set("X-Mortar-Request-Id", sharedID) },
				events: edit(func(c object) { c["id"] = sharedID }),
			})},
		{Name: "id-by-client", Summary: "the client's own request id names the reply", Report: "vllm-project/vllm#10583",
			Breaks: []string{"mortar-stream-23", "openai-chat-04"}, May: loseIt, Wrap: onStream(func(x *exchange, s *stream) func(event) {
				own := "chatcmpl-" + fmt.Sprintf("%024x", len(x.body))
				return edit(func(c object) { c["id"] = own })(x, s)
			})},
		{Name: "id-of-text-completion", Summary: "ids begin with cmpl-", Report: "BerriAI/litellm#14429",
			Breaks: []string{"mortar-stream-23"}, Wrap: renamed(
				func(id string) string { return strings.TrimPrefix(id, "chat") },
				func(id string) string { return "chat" + id })},
		{Name: "id-as-uuid", Summary: "the digits of an id are written as a UUID",
			Breaks: []string{"mortar-stream-23"}, Wrap: renamed(
				func(id string) string {
					d := strings.TrimPrefix(id, "chatcmpl-")
					return fmt.Sprintf("chatcmpl-%s-%s-%s", d[:8], d[8:12], d[12:])
				},
				func(id string) string {
					if head, digits, ok := strings.Cut(id, "-"); ok {
						return head + "-" + strings.ReplaceAll(digits, "-", "")
					}
					return id
				})},
		{Name: "id-header-missing", Summary: "a stream has no X-Mortar-Request-Id", Report: "headroomlabs-ai/headroom#1100",
			Breaks: []string{"mortar-stream-22", "mortar-cancel-10"}, Wrap: onHead(func(_ *exchange, r *reply) { r.Header.Del("X-Mortar-Request-Id") })},
		{Name: "id-header-other", Summary: "X-Mortar-Request-Id holds the id of the HTTP request", Report: "raine/claude-code-proxy#104",
			Breaks: []string{"mortar-stream-22", "mortar-cancel-10"}, Wrap: onHead(func(x *exchange, r *reply) {
				r.Header.Set("X-Mortar-Request-Id", "req_"+strings.TrimPrefix(x.id, "chatcmpl-"))
			})},
		{Name: "created-per-chunk", Summary: "created moves on with each chunk",
			Breaks: []string{"openai-chat-05"}, Wrap: onStream(editNth(isChunk, func(c object, n int) { c["created"] = c.number("created") + n }))},
		{Name: "created-now", Summary: "created is the time of each chunk, which shows over a pause",
			Breaks: []string{"openai-chat-05"}, Wrap: onStream(func(_ *exchange, s *stream) func(event) {
				return edit(func(c object) { c["created"] = unixNow() })(nil, s)
			})},
		{Name: "created-in-milliseconds", Summary: "created counts milliseconds",
			Breaks: []string{"openai-chat-05"}, Wrap: onStream(edit(func(c object) { c["created"] = c.number("created") * 1000 }))},
		{Name: "created-zero", Summary: "created is 0",
			Breaks: []string{"openai-chat-05"}, Wrap: onStream(edit(func(c object) { c["created"] = 0 }))},
		{Name: "created-fraction", Summary: "created has a fraction",
			Breaks: []string{"openai-chat-05", "openai-chat-02", "mortar-stream-02"}, Wrap: onStream(edit(func(c object) {
				c["created"] = json.Number(fmt.Sprintf("%d.25", c.number("created")))
			}))},
		{Name: "model-null", Summary: "model is null on every chunk", Report: "microsoft/foundry-local#144",
			Breaks: []string{"openai-chat-06", "openai-chat-02", "mortar-stream-02"}, May: []string{"mortar-models-02"}, Wrap: onStream(edit(func(c object) { c["model"] = nil }))},
		{Name: "model-changes", Summary: "the last chunks name the model of the model server", Report: "microsoft/autogen#6465",
			Breaks: []string{"openai-chat-06"}, Wrap: onStream(editIf(func(e event) bool { return isFinish(e) || isUsage(e) }, func(c object) { c["model"] = "/models/qwen2.5-7b.gguf" }))},
	}
}

const sharedID = "chatcmpl-0000000000000000000000aa"
