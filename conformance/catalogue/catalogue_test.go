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
		{"a profile without an unknown row", "profiles: {p: [a, -a-2]}\ngroups: [{id: a, document: D, rows: [{id: a-1, section: s, level: implied, statement: x}]}]", "leaves out the row a-2"},
		{"an id used twice", "profiles: {}\ngroups: [{id: a, document: D, rows: [{id: a-1, section: s, level: implied, statement: x}, {id: a-1, section: s, level: implied, statement: y}]}]", "twice"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			_, err := Load(fstest.MapFS{"requirements.yaml": {Data: []byte(c.text)}})
			assert.ErrorContains(t, err, c.says)
		})
	}
}

func TestProfileLeavesRowsOut(t *testing.T) {
	c, err := Load(fstest.MapFS{"requirements.yaml": {Data: []byte(`
profiles: {all: [a], less: [a, -a-2]}
groups: [{id: a, document: D, rows: [
  {id: a-1, section: s, level: implied, statement: x}, {id: a-2, section: s, level: implied, statement: y}]}]`)}})
	require.NoError(t, err)
	all, _ := c.InProfile("all")
	less, _ := c.InProfile("less")
	assert.Len(t, all, 2)
	require.Len(t, less, 1)
	assert.Equal(t, "a-1", less[0].ID)
	assert.True(t, c.Overrules("less", "a-2"))
	assert.False(t, c.Overrules("less", "a-1"))
	assert.False(t, c.Overrules("all", "a-2"))
}

func TestFormatNeeds(t *testing.T) {
	for sentence, want := range map[string][]string{
		"the client streams a chat completion":                                           {"chat"},
		"the client streams a text completion, asking for usage":                         {"text"},
		"the client streams a response of at most 16 tokens":                             {"responses"},
		"the client asks for a message that is not streamed":                             {"messages"},
		`the client sends the body "[]" as a response`:                                   {"responses"},
		"the client streams the prompt in all four formats of at most 16 tokens":         {"chat", "messages", "responses", "text"},
		`the client streams the prompt in each format with tools with the tool "f"`:      {"chat", "messages", "responses"},
		`the client streams the prompt in each format with stop sequences stopping at "`: {"chat", "messages", "text"},
		"the client lists the models":                                                    nil,
		"the client has received 4 tokens":                                               nil,
		"every event of the message has a name, which is the type of its data":           nil,
		"a model server that replies with 3 tokens":                                      nil,
	} {
		assert.Equal(t, want, FormatNeeds(sentence), sentence)
	}
	assert.True(t, IsFormat("text"))
	assert.False(t, IsFormat("stop"))
}
