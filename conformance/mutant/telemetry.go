package mutant

import (
	"encoding/json"
	"net/http"
	"strings"
	"time"
)

// tellings are mutants of the events of telemetry and of their order.
func tellings() []Mutant {
	frames, times, steps := []string{"mortar-telemetry-01"}, []string{"mortar-telemetry-03"}, []string{"mortar-telemetry-09"}
	return []Mutant{
		{Name: "telemetry-as-json", Summary: "telemetry is an event stream that says it is JSON",
			Breaks: frames, Wrap: onFeedHead(func(x *exchange, r *reply) {
				if x.isTelemetry() {
					r.Header.Set("Content-Type", "application/json")
				}
			})},
		{Name: "telemetry-answered-202", Summary: "telemetry is answered 202",
			Breaks: frames, May: []string{"mortar-telemetry-12"}, Wrap: onFeedHead(func(x *exchange, r *reply) {
				if x.isTelemetry() {
					r.Status = http.StatusAccepted
				}
			})},
		{Name: "told-without-name", Summary: "an event of telemetry has its type in the data alone",
			Breaks: append(steps, frames...), Wrap: onFeed(nth(named(tellsLatency), func(s *stream, e event, _ int) {
				o := e.json()
				o["type"] = e.name
				s.sendChunk(o)
			}))},
		{Name: "told-in-two-lines", Summary: "the data of an event of telemetry stand on two lines",
			Breaks: frames, Wrap: onFeed(nth(named(tellsCache), func(s *stream, e event, _ int) {
				s.write(strings.Replace(e.raw, "data: {", "data: {\ndata: ", 1))
			}))},
		{Name: "told-with-two-names", Summary: "an event of telemetry has two event lines",
			Breaks: frames, Wrap: onFeed(nth(named(tellsRoute), func(s *stream, e event, _ int) { s.write("event: message\n" + e.raw) }))},
		{Name: "told-as-array", Summary: "the data of an event of telemetry are an array",
			Breaks: append(steps, frames...), Wrap: onFeed(nth(named(tellsLatency), func(s *stream, e event, _ int) {
				s.write("event: " + e.name + "\ndata: [" + e.data + "]\n\n")
			}))},
		{Name: "told-with-done", Summary: "telemetry says [DONE] behind each request",
			Breaks: frames, Wrap: onFeed(after(named(tellsSums), doneEvent))},

		{Name: "at-missing", Summary: "the routing decision carries no at",
			Breaks: times, Wrap: onTold(tellsRoute, without("at"))},
		{Name: "at-of-sums-missing", Summary: "session.metrics carries no at",
			Breaks: times, Wrap: onTold(tellsSums, without("at"))},
		{Name: "at-in-seconds", Summary: "at is in Unix seconds",
			Breaks: times, Wrap: onTold(tellsLatency, func(o object) { o["at"] = o.number("at") / 1000 })},
		{Name: "at-as-text", Summary: "at is a date in words",
			Breaks: append([]string{"mortar-cost-01"}, times...), Wrap: onTold(tellsCost, func(o object) {
				o["at"] = time.UnixMilli(int64(o.number("at"))).UTC().Format(time.RFC3339)
			})},
		{Name: "at-with-fraction", Summary: "at has a fraction of a millisecond",
			Breaks: times, Wrap: onTold(tellsCache, func(o object) { o["at"] = json.Number(encode(o["at"]) + ".5") })},
		{Name: "at-decreasing", Summary: "at of the cost is the time at which the request came, before what was told since",
			Breaks: times, Wrap: onTold(tellsCost, func(o object) { o["at"] = o.number("at") - 5000 })},
		{Name: "request-id-of-another-kind", Summary: "the latency carries an id of its own",
			Breaks: []string{"mortar-telemetry-03", "mortar-telemetry-09"}, May: []string{"mortar-telemetry-05", "mortar-telemetry-06"},
			Wrap: onTold(tellsLatency, func(o object) { o["requestId"] = "req_" + encode(o["at"]) })},
		{Name: "request-id-without-prefix", Summary: "the routing decision carries the id without chatcmpl-",
			Breaks: []string{"mortar-telemetry-03", "mortar-telemetry-09"}, May: []string{"mortar-telemetry-05", "mortar-telemetry-06"},
			Wrap: onTold(tellsRoute, func(o object) { o["requestId"] = strings.TrimPrefix(o.word("requestId"), "chatcmpl-") })},
		{Name: "request-id-missing", Summary: "the prefix-cache outcome carries no id",
			Breaks: []string{"mortar-telemetry-03", "mortar-telemetry-09", "mortar-telemetry-10"}, May: []string{"mortar-cost-13"},
			Wrap: onTold(tellsCache, without("requestId"))},
		{Name: "request-id-under-another-name", Summary: "the id of a completion stands under request_id",
			Breaks: append(steps, times...), Wrap: onTold(tellsRoute, func(o object) {
				o["request_id"] = o["requestId"]
				delete(o, "requestId")
			})},

		{Name: "route-untold", Summary: "no routing decision is told",
			Breaks: steps, Wrap: onFeed(drop(named(tellsRoute)))},
		{Name: "cache-untold", Summary: "no prefix-cache outcome is told",
			Breaks: []string{"mortar-telemetry-09", "mortar-telemetry-10"}, May: []string{"mortar-cost-13"}, Wrap: onFeed(drop(named(tellsCache)))},
		{Name: "cache-miss-untold", Summary: "the prefix-cache outcome is told of a hit alone",
			Breaks: []string{"mortar-telemetry-10"}, May: steps, Wrap: onFeed(drop(func(e event) bool { return e.name == tellsCache && e.json()["tier"] == nil }))},
		{Name: "latency-untold", Summary: "no latency is told",
			Breaks: steps, Wrap: onFeed(drop(named(tellsLatency)))},
		{Name: "sums-untold", Summary: "no session.metrics comes",
			Breaks: []string{"mortar-telemetry-09", "mortar-session-02"}, May: []string{"mortar-*"}, Wrap: onFeed(drop(named(tellsSums)))},
		{Name: "sums-before-cost", Summary: "session.metrics comes before the cost that it adds up",
			Breaks: steps, May: []string{"mortar-*"}, Wrap: onFeed(func(_ *exchange, s *stream) func(event) {
				cost := ""
				return func(e event) {
					switch e.name {
					case tellsCost:
						cost = e.raw
					case tellsSums:
						s.write(e.raw + cost)
						cost = ""
					default:
						s.send(e)
					}
				}
			})},
		{Name: "route-told-at-the-end", Summary: "the routing decision is told when the reply has ended",
			Breaks: steps, May: times, Wrap: onFeed(heldUntil(tellsRoute, tellsLatency))},
		{Name: "whole-costs-untold", Summary: "no cost is told of a request that is not streamed",
			Breaks: []string{"mortar-telemetry-09", "mortar-cost-14"}, May: []string{"mortar-telemetry-13", "mortar-telemetry-14", "mortar-session-04"},
			Wrap: onFeed(dropCosts(func(latency object) bool { return latency["ttftMs"] == nil }))},
	}
}

// doneEvent is the end of a reply, which telemetry does not have.
const doneEvent = "data: [DONE]\n\n"

// onFeedHead is a mutant that changes the head of telemetry and of the fleet.
func onFeedHead(change func(x *exchange, r *reply)) wrap {
	return fixed(relay{feeds: &relay{head: change}})
}

// heldUntil holds an event of each completion back until another one is told.
func heldUntil(name, until string) rewrite {
	return func(_ *exchange, s *stream) func(event) {
		held := map[string]string{}
		return func(e event) {
			switch e.name {
			case name:
				held[e.of()] = e.raw
			case until:
				s.write(e.raw + held[e.of()])
				delete(held, e.of())
			default:
				s.send(e)
			}
		}
	}
}

// dropCosts loses the costs of the completions whose latency matches.
func dropCosts(match func(latency object) bool) rewrite {
	return costsIf(match, func(*stream, event) {})
}

// costsIf does f with the costs of the completions whose latency matches.
func costsIf(match func(latency object) bool, f func(s *stream, e event)) rewrite {
	return func(_ *exchange, s *stream) func(event) {
		matched := map[string]bool{}
		return func(e event) {
			if e.name == tellsLatency {
				matched[e.of()] = match(e.json())
			}
			if e.name == tellsCost && matched[e.of()] {
				f(s, e)
				return
			}
			s.send(e)
		}
	}
}
