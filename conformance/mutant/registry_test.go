package mutant

import (
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plumbline.dev/plumbline/conformance"
)

func TestMutantsAreWellFormed(t *testing.T) {
	rows, err := conformance.RowIDs()
	require.NoError(t, err)
	named := map[string]bool{}
	for _, m := range All() {
		t.Run(m.Name, func(t *testing.T) {
			assert.Regexp(t, `^[a-z0-9]+(-[a-z0-9]+)*$`, m.Name)
			assert.False(t, named[m.Name], "the name is used twice")
			assert.NotEmpty(t, m.Summary)
			assert.NotEmpty(t, m.Area)
			assert.NotEmpty(t, m.Breaks)
			assert.True(t, (m.Wrap == nil) != (m.Behind == nil), "it stands either in front of the gateway or behind it")
			for _, row := range m.Breaks {
				assert.Contains(t, rows, row)
			}
			assert.Len(t, slices.Compact(slices.Sorted(slices.Values(m.Breaks))), len(m.Breaks), "a row twice")
			for _, pattern := range m.May {
				assert.True(t, slices.ContainsFunc(rows, func(row string) bool { ok, err := path.Match(pattern, row); return ok && err == nil }),
					"%s matches no row", pattern)
			}
			if m.Report != "" {
				assert.Regexp(t, `^[\w.-]+/[\w.-]+#\d+$`, m.Report)
			}
		})
		named[m.Name] = true
	}
}

func TestEveryRowHasTwoMutants(t *testing.T) {
	rows, err := conformance.Requirements("mortar")
	require.NoError(t, err)
	groups := []string{"mortar-stream", "mortar-cancel", "mortar-models", "mortar-telemetry", "mortar-cost", "mortar-session", "mortar-fleet", "openai-chat"}
	rows = slices.DeleteFunc(rows, func(r conformance.Requirement) bool { return !slices.Contains(groups, r.Group) })
	require.NotEmpty(t, rows)
	assert.Empty(t, uncovered(rows, All()))
}

func TestRowsWithoutMutantsAreFound(t *testing.T) {
	rows, err := conformance.Requirements("mortar")
	require.NoError(t, err)
	few := []Mutant{{Breaks: []string{"mortar-stream-11", "mortar-stream-12"}}, {Breaks: []string{"mortar-stream-11"}}}
	missing := uncovered(rows, few)
	assert.NotContains(t, missing, "mortar-stream-11")
	assert.Contains(t, missing, "mortar-stream-12", "one is too few")
	assert.NotContains(t, missing, "mortar-cancel-12", "it is assumed")
}

func TestControlRowsExist(t *testing.T) {
	rows, err := conformance.RowIDs()
	require.NoError(t, err)
	for _, area := range append(feedAreas(), "usage") {
		for _, row := range controlRows(area) {
			assert.Contains(t, rows, row)
		}
	}
}

// REPORTS.md lists what the registry says, and every other report once.
func TestReportsAreListed(t *testing.T) {
	text, err := os.ReadFile("REPORTS.md")
	require.NoError(t, err)
	with, without, found := strings.Cut(string(text), "## The same fault as another report")
	require.True(t, found)
	cell := regexp.MustCompile(`(?m)^\| (\S+#\d+) \| (.+) \|$`)
	listed := map[string]string{}
	for _, m := range cell.FindAllStringSubmatch(with, -1) {
		listed[m[1]] = m[2]
	}
	inRegistry := map[string][]string{}
	for _, m := range All() {
		if m.Report != "" {
			inRegistry[m.Report] = append(inRegistry[m.Report], m.Name)
		}
	}
	for report, names := range inRegistry {
		slices.Sort(names)
		assert.Equal(t, strings.Join(names, ", "), listed[report], report)
	}
	for report := range listed {
		assert.Contains(t, inRegistry, report)
	}
	for _, m := range cell.FindAllStringSubmatch(without, -1) {
		assert.NotContains(t, inRegistry, m[1], "it has a mutant")
	}
}

func TestSelect(t *testing.T) {
	for _, tt := range []struct {
		name string
		only []string
		some string
		err  string
	}{
		{name: "all", only: nil, some: "done-missing"},
		{name: "one", only: []string{"done-missing"}, some: "done-missing"},
		{name: "a pattern", only: []string{"done-*"}, some: "done-twice"},
		{name: "two patterns", only: []string{"done-*", "usage-*"}, some: "usage-null"},
		{name: "one of two patterns matches nothing", only: []string{"done-*", "zzz*"}, err: `no mutant is called "zzz*"`},
		{name: "a slip", only: []string{"done-mising"}, err: `no mutant is called "done-mising": did you mean "done-missing"?`},
		{name: "nothing", only: []string{"zzz*"}, err: `no mutant is called "zzz*"`},
		{name: "a bad pattern", only: []string{"["}, err: `no mutant is called "["`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			selected, err := Select(tt.only...)
			if tt.err != "" {
				var usage *conformance.UsageError
				require.ErrorAs(t, err, &usage)
				assert.Contains(t, err.Error(), tt.err)
				return
			}
			require.NoError(t, err)
			assert.True(t, slices.ContainsFunc(selected, func(m Mutant) bool { return m.Name == tt.some }))
		})
	}
}
