package target

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"plumbline.dev/plumbline/conformance/nearest"
)

// Baseline lists the rows that are known to fail. A failure of such a row
// does not fail the run; its passing does, because the list is stale then.
type Baseline struct {
	reasons map[string]string
}

// Excuses reports whether a row is listed, and why: "" if no reason is given.
func (b Baseline) Excuses(row string) (reason string, listed bool) {
	reason, listed = b.reasons[row]
	return reason, listed
}

// Rows returns the listed rows, sorted.
func (b Baseline) Rows() []string {
	return slices.Sorted(maps.Keys(b.reasons))
}

// LoadBaseline reads a file of known failures; "" is an empty baseline. Each
// line holds one row, and may say why:
//
//	# what our gateway does not do yet
//	mortar-stream-25  # nginx adds Content-Encoding
//	- mortar-cancel-05
//	mortar-models-02: no list of models yet
//
// so that a YAML list and a YAML mapping of rows are read as well. The error
// joins every problem, among them rows that are not in knownRows.
func LoadBaseline(path string, knownRows []string) (Baseline, error) {
	if path == "" {
		return Baseline{}, nil
	}
	data, err := readBounded(path)
	if err != nil {
		return Baseline{}, fmt.Errorf("reading the baseline: %w", err)
	}
	return parseBaseline(path, string(data), knownRows)
}

func parseBaseline(name, text string, knownRows []string) (Baseline, error) {
	b := Baseline{reasons: make(map[string]string)}
	var problems []error
	number := 0
	for line := range strings.Lines(strings.TrimPrefix(text, "\ufeff")) {
		number++
		row, reason, err := baselineLine(line)
		_, twice := b.reasons[row]
		switch {
		case err != nil:
		case row == "":
			continue
		case !slices.Contains(knownRows, row):
			err = fmt.Errorf("unknown row %q: %s", row, nearest.Hint(row, knownRows))
		case twice:
			err = fmt.Errorf("%s is listed twice", row)
		}
		if err != nil {
			problems = append(problems, fmt.Errorf("%s:%d: %w", name, number, err))
			continue
		}
		b.reasons[row] = reason
	}
	if err := errors.Join(problems...); err != nil {
		return Baseline{}, err
	}
	return b, nil
}

// baselineLine splits a line into the row and the reason.
func baselineLine(line string) (row, reason string, err error) {
	rest, comment, _ := strings.Cut(line, "#")
	rest = strings.TrimSpace(rest)
	if rest == "---" {
		return "", "", nil
	}
	rest = strings.TrimSpace(strings.TrimPrefix(rest, "- "))
	row, reason, _ = strings.Cut(rest, ":")
	row = strings.Trim(strings.TrimSpace(row), `"'@`)
	reason = strings.Trim(strings.TrimSpace(reason), `"'`)
	if reason == "" {
		reason = strings.TrimSpace(comment)
	}
	if strings.ContainsAny(row, " \t,{}[]") || row == "" && rest != "" {
		return "", "", fmt.Errorf("expected one row a line, as in: mortar-stream-25  # why")
	}
	return row, reason, nil
}
