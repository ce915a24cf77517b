package mutant

import "net/http"

// subscribers are mutants of who is told what is the session's.
func subscribers() []Mutant {
	every, page := []string{"mortar-telemetry-11"}, []string{"mortar-telemetry-12"}
	slow := []string{"mortar-telemetry-14"}
	header := func(value ...string) wrap {
		return onFeedHead(func(x *exchange, r *reply) {
			if x.isTelemetry() {
				r.Header["Access-Control-Allow-Origin"] = value
			}
		})
	}
	return []Mutant{
		{Name: "told-to-first-subscriber", Summary: "only the first subscriber of a session is told",
			Breaks: every, May: slow, Wrap: tellsSome(func(all []*follower, f *follower, _ event) bool { return all[0] == f })},
		{Name: "told-to-last-subscriber", Summary: "only the latest subscriber of a session is told",
			Breaks: every, May: slow, Wrap: tellsSome(func(all []*follower, f *follower, _ event) bool { return all[len(all)-1] == f })},
		{Name: "told-to-one-of-them", Summary: "each event goes to one subscriber, as from a queue",
			Breaks: every, May: slow, Wrap: tellsSome(func(all []*follower, f *follower, e event) bool {
				n := 0
				for _, r := range e.of() + e.name {
					n += int(r)
				}
				return all[n%len(all)] == f
			})},
		{Name: "route-told-to-first-subscriber", Summary: "only the first subscriber of a session hears the routing decision",
			Breaks: every, Wrap: tellsSome(func(all []*follower, f *follower, e event) bool { return e.name != tellsRoute || all[0] == f })},
		{Name: "told-by-key", Summary: "a subscriber is told of requests with its own key alone",
			Breaks: every, Wrap: following(func(*followers) (relay, func(*follower, event)) {
				sent := newSet()
				note := func(x *exchange, s *stream) func(event) {
					sent.add(x.id + x.key())
					sent.add(x.id)
					return s.send
				}
				return relay{events: note}, func(f *follower, e event) {
					if id := e.of(); id == "" || !sent.holds(id) || sent.holds(id+f.key) {
						f.stream.send(e)
					}
				}
			})},
		{Name: "second-subscriber-refused", Summary: "a second subscriber of a session is refused",
			Breaks: every, May: append(slow, "mortar-telemetry-07"), Wrap: following(func(all *followers) (relay, func(*follower, event)) {
				return relay{}, func(f *follower, e event) {
					if all.beside(f)[0] != f {
						f.stream.stop()
						return
					}
					f.stream.send(e)
				}
			})},
		{Name: "subscriber-loses-later-events", Summary: "a subscriber silently misses what comes behind the thousandth event",
			Breaks: slow, Wrap: onFeed(nth(func(event) bool { return true }, func(s *stream, e event, n int) {
				if n <= 1000 {
					s.send(e)
				}
			}))},
		{Name: "second-subscriber-loses-costs", Summary: "a second subscriber silently misses some of many costs",
			Breaks: slow, Wrap: tellsSome(func(all []*follower, f *follower, e event) bool {
				return e.name != tellsCost || all[0] == f || !f.every(100)
			})},

		{Name: "telemetry-without-cors", Summary: "no page of another origin may read telemetry", Report: "NousResearch/hermes-agent#104104",
			Breaks: page, Wrap: onFeedHead(func(x *exchange, r *reply) {
				if x.isTelemetry() {
					r.Header.Del("Access-Control-Allow-Origin")
				}
			})},
		{Name: "telemetry-for-one-page", Summary: "pages of one origin alone may read telemetry",
			Breaks: page, Wrap: header("https://app.gateway.example")},
		{Name: "telemetry-cors-twice", Summary: "two layers each allow every origin, which browsers refuse",
			Breaks: page, Wrap: header("*", "*")},
		{Name: "telemetry-refuses-pages", Summary: "a request that names an origin and no key is refused",
			Breaks: page, May: []string{"mortar-telemetry-07"}, Wrap: fixed(relay{feeds: &relay{serve: func(x *exchange, w http.ResponseWriter) bool {
				return x.isTelemetry() && x.key() == "" && x.header.Get("Origin") != "" && refused(w, http.StatusForbidden, "origin_not_allowed")
			}}})},
	}
}

// tellsSome is a mutant that tells an event only to some of the subscribers with
// the same key and session, which are given oldest first.
func tellsSome(who func(all []*follower, f *follower, e event) bool) wrap {
	return following(func(all *followers) (relay, func(*follower, event)) {
		return relay{}, func(f *follower, e event) {
			if e.name == tellsOpen || isComment(e) || who(all.beside(f), f, e) {
				f.stream.send(e)
			}
		}
	})
}
