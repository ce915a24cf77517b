package report

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plumbline.dev/plumbline/conformance"
)

var update = flag.Bool("update", false, "write the golden files anew")

func prettyText(t *testing.T, rep *conformance.Report, screen Screen) string {
	t.Helper()
	var out bytes.Buffer
	require.NoError(t, encodePretty(&out, rep, screen))
	return out.String()
}

func TestPrettyGolden(t *testing.T) {
	narrow := Screen{Columns: func() int { return 72 }}
	tests := map[string]struct {
		rep    *conformance.Report
		screen Screen
	}{
		"every-verdict":        {sample(), Screen{}},
		"every-verdict-narrow": {sample(), narrow},
		"every-verdict-colour": {sample(), Screen{Color: true}},
		"all-pass":             {allPass(), Screen{}},
		"nothing":              {&conformance.Report{ExitCode: 2}, Screen{}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got := prettyText(t, tt.rep, tt.screen)
			file := filepath.Join("testdata", "pretty", name+".txt")
			if *update {
				require.NoError(t, writeFile(file, []byte(got)))
			}
			want, err := os.ReadFile(file)
			require.NoError(t, err, "run go test -update to make it")
			assert.Equal(t, string(want), got)
		})
	}
}

func TestPrettyColourChangesNoText(t *testing.T) {
	escapes := regexp.MustCompile("\x1b\\[[0-9;]*m")
	coloured := prettyText(t, sample(), Screen{Color: true})
	assert.Equal(t, prettyText(t, sample(), Screen{}), escapes.ReplaceAllString(coloured, ""))
}

func TestPrettyFitsTheScreen(t *testing.T) {
	for _, width := range []int{60, 80, 100, 140} {
		text := prettyText(t, sample(), Screen{Columns: func() int { return width }})
		for line := range strings.Lines(text) {
			if !strings.Contains(line, "curl -iN") { // one line however long, to be copied
				limit := max(width, defaultWidth) // the table and the totals need their columns
				assert.LessOrEqual(t, columns(strings.TrimSuffix(line, "\n")), limit, line)
			}
		}
	}
}

func TestPrettyTellsOneCauseOnce(t *testing.T) {
	rep := sample()
	row := rep.Requirements[3]
	rep.Requirements = nil
	for n := range 50 {
		row.ID = fmt.Sprintf("mortar-stream-%02d", n+1)
		rep.Requirements = append(rep.Requirements, row)
	}
	text := prettyText(t, rep, Screen{})
	assert.Equal(t, 1, strings.Count(text, "curl -iN"))
	assert.Equal(t, 99, strings.Count(text, "the same as under mortar-stream-01"))
	assert.Equal(t, 50, strings.Count(text, "FAIL   mortar-stream-"))
}

func TestPrettyCutsWhatIsLong(t *testing.T) {
	rep := sample()
	e := rep.Requirements[3].Scenarios[0].Evidence
	e.Seen = strings.Repeat("line\n", 500)
	e.Timeline = nil
	for n := range 100 {
		e.Timeline = append(e.Timeline, conformance.Moment{AtMS: float64(n), Side: "client", Text: "chunk"})
	}
	text := prettyText(t, rep, Screen{})
	assert.Contains(t, text, "… 488 more lines in the json report")
	assert.Contains(t, text, "84 earlier events")
	assert.Contains(t, text, "99.0 ms")
	assert.NotContains(t, text, "│", "one side alone has no second column")
}

func TestExitMeaning(t *testing.T) {
	tests := map[string]struct {
		rep  conformance.Report
		want string
	}{
		"pass":                 {conformance.Report{}, "every row was judged, and none fails the run"},
		"inconclusive allowed": {conformance.Report{Totals: map[conformance.Verdict]int{conformance.Inconclusive: 2}}, "nothing failed; 2 rows were not judged, as allowed"},
		"violation":            {conformance.Report{ExitCode: 1, Requirements: []conformance.RequirementResult{{Verdict: conformance.Fail}}}, "the target breaks what is documented"},
		"stale":                {conformance.Report{ExitCode: 1, Requirements: []conformance.RequirementResult{{Verdict: conformance.Pass, Stale: true}}}, "the baseline is out of date: rows that it lists pass now"},
		"harness":              {conformance.Report{ExitCode: 3}, "the harness itself failed, so this run proves nothing"},
		"interrupted":          {conformance.Report{ExitCode: 3, Interrupted: true}, "the run was interrupted; what was not judged by then is not a pass"},
		"inconclusive":         {conformance.Report{ExitCode: 4, Totals: map[conformance.Verdict]int{conformance.Inconclusive: 1}}, "nothing failed, but 1 row was not judged (--allow-inconclusive accepts that)"},
		"no such code":         {conformance.Report{ExitCode: 9}, "this exit code has no meaning: please report it as a fault of plumbline"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, tt.want, ExitMeaning(&tt.rep))
		})
	}
}
