package steps

import (
	"io/fs"
	"path"
	"strconv"
	"strings"
	"testing"

	gherkin "github.com/cucumber/gherkin/go/v42"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plumbline.dev/plumbline/features"
)

// featureSteps returns every step of the features with its place.
func featureSteps(t *testing.T) map[string]string {
	t.Helper()
	steps := map[string]string{}
	require.NoError(t, fs.WalkDir(features.FS, ".", func(file string, _ fs.DirEntry, err error) error {
		if err != nil || path.Ext(file) != ".feature" {
			return err
		}
		text, err := fs.ReadFile(features.FS, file)
		require.NoError(t, err)
		id := 0
		next := func() string { id++; return strconv.Itoa(id) }
		document, err := gherkin.ParseGherkinDocument(strings.NewReader(string(text)), next)
		require.NoError(t, err, file)
		for _, pickle := range gherkin.Pickles(*document, file, next) {
			for _, step := range pickle.Steps {
				steps[step.Text] = file + ": " + pickle.Name
			}
		}
		return nil
	}))
	return steps
}

func TestEveryStepIsOneSentence(t *testing.T) {
	used := map[string]bool{}
	for text, place := range featureSteps(t) {
		var matches []string
		for _, s := range sentences() {
			if s.expr.MatchString(text) {
				matches = append(matches, s.expr.String())
				used[s.expr.String()] = true
			}
		}
		assert.Len(t, matches, 1, "%q in %s", text, place)
	}
	for _, s := range sentences() {
		assert.True(t, used[s.expr.String()], "no feature says %s", s.expr)
	}
}

func TestRequestWords(t *testing.T) {
	w := &World{}
	request, err := w.request(` of at most 3 tokens, asking for usage`)
	require.NoError(t, err)
	assert.Equal(t, map[string]any{"max_tokens": 3, "stream_options": map[string]any{"include_usage": true}}, request.Fields)

	request, err = w.request(` without naming a model`)
	require.NoError(t, err)
	assert.True(t, request.WithoutModel)

	_, err = w.request(` with sugar`)
	assert.ErrorContains(t, err, `"`+` with sugar`+`"`)
}
