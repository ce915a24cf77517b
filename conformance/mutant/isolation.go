package mutant

import (
	"net/http"
	"strings"
)

// isolations are mutants that tell a subscriber what is not its own.
func isolations() []Mutant {
	organization, session, keyless := []string{"mortar-telemetry-05"}, []string{"mortar-telemetry-06"}, []string{"mortar-telemetry-07"}
	mixed := []string{"mortar-telemetry-*", "mortar-session-*", "mortar-cost-*"} // what else looks at all that comes
	all := []Mutant{
		{Name: "told-on-one-bus", Summary: "everybody is told everything", Report: "ujeenet/rustango#1092",
			Breaks: []string{"mortar-telemetry-05", "mortar-telemetry-06", "mortar-telemetry-07"}, May: mixed,
			Wrap: leaks("", func(*follower, *follower) bool { return true })},
		{Name: "sums-of-both-organizations", Summary: "session.metrics adds up every organization's session of the name",
			Breaks: organization, May: mixed, Wrap: sumsOver(func(f *follower) string { return f.session })},
		{Name: "sums-of-organization", Summary: "session.metrics adds up every session of the organization",
			Breaks: session, May: mixed, Wrap: sumsOver(func(f *follower) string { return f.key })},
		{Name: "sessionless-told-to-all", Summary: "a request that names no session is told in every session of its key",
			Breaks: session, May: mixed, Wrap: following(func(all *followers) (relay, func(*follower, event)) {
				tell := func(x *exchange, s *stream) func(event) {
					if x.header.Get(sessionHeader) == "" {
						for _, f := range all.find(func(f *follower) bool { return f.key == x.key() }) {
							f.stream.tell(tellsRoute, object{"at": now(), "requestId": x.id, "reason": nil})
						}
					}
					return s.send
				}
				return relay{events: tell}, func(f *follower, e event) { f.stream.send(e) }
			})},
		{Name: "session-cut", Summary: "sessions whose names begin alike are one",
			Breaks: session, May: append(mixed, "mortar-cancel-02"), Wrap: leaks("", func(from, to *follower) bool {
				return from.key == to.key && from.session != to.session && strings.HasPrefix(from.session, "plumbline-")
			})},
		{Name: "keyless-refused", Summary: "telemetry without a key is refused", Report: "NousResearch/hermes-agent#104104",
			Breaks: append([]string{"mortar-telemetry-12"}, keyless...), Wrap: onKeyless(func(_ *exchange, w http.ResponseWriter) bool {
				return refused(w, http.StatusUnauthorized, "invalid_api_key")
			})},
		{Name: "keyless-ended", Summary: "telemetry without a key ends behind stream.open",
			Breaks: keyless, Wrap: onFeed(func(x *exchange, s *stream) func(event) {
				return func(e event) {
					if s.send(e); x.isTelemetry() && x.key() == "" {
						s.stop()
					}
				}
			})},
		{Name: "keyless-unpinged", Summary: "telemetry without a key has no pings",
			Breaks: keyless, Wrap: onFeed(func(x *exchange, s *stream) func(event) {
				return func(e event) {
					if x.key() != "" || !isPing(e) {
						s.send(e)
					}
				}
			})},
		{Name: "keyless-counts-all", Summary: "telemetry without a key counts its session's requests",
			Breaks: keyless, Wrap: following(func(all *followers) (relay, func(*follower, event)) {
				return relay{}, func(f *follower, e event) {
					f.stream.send(e)
					if e.name != tellsSums {
						return
					}
					for _, other := range all.find(func(other *follower) bool { return other.key == "" && other.session == f.session }) {
						other.stream.tell(tellsSums, object{"at": e.json()["at"], "requests": e.json()["requests"]})
					}
				}
			})},
		{Name: "keyless-shared", Summary: "two streams without a key are told of each other",
			Breaks: keyless, Wrap: following(func(all *followers) (relay, func(*follower, event)) {
				return relay{}, func(f *follower, e event) {
					if f.stream.send(e); e.name != tellsOpen || f.key != "" {
						return
					}
					for _, other := range all.beside(f) {
						if other != f {
							other.stream.tell("stream.joined", object{"at": now(), "sessionId": f.session})
						}
					}
				}
			})},
		{Name: "wrong-key-taken-for-none", Summary: "a key that is not valid is taken for no key",
			Breaks: []string{"mortar-telemetry-08"}, Wrap: fixed(relay{feeds: &relay{request: func(x *exchange) {
				if !x.known() {
					x.header.Del("Authorization")
				}
			}}})},
		{Name: "wrong-key-403", Summary: "a key that is not valid is answered 403",
			Breaks: []string{"mortar-telemetry-08"}, Wrap: fixed(relay{feeds: &relay{answer: func(_ *exchange, r *reply) {
				if r.Status == http.StatusUnauthorized {
					r.Status = http.StatusForbidden
				}
			}}})},
	}
	for _, one := range []struct{ word, name string }{
		{"route", tellsRoute}, {"cache", tellsCache}, {"latency", tellsLatency}, {"cost", tellsCost}, {"sums", tellsSums},
	} {
		all = append(all,
			Mutant{Name: one.word + "-leaks-to-organization", Summary: one.name + " is told to another organization's session of the name",
				Breaks: organization, May: mixed, Wrap: leaks(one.name, func(from, to *follower) bool {
					return from.session == to.session && from.key != to.key && to.key != ""
				})},
			Mutant{Name: one.word + "-leaks-to-session", Summary: one.name + " is told in every session of the organization",
				Breaks: session, May: mixed, Wrap: leaks(one.name, func(from, to *follower) bool {
					return from.session != to.session && from.key == to.key
				})},
			Mutant{Name: one.word + "-leaks-to-keyless", Summary: one.name + " is told on streams without a key",
				Breaks: keyless, Wrap: leaks(one.name, func(from, to *follower) bool {
					return from.session == to.session && to.key == ""
				})})
	}
	return all
}

// sessionHeader is where a request names its session.
const sessionHeader = "X-Mortar-Session-Id"

// leaks is a mutant that tells others the events of this name, of every name if
// it is "".
func leaks(name string, to func(from, to *follower) bool) wrap {
	return following(func(all *followers) (relay, func(*follower, event)) {
		return relay{}, func(f *follower, e event) {
			f.stream.send(e)
			if e.name == "" || e.name == tellsOpen || name != "" && e.name != name {
				return
			}
			for _, other := range all.find(func(other *follower) bool { return other != f && to(f, other) }) {
				other.stream.send(e)
			}
		}
	})
}

// sumsOver is a mutant whose session.metrics adds up the tokens of all sessions
// that have the same address.
func sumsOver(address func(f *follower) string) wrap {
	return following(func(*followers) (relay, func(*follower, event)) {
		counted, totals := newSet(), newTotals()
		return relay{}, func(f *follower, e event) {
			switch e.name {
			case tellsCost:
				if counted.add(address(f) + e.of()) {
					totals.add(address(f), e.json())
				}
			case tellsSums:
				o := e.json()
				read, prompt := totals.of(address(f), "cacheReadTokens"), totals.of(address(f), "promptTokens")
				o["reusedTokens"], o["prefilledTokens"] = digits(read, 12), digits(minus(prompt, read), 12)
				f.stream.tell(e.name, o)
				return
			}
			f.stream.send(e)
		}
	})
}

// onKeyless is a mutant that answers subscribers without a key by itself.
func onKeyless(serve func(x *exchange, w http.ResponseWriter) bool) wrap {
	return fixed(relay{feeds: &relay{serve: func(x *exchange, w http.ResponseWriter) bool {
		return x.isTelemetry() && x.key() == "" && serve(x, w)
	}}})
}
