package report

import (
	"fmt"
	"strings"

	"plumbline.dev/plumbline/conformance"
)

// column is one count of the table.
type column struct {
	name string
	as   style
	is   func(conformance.RequirementResult) bool
}

// tableColumns part all rows: each row is in exactly one of them.
func tableColumns() []column {
	verdict := func(v conformance.Verdict) func(conformance.RequirementResult) bool {
		return func(row conformance.RequirementResult) bool { return verdictOf(row) == v }
	}
	fails := verdict(conformance.Fail)
	return []column{
		{"pass", green, func(row conformance.RequirementResult) bool {
			return row.Verdict == conformance.Pass && !row.Stale
		}},
		{"fail", red, func(row conformance.RequirementResult) bool { return fails(row) && !row.Known }},
		{"stale", red, func(row conformance.RequirementResult) bool {
			return row.Verdict == conformance.Pass && row.Stale
		}},
		{"known", yellow, func(row conformance.RequirementResult) bool { return fails(row) && row.Known }},
		{"remark", yellow, verdict(conformance.Remark)},
		{"not judged", cyan, verdict(conformance.Inconclusive)},
		{"error", pink, verdict(conformance.HarnessError)},
	}
}

// sum counts rows by the name of their column.
func sum(rows []conformance.RequirementResult) map[string]int {
	sums := make(map[string]int)
	for _, c := range tableColumns() {
		for _, row := range rows {
			if c.is(row) {
				sums[c.name]++
			}
		}
	}
	return sums
}

// table shows one line a group of rows, and only the columns that have a count.
func (p *pretty) table() {
	if len(p.rep.Requirements) == 0 {
		return
	}
	all := sum(p.rep.Requirements)
	var shown []column
	for _, c := range tableColumns() {
		if c.name == "pass" || all[c.name] > 0 {
			shown = append(shown, c)
		}
	}
	first := len("rows")
	for _, g := range groups(p.rep) {
		first = max(first, columns(g.name))
	}
	p.line()
	head := p.screen.paint(dim, pad("rows", first))
	for _, c := range shown {
		head += "  " + p.screen.paint(dim, fmt.Sprintf("%*s", cellWidth(c), c.name))
	}
	p.line(head)
	for _, g := range groups(p.rep) {
		p.tableLine(pad(oneLine(g.name), first), g.rows, shown)
	}
	if len(groups(p.rep)) > 1 {
		p.tableLine(pad("all", first), p.rep.Requirements, shown)
	}
}

func (p *pretty) tableLine(name string, rows []conformance.RequirementResult, shown []column) {
	sums := sum(rows)
	line := name
	for _, c := range shown {
		text, as := "·", dim
		if n := sums[c.name]; n > 0 {
			text, as = fmt.Sprint(n), c.as
		}
		if c.name == "pass" {
			text = fmt.Sprintf("%d/%d", sums[c.name], len(rows))
			if sums[c.name] < len(rows) {
				as = plain
			}
		}
		line += "  " + strings.Repeat(" ", max(0, cellWidth(c)-columns(text))) + p.screen.paint(as, text)
	}
	p.line(line)
}

func cellWidth(c column) int { return max(7, len(c.name)) }
