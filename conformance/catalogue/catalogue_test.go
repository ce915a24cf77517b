package catalogue

import (
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plumbline.dev/plumbline/features"
)

func TestCatalogueOfTheFeatures(t *testing.T) {
	c, err := Load(features.FS)
	require.NoError(t, err)
	require.NotEmpty(t, c.Profiles())
	for _, profile := range c.Profiles() {
		rows, ok := c.InProfile(profile)
		assert.True(t, ok)
		assert.NotEmpty(t, rows, profile)
	}
	row, ok := c.Row("mortar-stream-26")
	require.True(t, ok)
	assert.Equal(t, 35*time.Second, row.Wait())
	assert.Equal(t, "Mortar, Stream responses", row.Document)
	_, ok = c.InProfile("nobody")
	assert.False(t, ok)
}

func TestLoadRefuses(t *testing.T) {
	row := func(fields string) string {
		return "profiles: {p: [a]}\ngroups: [{id: a, document: D, rows: [{" + fields + "}]}]"
	}
	cases := []struct{ name, text, says string }{
		{"an id outside its group", row(`id: b-1, section: s, level: implied, statement: x`), "does not begin with its group"},
		{"an unknown level", row(`id: a-1, section: s, level: maybe, statement: x`), `level "maybe"`},
		{"an unknown need", row(`id: a-1, section: s, level: implied, needs: [luck], statement: x`), `need "luck"`},
		{"a time that is none", row(`id: a-1, section: s, level: implied, needs: ["time:soon"], statement: x`), "time:soon"},
		{"no statement", row(`id: a-1, section: s, level: implied`), "no statement"},
		{"an unknown field", row(`id: a-1, section: s, level: implied, statement: x, colour: red`), "colour"},
		{"a profile of an unknown group", "profiles: {p: [z]}\ngroups: []", "group z"},
		{"an id used twice", "profiles: {}\ngroups: [{id: a, document: D, rows: [{id: a-1, section: s, level: implied, statement: x}, {id: a-1, section: s, level: implied, statement: y}]}]", "twice"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			_, err := Load(fstest.MapFS{"requirements.yaml": {Data: []byte(c.text)}})
			assert.ErrorContains(t, err, c.says)
		})
	}
}
