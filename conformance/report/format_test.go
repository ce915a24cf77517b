package report

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestParseSpecs(t *testing.T) {
	tests := []struct {
		name  string
		texts []string
		want  []Spec
		err   string
	}{
		{"none is the default", nil, []Spec{{Format: "pretty"}}, ""},
		{"format alone", []string{"json"}, []Spec{{Format: "json"}}, ""},
		{"a dash is standard output", []string{"json:-"}, []Spec{{Format: "json"}}, ""},
		{"with a path", []string{"pretty", "junit:out/j.xml"}, []Spec{{Format: "pretty"}, {"junit", "out/j.xml"}}, ""},
		{"a path with a colon", []string{`json:C:\out\r.json`}, []Spec{{"json", `C:\out\r.json`}}, ""},
		{"one format twice", []string{"json:a", "json:b"}, []Spec{{"json", "a"}, {"json", "b"}}, ""},
		{"unknown", []string{"junti:x"}, nil, `unknown report format "junti": did you mean "junit"?`},
		{"nothing near", []string{"cucumber"}, nil, `unknown report format "cucumber": known are pretty, junit, json`},
		{"empty", []string{""}, nil, `unknown report format ""`},
		{"no path", []string{"junit:"}, nil, `report "junit:" names no file`},
		{"two on standard output", []string{"pretty", "json:-"}, nil, `reports "pretty" and "json:-" go to the same place`},
		{"two in one file", []string{"junit:x", "json:x"}, nil, `reports "junit:x" and "json:x" go to the same place`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := ParseSpecs(tt.texts)
			if tt.err != "" {
				require.ErrorContains(t, err, tt.err)
				return
			}
			require.NoError(t, err)
			assert.Equal(t, tt.want, got)
		})
	}
}
