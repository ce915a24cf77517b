package report

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"

	"plumbline.dev/plumbline/conformance"
)

// The elements are those that Jenkins, GitLab and GitHub actions agree on:
// one suite a group of rows, one case for each scenario of each row.
type (
	junitSuites struct {
		XMLName  xml.Name `xml:"testsuites"`
		Name     string   `xml:"name,attr"`
		Tests    int      `xml:"tests,attr"`
		Failures int      `xml:"failures,attr"`
		Errors   int      `xml:"errors,attr"`
		Skipped  int      `xml:"skipped,attr"`
		Time     string   `xml:"time,attr"` // seconds
		Suites   []junitSuite
	}
	junitSuite struct {
		XMLName    xml.Name        `xml:"testsuite"`
		Name       string          `xml:"name,attr"`
		Tests      int             `xml:"tests,attr"`
		Failures   int             `xml:"failures,attr"`
		Errors     int             `xml:"errors,attr"`
		Skipped    int             `xml:"skipped,attr"`
		Time       string          `xml:"time,attr"`
		Timestamp  string          `xml:"timestamp,attr"` // UTC, without a zone as the schemas want it
		Properties []junitProperty `xml:"properties>property"`
		Cases      []junitCase
	}
	junitCase struct {
		XMLName    xml.Name        `xml:"testcase"`
		Classname  string          `xml:"classname,attr"` // id of the row
		Name       string          `xml:"name,attr"`
		File       string          `xml:"file,attr,omitempty"`
		Time       string          `xml:"time,attr"`
		Properties []junitProperty `xml:"properties>property"`
		Failure    *junitOutcome   `xml:"failure"`
		Error      *junitOutcome   `xml:"error"`
		Skipped    *junitOutcome   `xml:"skipped"`
		durationMS int64
	}
	junitProperty struct {
		Name  string `xml:"name,attr"`
		Value string `xml:"value,attr"`
	}
	junitOutcome struct {
		Message string `xml:"message,attr"`
		Type    string `xml:"type,attr,omitempty"`
		Text    string `xml:",cdata"`
	}
)

func encodeJUnit(w io.Writer, rep *conformance.Report, _ Screen) error {
	all := junitSuites{Name: "plumbline", Time: seconds(rep.DurationMS)}
	started := rep.StartedAt.UTC().Format("2006-01-02T15:04:05")
	for _, group := range groups(rep) {
		suite := junitSuite{Name: group.name, Timestamp: started, Properties: suiteProperties(rep)}
		for _, row := range group.rows {
			suite.Cases = append(suite.Cases, rowCases(row)...)
		}
		all.add(suite)
	}
	if cases := harnessCases(rep); len(cases) > 0 {
		all.add(junitSuite{Name: "harness", Timestamp: started, Properties: suiteProperties(rep), Cases: cases})
	}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	encoder := xml.NewEncoder(w)
	encoder.Indent("", "  ")
	if err := encoder.Encode(all); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}

// add counts the cases of a suite and appends it.
func (all *junitSuites) add(suite junitSuite) {
	unique(suite.Cases)
	var total int64
	for _, c := range suite.Cases {
		suite.Tests++
		switch {
		case c.Error != nil:
			suite.Errors++
		case c.Failure != nil:
			suite.Failures++
		case c.Skipped != nil:
			suite.Skipped++
		}
		total += c.durationMS
	}
	suite.Time = seconds(total)
	all.Tests += suite.Tests
	all.Failures += suite.Failures
	all.Errors += suite.Errors
	all.Skipped += suite.Skipped
	all.Suites = append(all.Suites, suite)
}

func suiteProperties(rep *conformance.Report) []junitProperty {
	target := rep.Target.URL
	if rep.Target.Reference {
		target = "reference"
	}
	return []junitProperty{
		{"target", xmlText(target)},
		{"profiles", xmlText(strings.Join(rep.Profiles, " "))},
		{"suite.version", xmlText(rep.Suite.Version)},
		{"suite.digest", xmlText(rep.Suite.Digest)},
	}
}

// rowCases are the scenarios of a row, and one case more for what only the row
// as a whole says, so that nothing of a verdict is lost.
func rowCases(row conformance.RequirementResult) []junitCase {
	var cases []junitCase
	covered := false
	for _, scenario := range row.Scenarios {
		c := newCase(row, scenario.Name, scenario.DurationMS)
		c.File, _, _ = strings.Cut(scenario.Location, ":")
		reason := scenario.Reason
		if reason == "" {
			reason = row.Reason
		}
		c.judge(scenario.Verdict, row.Known, reason, evidenceText(row, scenario))
		cases = append(cases, c)
		covered = covered || scenario.Verdict == row.Verdict
	}
	if !covered {
		c := newCase(row, row.Statement, 0)
		c.judge(row.Verdict, row.Known, row.Reason, row.Reason)
		cases = append(cases, c)
	}
	if row.Stale {
		c := newCase(row, "is in the baseline only if it fails", 0)
		c.Failure = outcome("stale", "the baseline lists this row as a known failure, yet it passes: remove it there", "")
		cases = append(cases, c)
	}
	return cases
}

func newCase(row conformance.RequirementResult, name string, durationMS int64) junitCase {
	return junitCase{
		Classname: xmlText(row.ID),
		Name:      xmlText(name),
		Time:      seconds(durationMS), durationMS: durationMS,
		Properties: []junitProperty{
			{"requirement", xmlText(row.ID)},
			{"level", xmlText(row.Level)},
			{"document", xmlText(row.Document)},
			{"section", xmlText(row.Section)},
		},
	}
}

// judge fills in the outcome. Whatever is not known to be good is an error.
func (c *junitCase) judge(v conformance.Verdict, known bool, reason, text string) {
	switch {
	case v == conformance.Pass:
	case v == conformance.Fail && known:
		c.Skipped = outcome("", "known failure, excused by the baseline: "+reason, "")
	case v == conformance.Fail:
		c.Failure = outcome("fail", reason, text)
	case v == conformance.Remark:
		c.Skipped = outcome("", "remark, an assumed row that fails no run: "+reason, "")
	case v == conformance.Inconclusive:
		c.Skipped = outcome("", "inconclusive: "+reason, "")
	default:
		c.Error = outcome(string(conformance.HarnessError), reason, text)
	}
}

// harnessCases are failures outside any one scenario.
func harnessCases(rep *conformance.Report) []junitCase {
	var cases []junitCase
	if rep.Interrupted {
		cases = append(cases, junitCase{
			Classname: "harness", Name: "the run ends by itself", Time: seconds(0),
			Error: outcome("interrupted", "the run was interrupted; what was not judged by then is not a pass", ""),
		})
	}
	for i, text := range rep.Errors {
		cases = append(cases, junitCase{
			Classname: "harness", Name: fmt.Sprintf("the harness works (%d)", i+1), Time: seconds(0),
			Error: outcome(string(conformance.HarnessError), text, text),
		})
	}
	return cases
}

func outcome(kind, message, text string) *junitOutcome {
	return &junitOutcome{Message: xmlText(message), Type: kind, Text: xmlText(text)}
}

// unique tells cases of one row apart that have one name, as the examples of
// an outline have: readers merge equal ones.
func unique(cases []junitCase) {
	seen := make(map[string]int)
	for i, c := range cases {
		key := c.Classname + "\x00" + c.Name
		seen[key]++
		if n := seen[key]; n > 1 {
			cases[i].Name = fmt.Sprintf("%s (%d)", c.Name, n)
		}
	}
}

func seconds(ms int64) string { return fmt.Sprintf("%d.%03d", ms/1000, ms%1000) }

// xmlText writes out the bytes and characters that XML 1.0 cannot hold, which
// evidence from a broken stream is full of, instead of losing them.
func xmlText(text string) string {
	return escapeRunes(text, func(r rune) bool {
		return r == '\t' || r == '\n' || // a CR would be read back as LF
			r >= 0x20 && r <= 0xd7ff || r >= 0xe000 && r <= 0xfffd || r >= 0x10000
	})
}
