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

// Needs that a row can have, besides "time:N" and the formats.
var needs = []string{"scripted", "stop", "models", "key", "key2", "org2", "telemetry", "fleet", "credits", "poor-key", "limited-key", "alias"}

// formats are the needs for an API format, each with the words by which the
// features call a reply of it.
var formats = map[string]string{
	"chat": "a chat completion", "text": "a text completion", "responses": "a response", "messages": "a message",
}

// several are the words by which the features ask for replies in several formats.
var several = map[string][]string{
	"in all four formats":                {"chat", "messages", "responses", "text"},
	"in each format with tools":          {"chat", "messages", "responses"},
	"in each format with stop sequences": {"chat", "messages", "text"},
}

// FormatNeeds returns the API formats in which a sentence of the features asks
// for a reply.
func FormatNeeds(sentence string) []string {
	if !strings.HasPrefix(sentence, "the client ") {
		return nil
	}
	for words, needs := range several {
		if strings.Contains(sentence, words) {
			return needs
		}
	}
	for need, words := range formats {
		if i := strings.Index(sentence+" ", " "+words); i >= 0 && strings.ContainsAny((sentence + " ")[i+len(words)+1:][:1], " ,") {
			return []string{need}
		}
	}
	return nil
}

// IsFormat tells whether a need is for an API format.
func IsFormat(need string) bool { return formats[need] != "" }

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
	profiles map[string]profile
	byID     map[string]int
}

// profile is a choice of rows.
type profile struct {
	groups []string
	// without are rows of these groups that another document of the profile
	// overrules.
	without []string
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
	c := &Catalogue{profiles: map[string]profile{}, byID: map[string]int{}}
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
	for name, ids := range f.Profiles {
		var p profile
		for _, id := range ids {
			row, minus := strings.CutPrefix(id, "-")
			_, isRow := c.byID[row]
			switch {
			case minus && isRow:
				p.without = append(p.without, row)
			case minus:
				return nil, fmt.Errorf("read the catalogue: profile %s leaves out the row %s, which does not exist", name, row)
			case groups[id]:
				p.groups = append(p.groups, id)
			default:
				return nil, fmt.Errorf("read the catalogue: profile %s names the group %s, which does not exist", name, id)
			}
		}
		c.profiles[name] = p
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
	p, ok := c.profiles[profile]
	if !ok {
		return nil, false
	}
	var rows []Row
	for _, row := range c.Rows {
		if slices.Contains(p.groups, row.Group) && !slices.Contains(p.without, row.ID) {
			rows = append(rows, row)
		}
	}
	return rows, true
}

// Overrules tells whether a profile leaves out a row because another of its
// documents says otherwise.
func (c *Catalogue) Overrules(profile, row string) bool {
	return slices.Contains(c.profiles[profile].without, row)
}

// Needs returns every word that can be a need.
func Needs() []string { return slices.Clone(needs) }
