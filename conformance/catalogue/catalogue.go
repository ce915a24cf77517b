// Package catalogue reads the catalogue of requirements: one row for each
// behaviour that a document states or implies. A row's id is the Gherkin tag of
// the scenarios that judge it, its level says whether a breach is a failure,
// and its needs say what a target must offer before the row can be judged.
package catalogue

import (
	"bytes"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
)

// Level says on what a row rests.
type Level string

// Levels of a row.
const (
	Documented Level = "documented" // the document says so
	Implied    Level = "implied"    // a client written as documented would break
	Baseline   Level = "baseline"   // the public format that the document names says so
	Assumed    Level = "assumed"    // our reading of a silence
)

// Needs that a row can have, besides "time:N".
var needs = []string{"scripted", "stop", "models", "key", "key2", "org2", "telemetry", "fleet", "credits", "poor-key", "limited-key"}

// Row is one requirement.
type Row struct {
	ID        string        `yaml:"id"`
	Section   string        `yaml:"section"` // of the document
	Level     Level         `yaml:"level"`
	Needs     []string      `yaml:"needs"`
	Statement string        `yaml:"statement"`
	Tolerance time.Duration `yaml:"tolerance"` // of a measured time; 0 where none is measured
	Group     string        `yaml:"-"`         // mortar-stream
	Document  string        `yaml:"-"`         // the document's title
}

// Wait is how long the row's check watches: the N of its need "time:N".
func (r Row) Wait() time.Duration {
	for _, need := range r.Needs {
		if d, ok := waitOf(need); ok {
			return d
		}
	}
	return 0
}

func waitOf(need string) (time.Duration, bool) {
	seconds, ok := strings.CutPrefix(need, "time:")
	if !ok {
		return 0, false
	}
	d, err := time.ParseDuration(seconds + "s")
	return d, err == nil && d > 0
}

// Catalogue is all rows, in the order of the file, and the profiles.
type Catalogue struct {
	Rows     []Row
	profiles map[string][]string // profile to groups
	byID     map[string]int
}

type file struct {
	Profiles map[string][]string `yaml:"profiles"`
	Groups   []struct {
		ID       string `yaml:"id"`
		Document string `yaml:"document"`
		Rows     []Row  `yaml:"rows"`
	} `yaml:"groups"`
}

// Load reads requirements.yaml from fsys. Its errors name the row.
func Load(fsys fs.FS) (*Catalogue, error) {
	text, err := fs.ReadFile(fsys, "requirements.yaml")
	if err != nil {
		return nil, fmt.Errorf("read the catalogue: %w", err)
	}
	var f file
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	decoder.KnownFields(true)
	if err := decoder.Decode(&f); err != nil {
		return nil, fmt.Errorf("read the catalogue: %w", err)
	}
	c := &Catalogue{profiles: f.Profiles, byID: map[string]int{}}
	groups := map[string]bool{}
	for _, g := range f.Groups {
		groups[g.ID] = true
		for _, row := range g.Rows {
			row.Group, row.Document = g.ID, g.Document
			if err := c.add(row); err != nil {
				return nil, fmt.Errorf("read the catalogue: row %s: %w", row.ID, err)
			}
		}
	}
	for profile, ids := range f.Profiles {
		for _, id := range ids {
			if !groups[id] {
				return nil, fmt.Errorf("read the catalogue: profile %s names the group %s, which does not exist", profile, id)
			}
		}
	}
	return c, nil
}

func (c *Catalogue) add(row Row) error {
	if !strings.HasPrefix(row.ID, row.Group+"-") {
		return fmt.Errorf("its id does not begin with its group %s", row.Group)
	}
	if _, twice := c.byID[row.ID]; twice {
		return fmt.Errorf("the id is used twice")
	}
	if !slices.Contains([]Level{Documented, Implied, Baseline, Assumed}, row.Level) {
		return fmt.Errorf("its level %q is none of documented, implied, baseline, assumed", row.Level)
	}
	for _, need := range row.Needs {
		if _, isWait := waitOf(need); !isWait && !slices.Contains(needs, need) {
			return fmt.Errorf("its need %q is none of %s, time:N", need, strings.Join(needs, ", "))
		}
	}
	if row.Statement == "" || row.Section == "" {
		return fmt.Errorf("it has no statement or no section")
	}
	c.byID[row.ID] = len(c.Rows)
	c.Rows = append(c.Rows, row)
	return nil
}

// Row returns the row with this id.
func (c *Catalogue) Row(id string) (Row, bool) {
	i, ok := c.byID[id]
	if !ok {
		return Row{}, false
	}
	return c.Rows[i], true
}

// Profiles returns the names of all profiles, sorted.
func (c *Catalogue) Profiles() []string {
	var names []string
	for name := range c.profiles {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// InProfile returns the rows of a profile in the order of the file, or false if
// there is no such profile.
func (c *Catalogue) InProfile(profile string) ([]Row, bool) {
	groups, ok := c.profiles[profile]
	if !ok {
		return nil, false
	}
	var rows []Row
	for _, row := range c.Rows {
		if slices.Contains(groups, row.Group) {
			rows = append(rows, row)
		}
	}
	return rows, true
}

// Needs returns every word that can be a need.
func Needs() []string { return slices.Clone(needs) }
