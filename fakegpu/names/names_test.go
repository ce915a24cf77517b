package names

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestNearest(t *testing.T) {
	known := []string{"listen", "model", "dialect", "ttft"}
	for name, tc := range map[string]struct{ word, want string }{
		"one letter missing":  {"listn", "listen"},
		"two letters swapped": {"dailect", "dialect"},
		"another case":        {"Model", "model"},
		"the name itself":     {"ttft", "ttft"},
		"nothing alike":       {"zzzzzzzz", ""},
		"empty":               {"", ""},
	} {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, tc.want, Nearest(tc.word, known))
		})
	}
}

func TestHint(t *testing.T) {
	assert.Equal(t, `, did you mean "model"?`, Hint("modle", []string{"model"}))
	assert.Empty(t, Hint("temperature", []string{"model"}))
}
