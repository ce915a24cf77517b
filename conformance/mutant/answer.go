package mutant

import "net/http"

// onAnswer is a mutant that changes answers that are no streams.
func onAnswer(match func(*exchange, *reply) bool, change func(*exchange, *reply)) wrap {
	return fixed(relay{answer: func(x *exchange, r *reply) {
		if match(x, r) {
			change(x, r)
		}
	}})
}

// isRefusal tells an answer that is an error of a chat completion.
func isRefusal(x *exchange, r *reply) bool { return x.isChat() && r.Status >= http.StatusBadRequest }

// hasStatus tells an error of a chat completion by its status.
func hasStatus(status int) func(*exchange, *reply) bool {
	return func(x *exchange, r *reply) bool { return x.isChat() && r.Status == status }
}

// isWhole tells a completion that is not streamed.
func isWhole(x *exchange, r *reply) bool { return x.isChat() && r.Status == http.StatusOK }

// isModelList tells the list of models.
func isModelList(x *exchange, r *reply) bool { return x.isModels() && r.Status == http.StatusOK }

// envelope is the error object of an answer.
func (r *reply) envelope() object { return decode(string(r.Body)).inner("error") }

// json makes v the answer.
func (r *reply) json(v any) {
	r.Header.Set("Content-Type", "application/json")
	r.Body = []byte(encode(v))
}

// say makes a text of another type the answer.
func (r *reply) say(contentType, text string) {
	r.Header.Set("Content-Type", contentType)
	r.Body = []byte(text)
}

// editJSON is the change of an answer's JSON object.
func editJSON(change func(o object)) func(*exchange, *reply) {
	return func(_ *exchange, r *reply) {
		if o := decode(string(r.Body)); o != nil {
			change(o)
			r.json(o)
		}
	}
}

// editError is the change of an answer's error object.
func editError(change func(e object)) func(*exchange, *reply) {
	return editJSON(func(o object) { change(o.inner("error")) })
}

// withStatus is the change of an answer's status.
func withStatus(status int) func(*exchange, *reply) {
	return func(_ *exchange, r *reply) { r.Status = status }
}
