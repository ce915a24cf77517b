package check

import (
	"bytes"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"

	"plumbline.dev/plumbline/conformance/wire"
)

// ErrorBody is an answer that is to be an error before any stream started.
type ErrorBody struct {
	document
	Status  int
	Message string
	Type    string
	Param   string // "" also where it is null
	Code    string // "" also where it is null

	envelope object
}

// ParseError reads an answer that is to be an error. It never fails: what it
// cannot read is for the rules to judge. Keys are kept out of every finding.
func ParseError(t *wire.Transcript, keys ...string) *ErrorBody {
	e := &ErrorBody{document: parseDocument(t, keys), Status: t.Status}
	e.envelope, _ = asObject(e.body.get("error"))
	e.Message, e.Type = text(e.envelope.get("message")), text(e.envelope.get("type"))
	e.Param, e.Code = text(e.envelope.get("param")), text(e.envelope.get("code"))
	return e
}

// DocumentedError: the status is outside 200 to 299, and the body is JSON whose
// error.message is a text, as the documented reader reads it.
func (e *ErrorBody) DocumentedError() []Finding {
	n := e.notes("DocumentedError")
	if e.Status < 300 {
		n.head("a status outside 200 to 299", fmt.Sprintf("status %d", e.Status))
	}
	if v := e.envelope.get("message"); v.Type != gjson.String || e.Message == "" {
		n.body("a JSON body whose error.message is a text", show(e.Transcript.Body))
	}
	return n.found
}

// ErrorStatus: the status is 400 or above.
func (e *ErrorBody) ErrorStatus() []Finding {
	n := e.notes("ErrorStatus")
	if e.Status < 400 || e.Status > 599 {
		n.head("a status from 400 to 599", fmt.Sprintf("status %d", e.Status))
	}
	return n.found
}

// ErrorJSON: the body is one JSON object as application/json.
func (e *ErrorBody) ErrorJSON() []Finding {
	n := e.notes("ErrorJSON")
	e.json(n)
	return n.found
}

// ErrorEnvelope: error has message and type as texts that are not empty, and
// param and code as texts or null, all four of them.
func (e *ErrorBody) ErrorEnvelope() []Finding {
	n := e.notes("ErrorEnvelope")
	if !e.ok {
		return nil
	}
	if v := e.body.get("error"); !v.IsObject() {
		n.body("error as an object", "error "+seen(v))
		return n.found
	}
	envelopeShape(e.envelope, n.body)
	return n.found
}

// envelopeShape judges what stands behind the key error.
func envelopeShape(o object, bad func(expected, seen string)) {
	breaks(o, []field{
		{"message", aString, true}, {"type", aString, true},
		{"param", aString.orNull(), true}, {"code", aString.orNull(), true},
	}, func(expected, seen string) { bad("error."+expected, seen) })
	for _, key := range []string{"message", "type"} {
		if v := o.get(key); v.Type == gjson.String && strings.TrimSpace(text(v)) == "" {
			bad("error."+key+" that is not empty", key+" "+seen(v))
		}
	}
}

// RetryAfter judges that an answer says, in seconds or as a date, when to come
// back.
func RetryAfter(t *wire.Transcript) []Finding {
	n := notes{rule: "RetryAfter", t: t}
	value := strings.TrimSpace(t.Header.Get("Retry-After"))
	if _, err := strconv.ParseUint(value, 10, 31); err == nil {
		return nil
	}
	if _, err := http.ParseTime(value); err != nil {
		n.head("Retry-After: seconds or a date", "Retry-After: "+value)
	}
	return n.found
}

// ErrorWant is what an error should say. A zero field is not judged.
type ErrorWant struct {
	Statuses []int // any of them
	Type     string
	Code     string
	// Param is a field of the request; a path into it, as messages[0].role, is
	// right for messages.
	Param string
}

// Is judges that the error is the wanted one.
func (e *ErrorBody) Is(want ErrorWant) []Finding {
	n := e.notes("Is")
	if len(want.Statuses) > 0 && !slices.Contains(want.Statuses, e.Status) {
		n.head("status "+either(want.Statuses), fmt.Sprintf("status %d", e.Status))
	}
	for _, w := range []struct{ key, want, got string }{
		{"type", want.Type, e.Type}, {"code", want.Code, e.Code},
	} {
		if w.want != "" && w.got != w.want {
			n.body("error."+w.key+" "+w.want, w.key+" "+seen(e.envelope.get(w.key)))
		}
	}
	if want.Param != "" && !within(e.Param, want.Param) {
		n.body("error.param "+want.Param, "param "+seen(e.envelope.get("param")))
	}
	return n.found
}

// either names each status once.
func either(statuses []int) string {
	var words []string
	for _, s := range slices.Compact(slices.Sorted(slices.Values(statuses))) {
		words = append(words, strconv.Itoa(s))
	}
	return strings.Join(words, " or ")
}

// within tells whether param is field or a path into it.
func within(param, field string) bool {
	rest, ok := strings.CutPrefix(param, field)
	return ok && (rest == "" || rest[0] == '.' || rest[0] == '[')
}

// NoSecret: neither the key nor a long piece of it comes back, in body or head.
func (e *ErrorBody) NoSecret(key string) []Finding {
	n := e.notes("NoSecret")
	n.keys = append([]string{key}, n.keys...)
	const piece = 12 // a masked key may show its ends
	for i := 0; i == 0 || i+piece <= len(key); i++ {
		part := key[i:min(len(key), i+piece)]
		if part == "" {
			break
		}
		if at := bytes.Index(e.Transcript.Body, []byte(part)); at >= 0 {
			n.keys = append(n.keys, part)
			n.at(at, 1, "an answer without the key", show(e.Transcript.Body))
			return n.found
		}
		for name, values := range e.Transcript.Header {
			if strings.Contains(strings.Join(values, " "), part) {
				n.head("an answer without the key", "it stands in the header "+name)
				return n.found
			}
		}
	}
	return n.found
}

// MessageClean: the message has no address, path, key or stack of the
// deployment.
func (e *ErrorBody) MessageClean() []Finding {
	n := e.notes("MessageClean")
	if what := leak(e.Message, e.keys); what != "" {
		n.body("a message without any address, path, key or stack", what+" in: "+e.Message)
	}
	return n.found
}

// ErrorRule is a rule for an error before any stream started.
type ErrorRule struct {
	Name  string
	Rows  []string
	Judge func(*ErrorBody) []Finding
}

// ErrorRules lists them.
func ErrorRules() []ErrorRule {
	return []ErrorRule{
		{"DocumentedError", []string{"mortar-stream-20"}, (*ErrorBody).DocumentedError},
		{"ErrorStatus", []string{"openai-chat-23"}, (*ErrorBody).ErrorStatus},
		{"ErrorJSON", []string{"openai-chat-23"}, (*ErrorBody).ErrorJSON},
		{"ErrorEnvelope", []string{"openai-chat-23"}, (*ErrorBody).ErrorEnvelope},
	}
}
