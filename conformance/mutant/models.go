package mutant

import (
	"encoding/json"
	"net/http"
)

func models() []Mutant {
	list := []string{"mortar-models-01"}
	order := []string{"mortar-models-03"}
	each := func(change func(m object)) wrap {
		return onAnswer(isModelList, editJSON(func(o object) {
			for _, m := range o.list("data") {
				change(m)
			}
		}))
	}
	return []Mutant{
		{Name: "models-as-array", Summary: "the list of models is an array alone",
			Breaks: list, May: []string{"mortar-models-*"}, Wrap: onAnswer(isModelList, func(_ *exchange, r *reply) { r.json(decode(string(r.Body))["data"]) })},
		{Name: "models-of-other-object", Summary: "object of the list is models",
			Breaks: list, Wrap: onAnswer(isModelList, editJSON(func(o object) { o["object"] = "models" }))},
		{Name: "models-missing", Summary: "there is no list of models",
			Breaks: list, May: []string{"mortar-models-*", "mortar-stream-06"}, Wrap: onAnswer(isModelList, func(_ *exchange, r *reply) {
				r.Status = http.StatusNotFound
				r.json(object{"error": object{"message": "not found", "type": "invalid_request_error", "param": nil, "code": nil}})
			})},
		{Name: "models-without-created", Summary: "models have no created",
			Breaks: list, Wrap: each(func(m object) { delete(m, "created") })},
		{Name: "models-without-cache-prices", Summary: "models have no cache prices",
			Breaks: append(list, "mortar-models-03"), Wrap: each(func(m object) { delete(m, "costPerMillionCacheRead"); delete(m, "costPerMillionCacheWrite") })},
		{Name: "models-prices-as-text", Summary: "prices are texts",
			Breaks: append(list, "mortar-models-02", "mortar-models-03"), Wrap: each(func(m object) {
				for _, key := range []string{"costPerMillionInput", "costPerMillionOutput", "costPerMillionCacheRead", "costPerMillionCacheWrite"} {
					m[key] = encode(m[key])
				}
			})},
		{Name: "models-write-price-of-input", Summary: "a cache write costs as much as an input token",
			Breaks: order, Wrap: each(func(m object) { m["costPerMillionCacheWrite"] = m["costPerMillionInput"] })},
		{Name: "models-read-price-of-input", Summary: "a cache read costs as much as an input token",
			Breaks: order, Wrap: each(func(m object) { m["costPerMillionCacheRead"] = m["costPerMillionInput"] })},
		{Name: "models-prices-swapped", Summary: "the prices of cache reads and writes are swapped",
			Breaks: order, Wrap: each(func(m object) {
				m["costPerMillionCacheRead"], m["costPerMillionCacheWrite"] = m["costPerMillionCacheWrite"], m["costPerMillionCacheRead"]
			})},
		{Name: "models-read-price-negative", Summary: "the price of a cache read is negative",
			Breaks: list, May: order, Wrap: each(func(m object) { m["costPerMillionCacheRead"] = json.Number("-0.00313") })},
		{Name: "models-without-output-price", Summary: "models have no output price",
			// Without all of its prices a free model is not known as one.
			Breaks: []string{"mortar-models-02"}, May: order, Wrap: each(func(m object) { delete(m, "costPerMillionOutput") })},
		{Name: "models-default-not-first", Summary: "the default model is not listed first",
			Breaks: []string{"mortar-models-02"}, May: []string{"openai-chat-*", "mortar-*"}, // the first one cannot be asked
			Wrap: onAnswer(isModelList, editJSON(func(o object) {
				one := o.list("data")[0].clone()
				one["id"] = "small-and-old"
				o["data"] = append([]any{one}, o["data"].([]any)...)
			}))},
	}
}
