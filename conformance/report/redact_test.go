package report

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plumbline.dev/plumbline/conformance"
)

// canary is a key with every character that some escaping changes.
const canary = `pk/canary+7f3a<9c>&"é=x`

func TestRedactorForms(t *testing.T) {
	r := NewRedactor(canary)
	quoted, err := json.Marshal(canary)
	require.NoError(t, err)
	var escaped bytes.Buffer
	require.NoError(t, xml.EscapeText(&escaped, []byte(canary)))
	forms := map[string]string{
		"as it is":         canary,
		"JSON":             string(quoted),
		"JSON in JSON":     strings.ReplaceAll(strings.ReplaceAll(string(quoted), `\`, `\\`), `"`, `\"`),
		"JSON, slash":      strings.ReplaceAll(string(quoted), "/", `\/`),
		"query":            url.QueryEscape(canary),
		"path":             url.PathEscape(canary),
		"lower-case hex":   strings.ToLower(url.QueryEscape(canary)),
		"XML":              escaped.String(),
		"base64":           base64.StdEncoding.EncodeToString([]byte(canary)),
		"base64, URL":      base64.RawURLEncoding.EncodeToString([]byte(canary)),
		"base64 of user:":  base64.StdEncoding.EncodeToString([]byte("user:" + canary)),
		"base64 of u:":     base64.StdEncoding.EncodeToString([]byte("u:" + canary + "@host")),
		"base64 of us:":    base64.StdEncoding.EncodeToString([]byte("us:" + canary)),
		"base64 in a path": url.QueryEscape(base64.StdEncoding.EncodeToString([]byte(canary))),
	}
	for name, form := range forms {
		t.Run(name, func(t *testing.T) {
			got := r.Text("before " + form + " after")
			assert.Contains(t, got, mask)
			assert.Contains(t, got, "before ")
			assert.Contains(t, got, " after")
			assert.NotContains(t, got, "canary")
			assert.Less(t, len(got), len("before  after")+len(mask)+16, "little of the form is left: %s", got)
		})
	}
}

func TestRedactorLookalikes(t *testing.T) {
	tests := map[string]string{
		"Authorization: Bearer abc123.def":                 "Authorization: Bearer [redacted]",
		"authorization: bearer  eyJhbGciOi.x-y_z1":         "authorization: bearer  [redacted]",
		"Bearer%20abc123":                                  "Bearer%20[redacted]",
		"Authorization: Basic dXNlcjpwYXNz":                "Authorization: Basic [redacted]",
		"the key sk-proj-1234567890abc is bad":             "the key sk-[redacted] is bad",
		"X-Api-Key: abcdef":                                "X-Api-Key: [redacted]",
		`{"api_key":"abcdef"}`:                             `{"api_key":"[redacted]"}`,
		"dial https://user:pass@10.0.0.1/v1":               "dial https://[redacted]@10.0.0.1/v1",
		"Bearer $PLUMBLINE_KEY":                            "Bearer $PLUMBLINE_KEY",
		`-H "X-Api-Key: $PLUMBLINE_KEY"`:                   `-H "X-Api-Key: $PLUMBLINE_KEY"`,
		"no valid Bearer token, see Bearer authentication": "no valid Bearer token, see Bearer authentication",
		"task-management and disk-usage-report":            "task-management and disk-usage-report",
		"http://127.0.0.1:8080/v1":                         "http://127.0.0.1:8080/v1",
	}
	for text, want := range tests {
		t.Run(text, func(t *testing.T) {
			var none *Redactor
			got := none.Text(text)
			assert.Equal(t, want, got)
			assert.Equal(t, got, none.Text(got), "masking twice changes nothing")
		})
	}
}

func TestRedactorShortAndNestedSecrets(t *testing.T) {
	r := NewRedactor("key", "long-secret", "long-secret-and-more", "")
	assert.Equal(t, "the [redacted] is no monkey", r.Text("the key is no monkey"))
	assert.Equal(t, "[redacted] [redacted]", r.Text("long-secret long-secret-and-more"))
}

func TestRedactorCopiesTheReport(t *testing.T) {
	rep := sample()
	clean := NewRedactor("gateway.example").Report(rep)
	assert.Equal(t, sample(), rep, "the report itself is left alone")
	assert.Equal(t, "https://[redacted]", clean.Target.URL)
	assert.Equal(t, rep.StartedAt, clean.StartedAt)
	assert.Equal(t, rep.Totals, clean.Totals)
	assert.Equal(t, rep, NewRedactor("not in it").Report(rep))
	assert.Equal(t, conformance.Pass, NewRedactor("pass").Report(rep).Requirements[0].Verdict, "a verdict is no text")
}

// No format, and no progress, ever writes a key, wherever it stands.
func TestNoFormatWritesAKey(t *testing.T) {
	const key = "pk-canary-0f1e2d"
	rep := sample()
	rep.Errors = append(rep.Errors, "dial: "+key)
	rep.Target.URL = "https://gateway.example/" + key
	rep.Target.Model = key
	rep.Suite.Version = key
	row := &rep.Requirements[3]
	row.Reason, row.Section, row.Statement = key, key, "holds "+key
	scenario := &row.Scenarios[0]
	scenario.Name, scenario.Reason = "with "+key, key
	e := scenario.Evidence
	e.Step, e.Expected, e.Curl = key, key, "curl -H 'Authorization: Bearer "+key+"'"
	e.Seen = strings.Repeat("x", 60) + key + " " + base64.StdEncoding.EncodeToString([]byte("Bearer "+key))
	e.Response = "X-Echo: " + url.QueryEscape(key)
	e.Timeline[1].Text = strings.Repeat("y", 40) + key

	check := func(t *testing.T, text string) {
		t.Helper()
		assert.NotEmpty(t, text)
		assert.NotContains(t, strings.NewReplacer("\n", "", " ", "").Replace(text), "canary")
		assert.Contains(t, text, mask)
	}
	for _, format := range Formats() {
		t.Run(format.Name, func(t *testing.T) {
			var out bytes.Buffer
			o := Output{Stdout: &out, Redactor: NewRedactor(key)}
			require.NoError(t, o.Write(rep, []Spec{{Format: format.Name}}))
			check(t, out.String())
		})
	}
	t.Run("progress", func(t *testing.T) {
		var out bytes.Buffer
		p := newProgress(&out, Screen{}, NewRedactor(key), time.Now)
		p.Waiting("a", "the reply to "+key, time.Now())
		p.draw()
		check(t, out.String())
	})
}

func BenchmarkRedactor(b *testing.B) {
	r := NewRedactor(fmt.Sprintf("sk-%040d", 7), fmt.Sprintf("sk-%040d", 8), "dev-key")
	text := strings.Repeat(`data: {"id":"chatcmpl-5f0c9a1b2d3e4f5061728394","choices":[{"index":0,"delta":{"content":"x"}}]}`+"\n", 10_000)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		r.Text(text)
	}
}
