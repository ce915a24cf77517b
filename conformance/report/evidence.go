package report

import (
	"fmt"
	"strings"

	"plumbline.dev/plumbline/conformance"
)

// fact is one labelled piece of what a person needs to see.
type fact struct{ label, text string }

// facts lists what is known about a scenario that did not pass, without the
// timeline and the curl line.
func facts(scenario conformance.ScenarioResult) []fact {
	var list []fact
	add := func(label, text string) {
		if text != "" {
			list = append(list, fact{label, text})
		}
	}
	e := scenario.Evidence
	if e == nil {
		add("reason", scenario.Reason)
		return list
	}
	add("step", e.Step)
	add("expected", e.Expected)
	add("seen", e.Seen)
	if e.Expected == "" && e.Seen == "" {
		add("reason", scenario.Reason)
	}
	add("ended", scenario.Termination)
	add("response", e.Response)
	return list
}

// evidenceText is all evidence of one scenario as plain text.
func evidenceText(row conformance.RequirementResult, scenario conformance.ScenarioResult) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s (%s): %s\n%s, %s\n", row.ID, row.Level, row.Statement, row.Document, row.Section)
	for _, f := range facts(scenario) {
		fmt.Fprintf(&b, "%s: %s\n", f.label, f.text)
	}
	if e := scenario.Evidence; e != nil {
		for _, line := range timeline(e.Timeline, defaultWidth) {
			b.WriteString(line + "\n")
		}
		if e.Curl != "" {
			b.WriteString("repeat: " + e.Curl + "\n")
		}
	}
	return b.String()
}
