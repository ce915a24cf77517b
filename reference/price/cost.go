package price

import (
	"fmt"
	"math"

	"plumbline.dev/plumbline/reference/completion"
)

// Baseline names what [Cost].BaselineUSD prices.
const Baseline = "Same model, no prefix cache"

// Prices are the prices of one model.
type Prices struct {
	Input      Price // prompt tokens that the prefix cache neither gave nor took
	Output     Price // completion tokens
	CacheRead  Price // prompt tokens read from the prefix cache
	CacheWrite Price // prompt tokens processed and written to the prefix cache
}

// Counts are the token counts that one cost is made of.
type Counts struct {
	Prompt     int64 // all prompt tokens, CacheRead and CacheWrite included
	CacheRead  int64
	CacheWrite int64
	Completion int64
}

// Cost is what one completion cost, in the amounts of a cost.update event
// ("Serving telemetry, Reading cache and cost events").
type Cost struct {
	Counts
	CacheReadUSD  Money
	CacheWriteUSD Money
	InputUSD      Money // both, and the rest of the prompt at the input price
	OutputUSD     Money
	TotalUSD      Money
	BaselineUSD   Money // as if every prompt token had the input price
	SavedUSD      Money // baseline minus total; negative when writes outweigh reads
}

// CountsOf returns the counts behind a usage. Where no writes were reported,
// every prompt token that was not read is taken for written. It fails on counts
// that are negative or contradict each other.
func CountsOf(u completion.Usage) (Counts, error) {
	c := Counts{Prompt: u.PromptTokens, CacheRead: u.CachedTokens, CacheWrite: u.CacheWriteTokens, Completion: u.CompletionTokens}
	if c.Prompt < 0 || c.CacheRead < 0 || c.CacheWrite < -1 || c.Completion < 0 {
		return Counts{}, fmt.Errorf("counting tokens: negative count in %+v", c)
	}
	if c.Prompt > math.MaxInt64-c.Completion {
		return Counts{}, fmt.Errorf("counting tokens: impossibly many in %+v", c)
	}
	if c.CacheRead > c.Prompt {
		return Counts{}, fmt.Errorf("counting tokens: %d read from the cache, of a prompt of %d", c.CacheRead, c.Prompt)
	}
	unread := c.Prompt - c.CacheRead
	if c.CacheWrite == -1 {
		c.CacheWrite = unread
	}
	if c.CacheWrite > unread {
		return Counts{}, fmt.Errorf("counting tokens: %d written to the cache, of %d not read from it", c.CacheWrite, unread)
	}
	return c, nil
}

// Cost prices the counts, exactly.
func (p Prices) Cost(c Counts) Cost {
	cost := Cost{
		Counts:        c,
		CacheReadUSD:  p.CacheRead.Amount(c.CacheRead),
		CacheWriteUSD: p.CacheWrite.Amount(c.CacheWrite),
		OutputUSD:     p.Output.Amount(c.Completion),
	}
	rest := p.Input.Amount(c.Prompt - c.CacheRead - c.CacheWrite)
	cost.InputUSD = cost.CacheReadUSD.Add(cost.CacheWriteUSD).Add(rest)
	cost.TotalUSD = cost.InputUSD.Add(cost.OutputUSD)
	cost.BaselineUSD = p.Input.Amount(c.Prompt).Add(cost.OutputUSD)
	cost.SavedUSD = cost.BaselineUSD.Sub(cost.TotalUSD)
	return cost
}
