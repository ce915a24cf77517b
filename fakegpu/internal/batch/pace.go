package batch

import (
	"time"

	"plumbline.dev/plumbline/fakegpu/kv"
)

// Pace is how fast a card works.
type Pace struct {
	// Prefill is the time for one prompt token, Decode that of a step that
	// generates one token of one sequence, and Further what each further
	// sequence adds to the step.
	Prefill, Decode, Further time.Duration
	// Transfer is the time to move one block from a tier to the GPU's memory.
	Transfer [kv.Tiers]time.Duration
	// FirstToken, when above 0, is the time to prefill a prompt of any length,
	// instead of Prefill and Transfer.
	FirstToken time.Duration
}

// decode is the time to generate one token of that many sequences.
func (p Pace) decode(sequences int) time.Duration {
	if sequences == 0 {
		return 0
	}
	return p.Decode + time.Duration(sequences-1)*p.Further
}

// load is the time to bring what was found of a prompt into the GPU's memory.
func (p Pace) load(hit kv.Hit) time.Duration {
	if p.FirstToken > 0 {
		return 0
	}
	var d time.Duration
	for tier, blocks := range hit.Blocks {
		d += time.Duration(blocks) * p.Transfer[tier]
	}
	return d
}

// prefill is the time for a chunk out of all the tokens that a prompt needs.
func (p Pace) prefill(chunk, all int) time.Duration {
	switch {
	case p.FirstToken == 0:
		return time.Duration(chunk) * p.Prefill
	case all == 0:
		return p.FirstToken
	}
	return time.Duration(float64(p.FirstToken) * float64(chunk) / float64(all))
}
