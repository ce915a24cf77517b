package tokens

import (
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plumbline.dev/plumbline/reference/completion"
)

func TestCount(t *testing.T) {
	c := NewCounter()
	for name, tc := range map[string]struct {
		text string
		want int
	}{
		"nothing":      {"", 0},
		"words":        {"Hello, world!", 4},
		"a number":     {"1234567", 3},
		"other script": {"Привет", 2},
		"a space":      {" ", 1},
	} {
		t.Run(name, func(t *testing.T) { assert.Equal(t, tc.want, c.Count(tc.text)) })
	}
}

func TestCountOfLongTextIsThatOfItsPieces(t *testing.T) {
	c := NewCounter()
	text := strings.Repeat("The quick brown fox jumps over 13 lazy dogs, and naïve café owners watch.\n\nThen: ", 1000)
	whole, err := c.codec().Count(text)
	require.NoError(t, err)
	assert.Equal(t, whole, c.Count(text))
}

func TestCountOfTextWithoutWords(t *testing.T) {
	c := NewCounter()
	for name, text := range map[string]string{
		"one endless word": strings.Repeat("a", 1<<17),
		"blanks":           strings.Repeat(" ", 1<<17),
		"one character":    strings.Repeat("語", 1<<15),
		"invalid UTF-8":    strings.Repeat("\x80", 1<<15),
		"marks":            strings.Repeat("\u0301", 1<<15),
	} {
		t.Run(name, func(t *testing.T) {
			n := c.Count(text)
			assert.Positive(t, n)
			assert.LessOrEqual(t, n, len(text))
		})
	}
}

func TestCountMessages(t *testing.T) {
	c := NewCounter()
	assert.Equal(t, replyTokens, c.CountMessages(nil))
	assert.Equal(t, 2*(messageTokens+1)+replyTokens+c.Count("one")+c.Count("two three"), c.CountMessages([]completion.Message{
		{Role: "user", Text: "one"}, {Role: "assistant", Text: "two three"},
	}))
}

func TestSplit(t *testing.T) {
	c := NewCounter()
	for _, text := range []string{"", "x", "Hello, world!", "é語🦙𓂀 and ﷽ text", strings.Repeat("many words ", 3000)} {
		parts := c.Split(text)
		assert.Equal(t, text, strings.Join(parts, ""))
		assert.LessOrEqual(t, len(parts), c.Count(text))
		for _, part := range parts {
			assert.Equal(t, strings.ToValidUTF8(part, ""), part, "no character is torn apart")
		}
	}
}

func TestCounterIsSafeForConcurrentUse(t *testing.T) {
	c := NewCounter()
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() { assert.Equal(t, 4, c.Count("Hello, world!")) })
	}
	wg.Wait()
}

func TestCutAlwaysAdvances(t *testing.T) {
	for _, unit := range []string{"a", " ", "a b", "🦙", "\x80", "x\n"} {
		text := strings.Repeat(unit, 3*pieceBytes/len(unit)+1)
		for text != "" {
			piece, rest := cut(text)
			require.NotEmpty(t, piece)
			require.LessOrEqual(t, len(piece), pieceBytes)
			require.Equal(t, text, piece+rest)
			text = rest
		}
	}
}
