package kv

// Cache holds blocks in three tiers. It is not safe for concurrent use: it
// belongs to whoever schedules the sequences.
type Cache struct {
	config   Config
	capacity [Tiers]int
	used     [Tiers]int // blocks that lie there
	held     int        // of the GPU's, those that sequences use
	named    map[Name]*block
	unused   [Tiers]*order
}

// New returns an empty cache. The config must be valid.
func New(config Config) *Cache {
	c := &Cache{config: config, capacity: config.capacities(), named: make(map[Name]*block)}
	for t := GPU; t <= Storage; t++ {
		c.unused[t] = newOrder()
	}
	return c
}

// Config is the size of the cache.
func (c *Cache) Config() Config { return c.config }

// Blocks is how many blocks lie in a tier.
func (c *Cache) Blocks(t Tier) int { return c.used[t] }

// Usage is the share of the GPU's blocks that sequences use, 0 to 1.
func (c *Cache) Usage() float64 { return float64(c.held) / float64(c.capacity[GPU]) }

// Peek tells what would be found of a prompt, and changes nothing.
func (c *Cache) Peek(p Prompt) Hit {
	var hit Hit
	for _, name := range p.Names[:c.reusable(p)] {
		b := c.named[name]
		if b == nil {
			break
		}
		hit.Tokens += c.config.BlockSize
		hit.Blocks[b.tier]++
	}
	return hit
}

// reusable is how many of a prompt's blocks may be found: those before the one
// with the last token.
func (c *Cache) reusable(p Prompt) int {
	return min(len(p.Names), max(p.Tokens-1, 0)/c.config.BlockSize)
}

// Admit begins a sequence: it takes what is found of the prompt, moves it into
// the GPU's memory, and takes room there for the rest. It returns nil, and
// changes nothing, when sequences use too much of that memory.
func (c *Cache) Admit(p Prompt) *Sequence {
	hit := c.Peek(p)
	found := hit.Tokens / c.config.BlockSize
	total := c.config.blocks(p.Tokens)
	wanted := total
	for _, name := range p.Names[:found] {
		if c.named[name].refs > 0 {
			wanted--
		}
	}
	if wanted > c.free() {
		return nil
	}
	s := &Sequence{cache: c, names: p.Names, blocks: make([]*block, 0, total), Hit: hit}
	// What was found is taken before room is made, so that it cannot be what
	// makes room.
	for _, name := range p.Names[:found] {
		b := c.named[name]
		if b.refs == 0 {
			c.unused[b.tier].remove(b)
			c.used[b.tier]--
			c.held++
		}
		b.refs++
		s.blocks = append(s.blocks, b)
	}
	for _, b := range s.blocks {
		if b.refs == 1 {
			c.place(b)
		}
	}
	for len(s.blocks) < total {
		s.blocks = append(s.blocks, c.take())
	}
	s.computed = hit.Tokens
	return s
}

// free is how many more blocks of the GPU sequences could use.
func (c *Cache) free() int { return c.capacity[GPU] - c.held }

// take returns a new block of the GPU's memory for a sequence. There must be
// one free.
func (c *Cache) take() *block {
	b := &block{refs: 1}
	c.held++
	c.place(b)
	return b
}

// place puts a used block, which lies nowhere, into the GPU's memory.
func (c *Cache) place(b *block) {
	if c.used[GPU] == c.capacity[GPU] {
		c.demote(c.unused[GPU].oldest())
	}
	b.tier = GPU
	c.used[GPU]++
}

// demote moves an unused block one tier down, or out of the last one.
func (c *Cache) demote(b *block) {
	c.unused[b.tier].remove(b)
	c.used[b.tier]--
	for t := b.tier + 1; t <= Storage; t++ {
		if c.capacity[t] == 0 {
			continue
		}
		if c.used[t] == c.capacity[t] {
			c.demote(c.unused[t].oldest())
		}
		b.tier = t
		c.used[t]++
		c.unused[t].push(b)
		return
	}
	delete(c.named, b.name)
}

// drop forgets an unused block.
func (c *Cache) drop(b *block) {
	c.unused[b.tier].remove(b)
	c.used[b.tier]--
	delete(c.named, b.name)
}
