package mutant

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"plumbline.dev/plumbline/conformance"
)

// SchemaVersion is the version of the JSON report.
const SchemaVersion = 1

// Outcome is what became of a mutant.
type Outcome string

// Outcomes of a mutant.
const (
	Killed      Outcome = "killed"       // every row that it breaks failed, and no other
	Survived    Outcome = "survived"     // a row that it breaks did not fail
	WrongReason Outcome = "wrong-reason" // a row failed that it does not touch
)

// Report is the matrix of mutants. Its JSON form is a public interface.
type Report struct {
	SchemaVersion int             `json:"schemaVersion"`
	DurationMS    int64           `json:"durationMs"`
	Totals        map[Outcome]int `json:"totals"`
	// Uncovered are rows that fewer than two mutants break.
	Uncovered []string `json:"uncovered,omitempty"`
	Mutants   []Result `json:"mutants"`
}

// Result is what became of one mutant.
type Result struct {
	Name    string   `json:"name"`
	Area    string   `json:"area"`
	Profile string   `json:"profile"`
	Breaks  []string `json:"breaks"`
	Report  string   `json:"report,omitempty"` // the public report that it is modelled on
	Outcome Outcome  `json:"outcome"`
	Failed  []string `json:"failed"` // the rows that failed
	// Judged is how often it was judged: more than once where the machine was too
	// busy, or it was not killed at first. The last time counts.
	Judged int `json:"judged"`
	// Problems say, row by row, why it was not killed.
	Problems []string `json:"problems,omitempty"`

	summary  string
	unjudged bool // a row that it breaks could not be judged
}

// Proven tells whether every mutant was killed and every row has mutants.
func (r *Report) Proven() bool {
	return r.Totals[Killed] == len(r.Mutants) && len(r.Uncovered) == 0
}

// settle compares what failed with what had to.
func settle(m Mutant, report *conformance.Report) (Result, error) {
	result := Result{Name: m.Name, Area: m.Area, Profile: m.Profile, Breaks: m.Breaks, Report: m.Report, Outcome: Killed, Failed: []string{}, Judged: 1, summary: m.Summary}
	verdicts := map[string]conformance.RequirementResult{}
	for _, row := range report.Requirements {
		verdicts[row.ID] = row
		switch row.Verdict {
		case conformance.Fail:
			result.Failed = append(result.Failed, row.ID)
			if !slices.Contains(m.Breaks, row.ID) && !matches(m.May, row.ID) {
				result.Outcome = WrongReason
				result.Problems = append(result.Problems, fmt.Sprintf("%s failed: %s", row.ID, row.Reason))
			}
		case conformance.HarnessError:
			return result, fmt.Errorf("the harness failed at %s: %s", row.ID, row.Reason)
		}
	}
	for _, id := range m.Breaks {
		if row := verdicts[id]; row.Verdict != conformance.Fail {
			result.Outcome = Survived
			result.unjudged = result.unjudged || row.Verdict == conformance.Inconclusive
			result.Problems = append(result.Problems, strings.TrimSuffix(fmt.Sprintf("%s did not fail: %s: %s", id, row.Verdict, row.Reason), ": "))
		}
	}
	return result, nil
}

// WriteJSON writes the report for programs.
func (r *Report) WriteJSON(w io.Writer) error {
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "  ")
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(r); err != nil {
		return fmt.Errorf("write the report of the mutants: %w", err)
	}
	return nil
}

// WritePretty writes the report for a person: the score of each area, then
// everything that was not killed.
func (r *Report) WritePretty(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%-14s %8s %9s %13s\n", "area", "killed", "survived", "wrong reason")
	for _, area := range areasOf(r.Mutants) {
		r.line(&b, area, func(m Result) bool { return m.Area == area })
	}
	r.line(&b, "all", func(Result) bool { return true })
	for _, m := range r.Mutants {
		if m.Outcome == Killed {
			continue
		}
		fmt.Fprintf(&b, "\n%s  %s: %s\n", strings.ToUpper(string(m.Outcome)), m.Name, m.summary)
		for _, problem := range m.Problems {
			fmt.Fprintf(&b, "  %s\n", problem)
		}
	}
	if len(r.Uncovered) > 0 {
		fmt.Fprintf(&b, "\nrows with fewer than two mutants: %s\n", strings.Join(r.Uncovered, ", "))
	}
	var twice []string
	for _, m := range r.Mutants {
		if m.Judged > 1 && m.Outcome == Killed {
			twice = append(twice, m.Name)
		}
	}
	if len(twice) > 0 {
		fmt.Fprintf(&b, "\nkilled only when judged again, alone: %s\n", strings.Join(twice, ", "))
	}
	fmt.Fprintf(&b, "\n%d mutants, %d killed, %.1f s\n", len(r.Mutants), r.Totals[Killed], float64(r.DurationMS)/1000)
	if _, err := io.WriteString(w, b.String()); err != nil {
		return fmt.Errorf("write the report of the mutants: %w", err)
	}
	return nil
}

// line writes the score of some mutants.
func (r *Report) line(b *strings.Builder, name string, in func(Result) bool) {
	counts, all := map[Outcome]int{}, 0
	for _, m := range r.Mutants {
		if in(m) {
			counts[m.Outcome]++
			all++
		}
	}
	fmt.Fprintf(b, "%-14s %8s %9d %13d\n", name, fmt.Sprintf("%d/%d", counts[Killed], all), counts[Survived], counts[WrongReason])
}

// areasOf returns the areas of some results, in their order.
func areasOf(results []Result) []string {
	var names []string
	for _, m := range results {
		if !slices.Contains(names, m.Area) {
			names = append(names, m.Area)
		}
	}
	return names
}

// WriteList writes the names of mutants, with what they do and break.
func WriteList(w io.Writer, mutants []Mutant) error {
	var b strings.Builder
	area := ""
	for _, m := range mutants {
		if m.Area != area {
			area = m.Area
			fmt.Fprintf(&b, "\n%s\n", area)
		}
		fmt.Fprintf(&b, "  %-34s %s\n  %-34s breaks %s\n", m.Name, m.Summary, "", strings.Join(m.Breaks, ", "))
		if m.Report != "" {
			fmt.Fprintf(&b, "  %-34s after %s\n", "", m.Report)
		}
	}
	fmt.Fprintf(&b, "\n%d mutants\n", len(mutants))
	if _, err := io.WriteString(w, strings.TrimPrefix(b.String(), "\n")); err != nil {
		return fmt.Errorf("write the list of the mutants: %w", err)
	}
	return nil
}
