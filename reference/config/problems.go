package config

import (
	"fmt"
	"slices"
	"strings"
)

// problem is one thing wrong with the settings.
type problem struct {
	place string // "file:line:column: ", where known
	path  string // of the setting, such as models[0].prices.input
	text  string
}

// problems collects what is wrong with the settings, in order.
type problems []problem

func (p *problems) add(path, format string, args ...any) {
	*p = append(*p, problem{path: path, text: fmt.Sprintf(format, args...)})
}

// err returns one error for all problems, each on a line of its own; nil when
// there is none.
func (p problems) err() error {
	if len(p) == 0 {
		return nil
	}
	var lines []string
	for _, problem := range p {
		line := problem.place
		if problem.path != "" {
			line += problem.path + ": "
		}
		lines = append(lines, line+problem.text)
	}
	lines = slices.Compact(lines)
	if len(lines) == 1 {
		return fmt.Errorf("the gateway's settings are wrong: %s", lines[0])
	}
	return fmt.Errorf("the gateway's settings are wrong in %d places:\n  %s", len(lines), strings.Join(lines, "\n  "))
}

// nearest returns a hint at the known name that is most like a wrong one.
func nearest(wrong string, known []string) string {
	best, distance := "", len(wrong)/2+1
	for _, name := range known {
		if d := editDistance(strings.ToLower(wrong), strings.ToLower(name)); d < distance {
			best, distance = name, d
		}
	}
	if best == "" {
		return "the known ones are " + strings.Join(known, ", ")
	}
	return fmt.Sprintf("did you mean %s?", best)
}

// editDistance is how many letters have to be added, dropped or changed.
func editDistance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := diagonal
			if a[i] != b[j] {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(change, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
