package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plumbline.dev/plumbline/conformance/mutant"
)

// runMutants runs the command and returns what it printed.
func runMutants(t *testing.T, args ...string) (stdout string, err error) {
	t.Helper()
	var out, progress bytes.Buffer
	cmd := newMutantsCommand()
	cmd.SilenceUsage, cmd.SilenceErrors = true, true
	cmd.SetArgs(args)
	cmd.SetOut(&out)
	cmd.SetErr(&progress)
	err = cmd.ExecuteContext(t.Context())
	return out.String(), err
}

// One mutant of each area, by a name that matches no other.
func TestMutantsOfEachAreaAreKilled(t *testing.T) {
	fixed := []string{
		"done-missing-after-packet", "usage-with-choice", "finish-twice", "id-per-chunk", "vendor-cost", "data-glued",
		"characters-half", "cache-control-no-store", "buffer-pairs", "failure-then-done", "failure-tells-key", "refusal-as-detail",
		"bounds-ignored", "leaver-of-whole-unseen", "stop-early-refused", "stop-by-other-organization", "stopped-finish-stop",
		"choice-unfinished", "tool-index-zero", "logprobs-repeat-token", "text-out-of-order", "limit-ignored", "reads-1m-lines",
		"whole-text-trimmed", "models-write-price-of-input", "no-pings-in-reply",
		"tier-on-miss", "cost-leaks-to-organization", "cost-of-broken-off-prompt-alone", "saving-clamped", "prefilled-with-reads", "tick-at-in-seconds",
		"completions-count-of-chunks", "responses-item-id-of-three", "messages-index-from-one", "limited-without-retry-after", "repeat-charged-again",
		"streams-one-at-a-time",
	}
	areas := map[string]bool{}
	for _, m := range mutant.All() {
		areas[m.Area] = false
	}
	for _, m := range mutant.All() {
		for _, name := range fixed {
			areas[m.Area] = areas[m.Area] || m.Name == name
		}
	}
	for area, has := range areas {
		assert.True(t, has, "no mutant of the area %s is among them", area)
	}

	file := filepath.Join(t.TempDir(), "reports", "mutants.json")
	var only []string
	for _, name := range fixed {
		only = append(only, "--only", name)
	}
	_, proven := runMutants(t, append(only, "--concurrency", "16", "--report", "json:"+file)...)
	text, err := os.ReadFile(file)
	require.NoError(t, err, "after %v", proven)
	var report mutant.Report
	require.NoError(t, json.Unmarshal(text, &report))
	assert.Len(t, report.Mutants, len(fixed))
	for _, m := range report.Mutants {
		assert.Equal(t, mutant.Killed, m.Outcome, "%s: %s", m.Name, strings.Join(m.Problems, "; "))
	}
	assert.NoError(t, proven)
}

func TestMutantsUsage(t *testing.T) {
	for _, tt := range []struct {
		name string
		args []string
		want string
	}{
		{"a pattern that matches none", []string{"--only", "no-such-*"}, `no mutant is called "no-such-*"`},
		{"a slip in a format", []string{"--report", "jsn"}, `unknown report format "jsn": did you mean "json"?`},
		{"a format without its file", []string{"--report", "json:"}, "write json for standard output or json:PATH"},
		{"an argument", []string{"done-missing"}, "unknown command"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := runMutants(t, tt.args...)
			require.ErrorContains(t, err, tt.want)
			var failed harnessError
			assert.NotErrorAs(t, err, &failed, "it is a mistake in what was asked for")
		})
	}
}

func TestMutantsList(t *testing.T) {
	out, err := runMutants(t, "--list", "--only", "done-t*")
	require.NoError(t, err)
	assert.Contains(t, out, "terminator\n")
	assert.Contains(t, out, "breaks mortar-stream-11, openai-chat-03")
	assert.Contains(t, out, "after ray-project/ray#62246")
	assert.NotContains(t, out, "done-missing")
}
