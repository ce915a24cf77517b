package report

import (
	"bytes"
	"encoding/xml"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plumbline.dev/plumbline/conformance"
)

func readJUnit(t *testing.T, rep *conformance.Report) (junitRead, string) {
	t.Helper()
	var out bytes.Buffer
	require.NoError(t, encodeJUnit(&out, rep, Screen{}))
	var back junitRead
	require.NoError(t, xml.Unmarshal(out.Bytes(), &back), out.String())
	return back, out.String()
}

// junitRead is what a reader of CI systems takes from the file, written apart
// from the types that write it.
type junitRead struct {
	XMLName  xml.Name `xml:"testsuites"`
	Tests    int      `xml:"tests,attr"`
	Failures int      `xml:"failures,attr"`
	Errors   int      `xml:"errors,attr"`
	Skipped  int      `xml:"skipped,attr"`
	Time     float64  `xml:"time,attr"`
	Suites   []struct {
		Name      string     `xml:"name,attr"`
		Tests     int        `xml:"tests,attr"`
		Failures  int        `xml:"failures,attr"`
		Errors    int        `xml:"errors,attr"`
		Skipped   int        `xml:"skipped,attr"`
		Time      float64    `xml:"time,attr"`
		Timestamp string     `xml:"timestamp,attr"`
		Cases     []caseRead `xml:"testcase"`
	} `xml:"testsuite"`
}

type caseRead struct {
	Classname  string  `xml:"classname,attr"`
	Name       string  `xml:"name,attr"`
	File       string  `xml:"file,attr"`
	Time       float64 `xml:"time,attr"`
	Properties []struct {
		Name  string `xml:"name,attr"`
		Value string `xml:"value,attr"`
	} `xml:"properties>property"`
	Failure *outcomeRead `xml:"failure"`
	Error   *outcomeRead `xml:"error"`
	Skipped *outcomeRead `xml:"skipped"`
}

type outcomeRead struct {
	Message string `xml:"message,attr"`
	Text    string `xml:",chardata"`
}

func (c caseRead) outcome() string {
	switch {
	case c.Error != nil:
		return "error"
	case c.Failure != nil:
		return "failure"
	case c.Skipped != nil:
		return "skipped"
	default:
		return "pass"
	}
}

func TestJUnitOutcomes(t *testing.T) {
	back, _ := readJUnit(t, sample())
	got := make(map[string]string)
	sums := make(map[string]int)
	for _, suite := range back.Suites {
		counts := make(map[string]int)
		for _, c := range suite.Cases {
			key := c.Classname + "/" + c.Name
			assert.NotContains(t, got, key, "readers merge cases of one name")
			got[key] = c.outcome()
			counts[c.outcome()]++
			sums[c.outcome()]++
		}
		assert.Equal(t, len(suite.Cases), suite.Tests, suite.Name)
		assert.Equal(t, counts["failure"], suite.Failures, suite.Name)
		assert.Equal(t, counts["error"], suite.Errors, suite.Name)
		assert.Equal(t, counts["skipped"], suite.Skipped, suite.Name)
		assert.Equal(t, "2026-03-01T12:00:00", suite.Timestamp)
	}
	assert.Equal(t, map[string]string{
		"mortar-stream-01/A stream is an event stream":            "pass",
		"mortar-stream-11/The end of a reply":                     "pass",
		"mortar-stream-11/is in the baseline only if it fails":    "failure",
		"mortar-stream-24/No proxy changes a stream":              "skipped",
		"mortar-stream-25/A client that offers gzip is sent none": "failure",
		"mortar-stream-25/A long reply is not compressed":         "failure",
		"mortar-stream-25/A plain client":                         "pass",
		"mortar-stream-26/A silent reply":                         "skipped",
		"mortar-stream-28/" + sample().Requirements[5].Statement:  "skipped",
		"mortar-cancel-01/The client goes":                        "pass",
		"mortar-cancel-05/" + sample().Requirements[7].Statement:  "skipped",
		"mortar-cancel-09/The end of a stopped stream":            "failure",
		"mortar-cancel-12/An unknown id":                          "skipped",
		"openai-chat-03/" + sample().Requirements[10].Statement:   "error",
		"harness/the run ends by itself":                          "error",
		"harness/the harness works (1)":                           "error",
	}, got)
	assert.Equal(t, 16, back.Tests)
	assert.Equal(t, sums["failure"], back.Failures)
	assert.Equal(t, sums["error"], back.Errors)
	assert.Equal(t, sums["skipped"], back.Skipped)
	assert.InDelta(t, 36.214, back.Time, 1e-9)
	assert.InDelta(t, 2.863, back.Suites[0].Time, 1e-9, "the sum of its cases")
}

func TestJUnitEvidence(t *testing.T) {
	back, _ := readJUnit(t, sample())
	c := back.Suites[0].Cases[4]
	assert.Equal(t, "features/mortar/proxies.feature", c.File)
	assert.Equal(t, "a Content-Encoding stands on the stream", c.Failure.Message)
	for _, want := range []string{"mortar-stream-25", "Mortar, Stream responses, Proxies and timeouts", "expected: no header", "seen: Content-Encoding: gzip", "12.251 s", "curl -iN"} {
		assert.Contains(t, c.Failure.Text, want)
	}
	properties := make(map[string]string)
	for _, p := range c.Properties {
		properties[p.Name] = p.Value
	}
	assert.Equal(t, map[string]string{
		"requirement": "mortar-stream-25", "level": "documented", "document": "Mortar, Stream responses", "section": "Proxies and timeouts",
	}, properties)
}

func TestJUnitHoldsAnyBytes(t *testing.T) {
	rep := allPass()
	row := &rep.Requirements[0]
	row.Verdict = conformance.Fail
	scenario := &row.Scenarios[0]
	scenario.Verdict = conformance.Fail
	scenario.Name = "a \x00 name <&\">"
	scenario.Reason = "]]> \x1b[31m \xff\xfe \uffff \ufffd"
	scenario.Evidence = &conformance.Evidence{Step: "Then", Seen: "a\r\nb ]]> c\x07 \xc3"}
	back, text := readJUnit(t, rep)
	c := back.Suites[0].Cases[0]
	assert.Equal(t, `a \x00 name <&">`, c.Name)
	assert.Equal(t, `]]> \x1b[31m \xff\xfe \uffff `+"\ufffd", c.Failure.Message)
	assert.Contains(t, c.Failure.Text, "a\\x0d\nb ]]> c\\x07 \\xc3")
	assert.True(t, strings.HasPrefix(text, "<?xml"))
}

func TestJUnitTellsEqualNamesApart(t *testing.T) {
	rep := allPass()
	row := &rep.Requirements[0]
	row.Scenarios = append(row.Scenarios, row.Scenarios[0], row.Scenarios[0])
	back, _ := readJUnit(t, rep)
	var names []string
	for _, c := range back.Suites[0].Cases {
		names = append(names, c.Name)
	}
	assert.Equal(t, []string{"A stream is an event stream", "A stream is an event stream (2)", "A stream is an event stream (3)"}, names)
}

func TestJUnitNeverPassesTheUnknown(t *testing.T) {
	for name, v := range map[string]conformance.Verdict{"no verdict": "", "an unknown verdict": "green"} {
		t.Run(name, func(t *testing.T) {
			rep := allPass()
			rep.Requirements[0].Scenarios[0].Verdict = v
			rep.Requirements[0].Verdict = v
			back, _ := readJUnit(t, rep)
			assert.Equal(t, 1, back.Errors)
			assert.Equal(t, 1, back.Tests)
		})
	}
}

func TestJUnitRowWorseThanItsScenarios(t *testing.T) {
	rep := allPass()
	rep.Requirements[0].Verdict = conformance.HarnessError
	rep.Requirements[0].Reason = "one scenario never ended"
	back, _ := readJUnit(t, rep)
	assert.Equal(t, 2, back.Tests)
	assert.Equal(t, 1, back.Errors)
}
