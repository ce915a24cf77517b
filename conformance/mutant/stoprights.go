package mutant

import (
	"net/http"
	"net/url"
	"strings"
)

func stopRights() []Mutant {
	return []Mutant{
		{Name: "stop-by-other-organization", Summary: "a key of another organization can stop a generation",
			Breaks: []string{"mortar-cancel-05"}, Wrap: ownersKey(http.StatusNotFound)},
		{Name: "stop-by-other-organization-accepted", Summary: "a stop by another organization is answered 200 without effect",
			Breaks: []string{"mortar-cancel-05"}, Wrap: onStopAnswer(func(x *exchange, r *reply, one *generation) {
				if r.Status == http.StatusNotFound && one != nil {
					r.Status = http.StatusOK
				}
			})},
		{Name: "stop-tells-existence", Summary: "a stop by another organization is answered 403, an unknown id 404",
			Breaks: []string{"mortar-cancel-05"}, Wrap: onStopAnswer(func(x *exchange, r *reply, one *generation) {
				if r.Status == http.StatusNotFound && one != nil {
					r.Status = http.StatusForbidden
				}
			})},
		{Name: "stop-tells-owner", Summary: "a stop by another organization has a code of its own",
			Breaks: []string{"mortar-cancel-05"}, Wrap: onStopAnswer(func(x *exchange, r *reply, one *generation) {
				if r.Status == http.StatusNotFound && one != nil {
					editError(func(e object) { e["code"] = "not_your_generation" })(x, r)
				}
			})},
		{Name: "stop-by-any-key", Summary: "an unknown key, and none, can stop a generation",
			Breaks: []string{"mortar-cancel-06"}, Wrap: ownersKey(http.StatusUnauthorized)},
		{Name: "stop-key-403", Summary: "a stop without a valid key is answered 403",
			Breaks: []string{"mortar-cancel-06"}, Wrap: onStopAnswer(func(_ *exchange, r *reply, _ *generation) {
				if r.Status == http.StatusUnauthorized {
					r.Status = http.StatusForbidden
				}
			})},
		{Name: "stop-key-404", Summary: "a stop without a valid key is answered as for an unknown id",
			Breaks: []string{"mortar-cancel-06"}, Wrap: onStopAnswer(func(_ *exchange, r *reply, _ *generation) {
				if r.Status == http.StatusUnauthorized {
					r.Status = http.StatusNotFound
				}
			})},
		{Name: "stop-by-same-key-alone", Summary: "another key of the same organization is answered 404",
			Breaks: []string{"mortar-cancel-04"}, Wrap: onStop(func(live *generations, x *exchange, w http.ResponseWriter, id string) bool {
				one := live.get(id)
				return one != nil && one.key != x.key() && x.known() && refused(w, http.StatusNotFound, "generation_not_found")
			})},
		{Name: "stop-by-other-key-without-effect", Summary: "any other key is answered 200 without effect",
			Breaks: []string{"mortar-cancel-04", "mortar-cancel-05"}, Wrap: onStop(func(live *generations, x *exchange, w http.ResponseWriter, id string) bool {
				one := live.get(id)
				return one != nil && one.key != x.key() && x.known() && stopped(w, id)
			})},
		{Name: "stop-by-prefix", Summary: "a prefix of an id stops the generation",
			Breaks: []string{"mortar-cancel-14"}, Wrap: instead(func(id string, one *generation) bool {
				return len(id) > len("chatcmpl-") && strings.HasPrefix(one.id, id)
			})},
		{Name: "stop-by-digits", Summary: "an id without chatcmpl- stops the generation",
			Breaks: []string{"mortar-cancel-14"}, Wrap: instead(func(id string, one *generation) bool { return "chatcmpl-"+id == one.id })},
		{Name: "stop-in-upper-case", Summary: "upper and lower case count as equal",
			Breaks: []string{"mortar-cancel-14"}, Wrap: instead(func(id string, one *generation) bool { return strings.EqualFold(id, one.id) })},
		{Name: "stop-percent-coded", Summary: "a percent-coded id is decoded",
			Breaks: []string{"mortar-cancel-14"}, Wrap: instead(func(id string, one *generation) bool {
				plain, err := url.PathUnescape(id)
				return err == nil && plain == one.id
			})},
		{Name: "stop-trimmed", Summary: "blanks around an id are trimmed",
			Breaks: []string{"mortar-cancel-14"}, Wrap: instead(func(id string, one *generation) bool {
				plain, err := url.PathUnescape(id)
				return err == nil && strings.TrimSpace(plain) == one.id
			})},
		{Name: "stop-cut-to-length", Summary: "an id that is too long is cut",
			Breaks: []string{"mortar-cancel-14"}, Wrap: instead(func(id string, one *generation) bool { return strings.HasPrefix(id, one.id) })},
		{Name: "stop-empty-stops-all", Summary: "an empty id stops what runs", Report: "sgl-project/sglang#6855",
			Breaks: []string{"mortar-cancel-14"}, May: []string{"mortar-*", "openai-chat-*"}, // whichever runs beside it
			Wrap: stopsAllOn("", "%20")},
		{Name: "stop-wildcard-stops-all", Summary: "a wildcard stops what runs",
			Breaks: []string{"mortar-cancel-14"}, May: []string{"mortar-*", "openai-chat-*"}, // whichever runs beside it
			Wrap: stopsAllOn("*")},
		{Name: "stop-of-other-spelling-accepted", Summary: "a wrong id is answered 200 without effect",
			Breaks: []string{"mortar-cancel-14"}, May: []string{"mortar-cancel-05", "mortar-cancel-12"}, Wrap: onStopAnswer(func(_ *exchange, r *reply, _ *generation) {
				if r.Status == http.StatusNotFound {
					r.Status = http.StatusOK
				}
			})},
	}
}

// onStopAnswer is a mutant that changes the answer to a stop of one, which is
// nil where the id is nobody's.
func onStopAnswer(change func(x *exchange, r *reply, one *generation)) wrap {
	return tracking(func(live *generations) relay {
		return relay{answer: func(x *exchange, r *reply) {
			if id, ok := x.stops(); ok {
				change(x, r, live.get(id))
			}
		}}
	})
}

// ownersKey is a mutant that sends a stop again with the key of the generation
// when it was refused with this status.
func ownersKey(status int) wrap {
	return onStop(func(live *generations, x *exchange, w http.ResponseWriter, id string) bool {
		one := live.get(id)
		if one == nil || one.key == x.key() {
			return false
		}
		switch x.tries() {
		case status:
			x.header.Set("Authorization", one.key)
		case http.StatusOK: // the key was right, and the generation is stopped
			return stopped(w, id)
		}
		return false
	})
}

// tries sends the request as it is, and returns the status of the answer.
func (x *exchange) tries() int {
	response, err := x.forward(x.ctx)
	if err != nil {
		return 0
	}
	response.Body.Close()
	return response.StatusCode
}

// known tells whether the key of a stop is a key at all.
func (x *exchange) known() bool {
	nobody := &exchange{ctx: x.ctx, up: x.up, client: x.client, method: http.MethodPost, header: x.header}
	nobody.stopInstead("chatcmpl-ffffffffffffffffffffffff")
	return nobody.tries() == http.StatusNotFound
}

// stopsAllOn is a mutant for which some ids mean every generation of the key.
func stopsAllOn(ids ...string) wrap {
	return onStop(func(live *generations, x *exchange, w http.ResponseWriter, id string) bool {
		for _, all := range ids {
			if id != all {
				continue
			}
			for _, one := range live.all() {
				if one.key == x.key() {
					x.stopAlso(one.id)
				}
			}
			return stopped(w, "")
		}
		return false
	})
}
