package mutant

import (
	"net/http"
	"strings"
)

// eachResponseText changes every text of a response, in deltas and at ends alike.
func eachResponseText(change func(text string) string) wrap {
	return onResponse(func(_ *exchange, out *numbered) func(object) {
		return func(o object) {
			for _, key := range []string{"delta", "text"} {
				if text := o.word(key); text != "" && typed(textDelta, textDone)(o) {
					o[key] = change(text)
				}
			}
			parts := append(o.inner("item").list("content"), o.inner("part"))
			for _, item := range o.inner("response").list("output") {
				parts = append(parts, item.list("content")...)
			}
			for _, part := range parts {
				if text := part.word("text"); text != "" {
					part["text"] = change(text)
				}
			}
			out.tell(o)
		}
	})
}

func responseTexts() []Mutant {
	agree := []string{"openai-responses-07", "notholy-stream-09"}
	whole := []string{"openai-responses-19", "notholy-stream-10"}
	may := []string{"openai-responses-17", "openai-responses-25", "notholy-stream-02", "notholy-stream-07"} // they read the text too
	return []Mutant{
		{Name: "responses-text-done-trimmed", Summary: "response.output_text.done loses the last character",
			Breaks: agree, Wrap: changedResponse(typed(textDone), func(o object) { o.cut("text") })},
		{Name: "responses-output-empty", Summary: "the output is empty at the end",
			Breaks: agree, May: []string{"openai-responses-12"}, Wrap: changedEnd(func(r object) { r["output"] = []any{} })},
		{Name: "responses-output-of-last-item", Summary: "the output is the last item alone",
			Breaks: []string{"openai-responses-12"}, May: []string{"openai-responses-06", "openai-responses-25"}, Wrap: changedEnd(func(r object) {
				if output := r.list("output"); len(output) > 1 {
					r["output"] = output[len(output)-1:]
				}
			})},
		{Name: "responses-output-without-text", Summary: "messages in the output have no text",
			Breaks: agree, Wrap: changedEnd(func(r object) {
				for _, item := range r.list("output") {
					for _, part := range item.list("content") {
						part["text"] = ""
					}
				}
			})},
		{Name: "responses-deltas-missing", Summary: "a response has its text at its end alone", Report: "Sophomoresty/gemini-web2api#57",
			Breaks: append(agree, "openai-responses-19", "notholy-stream-02", "notholy-stream-10"), May: responseAll(), Wrap: lostResponse(typed(textDelta))},
		{Name: "responses-empty-item-unannounced", Summary: "an item without deltas is in the output alone", Report: "vllm-project/vllm#48274",
			Breaks: []string{"openai-responses-07"}, May: []string{"openai-responses-05", "openai-responses-12", "notholy-stream-09"}, Wrap: onResponse(unannounced)},
		{Name: "responses-delta-lost", Summary: "the third delta of a response is lost",
			Breaks: append(whole, "openai-responses-07", "notholy-stream-09"), May: may, Wrap: onResponseIf(typed(textDelta), func(out *numbered, o object, n int) {
				if n != 3 {
					out.tell(o)
				}
			})},
		{Name: "responses-delta-doubled", Summary: "the third delta of a response comes twice",
			Breaks: append(whole, "openai-responses-07", "notholy-stream-09"), May: may, Wrap: onResponseIf(typed(textDelta), func(out *numbered, o object, n int) {
				if out.tell(o); n == 3 {
					out.tell(o)
				}
			})},
		{Name: "responses-blanks-lost", Summary: "double blanks are none in a response, in deltas and at ends alike",
			Breaks: whole, May: may, Wrap: eachResponseText(func(text string) string { return strings.ReplaceAll(text, " ", "") })},
	}
}

// unannounced holds what opens an item until it has a delta, and loses the events
// of one that has none.
func unannounced(_ *exchange, out *numbered) func(object) {
	var held []object
	open := false
	return func(o object) {
		switch {
		case typed(itemAdded)(o):
			held, open = []object{o}, false
		case strings.HasSuffix(o.word("type"), ".delta"):
			for _, h := range held {
				out.tell(h)
			}
			held, open = nil, true
			out.tell(o)
		case o["output_index"] != nil && !open:
			held = append(held, o)
		default:
			out.tell(o)
		}
	}
}

func responseWholes() []Mutant {
	shape := []string{"openai-responses-16"}
	may := []string{"openai-responses-17", "notholy-stream-10", "notholy-billing-02"}
	whole := func(change func(o object)) wrap { return onWholeAt(pathResponses, change) }
	messages := func(change func(part object)) func(o object) {
		return func(o object) {
			for _, item := range o.list("output") {
				for _, part := range item.list("content") {
					change(part)
				}
			}
		}
	}
	return []Mutant{
		{Name: "responses-whole-as-stream", Summary: "a response without stream is an event stream",
			Breaks: append(shape, "openai-responses-17", "notholy-stream-10"), May: append(may, "openai-responses-2*"), Wrap: answeredAsStream(pathResponses)},
		{Name: "responses-whole-with-202", Summary: "a whole response is answered with 202",
			Breaks: shape, Wrap: onAnswer(hasStatusAt(pathResponses, http.StatusOK), withStatus(http.StatusAccepted))},
		{Name: "responses-whole-in-progress", Summary: "a whole response is in progress",
			Breaks: append(shape, "openai-responses-17", "notholy-stream-10"), May: may, Wrap: whole(func(o object) { o["status"] = "in_progress" })},
		{Name: "responses-whole-without-usage", Summary: "a whole response has no usage",
			Breaks: append(shape, "openai-responses-17", "notholy-stream-10"), May: may, Wrap: whole(without("usage"))},
		{Name: "responses-whole-text-trimmed", Summary: "a whole response loses the last character of its text",
			Breaks: []string{"openai-responses-17", "notholy-stream-10"}, Wrap: whole(messages(func(part object) { part.cut("text") }))},
		{Name: "responses-whole-completed-at-limit", Summary: "a whole response at its limit is completed",
			Breaks: []string{"openai-responses-17"}, Wrap: whole(func(o object) { o["status"], o["incomplete_details"] = "completed", nil })},
		{Name: "responses-whole-counts-otherwise", Summary: "a whole response counts one token more than its stream",
			Breaks: []string{"openai-responses-17", "notholy-stream-10", "notholy-billing-02"}, Wrap: whole(func(o object) { o.usage().add("output_tokens", 1); o.usage().add("total_tokens", 1) })},
	}
}
