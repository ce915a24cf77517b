package lint

import (
	"slices"

	"plumbline.dev/plumbline/conformance"
	"plumbline.dev/plumbline/conformance/check"
)

// SchemaVersion is the version of the JSON report.
const SchemaVersion = 1

// Report is what was found in one file. Its JSON form is a public interface.
type Report struct {
	SchemaVersion int    `json:"schemaVersion"`
	File          string `json:"file"`
	Format        string `json:"format"`
	Form          string `json:"form"` // how the stream was written down: body, http, trace, transcript, live
	Profile       string `json:"profile"`
	Guessed       bool   `json:"profileGuessed,omitempty"`
	// Judged are the rows on which the capture lets judge.
	Judged   []string  `json:"judged"`
	Findings []Finding `json:"findings"`
	// Notes say what was set right, and what cannot be judged for it.
	Notes    []string `json:"notes,omitempty"`
	ExitCode int      `json:"exitCode"`
}

// Finding is one breach.
type Finding struct {
	Requirement string `json:"requirement"` // the first of its rows
	// Rows are all rows of the catalogue that it breaks.
	Rows []string `json:"rows"`
	// Line counts from 1, 0 where no line is meant: in the head, or at the end.
	Line int `json:"line"`
	// Offset is the place in the file, in bytes; in a transcript it is the place
	// in its body.
	Offset   int    `json:"offset"`
	Expected string `json:"expected"`
	Seen     string `json:"seen"`
}

// add adds a finding at its place in the file.
func (r *Report) add(c *Capture, rows []string, found check.Finding) {
	f := Finding{Requirement: rows[0], Rows: rows, Expected: found.Expected, Seen: found.Seen}
	if found.Line > 0 || found.Missing || found.Offset > 0 {
		f.Offset = c.places.of(found.Offset)
		if c.Transcript.Encoding != "" {
			f.Offset = 0 // the body was unpacked
		}
	}
	switch {
	case c.Form == formLive:
		f.Line = found.Line
	case found.Line > 0:
		f.Line = lineOf(c.file, f.Offset)
	}
	r.Findings = append(r.Findings, f)
}

// settle brings the findings in order and sets the exit code.
func (r *Report) settle(c *Capture, o Options) {
	slices.Sort(r.Judged)
	r.Judged = slices.Compact(r.Judged)
	slices.SortStableFunc(r.Findings, func(a, b Finding) int { return a.Offset - b.Offset })
	r.Notes = c.Notes
	if c.Transcript.Status == 0 && c.Form == formBody {
		r.Notes = append(r.Notes, "there is no head in it, so no rule about headers is judged (curl -i captures it)")
	}
	if o.Partial {
		r.Notes = append(r.Notes, "the capture is cut: what is missing at its end is not judged")
	}
	switch {
	case len(r.Findings) > 0:
		r.ExitCode = conformance.ExitViolation
	case len(r.Judged) == 0:
		r.ExitCode = conformance.ExitInconclusive
		r.Notes = append(r.Notes, "no row of this profile can be judged on it")
	}
}

func plural(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return itoa(n) + " " + many
}

// WithoutBodies returns a copy that shows nothing of what was said.
func (r *Report) WithoutBodies() *Report {
	clean := *r
	clean.Findings = slices.Clone(r.Findings)
	for i := range clean.Findings {
		clean.Findings[i].Seen = "[left out]"
	}
	return &clean
}
