package main

import (
	"bytes"
	"encoding/json"
	"maps"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plumbline.dev/plumbline/conformance"
	"plumbline.dev/plumbline/conformance/lint"
	"plumbline.dev/plumbline/conformance/mutant"
	"plumbline.dev/plumbline/conformance/report"
	"plumbline.dev/plumbline/conformance/target"
)

const (
	goodStream   = "../../conformance/lint/testdata/curl/head.txt"
	streamOfTrap = "data: [DONE]\n\ndata: [DONE]\n\n"
)

func TestLintCommand(t *testing.T) {
	good, err := filepath.Abs(goodStream)
	require.NoError(t, err)
	bad := filepath.Join(t.TempDir(), "bad.sse")
	require.NoError(t, os.WriteFile(bad, []byte(streamOfTrap), 0o600))
	tests := map[string]struct {
		args []string
		exit int
		says string
	}{
		"a good stream":      {[]string{good}, conformance.ExitPass, "nothing found"},
		"a bad one":          {[]string{bad}, conformance.ExitViolation, "openai-chat-03"},
		"the worst counts":   {[]string{bad, good}, conformance.ExitViolation, "nothing found"},
		"one is no stream":   {[]string{"nowhere.sse", good}, conformance.ExitUsage, "nothing found"},
		"no stream, and bad": {[]string{"nowhere.sse", bad}, conformance.ExitViolation, "openai-chat-03"},
		"as JSON":            {[]string{"--report", "json", bad}, conformance.ExitViolation, `"requirement":"openai-chat-03"`},
		"as annotations":     {[]string{"--report", "github", bad}, conformance.ExitViolation, "::error file="},
		"rows of no profile": {[]string{"--profile", "openai", "--format", "messages", good}, conformance.ExitInconclusive, "no row of this profile"},
		"no file":            {[]string{"nowhere.sse"}, conformance.ExitUsage, "nowhere.sse"},
		"a folder":           {[]string{t.TempDir()}, conformance.ExitUsage, "read the capture"},
		"no such report":     {[]string{"--report", "jason", good}, conformance.ExitUsage, `did you mean "json"`},
		"no such profile":    {[]string{"--profile", "motar", good}, conformance.ExitUsage, `did you mean "mortar"`},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			code, stdout, stderr := plumbline(t, t.Context(), append([]string{"lint"}, tt.args...)...)
			assert.Equal(t, tt.exit, code, stdout+stderr)
			assert.Contains(t, stdout+stderr, tt.says)
		})
	}
}

func TestLintReadsStandardInput(t *testing.T) {
	cmd := newLintCommand()
	var out bytes.Buffer
	cmd.SetIn(strings.NewReader(streamOfTrap))
	cmd.SetOut(&out)
	cmd.SetArgs([]string{"-"})
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	assert.Equal(t, exitStatus(conformance.ExitViolation), cmd.Execute())
	assert.Contains(t, out.String(), "standard input:3 (byte 14)")
}

// What a run finds in its streams, lint finds in the files that the run kept, of
// the rows on which both can judge.
func TestLintAgreesWithTheRun(t *testing.T) {
	intervals := target.Intervals{Ping: 400 * time.Millisecond, Silence: 1200 * time.Millisecond}
	var gateway conformance.Target
	stop, err := startReference(t.Context(), target.Config{Intervals: intervals}, &gateway)
	require.NoError(t, err)
	t.Cleanup(stop)
	gateway.Profile = "mortar"
	gateway.Intervals = conformance.Intervals{Ping: intervals.Ping, Silence: intervals.Silence}
	behind, err := url.Parse(gateway.BaseURL)
	require.NoError(t, err)

	for _, name := range []string{"", "finish-twice", "vendor-cost", "failure-then-done", "stopped-finish-stop"} {
		t.Run("mutant "+name, func(t *testing.T) {
			judged := gateway
			if name != "" {
				server := httptest.NewServer(mutantOf(t, name).Wrap(t.Context(), mutant.Upstream{URL: behind, Ping: intervals.Ping, Silence: intervals.Silence}))
				t.Cleanup(server.Close)
				judged.BaseURL = server.URL
			}
			folder := t.TempDir()
			kept, err := newCaptures(folder, report.NewRedactor(judged.Key, judged.Key2, judged.Org2Key))
			require.NoError(t, err)
			result, err := conformance.Run(t.Context(), conformance.Options{Target: judged, Captured: kept.keep, Tags: streamTags(t)})
			require.NoError(t, err)
			require.NoError(t, kept.close())

			known, found := lintAll(t, folder)
			var failed []string
			for _, row := range result.Requirements {
				if row.Verdict == conformance.Fail && known[row.ID] {
					failed = append(failed, row.ID)
				}
			}
			if name == "" {
				assert.Empty(t, found, "lint finds fault with a right gateway")
				return
			}
			assert.NotEmpty(t, failed, "the mutant breaks rows that lint judges")
			// Lint may find more: it judges every stream by every rule.
			assert.Subset(t, found, failed)
		})
	}
}

// streamTags selects the scenarios of streams that wait for no long time.
func streamTags(t *testing.T) string {
	t.Helper()
	return quickTags(t, "mortar", "mortar-stream", "mortar-cancel", "openai-chat")
}

// quickTags selects the scenarios of groups of a profile that wait for no long time.
func quickTags(t *testing.T, profile string, groups ...string) string {
	t.Helper()
	rows, err := conformance.Requirements(profile)
	require.NoError(t, err)
	var tags []string
	for _, row := range rows {
		if slices.Contains(groups, row.Group) && row.Wait() == 0 {
			tags = append(tags, "@"+row.ID)
		}
	}
	return strings.Join(tags, " or ")
}

func mutantOf(t *testing.T, name string) mutant.Mutant {
	t.Helper()
	for _, m := range mutant.All() {
		if m.Name == name {
			return m
		}
	}
	t.Fatalf("there is no mutant %s", name)
	return mutant.Mutant{}
}

// lintAll judges every file of a folder and returns which rows could be judged
// and which are broken.
func lintAll(t *testing.T, folder string) (known map[string]bool, found []string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(folder, "*.json"))
	require.NoError(t, err)
	require.Greater(t, len(files), 100)
	known = map[string]bool{}
	broken := map[string]bool{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		assert.NotContains(t, string(text), referenceKey)
		var kept lint.File
		require.NoError(t, json.Unmarshal(text, &kept))
		assert.NotEmpty(t, kept.Scenario)
		r, err := lint.Judge(file, text, lint.Options{Profile: "mortar"})
		require.NoError(t, err)
		for _, row := range r.Judged {
			known[row] = true
		}
		for _, f := range r.Findings {
			for _, row := range f.Rows {
				broken[row] = true
			}
		}
	}
	return known, slices.Sorted(maps.Keys(broken))
}
