package mutant

import "encoding/json"

func responseEnds() []Mutant {
	end := []string{"openai-responses-10", "notholy-stream-05", "notholy-stream-09"}
	limit := []string{"openai-responses-11", "notholy-stream-05"}
	reading := []string{"openai-responses-11", "openai-responses-13"} // they ask for the end first
	return []Mutant{
		{Name: "responses-end-missing", Summary: "a response ends without an event that says so",
			Breaks: append(end, "openai-responses-11", "openai-responses-13", "notholy-stream-10"), May: responseAll(), Wrap: lostResponse(isTerminal)},
		{Name: "responses-end-twice", Summary: "response.completed comes twice",
			Breaks: end, May: append(reading, "notholy-stream-10"), Wrap: onResponseIf(isTerminal, func(out *numbered, o object, _ int) {
				out.tell(o)
				out.tell(o)
			})},
		{Name: "responses-end-called-done", Summary: "a response ends with response.done",
			Breaks: append(end, "openai-responses-11", "openai-responses-13"), May: responseAll(), Wrap: changedResponse(isTerminal, func(o object) { o["type"] = "response.done" })},
		{Name: "responses-end-of-other-status", Summary: "the status in response.completed is in_progress",
			Breaks: append(end, "notholy-stream-10"), May: responseAll(), Wrap: changedEnd(func(r object) { r["status"] = "in_progress" })},
		{Name: "responses-end-before-item", Summary: "response.completed comes before the last item is done",
			Breaks: append(end, "openai-responses-05"), May: responseAll(), Wrap: onResponse(func(_ *exchange, out *numbered) func(object) {
				var last object
				return func(o object) {
					if typed(itemDone)(o) {
						last = o
						return
					}
					if out.tell(o); last != nil {
						out.tell(last)
						last = nil
					}
				}
			})},
		{Name: "responses-end-then-comment", Summary: "a keep-alive follows the end of a response",
			Breaks: end, May: reading, Wrap: onResponseIf(isTerminal, func(out *numbered, o object, _ int) {
				out.tell(o)
				out.write(ping)
			})},
		{Name: "responses-done-appended", Summary: "[DONE] follows the end of a response", Report: "Menci/Floway#312",
			Breaks: end, Wrap: onResponseIf(isTerminal, func(out *numbered, o object, _ int) {
				out.tell(o)
				out.write("data: [DONE]\n\n")
			})},
		{Name: "responses-completed-at-limit", Summary: "a response at its limit ends with response.completed and says nothing of it", Report: "maximhq/bifrost#4679",
			Breaks: append(limit, "openai-responses-17", "notholy-stream-10"), Wrap: changedResponse(isIncomplete, func(o object) {
				o["type"] = "response.completed"
				o.inner("response")["status"], o.inner("response")["incomplete_details"] = "completed", nil
			})},
		{Name: "responses-incomplete-called-completed", Summary: "the end of a response at its limit is called response.completed", Report: "vllm-project/vllm#45386",
			Breaks: []string{"notholy-stream-05"}, May: []string{"openai-responses-11", "notholy-stream-09"}, Wrap: changedResponse(isIncomplete, func(o object) { o["type"] = "response.completed" })},
		{Name: "responses-nothing-at-limit", Summary: "a response at its limit is completed, empty and counts nothing", Report: "vllm-project/vllm#24184",
			Breaks: append(limit, "openai-responses-14", "notholy-stream-09", "notholy-stream-10"), May: responseAll(), Wrap: changedResponse(isIncomplete, func(o object) {
				o["type"] = "response.completed"
				r := o.inner("response")
				r["status"], r["incomplete_details"], r["output"] = "completed", nil, []any{}
				for _, key := range []string{"input_tokens", "output_tokens", "total_tokens"} {
					r.usage()[key] = 0
				}
			})},
		{Name: "responses-limit-without-reason", Summary: "a response at its limit does not say why it is incomplete",
			Breaks: append(limit, "notholy-stream-09", "notholy-stream-10"), May: responseAll(), Wrap: changedResponse(isIncomplete, func(o object) { o.inner("response")["incomplete_details"] = nil })},
		{Name: "responses-limit-called-length", Summary: "the reason of a response at its limit is length",
			Breaks: append(limit, "notholy-stream-09"), May: responseAll(), Wrap: changedResponse(isIncomplete, func(o object) {
				o.inner("response")["incomplete_details"] = object{"reason": "length"}
			})},
		{Name: "responses-item-completed-at-limit", Summary: "the last item of an incomplete response is completed", Report: "braintrustdata/lingua#400",
			Breaks: []string{"openai-responses-11", "notholy-stream-09"}, May: []string{"openai-responses-07"}, Wrap: changedResponse(isIncomplete, func(o object) {
				for _, item := range o.inner("response").list("output") {
					item["status"] = "completed"
				}
			})},
		{Name: "responses-item-in-progress-at-end", Summary: "items are in progress to the end",
			Breaks: []string{"openai-responses-09", "openai-responses-11", "notholy-stream-09"}, May: []string{"openai-responses-07", "openai-responses-12", "openai-responses-25"},
			Wrap: changedEnd(func(r object) {
				for _, item := range r.list("output") {
					item["status"] = "in_progress"
				}
			})},
	}
}

func responseUsages() []Mutant {
	row := []string{"openai-responses-13", "notholy-stream-09"}
	counted := []string{"openai-responses-14", "notholy-stream-10"}
	may := []string{"openai-responses-13", "openai-responses-14", "openai-responses-17", "notholy-stream-10", "notholy-billing-02"}
	usage := func(change func(u object)) wrap { return changedEnd(func(r object) { change(r.usage()) }) }
	more := func(n int) func(u object) {
		return func(u object) {
			u.add("output_tokens", n)
			u.add("total_tokens", n)
		}
	}
	return []Mutant{
		{Name: "responses-usage-missing", Summary: "the end of a response has no usage",
			Breaks: append(row, "openai-responses-14", "notholy-stream-10"), May: may, Wrap: changedEnd(without("usage"))},
		{Name: "responses-usage-null", Summary: "a response ends before its usage has come, which is null", Report: "router-for-me/CLIProxyAPI#2531",
			Breaks: append(row, "openai-responses-14", "notholy-stream-10"), May: may, Wrap: changedEnd(with("usage", nil))},
		{Name: "responses-usage-of-chat", Summary: "usage of a response has the names of chat completions",
			Breaks: append(row, "openai-responses-14", "notholy-stream-10"), May: may, Wrap: changedEnd(func(r object) {
				u := r.usage()
				r["usage"] = object{"prompt_tokens": u["input_tokens"], "completion_tokens": u["output_tokens"], "total_tokens": u["total_tokens"]}
			})},
		{Name: "responses-usage-without-details", Summary: "usage of a response has no details",
			Breaks: row, May: []string{"notholy-billing-02"}, Wrap: usage(without("input_tokens_details", "output_tokens_details"))},
		{Name: "responses-total-wrong", Summary: "total_tokens of a response is not the sum",
			Breaks: row, May: may, Wrap: usage(func(u object) { u.add("total_tokens", 7) })},
		{Name: "responses-cached-exceeds-input", Summary: "cached_tokens of a response are more than input_tokens",
			Breaks: row, May: may, Wrap: usage(func(u object) {
				u["input_tokens_details"] = object{"cached_tokens": json.Number("100000")}
			})},
		{Name: "responses-count-one-too-low", Summary: "output_tokens is one too low", Breaks: counted, May: may, Wrap: usage(more(-1))},
		{Name: "responses-count-of-events", Summary: "output_tokens counts every event of an item", Breaks: counted, May: append(may, "notholy-stream-09"), Wrap: usage(more(5))},
		{Name: "responses-count-of-reasoning-twice", Summary: "output_tokens are counted twice", Breaks: counted, May: append(may, "notholy-stream-09"),
			Wrap: usage(func(u object) { more(u.number("output_tokens"))(u) })},
	}
}

func responseFailures() []Mutant {
	rows := []string{"openai-responses-18", "notholy-errors-05"}
	isFailed := typed("response.failed")
	failed := func(change func(e object)) wrap {
		return changedResponse(isFailed, func(o object) { change(o.inner("response").inner("error")) })
	}
	return []Mutant{
		{Name: "responses-failure-silent", Summary: "a response that fails just ends", Breaks: rows, Wrap: lostResponse(isFailed)},
		{Name: "responses-failure-as-error", Summary: "a failure is an event of type error alone", Report: "zyycn/codex-proxy-rs#90",
			Breaks: rows, Wrap: onResponseIf(isFailed, func(out *numbered, o object, _ int) {
				e := o.inner("response").inner("error")
				out.tell(object{"type": "error", "code": e["code"], "message": e["message"], "param": nil})
			})},
		{Name: "responses-failure-as-chat-error", Summary: "a failure is an unnamed event with the envelope of chat completions",
			Breaks: rows, Wrap: onResponseIf(isFailed, func(out *numbered, o object, _ int) {
				out.sendChunk(object{"error": object{"message": "upstream failed", "type": "upstream_error", "param": nil, "code": nil}})
			})},
		{Name: "responses-failure-as-success", Summary: "a response that fails is completed", Report: "NVIDIA/TensorRT-LLM#18289",
			Breaks: rows, Wrap: changedResponse(isFailed, func(o object) {
				o["type"] = "response.completed"
				o.inner("response")["status"], o.inner("response")["error"] = "completed", nil
			})},
		{Name: "responses-failure-as-incomplete", Summary: "a response that fails is incomplete",
			Breaks: rows, Wrap: changedResponse(isFailed, func(o object) {
				o["type"] = "response.incomplete"
				o.inner("response")["status"], o.inner("response")["error"] = "incomplete", nil
			})},
		{Name: "responses-failure-then-completed", Summary: "response.completed follows response.failed",
			Breaks: rows, Wrap: onResponseIf(isFailed, func(out *numbered, o object, _ int) {
				success := o.clone()
				success["type"] = "response.completed"
				success.inner("response")["status"], success.inner("response")["error"] = "completed", nil
				out.tell(o)
				out.tell(success)
			})},
		{Name: "responses-failure-then-done", Summary: "[DONE] follows response.failed",
			Breaks: rows, Wrap: onResponseIf(isFailed, func(out *numbered, o object, _ int) {
				out.tell(o)
				out.write("data: [DONE]\n\n")
			})},
		{Name: "responses-failure-then-open", Summary: "the stream stays open behind response.failed",
			Breaks: rows, Wrap: onResponseIf(isFailed, func(out *numbered, o object, _ int) { out.tell(o); out.hang() })},
		{Name: "responses-failure-without-error", Summary: "response.failed does not say what failed",
			Breaks: rows, Wrap: changedResponse(isFailed, func(o object) { o.inner("response")["error"] = nil })},
		{Name: "responses-failure-without-code", Summary: "the error of a response has no code", Breaks: rows, Wrap: failed(without("code"))},
		{Name: "responses-failure-tells-address", Summary: "the error of a response names the address of the model server",
			Breaks: rows, Wrap: failed(with("message", "POST http://10.0.4.17:8000/v1/chat/completions: connection reset"))},
		{Name: "responses-failure-of-other-status", Summary: "the status in response.failed is in_progress",
			Breaks: rows, Wrap: changedResponse(isFailed, func(o object) { o.inner("response")["status"] = "in_progress" })},
	}
}
