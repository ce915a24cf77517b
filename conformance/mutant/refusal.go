package mutant

import (
	"encoding/json"
	"net/http"
	"strings"
)

func refusals() []Mutant {
	shape := []string{"mortar-stream-20", "openai-chat-23"}
	codes := []string{"openai-chat-24", "openai-chat-25", "openai-chat-26", "openai-chat-27", "openai-chat-28", "openai-chat-29"}
	invalid := []string{"openai-chat-24", "openai-chat-25", "openai-chat-26", "openai-chat-29"}
	refusal := func(change func(*exchange, *reply)) wrap { return onAnswer(isRefusal, change) }
	return []Mutant{
		{Name: "refusal-with-200", Summary: "an error has the status 200", Report: "lemonade-sdk/lemonade#3223",
			Breaks: append(shape, codes...), May: []string{"mortar-stream-16"}, Wrap: refusal(withStatus(http.StatusOK))},
		{Name: "refusal-as-stream", Summary: "a refused stream is answered 200 with an error event", Report: "openclaw/clawrouter#101",
			Breaks: []string{"mortar-stream-20", "openai-chat-28"}, May: append(codes, "mortar-stream-16"), Wrap: refusal(func(x *exchange, r *reply) {
				if x.asked()["stream"] == true {
					r.Status = http.StatusOK
					r.say("text/event-stream", "data: "+strings.TrimSpace(string(r.Body))+"\n\n")
				}
			})},
		{Name: "refusal-as-empty-stream", Summary: "a refused stream is answered 200 and ends without an event", Report: "preloop/preloop#121",
			Breaks: []string{"mortar-stream-20", "openai-chat-28"}, May: append(codes, "mortar-stream-16"), Wrap: refusal(func(x *exchange, r *reply) {
				if x.asked()["stream"] == true {
					r.Status = http.StatusOK
					r.say("text/event-stream", "")
				}
			})},
		{Name: "refusal-as-detail", Summary: "an error is {detail: …}", Report: "mozilla-ai/otari#978",
			Breaks: append(shape, invalid...), May: append(codes, "mortar-stream-16"), Wrap: refusal(func(_ *exchange, r *reply) { r.json(object{"detail": r.envelope()["message"]}) })},
		{Name: "refusal-as-text", Summary: "error is a text", Report: "PsycherosAI/Psycheros#44",
			Breaks: append(shape, invalid...), May: append(codes, "mortar-stream-16"), Wrap: refusal(func(_ *exchange, r *reply) { r.json(object{"error": r.envelope()["message"]}) })},
		{Name: "refusal-empty", Summary: "an error has an empty body", Report: "agentgateway/agentgateway#3329",
			Breaks: append(shape, invalid...), May: append(codes, "mortar-stream-16"), Wrap: refusal(func(_ *exchange, r *reply) { r.Body = []byte{} })},
		{Name: "refusal-as-page", Summary: "an error is a page of HTML",
			Breaks: append(shape, invalid...), May: append(codes, "mortar-stream-16"), Wrap: refusal(func(_ *exchange, r *reply) { r.say("text/html", "<html><h1>Bad Request</h1></html>") })},
		{Name: "refusal-of-no-type", Summary: "JSON of an error is sent as text/plain",
			Breaks: []string{"openai-chat-23"}, May: []string{"openai-chat-28"}, Wrap: refusal(func(_ *exchange, r *reply) { r.Header.Set("Content-Type", "text/plain") })},
		{Name: "refusal-says-none", Summary: "type and param of an error are the text None", Report: "BerriAI/litellm#39037",
			Breaks: invalid, May: codes, Wrap: refusal(editError(func(e object) { e["type"], e["param"] = "None", "None" }))},
		{Name: "refusal-fields-missing", Summary: "an error has neither param nor code",
			Breaks: []string{"openai-chat-23", "openai-chat-25", "openai-chat-26", "openai-chat-27", "openai-chat-29"}, May: codes,
			Wrap: refusal(editError(func(e object) { delete(e, "param"); delete(e, "code") }))},
		{Name: "refusal-message-missing", Summary: "an error has no message",
			Breaks: shape, May: []string{"openai-chat-28", "mortar-stream-16"}, Wrap: refusal(editError(func(e object) { delete(e, "message") }))},
		{Name: "refusal-code-as-number", Summary: "the code of an error is its status",
			Breaks: []string{"openai-chat-23", "openai-chat-27"}, May: []string{"openai-chat-28"}, Wrap: refusal(func(_ *exchange, r *reply) {
				editError(func(e object) { e["code"] = r.Status })(nil, r)
			})},
		{Name: "invalid-with-422", Summary: "an invalid request is refused with 422",
			Breaks: append(invalid, "mortar-stream-20"), Wrap: onAnswer(hasStatus(http.StatusBadRequest), withStatus(http.StatusUnprocessableEntity))},
		{Name: "syntax-with-500", Summary: "a body that is no JSON makes an internal error",
			Breaks: []string{"openai-chat-24", "mortar-stream-20"}, Wrap: onAnswer(
				func(x *exchange, r *reply) bool { return isRefusal(x, r) && !json.Valid(x.body) }, withStatus(http.StatusInternalServerError))},
		{Name: "invalid-of-other-type", Summary: "an invalid request is refused with the type bad_request",
			Breaks: invalid, Wrap: onAnswer(hasStatus(http.StatusBadRequest), editError(func(e object) { e["type"] = "bad_request" }))},
		{Name: "param-null", Summary: "no error names the field",
			Breaks: []string{"openai-chat-25", "openai-chat-26", "openai-chat-29"}, Wrap: refusal(editError(func(e object) { e["param"] = nil }))},
		{Name: "param-of-body", Summary: "an error names the field as body.field",
			Breaks: []string{"openai-chat-25", "openai-chat-26", "openai-chat-29"}, Wrap: refusal(editError(func(e object) {
				if p, ok := e["param"].(string); ok {
					e["param"] = "body." + p
				}
			}))},
		{Name: "unknown-model-without-code", Summary: "an unknown model is refused without a code",
			Breaks: []string{"openai-chat-27"}, Wrap: onAnswer(hasStatus(http.StatusNotFound), editError(func(e object) { e["code"] = nil }))},
		{Name: "unknown-model-with-502", Summary: "an unknown model makes a bad gateway",
			Breaks: []string{"openai-chat-27"}, Wrap: onAnswer(hasStatus(http.StatusNotFound), withStatus(http.StatusBadGateway))},
		{Name: "unknown-model-of-other-type", Summary: "an unknown model is refused with the type not_found_error",
			Breaks: []string{"openai-chat-27"}, Wrap: onAnswer(hasStatus(http.StatusNotFound), editError(func(e object) { e["type"] = "not_found_error" }))},
		{Name: "wrong-key-with-403", Summary: "a wrong key is refused with 403",
			Breaks: []string{"openai-chat-28", "mortar-stream-20"}, Wrap: onAnswer(hasStatus(http.StatusUnauthorized), withStatus(http.StatusForbidden))},
		{Name: "wrong-key-echoed", Summary: "the refusal repeats the key", Report: "hivecommons/hive#1903",
			Breaks: []string{"openai-chat-28"}, Wrap: onAnswer(hasStatus(http.StatusUnauthorized), func(x *exchange, r *reply) {
				editError(func(e object) { e["message"] = "Incorrect API key provided: " + strings.TrimPrefix(x.key(), "Bearer ") })(x, r)
			})},
		{Name: "wrong-key-in-header", Summary: "a header of the refusal repeats the key",
			Breaks: []string{"openai-chat-28"}, Wrap: onAnswer(hasStatus(http.StatusUnauthorized), func(x *exchange, r *reply) {
				r.Header.Set("X-Debug-Authorization", x.key())
			})},
	}
}
