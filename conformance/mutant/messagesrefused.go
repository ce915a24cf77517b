package mutant

import (
	"encoding/json"
	"net/http"
	"strings"
)

func messageRefusals() []Mutant {
	form, invalid, model, key := "anthropic-messages-17", "anthropic-messages-18", "anthropic-messages-19", "anthropic-messages-21"
	early := []string{"notholy-errors-01", "notholy-errors-02", "notholy-errors-03"}
	refusal := func(change func(*exchange, *reply)) wrap { return onAnswer(isRefusalAt(pathMessages), change) }
	version := func(v string) func(*exchange) bool {
		return func(x *exchange) bool { return x.path == pathMessages && x.header.Get("Anthropic-Version") == v }
	}
	refuse := func(match func(*exchange) bool) wrap {
		return fixed(relay{serve: func(x *exchange, w http.ResponseWriter) bool {
			if !match(x) {
				return false
			}
			r := &reply{Status: http.StatusBadRequest, Header: http.Header{}}
			r.json(object{"type": "error", "error": object{"type": "invalid_request_error", "message": "This version is not served."}})
			r.write(w)
			return true
		}})
	}
	return []Mutant{
		{Name: "messages-refusal-with-200", Summary: "an error has the status 200",
			Breaks: append(early, form, invalid, model, key, "notholy-billing-03"), Wrap: refusal(withStatus(http.StatusOK))},
		{Name: "messages-refusal-of-chat", Summary: "an error has the envelope of chat completions", Report: "BerriAI/litellm#39037",
			Breaks: append(early, form, key), May: []string{invalid, model}, Wrap: refusal(func(_ *exchange, r *reply) {
				r.json(object{"error": object{"message": r.envelope()["message"], "type": "None", "param": "None", "code": "400"}})
			})},
		{Name: "messages-refusal-as-page", Summary: "an error is a page of HTML",
			Breaks: append(early, form, invalid, model, key), Wrap: refusal(func(_ *exchange, r *reply) { r.say("text/html", "<html><h1>Error</h1></html>") })},
		{Name: "messages-refusal-of-other-type", Summary: "every error is an api_error",
			Breaks: append(early, form, invalid, model, key), Wrap: refusal(editError(with("type", "api_error")))},
		{Name: "messages-invalid-with-422", Summary: "an invalid request is refused with 422",
			Breaks: []string{invalid}, Wrap: onAnswer(hasStatusAt(pathMessages, http.StatusBadRequest), withStatus(http.StatusUnprocessableEntity))},
		{Name: "messages-syntax-with-500", Summary: "a body that is no JSON makes an internal error",
			Breaks: []string{invalid}, Wrap: onAnswer(func(x *exchange, r *reply) bool { return isRefusalAt(pathMessages)(x, r) && !json.Valid(x.body) },
				withStatus(http.StatusInternalServerError))},
		{Name: "messages-max-tokens-optional", Summary: "a message without max_tokens has a default limit",
			Breaks: []string{invalid}, Wrap: onAskedAt(pathMessages, func(o object) {
				if o["max_tokens"] == nil {
					o["max_tokens"] = 1024
				}
			})},
		{Name: "messages-types-coerced", Summary: "a stream that is a text is taken for true",
			Breaks: []string{invalid}, Wrap: onAskedAt(pathMessages, func(o object) {
				if o.word("stream") != "" {
					o["stream"] = true
				}
			})},
		{Name: "messages-unknown-role-accepted", Summary: "an unknown role is taken for user",
			Breaks: []string{invalid}, Wrap: onAskedAt(pathMessages, func(o object) {
				for _, m := range o.list("messages") {
					if m["role"] == "wizard" {
						m["role"] = "user"
					}
				}
			})},
		{Name: "messages-unknown-model-falls-back", Summary: "an unknown model is answered by another one",
			Breaks: []string{model}, May: []string{"notholy-billing-03"}, Wrap: fixed(relay{request: func(x *exchange) {
				if x.path == pathMessages && x.asked()["model"] == unknownModel {
					for id := range x.listPrices() {
						x.ask(with("model", id))
					}
				}
			}})},
		{Name: "messages-unknown-model-with-400", Summary: "an unknown model is an invalid request",
			Breaks: []string{model}, Wrap: onAnswer(hasStatusAt(pathMessages, http.StatusNotFound), func(x *exchange, r *reply) {
				r.Status = http.StatusBadRequest
				editError(with("type", "invalid_request_error"))(x, r)
			})},
		{Name: "messages-wrong-key-with-403", Summary: "a wrong key is refused with 403",
			Breaks: []string{key, "notholy-errors-01"}, Wrap: onAnswer(hasStatusAt(pathMessages, http.StatusUnauthorized), func(x *exchange, r *reply) {
				r.Status = http.StatusForbidden
				editError(with("type", "permission_error"))(x, r)
			})},
		{Name: "messages-key-in-bearer-alone", Summary: "the header x-api-key is not read",
			Breaks: []string{key}, Wrap: fixed(relay{request: func(x *exchange) { x.header.Del("X-Api-Key") }})},
		{Name: "messages-key-in-own-header-alone", Summary: "the header Authorization is not read",
			Breaks: []string{key, "anthropic-messages-22"}, May: []string{"*"}, Wrap: fixed(relay{request: func(x *exchange) {
				if x.path == pathMessages {
					x.header.Del("Authorization")
				}
			}})},
		{Name: "messages-new-version-refused", Summary: "a newer anthropic-version is refused",
			Breaks: []string{"anthropic-messages-22"}, Wrap: refuse(version("2026-10-21"))},
		{Name: "messages-version-as-beta", Summary: "a newer anthropic-version is answered whole",
			Breaks: []string{"anthropic-messages-22"}, Wrap: onAsked(version("2026-10-21"), without("stream"))},
		{Name: "messages-version-needs-no-date", Summary: "anthropic-version must be that of the year of the gateway",
			Breaks: []string{"anthropic-messages-22"}, May: []string{"*"}, Wrap: refuse(func(x *exchange) bool {
				return x.path == pathMessages && strings.HasPrefix(x.header.Get("Anthropic-Version"), "2023")
			})},
	}
}
