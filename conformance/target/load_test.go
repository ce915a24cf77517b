package target_test

import (
	"crypto/x509"
	"encoding/pem"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plumbline.dev/plumbline/conformance/target"
)

var profiles = []string{"mortar", "openai"}

// load loads from one file and the given variables; the file is called
// plumbline.yaml in messages.
func load(t *testing.T, yaml string, environ ...string) (target.Config, error) {
	t.Helper()
	return target.Load(target.Sources{File: write(t, yaml), Environ: environ, Profiles: profiles})
}

func write(t *testing.T, text string) string {
	t.Helper()
	t.Chdir(t.TempDir())
	require.NoError(t, os.WriteFile("plumbline.yaml", []byte(text), 0o600))
	return "plumbline.yaml"
}

func flags(t *testing.T, texts ...string) target.Overlay {
	t.Helper()
	var o target.Overlay
	for i := 0; i < len(texts); i += 2 {
		found := false
		for _, s := range target.Settings() {
			if s.Flag == texts[i] {
				found = true
				require.NoError(t, o.Flag(s).Set(texts[i+1]))
			}
		}
		require.True(t, found, texts[i])
	}
	return o
}

func TestLoadWholeFile(t *testing.T) {
	c, err := load(t, `
target: https://Gateway.Example/openai/v1/
profile: [mortar, openai]
model: Qwen/Qwen2.5-7B-Instruct
keys:
  key: {env: GATEWAY_KEY}
  key2: sk-second
  org2: sk-other
offers: {stop: true, telemetry: false}
modelServer: ":9000"
intervals: {ping: 500ms, silence: 2s}
telemetry: {sessionHeader: X-Session, routeEvent: placement}
tags: not @soak
reports: [pretty, junit:out/plumbline.xml]
baseline: known.txt
allowInconclusive: true
concurrency: 8
`, "GATEWAY_KEY="+canary)
	require.NoError(t, err)

	assert.Equal(t, "https://gateway.example/openai", c.URL)
	assert.Equal(t, []string{"mortar", "openai"}, c.Profiles)
	assert.Equal(t, "Qwen/Qwen2.5-7B-Instruct", c.Model)
	assert.Equal(t, []string{canary, "sk-second", "sk-other"}, c.Keys.All())
	assert.True(t, c.Keys.Poor.IsZero())
	assert.True(t, *c.Offers.Stop)
	assert.False(t, *c.Offers.Telemetry)
	assert.Nil(t, c.Offers.Models, "not said is neither yes nor no")
	assert.Equal(t, "127.0.0.1:9000", c.ModelServer)
	assert.Equal(t, target.Intervals{Ping: 500 * time.Millisecond, Silence: 2 * time.Second}, c.Intervals)
	assert.True(t, c.Intervals.Overridden())
	assert.Equal(t, target.Telemetry{SessionHeader: "X-Session", RouteEvent: "placement"}, c.Telemetry)
	assert.Equal(t, "not @soak", c.Tags)
	assert.Equal(t, []string{"pretty", "junit:out/plumbline.xml"}, c.Reports)
	assert.Equal(t, "known.txt", c.Baseline)
	assert.True(t, c.AllowInconclusive)
	assert.Equal(t, 8, c.Concurrency)
}

func TestLoadNothing(t *testing.T) {
	t.Chdir(t.TempDir())
	c, err := target.Load(target.Sources{Profiles: profiles})
	require.NoError(t, err)
	assert.Equal(t, target.Config{Profiles: []string{"mortar"}}, c)
	assert.False(t, c.Intervals.Overridden())
}

func TestDefaultFileAndVariable(t *testing.T) {
	write(t, "model: from-the-default-file")
	c, err := target.Load(target.Sources{Profiles: profiles})
	require.NoError(t, err)
	assert.Equal(t, "from-the-default-file", c.Model)

	other := filepath.Join(t.TempDir(), "other.yaml")
	require.NoError(t, os.WriteFile(other, []byte("model: other"), 0o600))
	c, err = target.Load(target.Sources{Environ: []string{"PLUMBLINE_CONFIG=" + other}, Profiles: profiles})
	require.NoError(t, err)
	assert.Equal(t, "other", c.Model)

	_, err = target.Load(target.Sources{File: "missing.yaml", Profiles: profiles})
	require.ErrorContains(t, err, "reading the configuration: open missing.yaml")
}

func TestPrecedence(t *testing.T) {
	file := write(t, "target: http://file\nmodel: file\nprofile: openai\ncontrol: http://127.0.0.1:9001\nkeys: {key: file-key}\n")
	c, err := target.Load(target.Sources{
		File:     file,
		Environ:  []string{"PLUMBLINE_TARGET=http://env", "PLUMBLINE_MODEL=env", "PLUMBLINE_KEY=env-key", "PLUMBLINE_REPORTS=pretty, json:out.json", "PLUMBLINE_KEY2="},
		Flags:    flags(t, "target", "http://flag", "model-server", "127.0.0.1:9000", "report", "junit", "report", "json:x"),
		Profiles: profiles,
	})
	require.NoError(t, err)
	assert.Equal(t, "http://flag", c.URL)
	assert.Equal(t, "env", c.Model)
	assert.Equal(t, []string{"openai"}, c.Profiles)
	assert.Equal(t, "env-key", c.Keys.Key.Reveal())
	assert.True(t, c.Keys.Key2.IsZero(), "an empty variable is not set")
	assert.Equal(t, "127.0.0.1:9000", c.ModelServer)
	assert.Empty(t, c.Control, "a flag names the model server, so the file's is hidden")
	assert.Equal(t, []string{"junit", "json:x"}, c.Reports)

	c, err = target.Load(target.Sources{File: file, Environ: []string{"PLUMBLINE_REPORTS=pretty, json:out.json"}, Profiles: profiles})
	require.NoError(t, err)
	assert.Equal(t, []string{"pretty", "json:out.json"}, c.Reports)
}

func TestCertificates(t *testing.T) {
	server := httptest.NewTLSServer(http.NotFoundHandler())
	t.Cleanup(server.Close)
	block := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	file := filepath.Join(t.TempDir(), "ca.pem")
	require.NoError(t, os.WriteFile(file, append([]byte("Our authority\n"), block...), 0o600))
	c, err := load(t, "target: https://x\ncaFile: "+file)
	require.NoError(t, err)
	want := x509.NewCertPool()
	want.AddCert(server.Certificate())
	assert.True(t, want.Equal(c.RootCAs))

	_, err = load(t, "target: https://x\ncaFile: plumbline.yaml")
	require.ErrorContains(t, err, "plumbline.yaml:2: caFile: plumbline.yaml holds no certificate: it is PEM")
	_, err = load(t, "", "PLUMBLINE_CA_FILE=missing.pem")
	require.ErrorContains(t, err, "PLUMBLINE_CA_FILE: caFile: reading the certificates: open missing.pem")
}

func TestBaseURLs(t *testing.T) {
	tests := map[string]string{
		"http://127.0.0.1:8080":               "http://127.0.0.1:8080",
		"http://127.0.0.1:8080/":              "http://127.0.0.1:8080",
		"http://127.0.0.1:8080/v1":            "http://127.0.0.1:8080",
		"http://[::1]:8080/v1/":               "http://[::1]:8080",
		"https://gateway.example/api/v1":      "https://gateway.example/api",
		"https://gateway.example/api/v1beta":  "https://gateway.example/api/v1beta",
		"HTTPS://Gateway.Example/Team%20A/v1": "https://gateway.example/Team%20A",
	}
	for text, want := range tests {
		t.Run(text, func(t *testing.T) {
			c, err := load(t, "", "PLUMBLINE_TARGET="+text)
			require.NoError(t, err)
			assert.Equal(t, want, c.URL)
		})
	}
}

func TestErrors(t *testing.T) {
	tests := []struct {
		name    string
		yaml    string
		environ []string
		want    string
	}{
		{"unknown setting", "modle: x", nil, `plumbline.yaml:1: unknown setting "modle": did you mean "model"?`},
		{"unknown setting inside", "keys:\n  org3: x", nil, `plumbline.yaml:2: unknown setting "org3" in keys: did you mean "org2"?`},
		{"nested name at the top", "key2: x", nil, `plumbline.yaml:1: unknown setting "key2": did you mean "keys"?`},
		{"given twice", "model: a\n\nmodel: b", nil, "plumbline.yaml:3: model is given twice, first in line 1"},
		{"no value", "model:", nil, "plumbline.yaml:1: model is empty"},
		{"a list of models", "model: [a, b]", nil, "plumbline.yaml:1: model takes one value"},
		{"a mapping of reports", "reports: {junit: x}", nil, "plumbline.yaml:1: reports is a list: write reports: [a, b]"},
		{"a mapping in a list", "reports: [junit: x]", nil, "plumbline.yaml:1: reports lists plain texts"},
		{"empty list", "reports: []", nil, "plumbline.yaml:1: reports is an empty list"},
		{"a text for a group", "keys: sk-1234567", nil, "plumbline.yaml:1: keys holds settings of its own"},
		{"not a mapping", "- a\n- b", nil, "plumbline.yaml:1: expected settings such as target:"},
		{"broken YAML", "a: [", nil, "plumbline.yaml: line 1: did not find expected node content"},
		{"two documents", "model: a\n---\nmodel: b", nil, "plumbline.yaml: only one document is expected"},
		{"larger than a configuration", "#" + strings.Repeat("x", 1<<20), nil, "plumbline.yaml: larger than 1048576 bytes"},

		{"unknown profile", "profile: mortr", nil, `plumbline.yaml:1: unknown profile "mortr": did you mean "mortar"?`},
		{"unknown profile in the environment", "", []string{"PLUMBLINE_PROFILE=cobol"}, `PLUMBLINE_PROFILE: unknown profile "cobol": known are mortar, openai`},
		{"mistyped variable", "", []string{"PLUMBLINE_TRAGET=http://x"}, "unknown variable PLUMBLINE_TRAGET: did you mean PLUMBLINE_TARGET?"},
		{"no truth value", "offers: {stop: yes}", nil, `plumbline.yaml:1: offers.stop is true or false, not "yes"`},
		{"no number", "concurrency: many", nil, `plumbline.yaml:1: concurrency is a whole number from 1 to 10000, not "many"`},
		{"zero", "concurrency: 0", nil, "concurrency is a whole number"},
		{"interval without unit", "intervals: {ping: 10}", nil, `plumbline.yaml:1: intervals.ping is a duration with its unit`},
		{"negative interval", "intervals: {ping: -1s}", nil, "intervals.ping is more than 0"},

		{"URL without scheme", "target: localhost:8080", nil, `plumbline.yaml:1: target is not a URL: "localhost:8080"`},
		{"host alone", "target: gateway.example", nil, "target is not a URL"},
		{"another scheme", "target: ftp://x", nil, "target begins with ftp://"},
		{"no host", "target: http:///v1", nil, "target names no host"},
		{"bad port", "target: http://x:99999", nil, "ports go from 1 to 65535"},
		{"query", "target: http://x/v1?key=1", nil, "target has a query or a fragment"},
		{"one endpoint", "target: http://x/v1/chat/completions", nil, "target ends with /chat/completions"},
		{"no address", "target: http://x\nmodelServer: http://127.0.0.1:9000", nil, "plumbline.yaml:2: modelServer is an address to listen on"},
		{"both model servers", "target: http://x\nmodelServer: :9000\ncontrol: http://y", nil, "plumbline.yaml:3: control and modelServer (plumbline.yaml:2) exclude each other"},
		{"model server without target", "modelServer: :9000", nil, "plumbline.yaml:1: modelServer needs a target"},
		{"control without target", "", []string{"PLUMBLINE_CONTROL=http://y"}, "PLUMBLINE_CONTROL: control needs a target"},

		{"missing variable of a key", "keys: {key: {env: NOT_SET}}", nil, "plumbline.yaml:1: keys.key: the variable NOT_SET is not set, or empty"},
		{"wrong form of a key", "keys: {key: {file: x}}", nil, "plumbline.yaml:1: keys.key is a key, or {env: NAME}"},
		{"second key without first", "keys: {key2: x}", nil, "plumbline.yaml:1: keys.key2 is given without keys.key"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := load(t, tt.yaml, tt.environ...)
			require.ErrorContains(t, err, tt.want)
		})
	}
}

func TestErrorsNeverQuoteSecrets(t *testing.T) {
	tests := map[string]struct{ yaml, want string }{
		"password in the URL":        {"target: https://user:" + canary + "@x/v1", "target holds a user or password"},
		"broken URL with a password": {"target: \"https://user:" + canary + "%zz@x\"", "target holds a user or password"},
		"key with a line break":      {"keys: {key: \"" + canary + "\\n\"}", "keys.key holds a blank"},
		"key with a blank":           {"keys: {key: \"Bearer " + canary + "\"}", "keys.key holds a blank"},
		"one key in two roles":       {"keys: {key: " + canary + ", org2: " + canary + "}", "keys.org2 is the same key as keys.key"},
		"a key instead of keys":      {"keys: " + canary, "keys holds settings of its own"},
		"a list of keys":             {"keys: {key: [" + canary + "]}", "keys.key takes one value"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := load(t, tt.yaml)
			require.ErrorContains(t, err, tt.want)
			assert.NotContains(t, err.Error(), canary)
		})
	}
}

func TestEveryProblemIsListed(t *testing.T) {
	_, err := load(t, "modle: x\nkeys: {kee: y}\nconcurrency: [1]\n")
	require.Error(t, err)
	assert.Len(t, strings.Split(err.Error(), "\n"), 3, err.Error())

	_, err = load(t, "target: x\nprofile: y\nconcurrency: z\n")
	require.Error(t, err)
	assert.Len(t, strings.Split(err.Error(), "\n"), 3, err.Error())
}

func TestAnchors(t *testing.T) {
	c, err := load(t, "model: &m qwen\nbaseline: *m\n")
	require.NoError(t, err)
	assert.Equal(t, "qwen", c.Baseline)
}

func TestOtherProgramsVariables(t *testing.T) {
	_, err := load(t, "keys: {key: {env: PLUMBLINE_KEY9}}", "PLUMBLINE_KEY9=x", "PLUMBLINE_GATEWAY_KEY=y", "PLUMBLINE_FAKEGPU_MODEL=z", "PLUMBLINE_UNRELATED_THING=1")
	require.NoError(t, err)
}

func TestFlags(t *testing.T) {
	seen := make(map[string]bool)
	for _, s := range target.Settings() {
		for _, name := range []string{"file " + s.Key, s.Env, "--" + s.Flag} {
			assert.False(t, seen[name], "%s names two settings", name)
			seen[name] = true
		}
		assert.True(t, strings.HasPrefix(s.Env, "PLUMBLINE_"))
		var o target.Overlay
		f := o.Flag(s)
		assert.Equal(t, s.Kind == target.Bool, f.IsBoolFlag())
		assert.Empty(t, f.String())
		assert.Equal(t, string(s.Kind), f.Type())
		require.ErrorContains(t, f.Set(""), "--"+s.Flag+" is empty")
	}
}

func FuzzLoad(f *testing.F) {
	for _, seed := range []string{
		"target: http://x/v1\nkeys: {key: {env: K}}", "a: &a [*a]", "model: [", "? {a: b}\n: c", "<<: {model: x}", "keys: &k {key: x}\noffers: *k",
		"!!binary x", "\xff\xfe", "model: a\n---\n", "- - - -", "reports: [pretty, junit:x]", "target: 'http://[::1'",
	} {
		f.Add(seed)
	}
	path := filepath.Join(f.TempDir(), "plumbline.yaml")
	f.Fuzz(func(t *testing.T, text string) {
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		c, err := target.Load(target.Sources{File: path, Profiles: profiles})
		if err != nil {
			require.NotEmpty(t, err.Error())
			return
		}
		require.NotEmpty(t, c.Profiles)
		require.False(t, strings.HasSuffix(c.URL, "/"))
	})
}
