package mutant

import "fmt"

// itemChanged is a mutant that changes the id of the item that an event is about.
func itemChanged(match func(o object) bool, change func(id string, o object) string) wrap {
	return changedResponse(match, func(o object) {
		if id := o.word("item_id"); id != "" {
			o["item_id"] = change(id, o)
		}
		if item := o.inner("item"); item.word("id") != "" {
			item["id"] = change(item.word("id"), o)
		}
	})
}

func responseItems() []Mutant {
	order := []string{"openai-responses-05", "notholy-stream-09"}
	ids := []string{"openai-responses-06", "notholy-stream-09"}
	return []Mutant{
		{Name: "responses-item-added-missing", Summary: "items are not added", Breaks: append(order, "openai-responses-07"), May: responseAll(), Wrap: lostResponse(typed(itemAdded))},
		{Name: "responses-item-done-missing", Summary: "items are never done", Breaks: order, May: []string{"openai-responses-12", "openai-responses-25"}, Wrap: lostResponse(typed(itemDone))},
		{Name: "responses-part-added-missing", Summary: "parts are not added", Breaks: append(order, "openai-responses-07", "openai-responses-19"), May: responseAll(), Wrap: lostResponse(typed(partAdded))},
		{Name: "responses-part-done-missing", Summary: "parts are never done", Breaks: order, May: []string{"openai-responses-25"}, Wrap: lostResponse(typed(partDone))},
		{Name: "responses-text-done-missing", Summary: "texts are never done", Breaks: order, May: []string{"openai-responses-25"}, Wrap: lostResponse(typed(textDone))},
		{Name: "responses-output-index-zero", Summary: "every event is about output_index 0", Report: "BerriAI/litellm#36375",
			Breaks: []string{"openai-responses-05", "openai-responses-06", "openai-responses-12", "openai-responses-25"}, May: responseAll(),
			Wrap: changedResponse(func(o object) bool { return o["output_index"] != nil }, func(o object) { o["output_index"] = 0 })},
		{Name: "responses-output-index-from-one", Summary: "output_index begins with 1",
			Breaks: order, May: responseAll(), Wrap: changedResponse(func(o object) bool { return o["output_index"] != nil }, func(o object) { o.add("output_index", 1) })},
		{Name: "responses-content-index-counts-up", Summary: "content_index counts the deltas",
			Breaks: order, May: responseAll(), Wrap: onResponseIf(typed(textDelta), func(out *numbered, o object, n int) {
				o["content_index"] = n - 1
				out.tell(o)
			})},
		{Name: "responses-delta-after-done", Summary: "the last delta comes behind response.output_text.done",
			Breaks: order, May: responseAll(), Wrap: onResponse(func(_ *exchange, out *numbered) func(object) {
				var held object
				return func(o object) {
					switch {
					case typed(textDelta)(o):
						if held != nil {
							out.tell(held)
						}
						held = o
					case held != nil && typed(textDone)(o):
						out.tell(o)
						out.tell(held)
						held = nil
					default:
						out.tell(o)
					}
				}
			})},
		{Name: "responses-item-id-of-three", Summary: "an item has one id when it is added, another when it is done, a third in the output", Report: "EricLBuehler/mistral.rs#1944",
			Breaks: ids, Wrap: itemChanged(typed(itemDone), func(id string, _ object) string { return id + "_done" })},
		{Name: "responses-item-id-of-output", Summary: "items have other ids in the output",
			Breaks: ids, Wrap: changedEnd(func(r object) {
				for i, item := range r.list("output") {
					item["id"] = fmt.Sprintf("msg_%d", i)
				}
			})},
		{Name: "responses-item-id-per-delta", Summary: "each delta names another item",
			Breaks: ids, Wrap: itemChanged(typed(textDelta), func(id string, o object) string { return fmt.Sprint(id, o.number("sequence_number")) })},
		{Name: "responses-item-id-shared", Summary: "all items of a response have one id",
			Breaks: []string{"openai-responses-06"}, May: []string{"openai-responses-12", "notholy-stream-09"}, Wrap: onResponse(func(_ *exchange, out *numbered) func(object) {
				return func(o object) {
					if o.word("item_id") != "" {
						o["item_id"] = "msg_1"
					}
					for _, item := range append(o.inner("response").list("output"), o.inner("item")) {
						item["id"] = "msg_1"
					}
					out.tell(o)
				}
			})},
		{Name: "responses-reasoning-adrift", Summary: "reasoning deltas name no item", Report: "Oaklight/llm-rosetta#408",
			Breaks: []string{"openai-responses-25"}, Wrap: changedResponse(typed("response.reasoning_text.delta"), without("item_id", "output_index", "content_index"))},
		{Name: "responses-reasoning-in-text", Summary: "reasoning is part of the text",
			Breaks: []string{"openai-responses-25"}, Wrap: onResponse(reasoningInText)},
		{Name: "responses-reasoning-lost", Summary: "there is no item of reasoning",
			Breaks: []string{"openai-responses-25"}, Wrap: onResponse(func(_ *exchange, out *numbered) func(object) {
				lost := 0
				return func(o object) {
					if o.inner("item")["type"] == "reasoning" {
						lost = 1
					}
					if _, about := o["output_index"]; about && o.number("output_index") == 0 && lost > 0 {
						return
					}
					o.add("output_index", -lost)
					if output := o.inner("response").list("output"); lost > 0 && len(output) > 0 {
						o.inner("response")["output"] = output[1:]
					}
					out.tell(o)
				}
			})},
	}
}

// reasoningInText makes reasoning an item of text before the text.
func reasoningInText(_ *exchange, out *numbered) func(object) {
	asText := func(item object) {
		if item["type"] == "reasoning" {
			item["type"], item["role"] = "message", "assistant"
			delete(item, "summary")
		}
		for _, part := range item.list("content") {
			part["type"], part["annotations"] = "output_text", []any{}
		}
	}
	return func(o object) {
		switch o["type"] {
		case "response.reasoning_text.delta":
			o["type"] = textDelta
		case "response.reasoning_text.done":
			o["type"] = textDone
		}
		if part := o.inner("part"); part["type"] == "reasoning_text" {
			part["type"], part["annotations"] = "output_text", []any{}
		}
		for _, item := range append(o.inner("response").list("output"), o.inner("item")) {
			asText(item)
		}
		out.tell(o)
	}
}

func responseCalls() []Mutant {
	row := []string{"openai-responses-12"}
	may := []string{"openai-responses-17", "openai-responses-07", "openai-responses-03", "openai-responses-05", "notholy-stream-09", "notholy-stream-10"}
	isCall := func(item object) bool { return item["type"] == "function_call" }
	return []Mutant{
		{Name: "responses-call-begins-whole", Summary: "a call is added with its whole arguments",
			Breaks: row, May: may, Wrap: changedResponse(typed(itemAdded), func(o object) {
				if isCall(o.inner("item")) {
					o.inner("item")["arguments"] = `{"city":"Paris"}`
				}
			})},
		{Name: "responses-call-arguments-lost", Summary: "of the arguments only the first piece arrives", Report: "BerriAI/litellm#20712",
			Breaks: append(row, "openai-responses-17", "notholy-stream-09", "notholy-stream-10"), May: may, Wrap: onResponse(func(_ *exchange, out *numbered) func(object) {
				first := map[string]string{}
				return func(o object) {
					switch id := o.word("item_id"); o["type"] {
					case argsDelta:
						if _, known := first[id]; known {
							return
						}
						first[id] = o.word("delta")
					case argsDone:
						o["arguments"] = first[id]
					}
					for _, item := range append(o.inner("response").list("output"), o.inner("item")) {
						if arguments, known := first[item.word("id")]; known && isCall(item) {
							item["arguments"] = arguments
						}
					}
					out.tell(o)
				}
			})},
		{Name: "responses-call-without-deltas", Summary: "the arguments of a call come at its end alone",
			Breaks: row, May: may, Wrap: lostResponse(typed(argsDelta))},
		{Name: "responses-call-without-call-id", Summary: "calls have no call_id",
			Breaks: row, May: append(may, "openai-responses-09"), Wrap: changedResponse(typed(itemDone), func(o object) { delete(o.inner("item"), "call_id") })},
		{Name: "responses-call-name-late", Summary: "a call has its name at its end alone",
			Breaks: row, May: append(may, "openai-responses-09"), Wrap: changedResponse(typed(itemAdded), func(o object) {
				if isCall(o.inner("item")) {
					o.inner("item")["name"] = ""
				}
			})},
		{Name: "responses-call-never-done", Summary: "the arguments of a call are never done",
			Breaks: append(row, "openai-responses-05", "notholy-stream-09"), Wrap: lostResponse(typed(argsDone))},
	}
}
