package mutant

import "net/http"

func wholes() []Mutant {
	shape := []string{"mortar-stream-32", "openai-chat-21"}
	same := []string{"mortar-stream-32", "openai-chat-22"}
	whole := func(change func(o object)) wrap { return onAnswer(isWhole, editJSON(change)) }
	return []Mutant{
		{Name: "whole-as-stream", Summary: "a request without stream is answered with an event stream", Report: "decolua/9router#3492",
			Breaks: append(shape, "openai-chat-22"), May: []string{"openai-chat-29"}, Wrap: onRequest(func(_ *exchange, o object) {
				if o["stream"] == nil {
					o["stream"] = true
				}
			})},
		{Name: "whole-of-other-object", Summary: "the object of a completion is text_completion",
			Breaks: shape, Wrap: whole(func(o object) { o["object"] = "text_completion" })},
		{Name: "whole-as-text", Summary: "a completion is sent as text/plain",
			Breaks: shape, Wrap: onAnswer(isWhole, func(_ *exchange, r *reply) { r.Header.Set("Content-Type", "text/plain") })},
		{Name: "whole-with-201", Summary: "a completion is answered with 201",
			Breaks: shape, Wrap: onAnswer(isWhole, withStatus(http.StatusCreated))},
		{Name: "whole-without-usage", Summary: "a completion has no usage",
			Breaks: shape, Wrap: whole(func(o object) { delete(o, "usage") })},
		{Name: "whole-with-delta", Summary: "a completion has a delta instead of a message",
			Breaks: append(shape, "openai-chat-22"), Wrap: whole(func(o object) {
				o.choice()["delta"] = o.choice()["message"]
				delete(o.choice(), "message")
			})},
		{Name: "whole-without-finish", Summary: "finish_reason of a completion is null",
			Breaks: append(shape, "openai-chat-22"), Wrap: whole(func(o object) { o.choice()["finish_reason"] = nil })},
		{Name: "whole-of-one-choice", Summary: "a completion has one choice whatever n was",
			Breaks: []string{"openai-chat-21"}, Wrap: whole(func(o object) { o["choices"] = []any{o.choice()} })},
		{Name: "whole-finishes-otherwise", Summary: "finish_reason is length without stream and stop with it", Report: "BerriAI/litellm#12862",
			Breaks: same, Wrap: whole(func(o object) { o.choice()["finish_reason"] = "content_filter" })},
		{Name: "whole-text-trimmed", Summary: "a completion loses the line end in its text",
			Breaks: same, Wrap: whole(func(o object) {
				if text, ok := o.message()["content"].(string); ok && len(text) > 0 {
					o.message()["content"] = text[:len(text)-1]
				}
			})},
		{Name: "whole-counts-otherwise", Summary: "a completion counts one token more than its stream",
			Breaks: same, Wrap: whole(func(o object) { addCompletion(1)(o.usage()) })},
		{Name: "whole-total-wrong", Summary: "total_tokens of a completion is not the sum",
			Breaks: append(same, "openai-chat-21"), Wrap: whole(func(o object) { o.usage()["total_tokens"] = 1 })},
	}
}
