// Package tokens counts tokens where no model server does: with the o200k
// vocabulary of OpenAI's models, which is close enough for an estimate of any
// text model's count.
package tokens

import (
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/tiktoken-go/tokenizer/codec"

	"plumbline.dev/plumbline/reference/completion"
)

const (
	// pieceBytes bounds what the tokenizer sees at once: its time and memory
	// grow faster than the text.
	pieceBytes = 8 << 10
	// messageTokens and replyTokens are what a chat template adds around each
	// message and before the reply, by OpenAI's rule of thumb.
	messageTokens = 3
	replyTokens   = 3
)

// Counter counts tokens. It loads its vocabulary when it is first used, takes
// time in proportion to the text, and is safe for concurrent use.
type Counter struct {
	codec func() *codec.Codec
}

// NewCounter returns a counter.
func NewCounter() *Counter {
	return &Counter{codec: sync.OnceValue(codec.NewO200kBase)}
}

// Count returns how many tokens the text has.
func (c *Counter) Count(text string) int {
	n := 0
	for len(text) > 0 {
		var piece string
		piece, text = cut(text)
		n += c.count(piece)
	}
	return n
}

func (c *Counter) count(piece string) int {
	n, err := c.codec().Count(piece)
	if err != nil {
		// Only a regular expression's time limit could fail, and none is set;
		// an estimate is still owed.
		return (len(piece) + 3) / 4
	}
	return n
}

// CountMessages returns how many tokens a prompt of these messages has,
// including what a chat template adds around them.
func (c *Counter) CountMessages(messages []completion.Message) int {
	n := replyTokens
	for _, m := range messages {
		n += messageTokens + c.Count(m.Role) + c.Count(m.Text)
	}
	return n
}

// Split cuts the text, which is valid UTF-8, into its tokens, in order; together
// they are the text. Tokens that end inside a character are joined with the
// next.
func (c *Counter) Split(text string) []string {
	var split []string
	for len(text) > 0 {
		var piece string
		piece, text = cut(text)
		_, parts, err := c.codec().Encode(piece)
		if err != nil || len(strings.Join(parts, "")) != len(piece) {
			parts = []string{piece}
		}
		split = append(split, parts...)
	}
	return joinCharacters(split)
}

func joinCharacters(parts []string) []string {
	joined := parts[:0]
	pending := ""
	for i, part := range parts {
		pending += part
		if utf8.ValidString(pending) || i == len(parts)-1 {
			joined = append(joined, pending)
			pending = ""
		}
	}
	return joined
}

// cut takes the next piece of the text. It ends where the tokenizer would cut
// anyway, before a space between two words, when there is such a place.
func cut(text string) (piece, rest string) {
	if len(text) <= pieceBytes {
		return text, ""
	}
	for i := pieceBytes - 1; i > pieceBytes/2; i-- {
		if text[i] == ' ' && isWordByte(text[i-1]) && isWordByte(text[i+1]) {
			return text[:i], text[i:]
		}
	}
	i := pieceBytes
	for i > pieceBytes-utf8.UTFMax && !utf8.RuneStart(text[i]) {
		i--
	}
	return text[:i], text[i:]
}

func isWordByte(b byte) bool {
	return 'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z' || '0' <= b && b <= '9'
}
