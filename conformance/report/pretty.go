package report

import (
	"bytes"
	"fmt"
	"io"
	"regexp"
	"strings"

	"plumbline.dev/plumbline/conformance"
)

const (
	labelWidth = 10
	maxLines   = 12 // of one fact; the JSON report has it all
)

// pretty writes for a person: what is wrong first, what it comes to last,
// because a terminal shows the end.
type pretty struct {
	out    bytes.Buffer
	screen Screen
	width  int
	rep    *conformance.Report
	// shown maps evidence to the row under which it was written: one cause
	// that fails fifty rows is written once.
	shown map[string]string
}

func encodePretty(w io.Writer, rep *conformance.Report, screen Screen) error {
	p := &pretty{screen: screen, width: screen.width(), rep: rep, shown: make(map[string]string)}
	p.heading()
	p.failures()
	p.harness()
	p.stale()
	p.known()
	p.remarks()
	p.notJudged()
	p.table()
	p.ending()
	_, err := w.Write(p.out.Bytes())
	return err
}

// line writes one line; the parts are already painted.
func (p *pretty) line(parts ...string) {
	p.out.WriteString(strings.TrimRight(strings.Join(parts, ""), " ") + "\n")
}

// paragraph writes wrapped text, each line behind the indent.
func (p *pretty) paragraph(indent int, as style, text string) {
	for _, line := range wrap(visible(text), p.width-indent) {
		p.line(strings.Repeat(" ", indent), p.screen.paint(as, line))
	}
}

func (p *pretty) heading() {
	target := p.rep.Target.URL
	if p.rep.Target.Reference {
		target = "the reference gateway"
	}
	p.line(p.screen.paint(bold, "plumbline "+oneLine(p.rep.Suite.Version)), "  ", oneLine(target))
	var about []string
	if len(p.rep.Profiles) > 0 {
		about = append(about, "profile "+strings.Join(p.rep.Profiles, ", "))
	}
	if p.rep.Target.Model != "" {
		about = append(about, "model "+p.rep.Target.Model)
	}
	if p.rep.Target.ModelServer != "" {
		about = append(about, p.rep.Target.ModelServer+" model server")
	}
	if len(about) > 0 {
		p.paragraph(0, dim, strings.Join(about, " · "))
	}
	if p.rep.Target.Shortened {
		p.paragraph(0, yellow, "with shortened intervals, so the result certifies nothing")
	}
}

// section starts a part of the report.
func (p *pretty) section(as style, title, about string) {
	p.line()
	p.line(p.screen.paint(as, title), "  ", p.screen.paint(dim, about))
}

func (p *pretty) failures() {
	for _, row := range p.rep.Requirements {
		switch {
		case verdictOf(row) == conformance.HarnessError:
			p.broken(pink, "ERROR", row)
		case row.Verdict == conformance.Fail && !row.Known:
			p.broken(red, "FAIL", row)
		}
	}
}

// broken writes a row that did not hold, with the evidence of each of its
// scenarios.
func (p *pretty) broken(as style, title string, row conformance.RequirementResult) {
	const indent = 7
	p.line()
	p.line(p.screen.paint(as, pad(title, indent)), p.screen.paint(bold, row.ID))
	p.paragraph(indent, plain, row.Statement)
	p.paragraph(indent, dim, fmt.Sprintf("%s › %s (%s)", row.Document, row.Section, row.Level))
	written := false
	for _, scenario := range row.Scenarios {
		if scenario.Verdict == conformance.Pass || scenario.Verdict == conformance.Inconclusive {
			continue
		}
		p.scenario(indent, row, scenario)
		written = true
	}
	if !written && row.Reason != "" {
		p.line()
		p.fact(indent, fact{"reason", row.Reason})
	}
}

// nonce names a script in a prompt; two requests that differ in it alone are the
// same to a reader.
var nonce = regexp.MustCompile(`\[plumbline:[a-z0-9]+\]`)

func (p *pretty) scenario(indent int, row conformance.RequirementResult, scenario conformance.ScenarioResult) {
	p.line()
	p.paragraph(indent, bold, scenario.Name)
	key := scenario.Reason
	if e := scenario.Evidence; e != nil {
		key = strings.Join([]string{e.Expected, e.Seen, scenario.Reason, nonce.ReplaceAllString(e.Curl, "")}, "\x00")
	}
	if first, twice := p.shown[key]; twice {
		p.paragraph(indent, dim, fmt.Sprintf("%s · the same as under %s", scenario.Location, first))
		return
	}
	p.shown[key] = row.ID
	p.paragraph(indent, dim, fmt.Sprintf("%s · %s", scenario.Location, duration(scenario.DurationMS)))
	for _, f := range facts(scenario) {
		p.fact(indent, f)
	}
	e := scenario.Evidence
	if e == nil {
		return
	}
	if lines := timeline(e.Timeline, p.width-indent); len(lines) > 0 {
		p.line()
		for i, line := range lines {
			as := plain
			if i == 0 {
				as = dim
			}
			p.line(strings.Repeat(" ", indent), p.screen.paint(as, line))
		}
	}
	if e.Curl != "" {
		p.line() // on one line however long, to be copied
		p.line(strings.Repeat(" ", indent), p.screen.paint(cyan, oneLine(e.Curl)))
	}
}

func (p *pretty) fact(indent int, f fact) {
	lines := wrap(visible(f.text), p.width-indent-labelWidth)
	if more := len(lines) - maxLines; more > 0 {
		lines = append(lines[:maxLines], fmt.Sprintf("… %d more lines in the json report", more))
	}
	label := f.label
	for _, line := range lines {
		p.line(strings.Repeat(" ", indent), p.screen.paint(dim, pad(label, labelWidth)), line)
		label = ""
	}
}

func duration(ms int64) string {
	if ms < 1000 {
		return fmt.Sprintf("%d ms", ms)
	}
	return fmt.Sprintf("%.1f s", float64(ms)/1000)
}
