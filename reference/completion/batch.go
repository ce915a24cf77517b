package completion

// Batch is the events that one read of a model server yielded. It owns the
// bytes of their texts, so it can be handed from the goroutine that reads to
// the one that writes, and be reused afterwards without an allocation.
type Batch struct {
	Events []Event
	bytes  []byte
}

// Reset empties the batch. The events it held must not be used any more.
func (b *Batch) Reset() {
	const keep = 64 << 10 // one huge chunk must not cost its size for the rest of the reply
	clear(b.Events)
	b.Events = b.Events[:0]
	if cap(b.bytes) > keep {
		b.bytes = nil
	}
	b.bytes = b.bytes[:0]
}

// Add appends an event whose byte slices live at least as long as the batch's
// next Reset, such as those that Keep returns.
func (b *Batch) Add(e Event) { b.Events = append(b.Events, e) }

// Keep copies bytes into the batch and returns the copy. It stays valid until
// Reset, also when later calls make the batch grow.
func (b *Batch) Keep(p []byte) []byte {
	start := len(b.bytes)
	b.bytes = append(b.bytes, p...)
	return b.bytes[start:len(b.bytes):len(b.bytes)]
}
