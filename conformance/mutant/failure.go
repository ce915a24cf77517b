package mutant

import "strings"

// onFailure is a mutant that does f with the error event of a stream.
func onFailure(f func(s *stream, e event)) wrap {
	return onStream(nth(isError, func(s *stream, e event, _ int) { f(s, e) }))
}

// says puts other bytes in the place of the error event.
func says(raw string) wrap { return onStream(replace(isError, raw)) }

// editFailure changes the error object of the error event.
func editFailure(change func(e object)) wrap {
	return onFailure(func(s *stream, e event) {
		o := decode(e.data)
		change(o.inner("error"))
		s.sendChunk(o)
	})
}

// chunkOf is a chunk as a gateway makes one up at the end of a failed reply.
func chunkOf(id string, delta object, finish any) string {
	return "data: " + encode(object{"id": id, "object": "chat.completion.chunk", "created": unixNow(), "model": "m",
		"choices": []any{openChoice(delta, finish)}, "usage": nil}) + "\n\n"
}

func failures() []Mutant {
	const done = "data: [DONE]\n\n"
	rows := []string{"mortar-stream-16", "mortar-stream-17"}
	// Their scenarios ask for the error event first.
	need := []string{"mortar-stream-17", "mortar-stream-18", "mortar-stream-19", "mortar-stream-20"}
	return []Mutant{
		{Name: "failure-silent", Summary: "a failed reply ends as if nothing had happened, without [DONE]", Report: "Portkey-AI/gateway#1797",
			Breaks: rows, May: need, Wrap: says("")},
		{Name: "failure-as-success", Summary: "a failed reply ends with finish_reason stop and [DONE]", Report: "BerriAI/litellm#33404",
			Breaks: rows, May: need, Wrap: onFailure(func(s *stream, _ event) { s.write(chunkOf(s.x.id, object{}, "stop") + done) })},
		{Name: "failure-as-abort", Summary: "a failed reply ends with finish_reason abort and [DONE]", Report: "vllm-project/vllm#57082",
			Breaks: rows, May: need, Wrap: onFailure(func(s *stream, _ event) { s.write(chunkOf(s.x.id, object{}, "abort") + done) })},
		{Name: "failure-swallowed", Summary: "the error is taken for a chunk without choices, and [DONE] follows", Report: "diegosouzapw/OmniRoute#8210",
			Breaks: rows, May: need, Wrap: says(done)},
		{Name: "failure-cuts", Summary: "the connection is dropped without an error event", Report: "BerriAI/litellm#39748",
			Breaks: rows, May: need, Wrap: onFailure(func(s *stream, _ event) { s.abort() })},
		{Name: "failure-as-text", Summary: "the error comes as text of the reply",
			Breaks: append(rows, "mortar-stream-18"), May: need, Wrap: onFailure(func(s *stream, _ event) {
				s.write(chunkOf(s.x.id, object{"content": "\n\n[the model server failed]"}, "stop") + done)
			})},
		{Name: "failure-in-private-field", Summary: "the error shows in a field of the provider alone", Report: "OleksandrChekhovskyi/hax#15",
			Breaks: rows, May: need, Wrap: says(`data: {"id":"x","object":"chat.completion.chunk","created":1,"model":"m","choices":[],"x_status":"upstream_failed"}` + "\n\n")},
		{Name: "failure-in-error-field", Summary: "the error comes under an SSE field of that name, and [DONE] follows", Report: "ggml-org/llama.cpp#16109",
			Breaks: append(rows, "mortar-stream-09", "openai-chat-19"), May: need, Wrap: onFailure(func(s *stream, e event) { s.write("error: " + e.data + "\n\n" + done) })},
		{Name: "failure-unframed", Summary: "the error comes as bare JSON", Report: "valon-technologies/gestalt#1749",
			Breaks: rows, May: append(need, "mortar-stream-09", "openai-chat-19"), Wrap: onFailure(func(s *stream, e event) { s.write(e.data + "\n") })},
		{Name: "failure-cut-short", Summary: "the error event ends in the middle", Report: "sgl-project/sglang#27523",
			Breaks: rows, May: need, Wrap: onFailure(func(s *stream, e event) { s.write(e.raw[:len(e.raw)/2]) })},
		{Name: "failure-as-named-event", Summary: "the error is an event with a name",
			Breaks: []string{"mortar-stream-09", "openai-chat-19"}, Wrap: onFailure(func(s *stream, e event) { s.write("event: error\n" + e.raw) })},
		{Name: "failure-twice", Summary: "the error event comes twice",
			Breaks: []string{"mortar-stream-16"}, May: need, Wrap: onFailure(func(s *stream, e event) { s.write(e.raw + e.raw) })},
		{Name: "failure-without-envelope", Summary: "error is a text instead of an envelope",
			Breaks: []string{"mortar-stream-16"}, May: need, Wrap: says(`data: {"error":"upstream failed"}` + "\n\n")},
		{Name: "failure-of-other-type", Summary: "the type of the error is server_error",
			Breaks: []string{"mortar-stream-16"}, May: need, Wrap: editFailure(func(e object) { e["type"] = "server_error" })},
		{Name: "failure-on-connection-only", Summary: "only a broken connection is a failure: a reply that just ends counts as complete", Report: "NVIDIA/TensorRT-LLM#18289",
			Breaks: rows, May: need, Wrap: onFailure(func(s *stream, e event) {
				if strings.Contains(e.data, "ended") || strings.Contains(e.data, "closed") {
					s.write(done)
					return
				}
				s.send(e)
			})},
		{Name: "failure-then-done", Summary: "[DONE] follows the error event",
			Breaks: []string{"mortar-stream-17"}, Wrap: onFailure(func(s *stream, e event) { s.write(e.raw + done) })},
		{Name: "failure-then-finish", Summary: "a finish chunk follows the error event",
			Breaks: []string{"mortar-stream-17"}, May: []string{"mortar-stream-16", "mortar-stream-20"}, Wrap: onFailure(func(s *stream, e event) {
				s.write(e.raw + chunkOf(s.x.id, object{}, "stop"))
			})},
		{Name: "failure-then-usage", Summary: "a usage chunk follows the error event",
			Breaks: []string{"mortar-stream-17"}, May: []string{"mortar-stream-16", "mortar-stream-20"}, Wrap: onFailure(func(s *stream, e event) {
				s.write(e.raw + "data: " + encode(object{"id": s.x.id, "object": "chat.completion.chunk", "created": unixNow(), "model": "m",
					"choices": []any{}, "usage": noUsage()}) + "\n\n")
			})},
		{Name: "failure-then-open", Summary: "the stream stays open behind the error event",
			Breaks: []string{"mortar-stream-17"}, May: []string{"mortar-stream-16", "mortar-stream-18", "mortar-stream-19", "mortar-stream-20"},
			Wrap: onFailure(func(s *stream, e event) { s.send(e); s.hang() })},
		{Name: "failure-loses-text", Summary: "the text that is held back is lost when the model server fails",
			Breaks: []string{"mortar-stream-18"}, May: append(late(), "mortar-stream-03", "mortar-stream-29"), Wrap: onStream(lostAtFailure)},
		{Name: "failure-repeats-text", Summary: "the last text is sent again when the model server fails",
			Breaks: []string{"mortar-stream-18"}, Wrap: onStream(func(_ *exchange, s *stream) func(event) {
				var last event
				return func(e event) {
					if isText(e) {
						last = e
					}
					if isError(e) {
						s.send(event{raw: last.raw})
					}
					s.send(e)
				}
			})},
		{Name: "failure-marks-text", Summary: "a mark is put behind the text when the model server fails",
			Breaks: []string{"mortar-stream-18"}, Wrap: onFailure(func(s *stream, e event) {
				s.write(chunkOf(s.x.id, object{"content": " […]"}, nil) + e.raw)
			})},
	}
}

// lostAtFailure holds each text back until the next event, and loses it when
// that is the error.
func lostAtFailure(_ *exchange, s *stream) func(event) {
	var held event
	return func(e event) {
		if !isError(e) {
			s.send(event{raw: held.raw})
		}
		held = event{}
		if isText(e) {
			held = e
			return
		}
		s.send(e)
	}
}

func failureWords() []Mutant {
	row := []string{"mortar-stream-19"}
	words := func(message any) wrap { return editFailure(func(e object) { e["message"] = message }) }
	return []Mutant{
		{Name: "failure-tells-address", Summary: "the error message names the address of the model server", Report: "NousResearch/hermes-agent#54087",
			Breaks: row, Wrap: words("POST http://10.0.4.17:8000/v1/chat/completions: connection reset")},
		{Name: "failure-tells-host", Summary: "the error message names the host of the model server",
			Breaks: row, Wrap: words("dial tcp: lookup vllm-0.models.svc.cluster.local: no such host")},
		{Name: "failure-tells-key", Summary: "the error message holds the key of the model server", Report: "NousResearch/hermes-agent#54087",
			Breaks: row, Wrap: words("401 for Authorization: Bearer sk-prod-9f8e7d6c5b4a39281706")},
		{Name: "failure-tells-stack", Summary: "the error message is a stack trace",
			Breaks: row, Wrap: words("Traceback (most recent call last):\n  File \"/srv/gateway/relay.py\", line 212, in relay")},
		{Name: "failure-tells-nothing", Summary: "the error message is empty",
			Breaks: row, Wrap: words("")},
		{Name: "failure-message-null", Summary: "the error message is null",
			Breaks: row, Wrap: words(nil)},
	}
}
