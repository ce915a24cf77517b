package prefix

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"

	"plumbline.dev/plumbline/reference/completion"
)

// ask is a request with one user message.
func ask(text string) *completion.Request {
	return &completion.Request{Org: "acme", Model: "m", Messages: []completion.Message{{Role: "user", Text: text}}}
}

func chain(text string) Chain { return NewChain("acme", ask(text)) }

// common is how many names two chains begin with together.
func common(a, b Chain) int {
	n := 0
	for n < min(len(a.names), len(b.names)) && a.names[n] == b.names[n] {
		n++
	}
	return n
}

func TestChains(t *testing.T) {
	text := strings.Repeat("0123456789abcdef", 20) // 320 bytes, and the role
	base := chain(text)
	assert.Len(t, base.names, 6, "five full blocks and the rest")
	assert.EqualValues(t, (320+6+3)/4, base.Tokens())
	assert.Equal(t, base, chain(text))
	for name, tc := range map[string]struct {
		other *completion.Request
		want  int // names in common
	}{
		"one more message": {&completion.Request{Model: "m", Messages: []completion.Message{{Role: "user", Text: text}, {Role: "assistant", Text: "x"}}}, 5},
		"another end":      {ask(text[:319] + "X"), 5},
		"another middle":   {ask(text[:200] + "X" + text[201:]), 3},
		"another start":    {ask("X" + text[1:]), 0},
		"another role":     {&completion.Request{Model: "m", Messages: []completion.Message{{Role: "system", Text: text}}}, 0},
		"another model":    {&completion.Request{Model: "n", Messages: []completion.Message{{Role: "user", Text: text}}}, 0},
		"tools":            {&completion.Request{Model: "m", Messages: ask(text).Messages, Body: map[string]json.RawMessage{"tools": []byte(`[]`)}}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, tc.want, common(base, NewChain("acme", tc.other)))
		})
	}
	assert.Zero(t, common(base, NewChain("globex", ask(text))), "another organization")
	assert.Zero(t, common(NewChain("a", &completion.Request{Model: "bc", Messages: ask(text).Messages}),
		NewChain("ab", &completion.Request{Model: "c", Messages: ask(text).Messages})), "one part never runs into the other")
}

func TestHugePromptsAreBounded(t *testing.T) {
	c := chain(strings.Repeat("x", 3<<20))
	assert.Len(t, c.names, maxBlocks)
	assert.Greater(t, c.bytes, 3<<20)
	assert.Less(t, c.upTo(len(c.names)), c.bytes)
}

// Two prompts have the same names exactly up to the block with the first byte
// that differs.
func FuzzChain(f *testing.F) {
	f.Add("what stands", "what stands true")
	f.Add(strings.Repeat("x", 200), strings.Repeat("x", 130))
	f.Fuzz(func(t *testing.T, left, right string) {
		if len(left)+len(right) > 1<<16 || !utf8.ValidString(left) || !utf8.ValidString(right) {
			t.Skip()
		}
		a, b := chain(left), chain(right)
		x, y := "user\n"+left+"\n", "user\n"+right+"\n"
		same := 0
		for same < min(len(x), len(y)) && x[same] == y[same] {
			same++
		}
		want := same / blockBytes
		if left == right {
			want = len(a.names)
		}
		assert.Equal(t, want, common(a, b))
		assert.Len(t, a.names, (len(x)+blockBytes-1)/blockBytes)
		assert.Equal(t, len(x), a.upTo(len(a.names)))
	})
}
