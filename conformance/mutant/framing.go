package mutant

import "strings"

func framings() []Mutant {
	const foreign = "event: receipt\ndata: {\"paid\":\"0.0001\"}\n\n"
	all := []string{"mortar-*", "openai-chat-*"} // no reader finds the events
	return []Mutant{
		{Name: "lines-crlf", Summary: "lines end with CRLF", Report: "Continuum-AI-Corp/OrcaRouter-Lite#98",
			Breaks: []string{"mortar-stream-07"}, Wrap: onStream(reframe(func(raw string) string { return strings.ReplaceAll(raw, "\n", "\r\n") }))},
		{Name: "lines-cr", Summary: "lines end with CR", Report: "EdamAme-x/pentect#1438",
			Breaks: []string{"mortar-stream-07", "mortar-stream-31"}, Wrap: onStream(reframe(func(raw string) string { return strings.ReplaceAll(raw, "\n", "\r") }))},
		{Name: "blank-line-missing", Summary: "one line end stands between events instead of a blank line", Report: "anomalyco/opencode#27365",
			Breaks: []string{"mortar-stream-07", "mortar-stream-08"}, May: all, Wrap: onStream(reframe(func(raw string) string { return strings.TrimSuffix(raw, "\n") }))},
		{Name: "blank-line-missing-last", Summary: "no blank line stands behind [DONE]",
			Breaks: []string{"mortar-stream-07"}, May: append(waitForDone(), "mortar-stream-11", "openai-chat-03"), Wrap: onStream(replace(isDone, "data: [DONE]\n"))},
		{Name: "line-end-missing-last", Summary: "the body ends in the middle of the line of [DONE]",
			Breaks: []string{"mortar-stream-07", "mortar-stream-11"}, May: append(waitForDone(), "openai-chat-03"), Wrap: onStream(replace(isDone, "data: [DONE]"))},
		{Name: "data-without-space", Summary: "no blank stands behind data:", Report: "huggingface/text-generation-inference#1648",
			Breaks: []string{"mortar-stream-08"}, May: []string{"mortar-stream-07"}, Wrap: onStream(reframe(func(raw string) string { return strings.Replace(raw, "data: ", "data:", 1) }))},
		{Name: "data-two-spaces", Summary: "two blanks stand behind data:",
			Breaks: []string{"mortar-stream-08"}, May: all, // [DONE] with a blank before it is none
			Wrap: onStream(reframe(func(raw string) string { return strings.Replace(raw, "data: ", "data:  ", 1) }))},
		{Name: "data-glued", Summary: "the JSON of two chunks stands in one data line", Report: "diegosouzapw/OmniRoute#13115",
			Breaks: []string{"mortar-stream-08", "mortar-stream-02"}, May: all, Wrap: onStream(glued)},
		{Name: "data-in-many-lines", Summary: "the JSON of a chunk is spread over many data lines", Report: "SamSaffron/term-llm#454",
			Breaks: []string{"mortar-stream-08"}, May: []string{"mortar-stream-07"}, Wrap: onStream(nth(isChunk, func(s *stream, e event, _ int) {
				s.write("data: " + strings.ReplaceAll(e.data, ",\"choices\"", ",\ndata: \"choices\"") + "\n\n")
			}))},
		{Name: "data-null", Summary: "an event with null comes at the end", Report: "decolua/9router#1648",
			Breaks: []string{"mortar-stream-08", "mortar-stream-02"}, May: []string{"openai-chat-02", "mortar-stream-07", "mortar-stream-31"}, Wrap: onStream(before(isDone, "data: null\n\n"))},
		{Name: "data-empty", Summary: "an empty data event comes first", Report: "omnigent-ai/omnigent#1474",
			Breaks: []string{"mortar-stream-08", "mortar-stream-02"}, May: []string{"openai-chat-02", "mortar-stream-07", "mortar-stream-31"},
			Wrap: onStream(before(isRole, "data: \n\n"))},
		{Name: "byte-order-mark", Summary: "the body begins with a byte order mark", Report: "openai/openai-python#3819",
			Breaks: []string{"mortar-stream-08", "mortar-stream-31"}, May: []string{"mortar-stream-05", "openai-chat-12"},
			Wrap: onStream(func(_ *exchange, s *stream) func(event) {
				mark := "\ufeff"
				return func(e event) {
					s.send(event{raw: mark + e.raw, end: e.end})
					mark = ""
				}
			})},
		{Name: "events-named", Summary: "chunks are named events", Report: "mudler/LocalAI#340",
			Breaks: []string{"mortar-stream-09", "openai-chat-19"}, Wrap: onStream(nth(isChunk, func(s *stream, e event, _ int) { s.write("event: chunk\n" + e.raw) }))},
		{Name: "event-foreign", Summary: "an event of another kind with a receipt comes before the end", Report: "tempoxyz/mpp#975",
			Breaks: []string{"mortar-stream-09", "openai-chat-19"}, May: []string{"mortar-stream-*", "openai-chat-*", "mortar-cancel-08"}, // it is no chunk either
			Wrap: onStream(before(isDone, foreign))},
		{Name: "event-ids", Summary: "events have id lines",
			Breaks: []string{"mortar-stream-09", "openai-chat-19"}, Wrap: onStream(nth(isChunk, func(s *stream, e event, _ int) { s.write("id: 7\n" + e.raw) }))},
		{Name: "retry-alone", Summary: "a frame with nothing but retry comes first", Report: "openai/openai-python#2722",
			Breaks: []string{"mortar-stream-09", "openai-chat-19", "mortar-stream-31"}, Wrap: onStream(before(isRole, "retry: 3000\n\n"))},
		{Name: "line-bare", Summary: "a line of plain text stands between two events",
			Breaks: []string{"mortar-stream-09"}, May: []string{"openai-chat-19"}, Wrap: onStream(before(isFinish, "reply follows\n\n"))},
		{Name: "comments-as-data", Summary: "a comment of the model server comes as data", Report: "mnfst/llm-gateway#2053",
			Breaks: []string{"mortar-stream-08", "mortar-stream-02"}, May: []string{"mortar-stream-07", "mortar-stream-31", "openai-chat-02"},
			Wrap: onStream(nth(isText, func(s *stream, e event, n int) {
				if n == 2 {
					s.write("data: : the model server is alive\n\n")
				}
				s.send(e)
			}))},
	}
}

// glued joins the data of each two chunks.
func glued(_ *exchange, s *stream) func(event) {
	var held event
	return func(e event) {
		switch {
		case isText(e) && held.data == "":
			held = e
			return
		case isText(e):
			e = dataEvent(held.data + e.data)
		case held.data != "":
			s.send(held)
		}
		held = event{}
		s.send(e)
	}
}
