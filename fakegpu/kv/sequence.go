package kv

// Sequence is a prompt and its reply while they are processed: the blocks that
// they use.
type Sequence struct {
	Hit Hit // what was found of the prompt

	cache    *Cache
	names    []Name
	blocks   []*block
	computed int // tokens whose keys and values exist
}

// Computed notes that the keys and values of that many tokens exist, counted
// from the prompt's first. From then on others can find them.
func (s *Sequence) Computed(tokens int) {
	c, size := s.cache, s.cache.config.BlockSize
	last := min(tokens/size, len(s.names))
	for i := s.computed / size; i < last; i++ {
		b, name := s.blocks[i], s.names[i]
		if other := c.named[name]; other != nil {
			if other == b || other.refs > 0 {
				continue // ours stays private: a block is never held twice
			}
			c.drop(other)
		}
		b.name = name
		c.named[name] = b
	}
	s.computed = max(s.computed, tokens)
}

// Grow takes room for that many tokens in all, prompt and reply. It returns
// false, and changes nothing, when sequences use too much of the GPU's memory.
func (s *Sequence) Grow(tokens int) bool {
	more := s.cache.config.blocks(tokens) - len(s.blocks)
	if more > s.cache.free() {
		return false
	}
	for range more {
		s.blocks = append(s.blocks, s.cache.take())
	}
	return true
}

// Release ends the sequence. Its named blocks stay in the cache, and the
// beginning of the prompt, which most others share, stays the longest.
func (s *Sequence) Release() {
	c := s.cache
	for i := len(s.blocks) - 1; i >= 0; i-- {
		b := s.blocks[i]
		if b.refs--; b.refs > 0 {
			continue
		}
		c.held--
		if b.name == 0 {
			c.used[GPU]--
		} else {
			c.unused[GPU].push(b)
		}
	}
	s.blocks = nil
}
