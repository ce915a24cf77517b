package mutant

import (
	"encoding/json"
	"net/http"
)

// unknownModel is the model that a run asks for to be refused.
const unknownModel = "plumbline-no-such-model"

// refusalsAt are the faults of errors before the reply in a format with the
// errors of OpenAI. The rows are those on their form, on what is no request, on
// numbers outside their bounds and on a model that does not exist.
func refusalsAt(name, path string, rows []string) []Mutant {
	form, invalid, bounds, model := rows[0], rows[1], rows[2], rows[3]
	refusal := func(change func(*exchange, *reply)) wrap { return onAnswer(isRefusalAt(path), change) }
	all := []string{"notholy-errors-0[1-3]", "notholy-billing-03"}
	return []Mutant{
		{Name: name + "-refusal-with-200", Summary: "an error has the status 200",
			Breaks: []string{form, invalid, bounds, model, "notholy-errors-01", "notholy-errors-02", "notholy-errors-03", "notholy-billing-03"}, May: all, Wrap: refusal(withStatus(http.StatusOK))},
		{Name: name + "-refusal-as-detail", Summary: "an error is {detail: …}",
			Breaks: []string{form, invalid, bounds, model, "notholy-errors-01"}, May: all, Wrap: refusal(func(_ *exchange, r *reply) {
				r.json(object{"detail": r.envelope()["message"]})
			})},
		{Name: name + "-refusal-of-messages", Summary: "an error has the form of the Messages API",
			Breaks: []string{form, bounds, model, "notholy-errors-01"}, May: append(all, invalid), Wrap: refusal(func(_ *exchange, r *reply) {
				r.json(object{"type": "error", "error": object{"type": r.envelope()["type"], "message": r.envelope()["message"]}})
			})},
		{Name: name + "-refusal-as-page", Summary: "an error is a page of HTML",
			Breaks: []string{form, invalid, bounds, model, "notholy-errors-01", "notholy-errors-02", "notholy-errors-03"}, Wrap: refusal(func(_ *exchange, r *reply) {
				r.say("text/html", "<html><h1>Error</h1></html>")
			})},
		{Name: name + "-invalid-with-422", Summary: "an invalid request is refused with 422",
			Breaks: []string{invalid, bounds}, Wrap: onAnswer(hasStatusAt(path, http.StatusBadRequest), withStatus(http.StatusUnprocessableEntity))},
		{Name: name + "-syntax-with-500", Summary: "a body that is no JSON makes an internal error",
			Breaks: []string{invalid}, Wrap: onAnswer(func(x *exchange, r *reply) bool { return isRefusalAt(path)(x, r) && !json.Valid(x.body) },
				withStatus(http.StatusInternalServerError))},
		{Name: name + "-stream-coerced", Summary: "a stream that is a text is taken for true",
			Breaks: []string{invalid}, Wrap: onAskedAt(path, func(o object) {
				if o.word("stream") != "" {
					o["stream"] = true
				}
			})},
		{Name: name + "-param-null", Summary: "no error names the field",
			Breaks: []string{bounds}, Wrap: refusal(editError(func(e object) { e["param"] = nil }))},
		{Name: name + "-bounds-ignored", Summary: "numbers outside their bounds are ignored",
			Breaks: []string{bounds}, May: []string{form}, Wrap: onAskedAt(path, inBounds)},
		{Name: name + "-unknown-model-falls-back", Summary: "an unknown model is answered by the default one",
			Breaks: []string{model}, May: []string{"notholy-billing-03"}, Wrap: onAskedAt(path, func(o object) {
				if o["model"] == unknownModel {
					delete(o, "model")
				}
			})},
		{Name: name + "-unknown-model-without-code", Summary: "an unknown model is refused without a code",
			Breaks: []string{model}, Wrap: onAnswer(hasStatusAt(path, http.StatusNotFound), editError(func(e object) { e["code"] = nil }))},
		{Name: name + "-unknown-model-with-502", Summary: "an unknown model makes a bad gateway",
			Breaks: []string{model, "notholy-billing-03"}, Wrap: onAnswer(hasStatusAt(path, http.StatusNotFound), withStatus(http.StatusBadGateway))},
	}
}

// inBounds leaves out the numbers outside the bounds of the two formats.
func inBounds(o object) {
	for field, bounds := range map[string][2]float64{"n": {1, 128}, "max_tokens": {0, 1 << 30}, "max_output_tokens": {16, 1 << 30}, "logprobs": {0, 5},
		"best_of": {1, 20}, "temperature": {0, 2}, "top_logprobs": {0, 20}} {
		n, ok := o[field].(json.Number)
		if v, err := n.Float64(); ok && err == nil && (v < bounds[0] || v > bounds[1]) {
			delete(o, field)
		}
	}
}
