package kv

import (
	"encoding/binary"
	"hash/fnv"
)

// Token is the number of a token in a vocabulary.
type Token = uint32

// Name names a block by its tokens and everything before them. It is never 0.
type Name uint64

// Chain names the full blocks of a prompt. Prompts of different roots share no
// name: a root says whose cache it is, which model's and which tenant's.
func Chain(root string, tokens []Token, blockSize int) []Name {
	h := fnv.New64a()
	// Writing to a hash never fails.
	_, _ = h.Write([]byte(root))
	names := make([]Name, 0, len(tokens)/blockSize)
	var word [8]byte
	for ; len(tokens) >= blockSize; tokens = tokens[blockSize:] {
		// The sum so far goes in as well: without it the boundaries between
		// root and blocks would not count.
		binary.LittleEndian.PutUint64(word[:], h.Sum64())
		_, _ = h.Write(word[:])
		for _, t := range tokens[:blockSize] {
			binary.LittleEndian.PutUint32(word[:4], t)
			_, _ = h.Write(word[:4])
		}
		names = append(names, Name(max(h.Sum64(), 1)))
	}
	return names
}

// Prompt is a prompt as the cache sees it.
type Prompt struct {
	Names  []Name // of its full blocks, see [Chain]
	Tokens int    // all of them, the last block's included
}

// Hit is what was found of a prompt.
type Hit struct {
	Tokens int        // always fewer than the prompt has
	Blocks [Tiers]int // the same in blocks, by the tier in which they lay
}

// Tier is the slowest tier of the hit: the one that the request waits for.
func (h Hit) Tier() Tier {
	for t := Storage; t > Miss; t-- {
		if h.Blocks[t] > 0 {
			return t
		}
	}
	return Miss
}
