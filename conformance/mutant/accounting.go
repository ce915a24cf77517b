package mutant

import (
	"io"
	"slices"
)

// Endings of a completion, as latency.update tells them.
var (
	leftEarly = endedAs("disconnected")
	wasStop   = endedAs("stopped")
	hasFailed = endedAs("failed")
	brokenOff = endedAs("disconnected", "stopped")
	unending  = endedAs("disconnected", "stopped", "failed")
)

// endedAs tells the completions that ended in one of these ways, by what the
// gateway tells of their latency.
func endedAs(endings ...string) func(latency object) bool {
	return func(latency object) bool { return slices.Contains(endings, latency.word("ending")) }
}

// accountings are mutants of when a cost is told, how often, and for which tokens.
func accountings() []Mutant {
	once, ended, counted, overrun := "mortar-telemetry-15", "mortar-telemetry-13", "mortar-cancel-02", "mortar-cost-10"
	lost := []string{once, "mortar-telemetry-06", "mortar-session-01", "mortar-cost-14"} // where the request broken off is waited for
	twice := costsTwice(func(object) bool { return true })
	sums := []string{"mortar-session-*", "mortar-telemetry-14"} // which count what is told
	return []Mutant{
		{Name: "cost-of-leaver-untold", Summary: "no cost is told of a request whose client left", Report: "BerriAI/litellm#37734",
			Breaks: []string{ended, counted}, May: lost, Wrap: onFeed(dropCosts(leftEarly))},
		{Name: "cost-of-stopped-untold", Summary: "no cost is told of a request that was stopped",
			Breaks: []string{ended, counted}, May: lost, Wrap: onFeed(dropCosts(wasStop))},
		{Name: "cost-of-failed-untold", Summary: "no cost is told of a request whose model server failed",
			Breaks: []string{ended}, May: lost, Wrap: onFeed(dropCosts(hasFailed))},
		{Name: "cost-of-failed-zero", Summary: "a request whose model server failed is told to have cost nothing",
			Breaks: []string{ended}, Wrap: onBillIf(hasFailed, func(b *bill) {
				b.prompt, b.read, b.write, b.completion = 0, 0, 0, 0
				b.recount()
			})},
		{Name: "cost-of-failed-with-message", Summary: "the words of an error are billed as tokens of the reply",
			Breaks: []string{ended}, Wrap: onBillIf(hasFailed, func(b *bill) { b.more(9) })},
		{Name: "cost-of-broken-off-prompt-alone", Summary: "a reply that was broken off counts no tokens", Report: "theam/facility#251",
			Breaks: []string{ended, counted}, May: lost, Wrap: onBillIf(brokenOff, func(b *bill) { b.more(-b.completion) })},
		{Name: "cost-of-leaver-one-less", Summary: "the token that was on its way when the client left is not counted",
			Breaks: []string{ended, counted}, May: lost, Wrap: onBillIf(leftEarly, func(b *bill) { b.more(-1) })},
		{Name: "cost-of-stopped-to-the-end", Summary: "a stopped request is billed as if it had run to its end",
			Breaks: []string{ended, counted}, May: lost, Wrap: onBillIf(wasStop, func(b *bill) { b.more(500) })},
		{Name: "cost-of-leaver-to-the-end", Summary: "a request whose client left is billed as if it had run to its end",
			Breaks: []string{ended, counted}, May: lost, Wrap: onBillIf(leftEarly, func(b *bill) { b.more(500) })},
		{Name: "cost-of-waiting-untold", Summary: "a request that was cancelled before its first token has no cost",
			Breaks: []string{ended}, Wrap: onFeed(dropCosts(func(latency object) bool { return leftEarly(latency) && latency["ttftMs"] == nil }))},
		{Name: "cost-of-waiting-as-one-token", Summary: "every request counts at least one token",
			Breaks: []string{ended}, Wrap: onBill(func(b *bill) { b.more(max(0, 1-b.completion)) })},

		{Name: "cost-told-twice", Summary: "cost.update comes twice",
			Breaks: []string{once}, May: sums, Wrap: onFeed(twice)},
		{Name: "cost-of-broken-off-twice", Summary: "a reply that was broken off is told by who left and by who aborts",
			Breaks: []string{once}, May: append(sums, ended), Wrap: onFeed(costsTwice(brokenOff))},
		{Name: "cost-of-failed-twice", Summary: "a failure is told once more when its stream is closed",
			Breaks: []string{once}, May: sums, Wrap: onFeed(costsTwice(hasFailed))},
		{Name: "cost-of-overrun-twice", Summary: "a reply that the gateway ended is told again when its model server ends",
			Breaks: []string{once}, May: sums, Wrap: onFeed(costsTwice(endedAs("overrun")))},
		{Name: "cost-told-first-as-estimate", Summary: "an estimate of the cost is told first, the cost itself later",
			Breaks: []string{once}, May: append(sums, "mortar-*"), Wrap: onFeed(nth(named(tellsCost), func(s *stream, e event, _ int) {
				first := e.json().clone()
				first["usageSource"], first["completionTokens"] = "estimate", 0
				s.tell(tellsCost, first)
				s.send(e)
			}))},
		{Name: "cost-told-at-start", Summary: "the cost is told when the request is routed, and again at the end",
			Breaks: []string{once, "mortar-telemetry-09"}, May: []string{"mortar-*"}, Wrap: onFeed(nth(named(tellsRoute), func(s *stream, e event, _ int) {
				s.send(e)
				s.tell(tellsCost, object{"at": e.json()["at"], "requestId": e.of(), "usageSource": "estimate"})
			}))},
		{Name: "cost-told-with-first-token", Summary: "the cost is told with the first token and not at the end",
			Breaks: []string{"mortar-telemetry-09", ended}, May: []string{"mortar-*"}, Wrap: onFeed(costsEarly)},
		{Name: "cost-untold", Summary: "no cost.update comes",
			Breaks: []string{once, "mortar-telemetry-09"}, May: []string{"mortar-*"}, Wrap: onFeed(drop(named(tellsCost)))},
		{Name: "sums-told-as-cost", Summary: "session.metrics repeats the cost as a second cost.update",
			Breaks: []string{once}, May: []string{"mortar-*"}, Wrap: onFeed(func(_ *exchange, s *stream) func(event) {
				cost := ""
				return func(e event) {
					if s.send(e); e.name == tellsCost {
						cost = e.raw
					} else if e.name == tellsSums {
						s.write(cost)
					}
				}
			})},

		{Name: "overrun-passed-on", Summary: "what a model server sends past max_tokens is passed on",
			Breaks: []string{overrun}, May: []string{"mortar-cost-09", "mortar-cost-14", once}, Wrap: onRequest(func(_ *exchange, o object) { delete(o, "max_tokens") })},
		{Name: "overrun-as-stop", Summary: "a reply that the gateway ended finishes with stop",
			Breaks: []string{overrun}, Wrap: finishOf(func(_ *exchange, reason string) any {
				if reason == "length" {
					return "stop"
				}
				return reason
			})},
		{Name: "overrun-without-end", Summary: "a reply that the gateway ended has no usage and no [DONE]",
			Breaks: []string{overrun}, May: []string{"mortar-cost-14", once}, Wrap: onStream(nth(isFinish, func(s *stream, e event, _ int) {
				if s.send(e); e.chunk().finish() == "length" {
					s.stop()
				}
			}))},
		{Name: "overrun-read-on", Summary: "a model server that runs on past max_tokens is read to its end",
			Breaks: []string{overrun}, May: []string{counted, ended}, Behind: fixed(relay{
				raw:    func(r io.Reader) io.Reader { return r },
				linger: func(*exchange) int { return forEver },
			})},
	}
}

// more counts so many completion tokens more.
func (b *bill) more(tokens int) {
	b.completion += tokens
	b.recount()
}

// costsTwice tells the costs of the completions whose latency matches twice.
func costsTwice(match func(latency object) bool) rewrite {
	return costsIf(match, func(s *stream, e event) { s.write(e.raw + e.raw) })
}

// costsEarly tells the cost with the routing decision, when nothing is counted.
func costsEarly(x *exchange, s *stream) func(event) {
	return func(e event) {
		if e.name == tellsCost {
			return
		}
		if s.send(e); e.name == tellsRoute {
			cost := object{"at": e.json()["at"], "requestId": e.of(), "usageSource": "estimate", "baseline": "Same model, no prefix cache"}
			for _, name := range amountNames() {
				cost[name] = 0
			}
			for _, name := range []string{"promptTokens", "completionTokens", "totalTokens", "cacheReadTokens", "cacheWriteTokens", "billedPromptTokens"} {
				cost[name] = 0
			}
			s.tell(tellsCost, cost)
		}
	}
}
