package mutant

import (
	"encoding/json"
	"math/big"
	"net/http"
	"slices"
	"strconv"
	"sync"
)

// areaOfCredits is the area whose mutants are judged apart from the crowd.
const areaOfCredits = "credits"

// pathCredits is where the balance and the charges are read.
const pathCredits = "/v1/credits"

// How a reply ended, as far as it is known.
const (
	runs   = "runs"
	whole  = "whole"
	failed = "failed"
	left   = "left" // by its client
)

// sales is what a mutant knows of the replies that went through it.
type sales struct {
	mu       sync.Mutex
	ends     map[string]string // by the id of the reply
	unasked  map[string]bool   // ids whose usage was not asked for
	refused  map[string]int    // requests that were refused, by key
	repeated map[string]int    // requests with an idempotency key, by it
	firstOf  map[string]string // the id that an idempotency key stands for
}

// selling is a mutant that shows other credits than it ought to.
func selling(show func(s *sales, key string, o object)) wrap {
	return stateful(func(Upstream) relay {
		s := &sales{ends: map[string]string{}, unasked: map[string]bool{}, refused: map[string]int{}, repeated: map[string]int{}, firstOf: map[string]string{}}
		return relay{events: s.watch, answer: func(x *exchange, r *reply) {
			switch {
			case x.path == pathCredits && r.Status == http.StatusOK:
				editJSON(func(o object) {
					s.mu.Lock()
					defer s.mu.Unlock()
					show(s, x.key(), o)
				})(x, r)
			case isGeneration(x) && r.Status >= http.StatusBadRequest:
				s.mu.Lock()
				defer s.mu.Unlock()
				s.refused[x.key()]++
			}
		}}
	})
}

// watch passes the events of a reply on and notes how it ends.
func (s *sales) watch(x *exchange, out *stream) func(event) {
	id := x.id
	s.begin(x)
	x.onClose(func() { s.end(id, left) })
	return func(e event) {
		switch {
		case e.end:
			s.end(id, whole)
		case isError(e) || holds(typed("error", "response.failed"))(e):
			s.end(id, failed)
		}
		out.send(e)
	}
}

func (s *sales) begin(x *exchange) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ends[x.id] == "" {
		s.ends[x.id] = runs
	}
	s.unasked[x.id] = (x.isChat() || x.path == pathText) && !asksUsage(x)
	if key := x.header.Get("Idempotency-Key"); key != "" {
		if s.repeated[key]++; s.firstOf[key] == "" {
			s.firstOf[key] = x.id
		}
	}
}

// end notes how a reply ended; the first end counts.
func (s *sales) end(id, how string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ends[id] == runs {
		s.ends[id] = how
	}
}

// pricing is a mutant that changes the charges of the replies that match.
func pricing(match func(s *sales, id string) bool, change func(usd *big.Rat) json.Number) wrap {
	return selling(func(s *sales, _ string, o object) {
		for _, charge := range o.list("charges") {
			if match(s, charge.word("id")) {
				charge["usd"] = change(exactly(charge["usd"]))
			}
		}
	})
}

// every matches each reply, unfinished those that are not known to have come to
// their end, leftAlone those that their clients left.
func every(*sales, string) bool             { return true }
func unfinished(s *sales, id string) bool   { return s.ends[id] != "" && s.ends[id] != whole }
func leftAlone(s *sales, id string) bool    { return s.ends[id] == left || s.ends[id] == runs }
func usageUnasked(s *sales, id string) bool { return s.unasked[id] }
func times(n, d int64) func(*big.Rat) json.Number {
	return func(usd *big.Rat) json.Number { return digits(new(big.Rat).Mul(usd, big.NewRat(n, d)), 20) }
}

func credits() []Mutant {
	broken, priced, refusedFree := "notholy-billing-01", "notholy-billing-02", "notholy-billing-03"
	return notholy([]Mutant{
		{Name: "break-charged-whole", Summary: "a reply that broke is charged as if it had reached its limit", Breaks: []string{broken}, Wrap: pricing(unfinished, times(50, 1))},
		{Name: "leaver-charged-whole", Summary: "a reply that its client left is charged as if it had reached its limit", Breaks: []string{broken}, Wrap: pricing(leftAlone, times(50, 1))},
		{Name: "break-charged-for-start", Summary: "a reply that broke is charged for what was known when it began", Report: "theam/facility#251",
			Breaks: []string{broken}, Wrap: pricing(unfinished, times(1, 50))},
		{Name: "break-charged-by-quarter", Summary: "a reply that broke costs a quarter of its tokens",
			Breaks: []string{broken}, Wrap: pricing(unfinished, times(1, 4))},
		{Name: "break-free", Summary: "a reply that broke is not charged", Breaks: []string{broken}, Wrap: selling(func(s *sales, _ string, o object) {
			o["charges"] = keep(o, func(charge object) bool { return !unfinished(s, charge.word("id")) })
		})},
		{Name: "charged-twice", Summary: "every reply is charged twice", Breaks: []string{broken, priced}, Wrap: selling(func(_ *sales, _ string, o object) {
			charges, _ := o["charges"].([]any)
			o["charges"] = append(slices.Clip(charges), charges...)
		})},
		{Name: "charged-a-twelfth-more", Summary: "every reply costs a little more than its usage says", Breaks: []string{priced}, May: []string{broken}, Wrap: pricing(every, times(13, 12))},
		{Name: "charged-in-cents", Summary: "what a reply costs is rounded to cents", Breaks: []string{broken, priced}, Wrap: pricing(every, func(usd *big.Rat) json.Number { return json.Number(usd.FloatString(2)) })},
		{Name: "charged-in-small-floats", Summary: "what a reply costs is kept in a float of four bytes", Breaks: []string{priced}, May: []string{broken}, Wrap: pricing(every, func(usd *big.Rat) json.Number {
			f, _ := usd.Float32()
			return json.Number(strconv.FormatFloat(float64(f), 'g', -1, 64))
		})},
		{Name: "charged-if-usage-was-asked", Summary: "a stream that did not ask for usage costs nothing", Report: "mozilla-ai/any-llm#974",
			Breaks: []string{broken, priced}, Wrap: pricing(usageUnasked, func(*big.Rat) json.Number { return "0" })},
		{Name: "repeat-generated-again", Summary: "the idempotency key is ignored", Breaks: []string{priced}, Wrap: fixed(relay{request: func(x *exchange) { x.header.Del("Idempotency-Key") }})},
		{Name: "repeat-charged-again", Summary: "a request that is repeated with its idempotency key is charged again", Breaks: []string{priced}, Wrap: selling(func(s *sales, _ string, o object) {
			charges, _ := o["charges"].([]any)
			for key, n := range s.repeated {
				for _, charge := range o.list("charges") {
					if n > 1 && charge["id"] == s.firstOf[key] {
						charges = append(slices.Clip(charges), charge)
					}
				}
			}
			o["charges"] = charges
		})},
		{Name: "refusal-charged", Summary: "the balance falls with each request that is refused", Breaks: []string{refusedFree}, Wrap: selling(func(s *sales, key string, o object) {
			fee := big.NewRat(int64(s.refused[key]), 1000)
			o["balanceUsd"] = digits(minus(exactly(o["balanceUsd"]), fee), 30)
		})},
		{Name: "refusal-among-charges", Summary: "a request that is refused is among the charges", Breaks: []string{refusedFree}, Wrap: selling(func(s *sales, key string, o object) {
			charges, _ := o["charges"].([]any)
			for n := range s.refused[key] {
				charges = append(slices.Clip(charges), object{"id": "refused-" + strconv.Itoa(n), "usd": 0})
			}
			o["charges"] = charges
		})},
	})
}

// keep is the charges that match.
func keep(o object, match func(charge object) bool) []any {
	kept := []any{}
	for _, charge := range o.list("charges") {
		if match(charge) {
			kept = append(kept, charge)
		}
	}
	return kept
}
