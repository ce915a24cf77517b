package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestCounter(t *testing.T) {
	tests := []struct {
		name   string
		events []string
		well   bool
		want   string
	}{
		{
			name: "all pass",
			events: []string{
				`{"Action":"output","Package":"p","Test":"TestA","Output":"noise\n"}`,
				`{"Action":"pass","Package":"p","Test":"TestA"}`,
				`{"Action":"pass","Package":"p","Elapsed":1.24}`,
			},
			well: true,
			want: "ok    p (1.2s)\ntests: 1 passed, 0 failed, 0 skipped\n",
		},
		{
			name: "a failure shows its output and only its own",
			events: []string{
				`{"Action":"output","Package":"p","Test":"TestA","Output":"noise\n"}`,
				`{"Action":"pass","Package":"p","Test":"TestA"}`,
				`{"Action":"output","Package":"p","Test":"TestB","Output":"b_test.go:7: got 2\n"}`,
				`{"Action":"fail","Package":"p","Test":"TestB"}`,
				`{"Action":"fail","Package":"p","Elapsed":0.5}`,
			},
			want: "FAIL  p TestB\nb_test.go:7: got 2\nFAIL  p (0.5s)\ntests: 1 passed, 1 failed, 0 skipped\n",
		},
		{
			name: "a skip shows its reason",
			events: []string{
				`{"Action":"pass","Package":"p","Test":"TestA"}`,
				`{"Action":"output","Package":"p","Test":"TestB","Output":"    b_test.go:7: no target\n"}`,
				`{"Action":"skip","Package":"p","Test":"TestB"}`,
				`{"Action":"pass","Package":"p","Elapsed":0.5}`,
			},
			well: true,
			want: "SKIP  p TestB\n    b_test.go:7: no target\nok    p (0.5s)\ntests: 1 passed, 0 failed, 1 skipped\n",
		},
		{
			name: "a package that does not build",
			events: []string{
				`{"ImportPath":"p","Action":"build-output","Output":"p.go:1: undefined: x\n"}`,
				`{"ImportPath":"p","Action":"build-fail"}`,
				`{"Action":"output","Package":"p","Output":"FAIL\tp [build failed]\n"}`,
				`{"Action":"fail","Package":"p"}`,
				`{"Action":"pass","Package":"q","Test":"TestA"}`,
			},
			want: "p.go:1: undefined: x\nFAIL  p\nFAIL\tp [build failed]\n" +
				"tests: 1 passed, 0 failed, 0 skipped, 1 packages broken\n",
		},
		{
			name:   "no test at all is no success",
			events: []string{`{"Action":"skip","Package":"p"}`},
			want:   "tests: 0 passed, 0 failed, 0 skipped\n",
		},
		{
			name:   "words that are no event are passed on",
			events: []string{`flag provided but not defined: -x`},
			want:   "flag provided but not defined: -x\ntests: 0 passed, 0 failed, 0 skipped\n",
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var out strings.Builder
			c := newCounter(&out)
			require.NoError(t, c.read(strings.NewReader(strings.Join(test.events, "\n")+"\n")))
			assert.Equal(t, test.well, c.summary())
			assert.Equal(t, test.want, out.String())
		})
	}
}
