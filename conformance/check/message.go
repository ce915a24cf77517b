package check

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"plumbline.dev/plumbline/conformance/wire"
)

// Message is a reply of the Messages API that was not streamed.
type Message struct {
	document
	Ask Ask
}

// ParseMessage reads an answer that is to be a message. It never fails.
func ParseMessage(t *wire.Transcript, ask Ask) *Message {
	return &Message{document: parseDocument(t, ask.Keys), Ask: ask}
}

// Saying returns what the message says.
func (m *Message) Saying() Saying {
	u, _ := asObject(m.body.get("usage"))
	s := Saying{ID: text(m.body.get("id")), Usage: readCounters(u), Finish: finishOfStop(text(m.body.get("stop_reason")))}
	for _, v := range list(m.body.get("content")) {
		b, _ := asObject(v)
		switch text(b.get("type")) {
		case "text":
			s.Text += text(b.get("text"))
		case "tool_use":
			s.Calls = append(s.Calls, ToolCall{Index: int64(len(s.Calls)), ID: text(b.get("id")), Type: "function",
				Name: text(b.get("name")), Arguments: b.get("input").Raw})
		}
	}
	s.Complete = s.Finish != ""
	return s
}

// MessageWhole: the answer is 200 with one message of the documented shape, which
// says why it ended.
func (m *Message) MessageWhole() []Finding {
	n := m.notes("MessageWhole")
	m.status(n, http.StatusOK)
	m.json(n)
	if !m.ok {
		return n.found
	}
	messageShape(m.body, n.body)
	call := false
	for i, v := range list(m.body.get("content")) {
		b, _ := asObject(v)
		kind := text(b.get("type"))
		call = call || kind == "tool_use"
		breaks(b, append(messageEvent(), blockFields[kind]...), func(expected, seen string) { n.body(fmt.Sprintf("content[%d] with %s", i, expected), seen) })
	}
	stopReasons(seen(m.body.get("stop_reason")), text(m.body.get("stop_reason")), text(m.body.get("stop_sequence")), call, n.body)
	return n.found
}

// MessageError is an answer of the Messages API that is to be an error before
// any stream started.
type MessageError struct {
	document
	Status int
	Type   string

	err object
}

// ParseMessageError reads an answer that is to be an error. It never fails.
func ParseMessageError(t *wire.Transcript, keys ...string) *MessageError {
	e := &MessageError{document: parseDocument(t, keys), Status: t.Status}
	e.err, _ = asObject(e.body.get("error"))
	e.Type = text(e.err.get("type"))
	return e
}

// messageErrors are the types of errors, each with its statuses.
var messageErrors = map[string][]int{
	"invalid_request_error": {400, 405, 422}, "authentication_error": {401}, "billing_error": {402}, "permission_error": {403},
	"not_found_error": {404}, "conflict_error": {409}, "request_too_large": {413}, "rate_limit_error": {429},
	"api_error": {500, 502}, "timeout_error": {504, 408}, "overloaded_error": {529, 503},
}

// MessageErrorForm: the answer is a status from 400 with {type: error, error:
// {type, message}} as JSON, where the type of the error is the one of its status.
func (e *MessageError) MessageErrorForm() []Finding {
	n := e.notes("MessageErrorForm")
	if e.Status < 400 || e.Status > 599 {
		n.head("a status from 400 to 599", fmt.Sprintf("status %d", e.Status))
	}
	e.json(n)
	if !e.ok {
		return n.found
	}
	if v := e.body.get("type"); text(v) != "error" {
		n.body("type error", "type "+seen(v))
	}
	if v := e.body.get("error"); !v.IsObject() {
		n.body("error as an object", "error "+seen(v))
		return n.found
	}
	if v := e.body.get("request_id"); v.Exists() && !isNull(v) && v.Type != gjson.String {
		n.body("request_id as a string or null", "request_id "+seen(v))
	}
	if v := e.err.get("message"); strings.TrimSpace(text(v)) == "" {
		n.body("error.message as a text that is not empty", "message "+seen(v))
	}
	switch statuses, known := messageErrors[e.Type]; {
	case !known:
		n.body("one of the documented types of errors", "type "+seen(e.err.get("type")))
	case !slices.Contains(statuses, e.Status):
		n.body("an error type that belongs to status "+fmt.Sprint(e.Status), "type "+e.Type)
	}
	return n.found
}

// Is judges that the error is the wanted one.
func (e *MessageError) Is(want ErrorWant) []Finding {
	n := e.notes("Is")
	if len(want.Statuses) > 0 && !slices.Contains(want.Statuses, e.Status) {
		n.head("status "+either(want.Statuses), fmt.Sprintf("status %d", e.Status))
	}
	if want.Type != "" && e.Type != want.Type {
		n.body("error.type "+want.Type, "type "+seen(e.err.get("type")))
	}
	return n.found
}
