package conformance

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plumbline.dev/plumbline/features"
)

func TestEveryRowHasAScenario(t *testing.T) {
	requirements, err := Requirements("")
	require.NoError(t, err)
	for _, row := range requirements {
		assert.NotEmpty(t, row.Scenarios, "the row %s has no scenario", row.ID)
	}
}

func TestScenariosAreToldApart(t *testing.T) {
	suite, err := loadSuite(features.FS)
	require.NoError(t, err)
	locations := map[string]bool{}
	names := map[string]string{}
	for _, s := range suite.scenarios {
		assert.False(t, locations[s.Location], "two scenarios stand at %s", s.Location)
		locations[s.Location] = true
		assert.Empty(t, names[s.Name], "%s has the same name: %s", s.Location, s.Name)
		names[s.Name] = s.Location
	}
}

// A scenario that scripts the model server must say so, or it would be played,
// and fail, on a live one.
func TestScenariosSayThatTheyAreScripted(t *testing.T) {
	suite, err := loadSuite(features.FS)
	require.NoError(t, err)
	for _, s := range suite.scenarios {
		if strings.Contains(strings.Join(s.steps, "\n"), "a model server that ") {
			assert.Contains(t, s.Needs, "scripted", "%s scripts the model server", s.Location)
		}
	}
}

func suiteOf(t *testing.T, feature string) (*suite, error) {
	t.Helper()
	return loadSuite(fstest.MapFS{
		"requirements.yaml": {Data: []byte(`
profiles: {p: [a], q: [a, b], r: [a, -a-2]}
groups:
  - {id: a, document: A, rows: [
      {id: a-1, section: s, level: documented, needs: [], statement: one},
      {id: a-2, section: s, level: assumed, needs: [scripted, "time:5"], statement: two}]}
  - {id: b, document: B, rows: [{id: b-1, section: s, level: baseline, needs: [], statement: three}]}
`)},
		"x.feature": {Data: []byte(feature)},
	})
}

const threeScenarios = `Feature: F
  @a-1 @b-1
  Scenario: both
    Given x
  @a-1 @scripted
  Scenario: deeper
    Given x
  @a-2
  Scenario: slow
    Given x
  @a-1 @soak
  Scenario: soak
    Given x
`

func TestPlan(t *testing.T) {
	suite, err := suiteOf(t, threeScenarios)
	require.NoError(t, err)
	cases := []struct {
		name, profile, tags string
		rows, scenarios     []string
	}{
		{"a profile", "p", "", []string{"a-1", "a-2"}, []string{"both", "deeper", "slow"}},
		{"two profiles", "p,q", "", []string{"a-1", "a-2", "b-1"}, []string{"both", "deeper", "slow"}},
		{"a row, and a neighbour that it covers", "q", "@a-1", []string{"a-1", "b-1"}, []string{"both", "deeper"}},
		{"an expression that does not name the soak", "p", "not @a-2", []string{"a-1"}, []string{"both", "deeper"}},
		{"an expression that names it", "p", "@a-1 or @soak", []string{"a-1"}, []string{"both", "deeper", "soak"}},
		{"a row, without a neighbour of which it covers a part", "q", "@b-1", []string{"b-1"}, []string{"both"}},
		{"only parts of rows", "q", "@scripted and not @a-2", []string{"a-1"}, []string{"deeper"}},
		{"the soak", "p", "@soak", []string{"a-1"}, []string{"soak"}},
		{"parentheses", "q", "not (@a-1 or @b-1)", []string{"a-2"}, []string{"slow"}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			plan, err := suite.plan(strings.Split(c.profile, ","), c.tags)
			require.NoError(t, err)
			var rows, scenarios []string
			for _, r := range plan.rows {
				rows = append(rows, r.ID)
			}
			for _, s := range plan.scenarios {
				scenarios = append(scenarios, s.Name)
			}
			assert.Equal(t, c.rows, rows)
			assert.Equal(t, c.scenarios, scenarios)
		})
	}
}

func TestPlanRefuses(t *testing.T) {
	suite, err := suiteOf(t, threeScenarios)
	require.NoError(t, err)
	cases := []struct{ name, profile, tags, says string }{
		{"an unknown profile", "pp", "", `did you mean "p"`},
		{"an unknown tag", "p", "@a-11", `did you mean "a-1"`},
		{"profiles that contradict each other", "p,r", "", "p and r contradict each other on a-2"},
		{"a selection of nothing", "p", "@a-1 and @a-2", "selects no scenario"},
		{"a row of another profile", "p", "@b-1 and not @a-1", "selects no scenario"},
		{"a broken expression", "p", "@a-1 and", "tag expression"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			_, err := suite.plan(strings.Split(c.profile, ","), c.tags)
			var usage *UsageError
			require.ErrorAs(t, err, &usage)
			assert.Contains(t, err.Error(), c.says)
		})
	}
}

func TestSuiteRefuses(t *testing.T) {
	cases := []struct{ name, feature, says string }{
		{"a tag that is no row", "Feature: F\n  @a-12\n  Scenario: s\n    Given x\n", `did you mean "a-1"`},
		{"a scenario without a row", "Feature: F\n  @scripted\n  Scenario: s\n    Given x\n", "judges no row"},
		{"what is no Gherkin", "Fixture: F\n", "x.feature"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			_, err := suiteOf(t, c.feature)
			require.Error(t, err)
			assert.Contains(t, err.Error(), c.says)
		})
	}
}
