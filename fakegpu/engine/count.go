package engine

// Counter counts the tokens of a text.
type Counter interface {
	Count(text string) int
}

// ByteCounter takes each started four bytes for one token.
type ByteCounter struct{}

// Count returns the number of tokens of text, 0 for an empty one.
func (ByteCounter) Count(text string) int { return (len(text) + 3) / 4 }
