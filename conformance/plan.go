package conformance

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	gherkin "github.com/cucumber/gherkin/go/v42"

	"plumbline.dev/plumbline/conformance/catalogue"
	"plumbline.dev/plumbline/conformance/nearest"
	"plumbline.dev/plumbline/conformance/tagexpr"
)

// tagSoak marks a scenario that runs only when it is asked for by name, since
// it takes minutes.
const tagSoak = "soak"

// Scenario is one scenario of the features, an outline's row each for itself.
type Scenario struct {
	Name     string
	Feature  string
	Location string // file:line in features/
	Tags     []string
	Rows     []string // the requirement rows that it judges
	// Needs is what the target must offer, from its rows and its own tags.
	Needs []string
	// Wait is the longest time for which it watches; 0 for one that does not wait.
	Wait time.Duration

	steps []string
}

func (s Scenario) tagSet() map[string]bool {
	set := map[string]bool{}
	for _, t := range s.Tags {
		set[t] = true
	}
	return set
}

// suite is the features and the catalogue, read and cross-checked.
type suite struct {
	catalogue *catalogue.Catalogue
	scenarios []Scenario
	digest    string // sha256 over every file, in order of the paths
}

// loadSuite reads every .feature file of fsys. A tag that is neither a row nor a
// known word is an error, as is a scenario that judges no row.
func loadSuite(fsys fs.FS) (*suite, error) {
	rows, err := catalogue.Load(fsys)
	if err != nil {
		return nil, err
	}
	s := &suite{catalogue: rows}
	hash := sha256.New()
	err = fs.WalkDir(fsys, ".", func(file string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := fs.ReadFile(fsys, file)
		if err != nil {
			return err
		}
		fmt.Fprintf(hash, "%s %d\n", file, len(text))
		hash.Write(text)
		if path.Ext(file) != ".feature" {
			return nil
		}
		return s.addFeature(file, string(text))
	})
	if err != nil {
		return nil, fmt.Errorf("read the features: %w", err)
	}
	s.digest = "sha256:" + hex.EncodeToString(hash.Sum(nil))
	return s, nil
}

func (s *suite) addFeature(file, text string) error {
	id := 0
	newID := func() string { id++; return strconv.Itoa(id) }
	document, err := gherkin.ParseGherkinDocument(strings.NewReader(text), newID)
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	for _, pickle := range gherkin.Pickles(*document, file, newID) {
		location := file
		if pickle.Location != nil {
			location = fmt.Sprintf("%s:%d", file, pickle.Location.Line)
		}
		scenario := Scenario{Name: pickle.Name, Feature: document.Feature.Name, Location: location}
		for _, step := range pickle.Steps {
			scenario.steps = append(scenario.steps, step.Text)
		}
		for _, tag := range pickle.Tags {
			scenario.Tags = append(scenario.Tags, strings.TrimPrefix(tag.Name, "@"))
		}
		if err := s.resolve(&scenario); err != nil {
			return fmt.Errorf("%s: %w", location, err)
		}
		s.scenarios = append(s.scenarios, scenario)
	}
	return nil
}

func (s *suite) resolve(scenario *Scenario) error {
	for _, tag := range scenario.Tags {
		row, isRow := s.catalogue.Row(tag)
		switch {
		case isRow:
			scenario.Rows = append(scenario.Rows, tag)
			scenario.Wait = max(scenario.Wait, row.Wait())
			for _, need := range row.Needs {
				scenario.Needs = appendNew(scenario.Needs, need)
			}
		case slices.Contains(catalogue.Needs(), tag):
			scenario.Needs = appendNew(scenario.Needs, tag)
		case tag != tagSoak:
			return fmt.Errorf("the tag @%s names no row of the catalogue: %s", tag, nearest.Hint(tag, s.tags()))
		}
	}
	for _, step := range scenario.steps {
		for _, need := range catalogue.FormatNeeds(step) {
			scenario.Needs = appendNew(scenario.Needs, need)
		}
	}
	if len(scenario.Rows) == 0 {
		return fmt.Errorf("scenario %q judges no row of the catalogue", scenario.Name)
	}
	if slices.Contains(scenario.Tags, tagSoak) {
		scenario.Wait = max(scenario.Wait, 10*time.Minute)
	}
	return nil
}

func appendNew(list []string, s string) []string {
	if slices.Contains(list, s) {
		return list
	}
	return append(list, s)
}

// rowIDs returns the ids of all rows.
func (s *suite) rowIDs() []string {
	var ids []string
	for _, row := range s.catalogue.Rows {
		ids = append(ids, row.ID)
	}
	return ids
}

// tags returns every tag that an expression may name.
func (s *suite) tags() []string {
	return append(append(catalogue.Needs(), tagSoak), s.rowIDs()...)
}

// plan is what one run judges: some rows, each with its scenarios.
type plan struct {
	rows      []catalogue.Row
	scenarios []Scenario
}

// rows returns the rows of all these profiles, in the catalogue's order. Profiles
// that contradict each other cannot be kept by one target.
func (s *suite) rows(profiles []string) ([]catalogue.Row, error) {
	wanted := map[string]bool{}
	for _, profile := range profiles {
		rows, ok := s.catalogue.InProfile(profile)
		if !ok {
			return nil, usagef("there is no profile %q: %s", profile, nearest.Hint(profile, s.catalogue.Profiles()))
		}
		for _, row := range rows {
			wanted[row.ID] = true
		}
	}
	for _, profile := range profiles {
		for row := range wanted {
			if s.catalogue.Overrules(profile, row) {
				return nil, usagef("the profiles %s contradict each other on %s: judge them one after the other", strings.Join(profiles, " and "), row)
			}
		}
	}
	return slices.DeleteFunc(slices.Clone(s.catalogue.Rows), func(r catalogue.Row) bool { return !wanted[r.ID] }), nil
}

// matcher reads a tag expression. The soak is selected only by an expression that
// names it. The error is a *UsageError.
func (s *suite) matcher(expression string) (func(Scenario) bool, error) {
	const noSoak = "not @" + tagSoak
	if strings.TrimSpace(expression) == "" {
		expression = noSoak
	}
	expr, err := tagexpr.Parse(expression)
	if err != nil {
		return nil, usagef("the tag expression %q: %v", expression, err)
	}
	for _, tag := range expr.Tags() {
		if !slices.Contains(s.tags(), tag) {
			return nil, usagef("there is no tag @%s: %s", tag, nearest.Hint(tag, s.tags()))
		}
	}
	namesSoak := slices.Contains(expr.Tags(), tagSoak)
	return func(scenario Scenario) bool {
		soak := slices.Contains(scenario.Tags, tagSoak)
		return expr.Match(scenario.tagSet()) && (namesSoak || !soak)
	}, nil
}

// plan selects the scenarios of some profiles that a tag expression matches; an
// empty expression selects all but the soak. Rows of which only a part of the
// scenarios is selected are judged only if no row is selected whole, so that
// the name of one row does not drag in its neighbours. The error is a *UsageError.
func (s *suite) plan(profiles []string, expression string) (*plan, error) {
	rows, err := s.rows(profiles)
	if err != nil {
		return nil, err
	}
	match, err := s.matcher(expression)
	if err != nil {
		return nil, err
	}
	p := &plan{}
	selected := map[string]int{}
	whole := map[string]int{}
	for _, scenario := range s.scenarios {
		soak := slices.Contains(scenario.Tags, tagSoak)
		selects := match(scenario)
		for _, id := range scenario.Rows {
			if selects {
				selected[id]++
			}
			if selects || !soak {
				whole[id]++
			}
		}
	}
	partial := slices.DeleteFunc(slices.Clone(rows), func(r catalogue.Row) bool { return selected[r.ID] == 0 })
	p.rows = slices.DeleteFunc(slices.Clone(partial), func(r catalogue.Row) bool { return selected[r.ID] < whole[r.ID] })
	if len(p.rows) == 0 {
		p.rows = partial
	}
	if len(p.rows) == 0 {
		return nil, usagef("the tag expression %q selects no scenario of the profile %s", expression, strings.Join(profiles, ", "))
	}
	for _, scenario := range s.scenarios {
		scenario.Rows = slices.DeleteFunc(slices.Clone(scenario.Rows), func(id string) bool {
			return !slices.ContainsFunc(p.rows, func(r catalogue.Row) bool { return r.ID == id })
		})
		if len(scenario.Rows) > 0 && match(scenario) {
			p.scenarios = append(p.scenarios, scenario)
		}
	}
	return p, nil
}

// formats returns the API formats that the plan's scenarios ask for.
func (p *plan) formats() []string {
	var found []string
	for _, s := range p.scenarios {
		for _, need := range s.Needs {
			if catalogue.IsFormat(need) {
				found = appendNew(found, need)
			}
		}
	}
	return found
}

// UsageError is a mistake in what the user asked for: an unknown tag or
// profile, or a selection of nothing.
type UsageError struct{ Problem string }

func (e *UsageError) Error() string { return e.Problem }

func usagef(format string, args ...any) error {
	return &UsageError{Problem: fmt.Sprintf(format, args...)}
}
