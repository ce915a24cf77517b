package mutant

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plumbline.dev/plumbline/conformance"
)

// verdicts is the report of a run with these rows.
func verdicts(rows map[string]conformance.Verdict) *conformance.Report {
	report := &conformance.Report{}
	for id, verdict := range rows {
		report.Requirements = append(report.Requirements, conformance.RequirementResult{ID: id, Verdict: verdict, Reason: "because"})
	}
	return report
}

func TestSettle(t *testing.T) {
	m := Mutant{Name: "m", Breaks: []string{"row-1", "row-2"}, May: []string{"side-*"}}
	for _, tt := range []struct {
		name     string
		rows     map[string]conformance.Verdict
		outcome  Outcome
		unjudged bool
		err      bool
	}{
		{name: "every row failed", outcome: Killed,
			rows: map[string]conformance.Verdict{"row-1": conformance.Fail, "row-2": conformance.Fail, "row-3": conformance.Pass}},
		{name: "an excused row failed too", outcome: Killed,
			rows: map[string]conformance.Verdict{"row-1": conformance.Fail, "row-2": conformance.Fail, "side-1": conformance.Fail}},
		{name: "one row passed", outcome: Survived,
			rows: map[string]conformance.Verdict{"row-1": conformance.Fail, "row-2": conformance.Pass}},
		{name: "one row was not judged", outcome: Survived,
			rows: map[string]conformance.Verdict{"row-1": conformance.Fail}},
		{name: "one row could not be judged", outcome: Survived, unjudged: true,
			rows: map[string]conformance.Verdict{"row-1": conformance.Fail, "row-2": conformance.Inconclusive}},
		{name: "another row failed", outcome: WrongReason,
			rows: map[string]conformance.Verdict{"row-1": conformance.Fail, "row-2": conformance.Fail, "row-3": conformance.Fail}},
		{name: "one row passed and another failed", outcome: Survived,
			rows: map[string]conformance.Verdict{"row-1": conformance.Fail, "row-2": conformance.Pass, "row-3": conformance.Fail}},
		{name: "the harness failed", err: true,
			rows: map[string]conformance.Verdict{"row-1": conformance.HarnessError, "row-2": conformance.Fail}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			result, err := settle(m, verdicts(tt.rows))
			if tt.err {
				require.Error(t, err)
				return
			}
			require.NoError(t, err)
			assert.Equal(t, tt.outcome, result.Outcome)
			assert.Equal(t, tt.unjudged, result.unjudged)
			assert.Equal(t, tt.outcome == Killed, len(result.Problems) == 0)
		})
	}
}

func TestProven(t *testing.T) {
	killed := Result{Outcome: Killed}
	for _, tt := range []struct {
		name   string
		report Report
		want   bool
	}{
		{"all killed", Report{Mutants: []Result{killed}, Totals: map[Outcome]int{Killed: 1}}, true},
		{"a survivor", Report{Mutants: []Result{killed, {Outcome: Survived}}, Totals: map[Outcome]int{Killed: 1, Survived: 1}}, false},
		{"a wrong reason", Report{Mutants: []Result{{Outcome: WrongReason}}, Totals: map[Outcome]int{WrongReason: 1}}, false},
		{"a row without mutants", Report{Mutants: []Result{killed}, Totals: map[Outcome]int{Killed: 1}, Uncovered: []string{"row-1"}}, false},
	} {
		t.Run(tt.name, func(t *testing.T) { assert.Equal(t, tt.want, tt.report.Proven()) })
	}
}

func TestReports(t *testing.T) {
	report := &Report{SchemaVersion: SchemaVersion, DurationMS: 1500, Totals: map[Outcome]int{Killed: 1, Survived: 1}, Uncovered: []string{"row-9"},
		Mutants: []Result{
			{Name: "one", Area: "usage", Breaks: []string{"row-1"}, Report: "a/b#1", Outcome: Killed, Failed: []string{"row-1"}, Judged: 2},
			{Name: "two", Area: "finish", Breaks: []string{"row-2"}, Outcome: Survived, Failed: []string{}, summary: "does it", Problems: []string{"row-2 did not fail: pass"}},
		}}
	t.Run("json", func(t *testing.T) {
		var b bytes.Buffer
		require.NoError(t, report.WriteJSON(&b))
		var got map[string]any
		require.NoError(t, json.Unmarshal(b.Bytes(), &got))
		assert.EqualValues(t, 1, got["schemaVersion"])
		assert.EqualValues(t, 1500, got["durationMs"])
		assert.Equal(t, map[string]any{"killed": 1.0, "survived": 1.0}, got["totals"])
		two := got["mutants"].([]any)[1].(map[string]any)
		assert.Equal(t, "survived", two["outcome"])
		assert.Equal(t, []any{}, two["failed"], "a list, also when it is empty")
	})
	t.Run("pretty", func(t *testing.T) {
		var b bytes.Buffer
		require.NoError(t, report.WritePretty(&b))
		assert.Contains(t, b.String(), "SURVIVED  two: does it\n  row-2 did not fail: pass\n")
		assert.Contains(t, b.String(), "all                 1/2         1             0\n")
		assert.Contains(t, b.String(), "killed only when judged again, alone: one\n")
		assert.Contains(t, b.String(), "rows with fewer than two mutants: row-9")
	})
}
