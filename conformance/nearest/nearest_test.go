package nearest_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"plumbline.dev/plumbline/conformance/nearest"
)

func TestTo(t *testing.T) {
	rows := []string{"mortar-stream-01", "mortar-stream-25", "mortar-cancel-01", "openai-chat-07"}
	tests := []struct {
		name  string
		word  string
		known []string
		want  string
	}{
		{"equal", "junit", []string{"pretty", "junit"}, "junit"},
		{"one letter dropped", "juni", []string{"pretty", "junit"}, "junit"},
		{"two letters swapped", "jnuit", []string{"pretty", "junit"}, "junit"},
		{"upper case", "JUnit", []string{"pretty", "junit"}, "junit"},
		{"a row with one digit wrong", "mortar-stream-35", rows, "mortar-stream-25"},
		{"a row of a mistyped group", "motar-cancel-01", rows, "mortar-cancel-01"},
		{"the beginning of a name", "tele", []string{"stop", "telemetry"}, "telemetry"},
		{"letters beyond ASCII count once", "größe", []string{"grösse"}, "grösse"},
		{"nothing near", "cucumber", []string{"pretty", "junit"}, ""},
		{"one wrong letter alone is not near a long name", "x", []string{"pretty", "junit"}, ""},
		{"empty word", "", rows, ""},
		{"nothing known", "junit", nil, ""},
		{"a word too long to be a name", strings.Repeat("a", 5000), []string{strings.Repeat("a", 90)}, ""},
		{"the first of two equally near", "teb", []string{"tab", "tub"}, "tab"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			assert.Equal(t, tt.want, nearest.To(tt.word, tt.known))
		})
	}
}

func TestHint(t *testing.T) {
	many := strings.Split(strings.Repeat("name,", 14)+"name", ",")
	assert.Equal(t, `did you mean "junit"?`, nearest.Hint("junti", []string{"pretty", "junit"}))
	assert.Equal(t, "known are pretty, junit", nearest.Hint("html", []string{"pretty", "junit"}))
	assert.Contains(t, nearest.Hint("zzzzzz", many), "and 3 more")
	assert.Equal(t, "no name is known here", nearest.Hint("x", nil))
}
