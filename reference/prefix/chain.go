package prefix

import (
	"crypto/sha256"

	"plumbline.dev/plumbline/reference/completion"
)

const (
	blockBytes = 64
	// maxBlocks bounds the work and the memory of one prompt: what comes after
	// the first MiB is never found.
	maxBlocks = 16 << 10
	// bytesPerToken is how many bytes of text are about one token.
	bytesPerToken = 4
)

// name names a block: a hash over it and everything before it.
type name [16]byte

// Chain is a prompt as the names of its blocks. The last block may be shorter
// than the others, so that the same prompt again is found to its end.
type Chain struct {
	names []name
	bytes int // of the whole text
}

// NewChain names the blocks of a request's prompt for its organization.
func NewChain(org string, req *completion.Request) Chain {
	c := chainer{last: root(org, req.Model)}
	// Chat templates put the tools before the messages.
	if tools := req.Body["tools"]; tools != nil {
		c.write(tools)
		c.writeString("\n")
	}
	for i := range req.Messages {
		m := &req.Messages[i]
		c.writeString(m.Role)
		c.writeString("\n")
		c.writeString(m.Text)
		c.writeString("\n")
	}
	return c.end()
}

// root is what the first block's name is made from. Both parts are hashed on
// their own, so that no part can run into the other.
func root(org, model string) name {
	o, m := sha256.Sum256([]byte(org)), sha256.Sum256([]byte(model))
	sum := sha256.Sum256(append(o[:], m[:]...))
	return name(sum[:len(name{})])
}

// Tokens is about how many tokens the prompt has.
func (c Chain) Tokens() int64 { return int64(c.bytes+bytesPerToken-1) / bytesPerToken }

// upTo is how many bytes of the text the first n blocks have.
func (c Chain) upTo(n int) int { return min(n*blockBytes, c.bytes) }

// chainer makes a chain of a text that comes in pieces.
type chainer struct {
	chain   Chain
	last    name
	pending [blockBytes]byte
	n       int // bytes of pending
}

func (c *chainer) writeString(s string) {
	c.chain.bytes += len(s)
	for len(s) > 0 && len(c.chain.names) < maxBlocks {
		copied := copy(c.pending[c.n:], s)
		s = s[copied:]
		c.n += copied
		c.full()
	}
}

func (c *chainer) write(b []byte) {
	c.chain.bytes += len(b)
	for len(b) > 0 && len(c.chain.names) < maxBlocks {
		copied := copy(c.pending[c.n:], b)
		b = b[copied:]
		c.n += copied
		c.full()
	}
}

func (c *chainer) full() {
	if c.n == blockBytes {
		c.block()
	}
}

func (c *chainer) block() {
	var input [len(name{}) + blockBytes]byte
	copy(input[:], c.last[:])
	copy(input[len(c.last):], c.pending[:c.n])
	sum := sha256.Sum256(input[:len(c.last)+c.n])
	c.last = name(sum[:len(c.last)])
	c.chain.names = append(c.chain.names, c.last)
	c.n = 0
}

func (c *chainer) end() Chain {
	if c.n > 0 {
		c.block()
	}
	return c.chain
}
