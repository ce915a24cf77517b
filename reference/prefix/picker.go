package prefix

import (
	"hash/fnv"

	"plumbline.dev/plumbline/reference/completion"
	"plumbline.dev/plumbline/reference/modelserver"
)

// Reasons of a decision.
const (
	ReasonAffinity    = "prefix-affinity" // the server has more of the prompt than others
	ReasonLeastLoaded = "least-loaded"    // the fewest requests run there
	ReasonOnlyServer  = "only-server"     // there was no other
	ReasonRetry       = "retry"           // the first choice could not be reached
)

// LoadTokens is what one running request weighs: a server with so many more
// prompt tokens cached may have one request more. Prefilling as many takes a GPU
// a few hundredths of a second.
const LoadTokens = 256

// Picker chooses model servers by expected reuse and load. A server's score is
// the prompt tokens that it is expected to have cached, less [LoadTokens] for
// each request that runs there; the highest wins. Servers of equal score share
// the prompts by a hash of the server's name and the prompt's first block, so
// that prompts with the same beginning meet on one server from the start.
type Picker struct{ index *Index }

var _ modelserver.Picker = (*Picker)(nil)

// NewPicker returns a picker that reads and writes the index.
func NewPicker(index *Index) *Picker { return &Picker{index: index} }

// Pick implements [modelserver.Picker]. It notes that the chosen server is given
// the prompt.
func (p *Picker) Pick(req *completion.Request, candidates []modelserver.Candidate, attempt int) modelserver.Choice {
	c := NewChain(req.Org, req)
	shares := p.index.Best(c)
	reuse := make([]int64, len(candidates))
	for i, each := range candidates {
		reuse[i] = int64(shares[each.Name] * float64(c.Tokens()))
	}
	best := 0
	for i := range candidates {
		if better(candidates, reuse, c, i, best) {
			best = i
		}
	}
	p.index.Add(candidates[best].Name, c)
	return modelserver.Choice{Index: best, Reason: reason(reuse, best, attempt), ExpectedReuse: reuse[best]}
}

// better tells whether a is to be preferred to b.
func better(candidates []modelserver.Candidate, reuse []int64, c Chain, a, b int) bool {
	x := reuse[a] - LoadTokens*int64(candidates[a].Running)
	y := reuse[b] - LoadTokens*int64(candidates[b].Running)
	if x != y {
		return x > y
	}
	return rank(candidates[a].Name, c) > rank(candidates[b].Name, c)
}

// rank is a server's place for prompts with the same beginning.
func rank(server string, c Chain) uint64 {
	h := fnv.New64a()
	// Writing to a hash never fails. The server comes last: what is hashed last
	// is mixed least, and the blocks' names are random already.
	if len(c.names) > 0 {
		_, _ = h.Write(c.names[0][:])
	}
	_, _ = h.Write([]byte(server))
	return mix(h.Sum64())
}

// mix spreads a difference in any bit over all of them.
func mix(x uint64) uint64 {
	x ^= x >> 33
	x *= 0xff51afd7ed558ccd
	x ^= x >> 33
	x *= 0xc4ceb9fe1a85ec53
	return x ^ x>>33
}

func reason(reuse []int64, chosen, attempt int) string {
	switch {
	case attempt > 0:
		return ReasonRetry
	case len(reuse) == 1:
		return ReasonOnlyServer
	}
	for _, other := range reuse {
		if other > reuse[chosen] {
			return ReasonLeastLoaded // in spite of its reuse
		}
	}
	for _, other := range reuse {
		if other < reuse[chosen] {
			return ReasonAffinity
		}
	}
	return ReasonLeastLoaded
}
