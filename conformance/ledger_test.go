package conformance

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plumbline.dev/plumbline/conformance/catalogue"
)

func TestLedgerJudgesRows(t *testing.T) {
	plain := Scenario{Name: "plain", Location: "f:1", Rows: []string{"a-1"}}
	deeper := Scenario{Name: "deeper", Location: "f:2", Rows: []string{"a-1"}, Needs: []string{"scripted"}}
	format := Scenario{Name: "format", Location: "f:4", Rows: []string{"a-1"}, Needs: []string{"messages"}}
	same := Scenario{Name: "same", Location: "f:3", Rows: []string{"a-1"}}
	cases := []struct {
		name      string
		level     catalogue.Level
		reference bool
		scenarios []Scenario
		verdicts  []Verdict
		want      Verdict
	}{
		{"all pass", "documented", false, []Scenario{plain, same}, []Verdict{Pass, Pass}, Pass},
		{"one fails", "documented", false, []Scenario{plain, same}, []Verdict{Pass, Fail}, Fail},
		{"a harness error is worse than a failure", "documented", false, []Scenario{plain, same}, []Verdict{HarnessError, Fail}, HarnessError},
		{"one could not be judged", "documented", false, []Scenario{plain, same}, []Verdict{Pass, Inconclusive}, Inconclusive},
		{"a failure beats what could not be judged", "documented", false, []Scenario{plain, same}, []Verdict{Fail, Inconclusive}, Fail},
		{"a deeper scenario that needs more does not hold back", "documented", false, []Scenario{plain, deeper}, []Verdict{Pass, Inconclusive}, Pass},
		{"only the deeper one, and it could not be judged", "documented", false, []Scenario{deeper}, []Verdict{Inconclusive}, Inconclusive},
		{"a format that could not be judged", "documented", false, []Scenario{plain, format}, []Verdict{Pass, Inconclusive}, Inconclusive},
		{"a deeper scenario fails", "documented", false, []Scenario{plain, deeper}, []Verdict{Pass, Fail}, Fail},
		{"an assumed row of a foreign target", "assumed", false, []Scenario{plain}, []Verdict{Fail}, Remark},
		{"an assumed row of the reference", "assumed", true, []Scenario{plain}, []Verdict{Fail}, Fail},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			l := newLedger(&plan{rows: []catalogue.Row{{ID: "a-1", Level: c.level}}, scenarios: c.scenarios})
			for i, s := range c.scenarios {
				l.record(ScenarioResult{Location: s.Location, Verdict: c.verdicts[i], Reason: string(c.verdicts[i])})
			}
			results, problems := l.close("missing", c.reference)
			require.Empty(t, problems)
			assert.Equal(t, c.want, results[0].Verdict)
			assert.Equal(t, c.want == Pass, results[0].Reason == "", "every verdict but a pass has its reason")
		})
	}
}

func TestLedgerMissesNothing(t *testing.T) {
	l := newLedger(&plan{rows: []catalogue.Row{{ID: "a-1"}}, scenarios: []Scenario{{Location: "f:1", Rows: []string{"a-1"}}}})
	results, problems := l.close("it never ended", false)
	assert.Empty(t, problems)
	assert.Equal(t, HarnessError, results[0].Verdict, "a planned scenario without a verdict")
	assert.Equal(t, "it never ended", results[0].Reason)

	l = newLedger(&plan{rows: []catalogue.Row{{ID: "a-1"}}, scenarios: []Scenario{{Location: "f:1", Rows: []string{"a-1"}}}})
	l.record(ScenarioResult{Location: "f:1", Verdict: Pass})
	l.record(ScenarioResult{Location: "f:1", Verdict: Pass})
	l.record(ScenarioResult{Location: "f:9", Verdict: Pass})
	_, problems = l.close("", false)
	assert.Len(t, problems, 2, "two verdicts of one scenario, and one of a scenario that was not planned")
}

func TestExitCode(t *testing.T) {
	row := func(v Verdict) RequirementResult { return RequirementResult{ID: "a-1", Verdict: v} }
	cases := []struct {
		name     string
		report   Report
		baseline map[string]string
		allow    bool
		want     int
	}{
		{"a pass", Report{Requirements: []RequirementResult{row(Pass)}}, nil, false, ExitPass},
		{"a failure", Report{Requirements: []RequirementResult{row(Fail)}}, nil, false, ExitViolation},
		{"a failure that is known", Report{Requirements: []RequirementResult{row(Fail)}}, map[string]string{"a-1": ""}, false, ExitPass},
		{"a pass that the baseline calls a failure", Report{Requirements: []RequirementResult{row(Pass)}}, map[string]string{"a-1": ""}, false, ExitViolation},
		{"a harness error that the baseline lists", Report{Requirements: []RequirementResult{row(HarnessError)}}, map[string]string{"a-1": ""}, false, ExitHarness},
		{"inconclusive", Report{Requirements: []RequirementResult{row(Pass), row(Inconclusive)}}, nil, false, ExitInconclusive},
		{"inconclusive, and allowed", Report{Requirements: []RequirementResult{row(Pass), row(Inconclusive)}}, nil, true, ExitPass},
		{"nothing judged, and that allowed", Report{Requirements: []RequirementResult{row(Inconclusive)}}, nil, true, ExitInconclusive},
		{"a remark", Report{Requirements: []RequirementResult{row(Pass), row(Remark)}}, nil, false, ExitPass},
		{"interrupted", Report{Interrupted: true, Requirements: []RequirementResult{row(Pass)}}, nil, false, ExitHarness},
		{"an error outside any scenario", Report{Errors: []string{"x"}, Requirements: []RequirementResult{row(Pass)}}, nil, false, ExitHarness},
		{"no rows", Report{}, nil, true, ExitInconclusive},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			c.report.Totals = map[Verdict]int{}
			c.report.settle(c.baseline, c.allow)
			assert.Equal(t, c.want, c.report.ExitCode)
		})
	}
}
