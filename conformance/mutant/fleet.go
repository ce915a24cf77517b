package mutant

import (
	"encoding/json"
	"net/http"
)

// ticks are mutants of the metrics of the fleet.
func ticks() []Mutant {
	form, pace, fields, bounds, page := "mortar-fleet-01", "mortar-fleet-02", "mortar-fleet-03", "mortar-fleet-04", "mortar-fleet-05"
	onTick := func(change func(o object)) wrap { return onTold(tellsTick, change) }
	head := func(change func(r *reply)) wrap {
		return onFeedHead(func(x *exchange, r *reply) {
			if x.isFleet() {
				change(r)
			}
		})
	}
	return []Mutant{
		{Name: "fleet-needs-key", Summary: "the metrics of the fleet need a key",
			Breaks: []string{form, page}, May: []string{"mortar-fleet-*"}, Wrap: fixed(relay{feeds: &relay{serve: func(x *exchange, w http.ResponseWriter) bool {
				return x.isFleet() && x.key() == "" && refused(w, http.StatusUnauthorized, "invalid_api_key")
			}}})},
		{Name: "fleet-as-text", Summary: "the metrics of the fleet say they are plain text",
			Breaks: []string{form}, Wrap: head(func(r *reply) { r.Header.Set("Content-Type", "text/plain") })},
		{Name: "tick-of-another-name", Summary: "a tick is called tick",
			Breaks: []string{form}, May: []string{"mortar-fleet-*"}, Wrap: onFeed(nth(named(tellsTick), func(s *stream, e event, _ int) { s.tell("tick", e.json()) }))},
		{Name: "tick-without-name", Summary: "a tick has no event line",
			Breaks: []string{form}, May: []string{"mortar-fleet-*"}, Wrap: onFeed(nth(named(tellsTick), func(s *stream, e event, _ int) { s.sendChunk(e.json()) }))},
		{Name: "tick-with-greeting", Summary: "the metrics of the fleet begin with stream.open",
			Breaks: []string{form}, Wrap: onFeed(nth(named(tellsTick), func(s *stream, e event, n int) {
				if n == 1 {
					s.tell(tellsOpen, object{"serverTime": e.json()["at"]})
				}
				s.send(e)
			}))},

		{Name: "ticks-half-as-often", Summary: "ticks come 4 s apart",
			Breaks: []string{pace}, Wrap: onFeed(nth(named(tellsTick), func(s *stream, e event, n int) {
				if n%2 == 1 {
					s.send(e)
				}
			}))},
		{Name: "ticks-twice-as-often", Summary: "ticks come 1 s apart",
			Breaks: []string{pace}, Wrap: stateful(func(up Upstream) relay {
				return relay{feeds: &relay{events: func(x *exchange, s *stream) func(event) {
					lane := newLane(s)
					x.onClose(lane.close)
					return func(e event) {
						if s.send(e); e.name == tellsTick {
							lane.add(e.raw, up.Tick/2)
						}
					}
				}}}
			})},
		{Name: "ticks-in-pairs", Summary: "two ticks come together every 4 s",
			Breaks: []string{pace}, May: []string{fields, form, page}, Wrap: onFeed(func(_ *exchange, s *stream) func(event) {
				held := ""
				return nth(named(tellsTick), func(s *stream, e event, n int) {
					if held += e.raw; n%2 == 0 {
						s.write(held)
						held = ""
					}
				})(nil, s)
			})},
		{Name: "ticks-end", Summary: "ticks end after the second one",
			Breaks: []string{pace}, Wrap: onFeed(nth(named(tellsTick), func(s *stream, e event, n int) {
				if n <= 2 {
					s.send(e)
				}
			}))},

		{Name: "tick-without-cost", Summary: "a tick has no blendedCostPerMillion",
			Breaks: []string{fields, bounds}, Wrap: onTick(without("blendedCostPerMillion"))},
		{Name: "tick-nested", Summary: "the figures stand in an object of their own",
			Breaks: []string{fields, bounds}, Wrap: onTick(func(o object) {
				figures := o.clone()
				for key := range figures {
					delete(o, key)
				}
				o["at"], o["metrics"] = figures["at"], figures
			})},
		{Name: "tick-at-in-seconds", Summary: "at of a tick is in Unix seconds",
			Breaks: []string{fields}, Wrap: onTick(func(o object) { o["at"] = o.number("at") / 1000 })},
		{Name: "tick-at-missing", Summary: "a tick has no at",
			Breaks: []string{fields}, Wrap: onTick(without("at"))},
		{Name: "tick-figures-as-text", Summary: "figures are texts with separators",
			Breaks: []string{fields, bounds}, Wrap: onTick(with("requests", "4,820,148"))},

		{Name: "fleet-counter-falls", Summary: "requests counts those of the last moment",
			Breaks: []string{bounds}, Wrap: onFeed(nth(named(tellsTick), func(s *stream, e event, n int) {
				o := e.json()
				o["requests"] = 1000 - n
				s.tell(e.name, o)
			}))},
		{Name: "fleet-counter-starts-again", Summary: "tokensProcessed starts again now and then",
			Breaks: []string{bounds}, Wrap: onFeed(nth(named(tellsTick), func(s *stream, e event, n int) {
				o := e.json()
				if n%2 == 0 {
					o["tokensProcessed"] = 0
				}
				s.tell(e.name, o)
			}))},
		{Name: "fleet-hit-rate-in-percent", Summary: "cacheHitRate is in per cent",
			Breaks: []string{bounds}, Wrap: onTick(func(o object) { o["cacheHitRate"] = json.Number("62.4") })},
		{Name: "fleet-half-replica", Summary: "activeReplicas is a mean",
			Breaks: []string{bounds}, Wrap: onTick(with("activeReplicas", json.Number("6.5")))},
		{Name: "fleet-without-replicas", Summary: "activeReplicas is 0 while requests are served",
			Breaks: []string{bounds}, Wrap: onTick(with("activeReplicas", 0))},
		{Name: "fleet-negative-latency", Summary: "medianTtftMs is below 0",
			Breaks: []string{bounds}, Wrap: onTick(with("medianTtftMs", -12))},

		{Name: "fleet-without-cors", Summary: "no page of another origin may read the metrics of the fleet",
			Breaks: []string{page}, Wrap: head(func(r *reply) { r.Header.Del("Access-Control-Allow-Origin") })},
		{Name: "fleet-for-one-page", Summary: "pages of one origin alone may read the metrics of the fleet",
			Breaks: []string{page}, Wrap: head(func(r *reply) { r.Header.Set("Access-Control-Allow-Origin", "https://mortar.example") })},
		{Name: "fleet-for-page-null", Summary: "the metrics of the fleet are for the origin null",
			Breaks: []string{page}, Wrap: head(func(r *reply) { r.Header.Set("Access-Control-Allow-Origin", "null") })},
	}
}
