package completion

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestToolPieces(t *testing.T) {
	for name, c := range map[string]struct {
		calls string
		want  []ToolPiece
	}{
		"the beginning": {
			`[{"index":0,"id":"c","type":"function","function":{"name":"f","arguments":""}}]`,
			[]ToolPiece{{Index: 0, ID: `"c"`, Name: `"f"`, Arguments: `""`}},
		},
		"more of two": {
			`[{"index":1,"function":{"arguments":"{\"a\u0022"}},{"index":0,"function":{"arguments":"}"}}]`,
			[]ToolPiece{{Index: 1, Arguments: `"{\"a\u0022"`}, {Index: 0, Arguments: `"}"`}},
		},
		"other types": {`[{"index":0,"id":null,"function":{"name":7}}]`, []ToolPiece{{}}},
		"none":        {`[]`, nil},
	} {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, c.want, slices.Collect(ToolPieces([]byte(c.calls))))
		})
	}
}
