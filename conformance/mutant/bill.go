package mutant

import (
	"encoding/json"
	"io"
	"math/big"
	"net/http"
	"sync"
)

// The prices of a model, as the list of models names them.
const (
	priceInput  = "costPerMillionInput"
	priceOutput = "costPerMillionOutput"
	priceRead   = "costPerMillionCacheRead"
	priceWrite  = "costPerMillionCacheWrite"
)

// bill is a cost.update taken apart: what a mutant needs to compute it anew, in
// its own way.
type bill struct {
	object
	price                           map[string]*big.Rat // of its model, for a million tokens
	prompt, read, write, completion int
}

// onBill is a mutant that changes each cost.update.
func onBill(change func(b *bill)) wrap { return onBillIf(func(object) bool { return true }, change) }

// onBillIf is a mutant that changes the cost.update of the completions whose
// latency.update matches, which comes before it.
func onBillIf(match func(latency object) bool, change func(b *bill)) wrap {
	return stateful(func(Upstream) relay {
		prices := &priceList{}
		return relay{feeds: &relay{events: func(x *exchange, s *stream) func(event) {
			models, latencies := map[string]string{}, map[string]object{}
			return func(e event) {
				switch e.name {
				case tellsRoute:
					models[e.of()] = e.json().word("model")
				case tellsLatency:
					latencies[e.of()] = e.json()
				case tellsCost:
					if match(latencies[e.of()]) {
						b := newBill(e.json(), prices.of(x, models[e.of()]))
						change(b)
						s.tell(tellsCost, b.object)
						return
					}
				}
				s.send(e)
			}
		}}}
	})
}

func newBill(cost object, price map[string]*big.Rat) *bill {
	return &bill{object: cost, price: price, prompt: cost.number("promptTokens"), read: cost.number("cacheReadTokens"),
		write: cost.number("cacheWriteTokens"), completion: cost.number("completionTokens")}
}

// rest is how many prompt tokens were neither read nor written.
func (b *bill) rest() int { return b.prompt - b.read - b.write }

// cost is what so many tokens cost at a price, exactly.
func (b *bill) cost(tokens int, price string) *big.Rat {
	p := b.price[price]
	if p == nil {
		return new(big.Rat) // a model that no list has: its row will not fail
	}
	amount := new(big.Rat).Mul(big.NewRat(int64(tokens), 1_000_000), p)
	return amount
}

// exact is an amount as it ought to be.
func (b *bill) exact(name string) *big.Rat {
	switch name {
	case "cacheReadUsd":
		return b.cost(b.read, priceRead)
	case "cacheWriteUsd":
		return b.cost(b.write, priceWrite)
	case "inputUsd":
		return sum(b.exact("cacheReadUsd"), b.exact("cacheWriteUsd"), b.cost(b.rest(), priceInput))
	case "outputUsd":
		return b.cost(b.completion, priceOutput)
	case "totalUsd":
		return sum(b.exact("inputUsd"), b.exact("outputUsd"))
	case "baselineUsd":
		return sum(b.cost(b.prompt, priceInput), b.exact("outputUsd"))
	default: // savedUsd
		return minus(b.exact("baselineUsd"), b.exact("totalUsd"))
	}
}

// set puts an amount in, rounded as amounts are sent.
func (b *bill) set(name string, parts ...*big.Rat) { b.object[name] = digits(sum(parts...), 12) }

// amounts are the names of the amounts of a cost.update.
func amountNames() []string {
	return []string{"baselineUsd", "cacheReadUsd", "cacheWriteUsd", "inputUsd", "outputUsd", "savedUsd", "totalUsd"}
}

// redo computes every amount anew, from the counts and prices that b has now.
func (b *bill) redo() {
	for _, name := range amountNames() {
		b.set(name, b.exact(name))
	}
}

// recount puts the counts in that b has now, and all that follows from them.
func (b *bill) recount() {
	b.object["promptTokens"], b.object["completionTokens"], b.object["totalTokens"] = b.prompt, b.completion, b.prompt+b.completion
	b.object["cacheReadTokens"], b.object["cacheWriteTokens"], b.object["billedPromptTokens"] = b.read, b.write, b.write
	b.redo()
}

func sum(parts ...*big.Rat) *big.Rat {
	total := new(big.Rat)
	for _, part := range parts {
		total.Add(total, part)
	}
	return total
}

func minus(a, b *big.Rat) *big.Rat { return new(big.Rat).Sub(a, b) }

// digits writes an amount with so many significant digits.
func digits(x *big.Rat, n int) json.Number {
	const bits = 256 // far more than the digits of any amount
	return json.Number(new(big.Float).SetPrec(bits).SetRat(x).Text('g', n))
}

// exactly is the exact value of a JSON number, 0 of anything else.
func exactly(v any) *big.Rat {
	n, _ := v.(json.Number)
	x, ok := new(big.Rat).SetString(n.String())
	if !ok {
		return new(big.Rat)
	}
	return x
}

// priceList knows what the models cost, once it was asked.
type priceList struct {
	mu     sync.Mutex
	models map[string]map[string]*big.Rat
}

// of returns the prices of a model.
func (l *priceList) of(x *exchange, model string) map[string]*big.Rat {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.models == nil {
		l.models = x.listPrices()
	}
	return l.models[model]
}

// listPrices asks the gateway for its list of models.
func (x *exchange) listPrices() map[string]map[string]*big.Rat {
	list := &exchange{up: x.up, client: x.client, method: http.MethodGet, path: "/v1/models", header: x.header}
	response, err := list.forward(x.ctx)
	if err != nil {
		return nil
	}
	defer response.Body.Close()
	body, err := io.ReadAll(io.LimitReader(response.Body, answerLimit))
	if err != nil {
		return nil
	}
	models := map[string]map[string]*big.Rat{}
	for _, model := range decode(string(body)).list("data") {
		id := model.word("id")
		models[id] = map[string]*big.Rat{}
		for _, price := range []string{priceInput, priceOutput, priceRead, priceWrite} {
			models[id][price] = exactly(model[price])
		}
	}
	return models
}
