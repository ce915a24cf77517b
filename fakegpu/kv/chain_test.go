package kv

import (
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestChainsOfRoots(t *testing.T) {
	tokens := []Token{1, 2, 3, 4, 5, 6, 7, 8, 9}
	a := Chain("model", tokens, size)
	assert.Len(t, a, 2)
	assert.Equal(t, a, Chain("model", tokens, size))
	assert.NotContains(t, Chain("model2", tokens, size), a[0])
	assert.NotContains(t, Chain("", tokens, size), a[0])
	assert.NotEqual(t, a[0], a[1])
	same := Chain("", []Token{1, 1, 1, 1, 1, 1, 1, 1}, size)
	assert.NotEqual(t, same[0], same[1], "equal blocks at other places are other blocks")
}

// Two prompts have the same names exactly up to the first token that differs.
func FuzzChain(f *testing.F) {
	f.Add("root", []byte("the same beginning, one end"), []byte("the same beginning, another"), uint8(1))
	f.Add("", []byte{}, []byte{0}, uint8(4))
	f.Fuzz(func(t *testing.T, root string, left, right []byte, blockSize uint8) {
		n := int(blockSize)%32 + 1
		a, b := words(left), words(right)
		common := 0
		for common < min(len(a), len(b)) && a[common] == b[common] {
			common++
		}
		x, y := Chain(root, a, n), Chain(root, b, n)
		assert.Len(t, x, len(a)/n)
		assert.Len(t, y, len(b)/n)
		for i := range min(len(x), len(y)) {
			assert.Equal(t, (i+1)*n <= common, x[i] == y[i], "block %d of %d tokens, %d in common", i, n, common)
		}
		for i, name := range x {
			assert.NotZero(t, name)
			assert.NotContains(t, x[:i], name)
		}
	})
}

func words(b []byte) []Token {
	var all []Token
	for ; len(b) >= 4; b = b[4:] {
		all = append(all, binary.LittleEndian.Uint32(b))
	}
	return all
}
