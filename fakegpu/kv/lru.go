package kv

// block is the memory for the keys and values of one block of tokens.
type block struct {
	name Name // 0: private to its sequence
	tier Tier
	refs int // sequences that use it

	prev, next *block // in the order of a tier's unused blocks
}

// order is the unused blocks of a tier, the longest unused first.
type order struct{ ends block }

func newOrder() *order {
	o := &order{}
	o.ends.prev, o.ends.next = &o.ends, &o.ends
	return o
}

// oldest is the block unused for the longest time, nil when there is none.
func (o *order) oldest() *block {
	if o.ends.next == &o.ends {
		return nil
	}
	return o.ends.next
}

func (o *order) push(b *block) {
	b.prev, b.next = o.ends.prev, &o.ends
	b.prev.next, b.next.prev = b, b
}

func (o *order) remove(b *block) {
	b.prev.next, b.next.prev = b.next, b.prev
	b.prev, b.next = nil, nil
}
