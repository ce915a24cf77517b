package prefix

import (
	"container/list"

	"plumbline.dev/plumbline/reference/completion"
)

// tierNames are the tiers, the fastest first.
func tierNames() [3]completion.Tier {
	return [...]completion.Tier{completion.TierGPU, completion.TierHost, completion.TierStorage}
}

// block is one block that the tiers hold.
type block struct {
	name   name
	tier   int   // index into tierNames
	tokens int64 // of the prompt up to the block's end, as its writer counted
}

// tiers holds blocks, each in one tier. A block that is put comes to the front
// of the fastest; those that a tier has no room for go down to the next.
type tiers struct {
	capacity [3]int
	blocks   map[name]*list.Element // of *block
	order    [3]*list.List          // the most recently used first
}

func newTiers(capacity [3]int) *tiers {
	return &tiers{
		capacity: capacity, blocks: make(map[name]*list.Element), order: [3]*list.List{list.New(), list.New(), list.New()},
	}
}

// find returns a block without using it, nil when no tier holds it.
func (t *tiers) find(n name) *block {
	if e := t.blocks[n]; e != nil {
		return e.Value.(*block)
	}
	return nil
}

// put brings a block to the front of the fastest tier.
func (t *tiers) put(n name, tokens int64) {
	if e := t.blocks[n]; e != nil {
		t.order[e.Value.(*block).tier].Remove(e)
	}
	b := &block{name: n, tokens: tokens}
	for ; b.tier < len(t.order); b.tier++ {
		t.blocks[b.name] = t.order[b.tier].PushFront(b)
		if t.order[b.tier].Len() <= t.capacity[b.tier] {
			return
		}
		b = t.order[b.tier].Remove(t.order[b.tier].Back()).(*block)
	}
	delete(t.blocks, b.name)
}
