package report

import (
	"fmt"
	"io"
	"strings"

	"plumbline.dev/plumbline/conformance"
	"plumbline.dev/plumbline/conformance/nearest"
)

// Format is one form in which a report can be written.
type Format struct {
	Name    string
	Summary string // one line for --help
	encode  func(io.Writer, *conformance.Report, Screen) error
}

// Formats returns all formats; the first is the default.
func Formats() []Format {
	return []Format{
		{"pretty", "text for a person, failures first", encodePretty},
		{"junit", "JUnit XML for the test views of CI systems", encodeJUnit},
		{"json", "the whole report for programs, schema version 1", encodeJSON},
	}
}

func find(name string) (Format, error) {
	var names []string
	for _, f := range Formats() {
		if f.Name == name {
			return f, nil
		}
		names = append(names, f.Name)
	}
	return Format{}, fmt.Errorf("unknown report format %q: %s", name, nearest.Hint(name, names))
}

// Spec is one report that a user asks for.
type Spec struct {
	Format string
	Path   string // "" is standard output
}

// ParseSpec reads FORMAT or FORMAT:PATH; the path "-" is standard output.
func ParseSpec(text string) (Spec, error) {
	name, path, hasPath := strings.Cut(text, ":")
	if _, err := find(name); err != nil {
		return Spec{}, err
	}
	if hasPath && path == "" {
		return Spec{}, fmt.Errorf("report %q names no file: write %s for standard output or %s:PATH", text, name, name)
	}
	if path == "-" {
		path = ""
	}
	return Spec{Format: name, Path: path}, nil
}

// ParseSpecs reads all reports that a user asks for; none is the default
// format on standard output. Two reports never share one place.
func ParseSpecs(texts []string) ([]Spec, error) {
	if len(texts) == 0 {
		return []Spec{{Format: Formats()[0].Name}}, nil
	}
	specs := make([]Spec, 0, len(texts))
	taken := make(map[string]string)
	for _, text := range texts {
		spec, err := ParseSpec(text)
		if err != nil {
			return nil, err
		}
		if other, twice := taken[spec.Path]; twice {
			return nil, fmt.Errorf("reports %q and %q go to the same place: give each its own FORMAT:PATH", other, text)
		}
		taken[spec.Path] = text
		specs = append(specs, spec)
	}
	return specs, nil
}
