package report

import (
	"fmt"
	"slices"
	"strings"

	"plumbline.dev/plumbline/conformance"
)

func (p *pretty) harness() {
	if len(p.rep.Errors) == 0 && !p.rep.Interrupted {
		return
	}
	p.section(pink, "HARNESS", "what went wrong on our side; it says nothing about the target")
	if p.rep.Interrupted {
		p.paragraph(4, plain, "The run was interrupted before every scenario had ended.")
	}
	for _, text := range p.rep.Errors {
		p.paragraph(4, plain, text)
	}
}

func (p *pretty) stale() {
	rows := p.rowsWhere(func(row conformance.RequirementResult) bool { return row.Stale })
	if len(rows) == 0 {
		return
	}
	p.section(red, "STALE", "known failures that pass now: remove them from the baseline")
	for _, row := range rows {
		p.item(row.ID, row.Statement)
	}
}

func (p *pretty) known() {
	rows := p.rowsWhere(func(row conformance.RequirementResult) bool {
		return row.Known && row.Verdict == conformance.Fail
	})
	if len(rows) == 0 {
		return
	}
	p.section(yellow, "KNOWN", "failures that the baseline excuses")
	for _, row := range rows {
		p.item(row.ID, row.Statement)
		p.item("", row.Reason)
	}
}

func (p *pretty) remarks() {
	rows := p.rowsWhere(func(row conformance.RequirementResult) bool { return row.Verdict == conformance.Remark })
	if len(rows) == 0 {
		return
	}
	p.section(yellow, "REMARK", "the documents are silent and this target differs from our reading; no failure")
	for _, row := range rows {
		p.item(row.ID, row.Statement)
		p.item("", row.Reason)
	}
}

// notJudged groups the inconclusive rows by reason: one missing key explains
// many of them.
func (p *pretty) notJudged() {
	rows := p.rowsWhere(func(row conformance.RequirementResult) bool { return row.Verdict == conformance.Inconclusive })
	if len(rows) == 0 {
		return
	}
	p.section(cyan, "NOT JUDGED", "rows that are inconclusive, and why")
	var reasons []string
	byReason := make(map[string][]conformance.RequirementResult)
	for _, row := range rows {
		reason := row.Reason
		if reason == "" {
			reason = "no reason was given"
		}
		if !slices.Contains(reasons, reason) {
			reasons = append(reasons, reason)
		}
		byReason[reason] = append(byReason[reason], row)
	}
	for _, reason := range reasons {
		p.paragraph(2, bold, reason)
		for _, row := range byReason[reason] {
			p.item(row.ID, row.Statement)
		}
	}
}

// item writes a text behind a name, as a list of such items has it.
func (p *pretty) item(name, text string) {
	if text == "" {
		return
	}
	indent := p.nameWidth() + 6
	for i, line := range wrap(visible(text), p.width-indent) {
		label := ""
		if i == 0 {
			label = name
		}
		p.line("    ", pad(label, indent-4), line)
	}
}

// nameWidth is the width of the longest name of a row.
func (p *pretty) nameWidth() int {
	width := 0
	for _, row := range p.rep.Requirements {
		width = max(width, columns(row.ID))
	}
	return min(width, p.width/2)
}

func (p *pretty) rowsWhere(is func(conformance.RequirementResult) bool) []conformance.RequirementResult {
	var rows []conformance.RequirementResult
	for _, row := range p.rep.Requirements {
		if is(row) {
			rows = append(rows, row)
		}
	}
	return rows
}

func (p *pretty) ending() {
	scenarios := make(map[string]bool)
	for _, row := range p.rep.Requirements {
		for _, s := range row.Scenarios {
			scenarios[s.Location+"\x00"+s.Name] = true
		}
	}
	var parts []string
	sums := sum(p.rep.Requirements)
	for _, c := range tableColumns() {
		if n := sums[c.name]; n > 0 {
			parts = append(parts, p.screen.paint(c.as, fmt.Sprintf("%d %s", n, c.name)))
		}
	}
	if len(parts) == 0 {
		parts = []string{"nothing was judged"}
	}
	p.line()
	p.line(fmt.Sprintf("%s, %s, %s: ", count(len(p.rep.Requirements), "row", "rows"),
		count(len(scenarios), "scenario", "scenarios"), duration(p.rep.DurationMS)), strings.Join(parts, ", "))
	as := red
	switch p.rep.ExitCode {
	case 0:
		as = green
	case 3:
		as = pink
	case 4:
		as = cyan
	}
	p.line(p.screen.paint(as, fmt.Sprintf("exit %d", p.rep.ExitCode)), ": ", ExitMeaning(p.rep))
}
