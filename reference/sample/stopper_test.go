package sample

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plumbline.dev/plumbline/reference/completion"
)

func TestGenerateNamesTheStopSequence(t *testing.T) {
	m := Model{Counter: counter, ContextWindow: 1000}
	for name, c := range map[string]struct {
		stops []string
		want  string
	}{
		"the one that was hit": {[]string{"behind", "gateway", "streams"}, `"gateway"`},
		"none":                 {[]string{"zebra"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			req := ask("x")
			req.Stop = c.stops
			got := ""
			for e, err := range m.Generate(context.Background(), req) {
				require.NoError(t, err)
				if e.Kind == completion.KindStopSequence {
					got += string(e.Text)
				}
			}
			assert.Equal(t, c.want, got)
		})
	}
}
