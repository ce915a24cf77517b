package conformance

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"plumbline.dev/plumbline/conformance/catalogue"
)

// ledger holds the outcome of every planned scenario. godog counts a skipped
// scenario as passed; the ledger counts only what it was told, once, and every
// planned scenario that it was told nothing of is a failure of the harness.
type ledger struct {
	mu       sync.Mutex
	plan     *plan
	outcomes map[string]ScenarioResult // by location
	errors   []string
}

func newLedger(p *plan) *ledger {
	return &ledger{plan: p, outcomes: map[string]ScenarioResult{}}
}

// record notes the outcome of one scenario.
func (l *ledger) record(result ScenarioResult) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, twice := l.outcomes[result.Location]; twice {
		l.errors = append(l.errors, fmt.Sprintf("%s ended in two verdicts", result.Location))
		return
	}
	if !slices.ContainsFunc(l.plan.scenarios, func(s Scenario) bool { return s.Location == result.Location }) {
		l.errors = append(l.errors, fmt.Sprintf("%s has a verdict but was not planned", result.Location))
		return
	}
	l.outcomes[result.Location] = result
}

// note adds a failure of the harness outside any one scenario.
func (l *ledger) note(problem string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.errors = append(l.errors, problem)
}

// close gives every planned scenario without an outcome a harness error, for
// the reason given, and returns the rows' results in the catalogue's order and
// what else went wrong.
func (l *ledger) close(missing string, reference bool) ([]RequirementResult, []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, s := range l.plan.scenarios {
		if _, ok := l.outcomes[s.Location]; !ok {
			l.outcomes[s.Location] = ScenarioResult{Name: s.Name, Location: s.Location, Verdict: HarnessError, Reason: missing}
		}
	}
	var results []RequirementResult
	for _, row := range l.plan.rows {
		results = append(results, l.judge(row, reference))
	}
	return results, slices.Clone(l.errors)
}

// judge forms the verdict of one row from its scenarios: the worst of them,
// except that a scenario which needs more than its row does, and could not be
// judged for that reason, does not hold back a row that another scenario judged.
func (l *ledger) judge(row catalogue.Row, reference bool) RequirementResult {
	result := RequirementResult{ID: row.ID, Level: string(row.Level), Document: row.Document, Section: row.Section,
		Statement: row.Statement, Verdict: Pass}
	judged := 0
	var unjudged []ScenarioResult
	for _, s := range l.plan.scenarios {
		if !slices.Contains(s.Rows, row.ID) {
			continue
		}
		outcome := l.outcomes[s.Location]
		result.Scenarios = append(result.Scenarios, outcome)
		switch outcome.Verdict {
		case Pass:
			judged++
		case Inconclusive:
			if !extraNeed(s, row) {
				unjudged = append(unjudged, outcome)
			}
		default:
			judged++
			if worse(outcome.Verdict, result.Verdict) {
				result.Verdict, result.Reason = outcome.Verdict, outcome.Reason
			}
		}
	}
	switch {
	case result.Verdict != Pass:
	case len(unjudged) > 0:
		result.Verdict, result.Reason = Inconclusive, unjudged[0].Reason
	case judged == 0 && len(result.Scenarios) > 0:
		result.Verdict, result.Reason = Inconclusive, result.Scenarios[0].Reason
	case judged == 0:
		result.Verdict, result.Reason = HarnessError, "no scenario judges this row"
	}
	if result.Verdict == Fail && row.Level == catalogue.Assumed && !reference {
		result.Verdict = Remark
	}
	result.Termination = termination(result.Scenarios)
	return result
}

// extraNeed tells whether a scenario needs something that its row does not. A
// format is nothing extra: a row that speaks of every format is not judged by one.
func extraNeed(s Scenario, row catalogue.Row) bool {
	return slices.ContainsFunc(s.Needs, func(need string) bool { return !catalogue.IsFormat(need) && !slices.Contains(row.Needs, need) })
}

func worse(a, b Verdict) bool {
	order := []Verdict{Pass, Remark, Inconclusive, Fail, HarnessError}
	return slices.Index(order, a) > slices.Index(order, b)
}

// termination is the second axis of a row: how its scenarios' streams ended.
func termination(scenarios []ScenarioResult) string {
	var ends []string
	for _, s := range scenarios {
		if s.Termination != "" {
			ends = appendNew(ends, s.Termination)
		}
	}
	slices.Sort(ends)
	return strings.Join(ends, ", ")
}
