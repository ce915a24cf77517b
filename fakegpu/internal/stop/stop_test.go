package stop

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestMatcher(t *testing.T) {
	for name, tc := range map[string]struct {
		stops  []string
		pieces []string
		shown  []string
		found  bool
		rest   string
	}{
		"no stop sequence":        {nil, []string{"a", "b"}, []string{"a", "b"}, false, ""},
		"inside one piece":        {[]string{"END"}, []string{"so xENDy"}, []string{"so x"}, true, ""},
		"across two pieces":       {[]string{"END"}, []string{"so E", "ND y"}, []string{"so ", ""}, true, ""},
		"across three pieces":     {[]string{"END"}, []string{"E", "N", "D"}, []string{"", "", ""}, true, ""},
		"a beginning that fails":  {[]string{"END"}, []string{"E", "Nx"}, []string{"", "ENx"}, false, ""},
		"a beginning at the end":  {[]string{"END"}, []string{"aEN"}, []string{"a"}, false, "EN"},
		"the earliest one counts": {[]string{"zz", "b"}, []string{"abzz"}, []string{"a"}, true, ""},
		"repeated beginning":      {[]string{"aab"}, []string{"aa", "ab"}, []string{"", "a"}, true, ""},
		"multi-byte":              {[]string{"🦙"}, []string{"x\xf0\x9f", "\xa6\x99y"}, []string{"x", ""}, true, ""},
		"an empty one is ignored": {[]string{""}, []string{"abc"}, []string{"abc"}, false, ""},
	} {
		t.Run(name, func(t *testing.T) {
			m := New(tc.stops)
			var shown []string
			var found bool
			for _, piece := range tc.pieces {
				text, hit := m.Push(piece)
				shown = append(shown, text)
				found = found || hit
			}
			assert.Equal(t, tc.shown, shown)
			assert.Equal(t, tc.found, found)
			assert.Equal(t, tc.rest, m.Rest())
			assert.Equal(t, tc.found, m.Found() != "")
			if tc.found {
				assert.Contains(t, tc.stops, m.Found())
			}
		})
	}
}

// However a text is cut into pieces, what is shown is the text before the
// first stop sequence.
func FuzzMatcher(f *testing.F) {
	f.Add("hello END world", "END", uint8(3))
	f.Add("aaaaab", "aab", uint8(1))
	f.Fuzz(func(t *testing.T, text, sequence string, size uint8) {
		if sequence == "" || size == 0 {
			return
		}
		m := New([]string{sequence})
		var shown strings.Builder
		hit := false
		for rest := text; rest != "" && !hit; {
			n := min(int(size), len(rest))
			var show string
			show, hit = m.Push(rest[:n])
			shown.WriteString(show)
			rest = rest[n:]
		}
		want, _, found := strings.Cut(text, sequence)
		assert.Equal(t, found, hit)
		assert.Equal(t, want, shown.String()+m.Rest())
	})
}
