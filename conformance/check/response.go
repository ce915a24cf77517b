package check

import (
	"net/http"

	"plumbline.dev/plumbline/conformance/wire"
)

// Response is a reply of the Responses API that was not streamed.
type Response struct {
	document
	Ask Ask
}

// ParseResponse reads an answer that is to be a response. It never fails.
func ParseResponse(t *wire.Transcript, ask Ask) *Response {
	return &Response{document: parseDocument(t, ask.Keys), Ask: ask}
}

// Saying returns what the response says.
func (r *Response) Saying() Saying {
	s := Saying{ID: text(r.body.get("id")), Usage: readTokens(r.body.get("usage"))}
	for _, v := range list(r.body.get("output")) {
		item, _ := asObject(v)
		switch text(item.get("type")) {
		case "message":
			for _, part := range list(item.get("content")) {
				if p, _ := asObject(part); text(p.get("type")) == "output_text" {
					s.Text += partText(p)
				}
			}
		case "function_call":
			s.Calls = append(s.Calls, ToolCall{Index: int64(len(s.Calls)), ID: text(item.get("call_id")), Type: "function",
				Name: text(item.get("name")), Arguments: text(item.get("arguments"))})
		}
	}
	s.Finish = finishOf(r.body, len(s.Calls) > 0)
	s.Complete = s.Finish != ""
	return s
}

// ResponseWhole: the answer is 200 with one response of the documented shape,
// completed or incomplete, with usage.
func (r *Response) ResponseWhole() []Finding {
	n := r.notes("ResponseWhole")
	r.status(n, http.StatusOK)
	r.json(n)
	if !r.ok {
		return n.found
	}
	responseShape(r.body, n.body)
	if status := r.body.get("status"); text(status) != "completed" && text(status) != "incomplete" {
		n.body("status completed or incomplete", "status "+seen(status))
	}
	responseUsage(r.body.get("usage"), n.body)
	return n.found
}
