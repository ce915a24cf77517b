package mutant

import (
	"context"
	"net/http"
)

func stops() []Mutant {
	works := []string{"mortar-cancel-03", "mortar-cancel-04", "mortar-cancel-10"}
	ownKey := []string{"mortar-cancel-03", "mortar-cancel-10"} // the mutant does not know which keys belong together
	ends := []string{"mortar-cancel-07", "mortar-cancel-08", "mortar-cancel-09", "mortar-cancel-11", "mortar-cancel-12"}
	return []Mutant{
		{Name: "stop-without-effect", Summary: "a stop is answered 200 and stops nothing", Report: "langgenius/dify#37755",
			Breaks: works, May: append(ends, "mortar-cancel-05", "mortar-cancel-06", "mortar-cancel-14"),
			Wrap: onStop(func(_ *generations, _ *exchange, w http.ResponseWriter, id string) bool { return stopped(w, id) })},
		{Name: "stop-not-routed", Summary: "there is no way to stop: 404", Report: "THUDM/slime#2340",
			Breaks: append(works, "mortar-cancel-11"), May: append(ends, "mortar-cancel-06"),
			Wrap: onStop(func(_ *generations, _ *exchange, w http.ResponseWriter, _ string) bool {
				return refused(w, http.StatusNotFound, "not_found")
			})},
		{Name: "stop-of-client-alone", Summary: "a stop ends the client's stream, and the model server goes on", Report: "xorbitsai/inference#5548",
			Breaks: ownKey, May: ends, Wrap: tracking(func(live *generations) relay {
				halted := newSet()
				return relay{
					serve: func(x *exchange, w http.ResponseWriter) bool {
						id, ok := x.stops()
						one := live.get(id)
						if !ok || one == nil || one.key != x.key() {
							return false
						}
						halted.add(id)
						one.stream.write("data: [DONE]\n\n")
						one.stream.stop()
						return stopped(w, id)
					},
					linger: func(x *exchange) int {
						if halted.holds(x.id) {
							return forEver
						}
						return 0
					},
				}
			})},
		{Name: "stop-with-next-token", Summary: "a stop takes effect when the next token comes",
			Breaks: ownKey, May: ends, Wrap: tracking(func(live *generations) relay {
				halted := newSet()
				return relay{
					serve: func(x *exchange, w http.ResponseWriter) bool {
						id, ok := x.stops()
						if one := live.get(id); !ok || one == nil || one.key != x.key() {
							return false
						}
						halted.add(id)
						return stopped(w, id)
					},
					events: func(x *exchange, s *stream) func(event) {
						return func(e event) {
							if halted.holds(x.id) && isText(e) {
								s.write("data: [DONE]\n\n")
								s.stop()
								return
							}
							s.send(e)
						}
					},
				}
			})},
		{Name: "stop-late-without-effect", Summary: "a stop is lost once five tokens were sent",
			Breaks: []string{"mortar-cancel-03"}, Wrap: tracking(func(live *generations) relay {
				return relay{serve: func(x *exchange, w http.ResponseWriter) bool {
					id, ok := x.stops()
					one := live.get(id)
					return ok && one != nil && one.key == x.key() && one.x.texts.Load() > 4 && stopped(w, id)
				}}
			})},
		{Name: "stop-early-refused", Summary: "a stop before the first token answers 404",
			Breaks: []string{"mortar-cancel-10"}, Wrap: onStop(func(live *generations, _ *exchange, w http.ResponseWriter, id string) bool {
				one := live.get(id)
				return one != nil && one.x.texts.Load() == 0 && refused(w, http.StatusNotFound, "generation_not_found")
			})},
		{Name: "stop-early-without-effect", Summary: "a stop before the first token is answered 200 and stops nothing",
			Breaks: []string{"mortar-cancel-10"}, Wrap: onStop(func(live *generations, _ *exchange, w http.ResponseWriter, id string) bool {
				one := live.get(id)
				return one != nil && one.x.texts.Load() == 0 && stopped(w, id)
			})},
		{Name: "stop-stops-all", Summary: "a stop ends every stream of its key",
			Breaks: []string{"mortar-cancel-11"}, May: []string{"mortar-*", "openai-chat-*"}, // whichever runs beside it
			Wrap: onStop(func(live *generations, x *exchange, _ http.ResponseWriter, id string) bool {
				if one := live.get(id); one != nil && one.key == x.key() {
					for _, other := range live.all() {
						if other.id != id && other.key == one.key {
							x.stopAlso(other.id)
						}
					}
				}
				return false
			})},
		{Name: "stop-cuts-neighbours", Summary: "the streams that began next to a stopped one are cut",
			Breaks: []string{"mortar-cancel-11"}, May: []string{"mortar-*", "openai-chat-*"}, // whichever runs beside it
			Wrap: onStop(func(live *generations, x *exchange, _ http.ResponseWriter, id string) bool {
				if one := live.get(id); one != nil && one.key == x.key() {
					for _, other := range live.all() {
						if other.id != id {
							other.stream.stop()
						}
					}
				}
				return false
			})},
		{Name: "stop-of-another", Summary: "a stop ends another stream of the key than its id says",
			Breaks: []string{"mortar-cancel-11"}, May: []string{"mortar-*", "openai-chat-*"}, // whichever runs beside it
			Wrap: onStop(func(live *generations, x *exchange, w http.ResponseWriter, id string) bool {
				one := live.get(id)
				if one == nil || one.key != x.key() {
					return false
				}
				if other := live.find(func(other *generation) bool { return other.id != id && other.key == one.key }); other != nil {
					x.stopInstead(other.id)
				}
				return false
			})},
		{Name: "stop-answers-204", Summary: "a stop is answered 204, without a body",
			Breaks: []string{"mortar-cancel-12"}, Wrap: onAnswer(isStopped, func(_ *exchange, r *reply) { r.Status, r.Body = http.StatusNoContent, nil })},
		{Name: "stop-answers-cancelled", Summary: "a stop is answered with the status cancelled",
			Breaks: []string{"mortar-cancel-12"}, Wrap: onAnswer(isStopped, editJSON(func(o object) { o["status"] = "cancelled" }))},
	}
}

func isStopped(x *exchange, r *reply) bool {
	_, ok := x.stops()
	return ok && r.Status == http.StatusOK
}

// stopAlso stops another generation with the key of the request.
func (x *exchange) stopAlso(id string) {
	also := &exchange{up: x.up, client: x.client, method: x.method, header: x.header, body: x.body}
	also.stopInstead(id)
	if response, err := also.forward(context.WithoutCancel(x.ctx)); err == nil {
		response.Body.Close()
	}
}
