package mutant

import (
	"encoding/json"
	"math/big"
	"sync"
)

// totals are sums by address and key, for many streams.
type totals struct {
	mu  sync.Mutex
	sum map[string]map[string]*big.Rat
}

func newTotals() *totals { return &totals{sum: map[string]map[string]*big.Rat{}} }

// add adds every number of a cost.update to what its address has.
func (t *totals) add(address string, cost object) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.sum[address] == nil {
		t.sum[address] = map[string]*big.Rat{}
	}
	for key, v := range cost {
		if n, ok := v.(json.Number); ok {
			t.sum[address][key] = sum(t.ofLocked(address, key), exactly(n))
		}
	}
}

// of is the sum under a key.
func (t *totals) of(address, key string) *big.Rat {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.ofLocked(address, key)
}

func (t *totals) ofLocked(address, key string) *big.Rat {
	if x := t.sum[address][key]; x != nil {
		return x
	}
	return new(big.Rat)
}

// adding is a mutant that adds up a session in its own way: note is called with
// each cost, tell with each session.metrics to change it. What is kept of a
// session is what begin returns for each subscriber.
func adding[T any](begin func() T, note func(kept T, cost object), tell func(kept T, sums object)) wrap {
	return onFeed(func(_ *exchange, s *stream) func(event) {
		kept := begin()
		return func(e event) {
			switch e.name {
			case tellsCost:
				note(kept, e.json())
			case tellsSums:
				tell(kept, e.json())
				s.tell(e.name, e.json())
				return
			}
			s.send(e)
		}
	})
}

// rounded is a mutant that adds up the amounts of a session from the costs that
// were sent: start is 0, and plus adds one to it.
func rounded(plus func(so, amount *big.Rat) *big.Rat, write func(*big.Rat) any) wrap {
	type kept map[string]*big.Rat
	return adding(func() kept { return kept{} },
		func(so kept, cost object) {
			for _, name := range amountNames() {
				if so[name] == nil {
					so[name] = new(big.Rat)
				}
				so[name] = plus(so[name], exactly(cost[name]))
			}
		},
		func(so kept, sums object) {
			for name, x := range so {
				sums[name] = write(x)
			}
		})
}

// sums are mutants of session.metrics.
func sums() []Mutant {
	saved, tokens, source, exact := "mortar-session-01", "mortar-session-02", "mortar-session-03", "mortar-session-04"
	own := []string{"mortar-telemetry-05", "mortar-telemetry-06"} // which look for the tokens of others in the sums
	twelve := func(x *big.Rat) any { return digits(x, 12) }
	add := func(so, amount *big.Rat) *big.Rat { return sum(so, amount) }
	positive := func(so, amount *big.Rat) *big.Rat {
		if amount.Sign() < 0 {
			return so
		}
		return sum(so, amount)
	}
	last := func(_, amount *big.Rat) *big.Rat { return amount }
	float := func(x *big.Rat) float64 { f, _ := x.Float64(); return f }
	changed := func(change func(o object)) wrap { return onTold(tellsSums, change) }
	return []Mutant{
		{Name: "sums-of-last-request", Summary: "session.metrics has the amounts of the latest request",
			Breaks: []string{saved, exact}, Wrap: rounded(last, twelve)},
		{Name: "sums-of-gains", Summary: "savedUsd of a session leaves out what was lost",
			Breaks: []string{saved, exact}, Wrap: rounded(positive, twelve)},
		{Name: "sums-clamped", Summary: "savedUsd of a session is never below 0",
			Breaks: []string{saved}, May: []string{exact}, Wrap: changed(func(o object) {
				if exactly(o["savedUsd"]).Sign() < 0 {
					o["savedUsd"] = 0
				}
			})},
		{Name: "sums-without-broken-off", Summary: "a session leaves out what a cancelled request cost",
			Breaks: []string{saved}, Wrap: onFeed(withoutBrokenOff)},
		{Name: "sums-of-total-without-output", Summary: "totalUsd of a session is its input",
			Breaks: []string{saved, exact}, Wrap: changed(func(o object) { o["totalUsd"] = o["inputUsd"] })},
		{Name: "sums-without-saved", Summary: "session.metrics has no savedUsd",
			Breaks: []string{saved, exact}, Wrap: changed(without("savedUsd"))},

		{Name: "sums-of-rounded", Summary: "a session adds up what was rounded for each request",
			Breaks: []string{exact}, Wrap: rounded(add, twelve)},
		{Name: "sums-of-floats", Summary: "a session adds up floats and rounds what it sends",
			Breaks: []string{exact}, Wrap: rounded(func(so, amount *big.Rat) *big.Rat {
				return new(big.Rat).SetFloat64(float(so) + float(amount))
			}, twelve)},
		{Name: "sums-of-floats-as-they-come", Summary: "a session adds up floats and sends them as they are", Report: "Mai0313/VibeCodingTracker#226",
			Breaks: []string{exact}, May: []string{saved}, Wrap: rounded(func(so, amount *big.Rat) *big.Rat {
				return new(big.Rat).SetFloat64(float(so) + float(amount))
			}, func(x *big.Rat) any { return float(x) })},
		{Name: "sums-of-cents", Summary: "a session adds up what was rounded to millionths of a dollar for each request", Report: "langfuse/langfuse#1041",
			Breaks: []string{saved, exact}, Wrap: rounded(func(so, amount *big.Rat) *big.Rat {
				return sum(so, exactly(json.Number(amount.FloatString(6))))
			}, twelve)},
		{Name: "sums-of-many-digits", Summary: "a session sends 30 significant digits",
			Breaks: []string{exact}, Wrap: changed(func(o object) {
				o["inputUsd"] = digits(sum(exactly(o["inputUsd"]), exactly(json.Number("1e-30"))), 30)
			})},

		{Name: "reused-of-last-request", Summary: "reusedTokens is what the latest request read",
			Breaks: []string{tokens}, May: own, Wrap: adding(func() *int { return new(int) },
				func(read *int, cost object) { *read = cost.number("cacheReadTokens") },
				func(read *int, sums object) { sums["reusedTokens"] = *read })},
		{Name: "prefilled-with-reads", Summary: "prefilledTokens is every prompt token",
			Breaks: []string{tokens}, May: append([]string{exact}, own...), Wrap: changed(func(o object) { o["prefilledTokens"] = o.number("prefilledTokens") + o.number("reusedTokens") })},
		{Name: "prefilled-of-writes", Summary: "prefilledTokens is what was written, although less was reported than was not read",
			Breaks: []string{tokens}, May: own, Wrap: changed(func(o object) { o["prefilledTokens"] = o["cacheWriteTokens"] })},
		{Name: "reused-of-requests", Summary: "reusedTokens counts requests that hit",
			Breaks: []string{tokens}, May: own, Wrap: changed(func(o object) { o["reusedTokens"] = o["requests"] })},

		{Name: "sums-source-always-upstream", Summary: "a session's usageSource is upstream",
			Breaks: []string{source}, Wrap: changed(with("usageSource", "upstream"))},
		{Name: "sums-source-of-last", Summary: "a session's usageSource is that of its latest request",
			Breaks: []string{source}, Wrap: adding(func() object { return object{} },
				func(kept, cost object) { kept["usageSource"] = cost["usageSource"] },
				func(kept, sums object) { sums["usageSource"] = kept["usageSource"] })},
		{Name: "sums-source-never-mixed", Summary: "a session whose requests differ says estimate",
			Breaks: []string{source}, Wrap: changed(func(o object) {
				if o["usageSource"] == "mixed" {
					o["usageSource"] = "estimate"
				}
			})},
		{Name: "sums-source-mixed-by-change", Summary: "a session is mixed only when the source has just changed",
			Breaks: []string{source}, Wrap: adding(func() object { return object{} },
				func(kept, cost object) { kept["before"], kept["now"] = kept["now"], cost["usageSource"] },
				func(kept, sums object) {
					sums["usageSource"] = kept["now"]
					if kept["before"] != nil && kept["before"] != kept["now"] && kept["now"] == "estimate" {
						sums["usageSource"] = "mixed"
					}
				})},
	}
}

// withoutBrokenOff takes the cost of completions that were broken off out of the
// sums behind them.
func withoutBrokenOff(_ *exchange, s *stream) func(event) {
	latency, lost := object{}, new(big.Rat)
	return func(e event) {
		switch e.name {
		case tellsLatency:
			latency = e.json()
		case tellsCost:
			if unending(latency) {
				lost = sum(lost, exactly(e.json()["outputUsd"]))
			}
		case tellsSums:
			o := e.json()
			o["outputUsd"] = digits(minus(exactly(o["outputUsd"]), lost), 12)
			s.tell(e.name, o)
			return
		}
		s.send(e)
	}
}
