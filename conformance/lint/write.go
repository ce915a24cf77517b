package lint

import (
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// A Writer writes a report.
type Writer func(io.Writer, *Report) error

// Writers returns the forms of a report by name.
func Writers() map[string]Writer {
	return map[string]Writer{"pretty": writePretty, "json": writeJSON, "github": writeGitHub}
}

func itoa(n int) string { return strconv.Itoa(n) }

func writePretty(w io.Writer, r *Report) error {
	var b strings.Builder
	guessed := ""
	if r.Guessed {
		guessed = ", guessed"
	}
	fmt.Fprintf(&b, "%s: %s, profile %s%s: ", r.File, r.Format, r.Profile, guessed)
	if len(r.Findings) == 0 {
		fmt.Fprintf(&b, "nothing found, %s judged\n", plural(len(r.Judged), "1 row", "rows"))
	} else {
		fmt.Fprintf(&b, "%s\n", plural(len(r.Findings), "1 finding", "findings"))
	}
	for _, alike := range group(r.Findings) {
		f := alike[0]
		fmt.Fprintf(&b, "\n  %s  %s\n    expected %s\n    seen     %s\n", r.place(f), strings.Join(f.Rows, ", "), f.Expected, f.Seen)
		if more := alike[1:]; len(more) > 0 {
			fmt.Fprintf(&b, "    and %s like it, the next at %s\n", itoa(len(more))+" more", r.place(more[0]))
		}
	}
	if len(r.Findings) > 0 && len(r.Notes) > 0 {
		b.WriteByte('\n')
	}
	for _, note := range r.Notes {
		fmt.Fprintf(&b, "  note: %s\n", note)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// group puts findings together that say the same, in the order of the first ones.
func group(findings []Finding) [][]Finding {
	type said struct{ row, expected, seen string }
	at := map[said]int{}
	var groups [][]Finding
	for _, f := range findings {
		key := said{f.Requirement, f.Expected, f.Seen}
		i, known := at[key]
		if !known {
			i = len(groups)
			at[key] = i
			groups = append(groups, nil)
		}
		groups[i] = append(groups[i], f)
	}
	return groups
}

// place says where a finding is.
func (r *Report) place(f Finding) string {
	where := r.File
	if r.Form == formTranscript || r.Form == formLive {
		where = "the body"
	}
	switch {
	case f.Line > 0:
		return fmt.Sprintf("%s:%d (byte %d)", where, f.Line, f.Offset)
	case f.Offset > 0:
		return fmt.Sprintf("%s (byte %d)", where, f.Offset)
	default:
		return "the head"
	}
}

// writeJSON writes one line, so that the reports of several files are JSON Lines.
func writeJSON(w io.Writer, r *Report) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	return e.Encode(r)
}

// writeGitHub writes workflow commands, which GitHub Actions shows at the lines
// of the file.
func writeGitHub(w io.Writer, r *Report) error {
	data := strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	property := strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
	var b strings.Builder
	for _, f := range r.Findings {
		fmt.Fprintf(&b, "::error file=%s", property.Replace(r.File))
		if f.Line > 0 && r.Form != formTranscript {
			fmt.Fprintf(&b, ",line=%d", f.Line)
		}
		fmt.Fprintf(&b, ",title=%s::%s\n", property.Replace(f.Requirement), data.Replace(fmt.Sprintf("expected %s; seen %s", f.Expected, f.Seen)))
	}
	for _, note := range r.Notes {
		fmt.Fprintf(&b, "::notice file=%s::%s\n", property.Replace(r.File), data.Replace(note))
	}
	_, err := io.WriteString(w, b.String())
	return err
}
