package report

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestVisible(t *testing.T) {
	assert.Equal(t, `\x1b[2J\x07`+"\nü 漢 "+`\u202e\u200b\xff\x09`, visible("\x1b[2J\a\r\nü 漢 \u202e\u200b\xff\t\n"))
	assert.Equal(t, `a\nb`, oneLine("a\nb"))
}

func TestWrap(t *testing.T) {
	tests := map[string]struct {
		text  string
		width int
		want  []string
	}{
		"short":           {"a b", 10, []string{"a b"}},
		"at a blank":      {"aaaa bbbb cccc", 10, []string{"aaaa bbbb", "cccc"}},
		"exactly":         {"aaaa bbbbb cccc", 10, []string{"aaaa bbbbb", "cccc"}},
		"no blank":        {"aaaaaaaaaaaaaaa", 10, []string{"aaaaaaaaaa", "aaaaa"}},
		"breaks stay":     {"a\n\nb", 10, []string{"a", "", "b"}},
		"nothing":         {"", 10, []string{""}},
		"runes not bytes": {"ööööööööööü", 10, []string{"öööööööööö", "ü"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, tt.want, wrap(tt.text, tt.width))
		})
	}
}

func TestColumnsAndClip(t *testing.T) {
	assert.Equal(t, 3, columns("\x1b[1;31mabc\x1b[0m"))
	assert.Equal(t, "ab…", clip("abcd", 3))
	assert.Equal(t, "abcd", clip("abcd", 4))
	assert.Empty(t, clip("abcd", 0))
	assert.Equal(t, "abc  ", pad("abc", 5))
}

func FuzzText(f *testing.F) {
	for _, seed := range []string{"", "a b", "\x1b[31m", "\xff\xfe", "a\r\nb", strings.Repeat("x ", 100)} {
		f.Add(seed, 20)
	}
	f.Fuzz(func(t *testing.T, text string, width int) {
		width = 10 + max(0, width)%200
		for _, line := range wrap(visible(text), width) {
			require.LessOrEqual(t, columns(line), width)
			require.NotContains(t, line, "\x1b")
		}
		require.NotContains(t, NewRedactor("secret-canary").Text(text), "secret-canary")
	})
}
