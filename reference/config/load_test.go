package config

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/spf13/pflag"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plumbline.dev/plumbline/reference/account"
	"plumbline.dev/plumbline/reference/price"
)

// load loads a file of this text, with variables and flags.
func load(t *testing.T, file string, environ []string, args ...string) (*Config, error) {
	t.Helper()
	flags := pflag.NewFlagSet("gateway", pflag.ContinueOnError)
	BindFlags(flags)
	if file != "" {
		path := filepath.Join(t.TempDir(), "gateway.yaml")
		require.NoError(t, os.WriteFile(path, []byte(file), 0o600))
		args = append(args, "--config", path)
	}
	require.NoError(t, flags.Parse(args))
	return Load(Source{Flags: flags, Environ: environ})
}

func TestLoadWithoutAnything(t *testing.T) {
	c, err := Load(Source{})
	require.NoError(t, err)
	assert.Equal(t, []Listener{{Address: "127.0.0.1:8080", Profile: ProfileMortar, Models: []string{"Qwen/Qwen2.5-7B-Instruct"}}}, c.Listeners)
	assert.Equal(t, []Model{DefaultModel(ProfileMortar)}, c.Models)
	assert.Equal(t, Intervals{Ping: 10 * time.Second, TelemetryPing: 15 * time.Second, Tick: 2 * time.Second, Health: 5 * time.Second}, c.Intervals)
	assert.True(t, c.DevelopmentKey)
	assert.Equal(t, account.DigestOf(DevelopmentKey), c.Organizations[0].Keys[0].Digest)
}

func TestExampleSaysWhatHoldsWithoutAFile(t *testing.T) {
	want, err := Load(Source{})
	require.NoError(t, err)
	got, err := load(t, string(Example()), nil)
	require.NoError(t, err)
	assert.Equal(t, want, got)
}

func TestExampleIsRightInItsCommentedLines(t *testing.T) {
	// Prose has one space behind the #, settings none or their indentation.
	all := regexp.MustCompile(`(?m)^#((?: {2,})?[a-zA-Z-])`).ReplaceAllString(string(Example()), "$1")
	require.NotEqual(t, string(Example()), all)
	c, err := load(t, all, []string{"MODEL_SERVER_KEY=sk-upstream", "ACME_WEB_KEY=sk-web"})
	require.NoError(t, err)
	require.Len(t, c.Models[0].ModelServers, 1)
	server := c.Models[0].ModelServers[0]
	assert.Equal(t, ModelServer{
		Name: "vllm-0", URL: "http://127.0.0.1:8000/v1", Model: "qwen2.5-7b", APIKey: NewSecret("sk-upstream"), Dialect: DefaultDialect(),
		Native: []string{"responses", "messages"},
	}, server)
	assert.Equal(t, []string{"qwen"}, c.Models[0].Aliases)
	assert.Equal(t, "127.0.0.1:9090", c.MetricsListen)
	assert.Equal(t, account.DigestOf("sk-web"), c.Organizations[0].Keys[0].Digest)
	assert.False(t, c.DevelopmentKey)
}

func TestLoadPrecedence(t *testing.T) {
	const file = "intervals: {ping: 1s, tick: 1s}\nlimits: {drain: 1s}\n"
	c, err := load(t, file, []string{"PLUMBLINE_GATEWAY_PING_INTERVAL=2s", "PLUMBLINE_GATEWAY_DRAIN=2s", "PLUMBLINE_GATEWAY_KEY="}, "--ping-interval", "3s")
	require.NoError(t, err)
	assert.Equal(t, 3*time.Second, c.Intervals.Ping, "the flag wins over the variable")
	assert.Equal(t, 2*time.Second, c.Limits.Drain, "the variable wins over the file")
	assert.Equal(t, time.Second, c.Intervals.Tick, "the file wins over the default")
	assert.Equal(t, 15*time.Second, c.Intervals.TelemetryPing)
	assert.True(t, c.DevelopmentKey, "an empty variable is none")

	path := filepath.Join(t.TempDir(), "other.yaml")
	require.NoError(t, os.WriteFile(path, []byte("limits: {drain: 7s}"), 0o600))
	c, err = Load(Source{Environ: []string{"PLUMBLINE_GATEWAY_CONFIG=" + path}})
	require.NoError(t, err)
	assert.Equal(t, 7*time.Second, c.Limits.Drain)
}

func TestLoadFlags(t *testing.T) {
	c, err := load(t, "", nil, "--listen", "0.0.0.0:80", "--profile", "notholy", "--key", "k", "--metrics-listen", ":9090",
		"--model-server", "http://a:1/v1, http://b:2", "--model-server-key", "s", "--model-server-model", "m", "--max-body-bytes", "1KiB")
	require.NoError(t, err)
	assert.Equal(t, []Listener{{Address: "0.0.0.0:80", Profile: ProfileNotholy, Models: []string{"notholy-specter"}}}, c.Listeners)
	require.Len(t, c.Models, 1)
	require.Len(t, c.Models[0].ModelServers, 2)
	assert.Equal(t, ModelServer{Name: "b:2", URL: "http://b:2", Model: "m", APIKey: NewSecret("s"), Dialect: DefaultDialect()}, c.Models[0].ModelServers[1])
	assert.Equal(t, []Organization{{ID: "default", Keys: []Key{KeyFrom("key", "k")}}}, c.Organizations)
	assert.EqualValues(t, 1024, c.Limits.MaxBodyBytes)
	assert.False(t, c.DevelopmentKey)
}

func TestLoadBothProfiles(t *testing.T) {
	c, err := load(t, "listeners:\n- {address: '127.0.0.1:1'}\n- {address: '127.0.0.1:2', profile: notholy}\n", nil)
	require.NoError(t, err)
	assert.Equal(t, []string{"Qwen/Qwen2.5-7B-Instruct"}, c.Listeners[0].Models)
	assert.Equal(t, []string{"notholy-specter"}, c.Listeners[1].Models)
}

func TestLoadKeepsPricesExact(t *testing.T) {
	c, err := load(t, "models:\n- id: m\n  contextWindow: 1\n  prices: {input: 0.1234567890123456789012345678901, output: 3e-7, cacheRead: 0, cacheWrite: '1.50'}\n", nil)
	require.NoError(t, err)
	p := c.Models[0].Prices
	assert.Equal(t, "0.1234567890123456789012345678901", p.Input.String())
	assert.Equal(t, "0.0000003", p.Output.String())
	assert.Equal(t, price.Price{}, p.CacheRead)
	assert.Equal(t, "1.5", p.CacheWrite.String())
}

func TestLoadReportsEverythingThatIsWrong(t *testing.T) {
	const file = `listners: []
intervals:
  ping: 10
  telemetryping: 5s
  ping: 3s
models:
  - id: m
    contextWindow: many
    prices: {input: -1, output: 1, cacheRead: free}
    modelServers:
      - url: [x]
        apiKeyEnv: NOT_SET
        dialect: {askUsage: yes}
limits: 7
organizations:
  - id: acme
    keys: [{id: a}, {id: b, key: sk-1, keyEnv: SET}, {id: c, keySHA256: abc}, {key: ''}]
metrics: {address: }
`
	_, err := load(t, file, []string{"SET=sk-2"})
	require.Error(t, err)
	for _, want := range []string{
		":1:1: listners: unknown key; did you mean listeners?",
		`:3:9: intervals.ping: "10" is not a duration: write a number with a unit`,
		":4:3: intervals.telemetryping: unknown key; did you mean telemetryPing?",
		":5:3: intervals.ping: the key stands twice",
		`:8:20: models[0].contextWindow: "many" is not a whole number`,
		":9:21: models[0].prices.input: the price -1 is negative",
		`models[0].prices.cacheRead: "free" is not a price`,
		":9:13: models[0].prices: cacheWrite is missing",
		":11:14: models[0].modelServers[0].url: it must be a single value, not a list",
		"modelServers[0].apiKeyEnv: the environment variable NOT_SET is not set",
		`dialect.askUsage: "yes" is neither true nor false`,
		":14:9: limits: it must be a mapping of names to values, not a single value",
		"organizations[0].keys[0]: no key: give keyEnv, key or keySHA256",
		"organizations[0].keys[1]: give the key once",
		"organizations[0].keys[2].keySHA256: it must be 64 hexadecimal digits",
		"organizations[0].keys[3].key: the key is empty",
		"organizations[0].keys[3]: id is missing",
		"metrics.address: the value is missing",
	} {
		assert.ErrorContains(t, err, want)
	}
	assert.NotContains(t, err.Error(), "sk-")
}

func TestLoadChecksWhatItRead(t *testing.T) {
	const model = "models: [{id: m, contextWindow: 1, prices: {input: 1, output: 1, cacheRead: 1, cacheWrite: 1}"
	for name, c := range map[string]struct{ file, want string }{
		"an address without port": {"listeners: [{address: localhost}]", ":1:23: listeners[0].address: \"localhost\" is not an address"},
		"no listener":             {"listeners: []", "listeners: none is configured"},
		"one address twice":       {"listeners: [{address: 'localhost:1'}, {address: 'localhost:1'}]", "listeners[1].address: localhost:1 is listed twice"},
		"an unknown profile":      {"listeners: [{address: 'localhost:1', profile: morter}]", `"morter" is not a profile`},
		"an unknown model":        {"listeners: [{address: 'localhost:1', models: [x]}]", `listeners[0].models[0]: no model has the id "x"`},
		"open without a key":      {"listeners: [{address: '0.0.0.0:1'}]", "organizations: none is configured, and 0.0.0.0:1 can be reached"},
		"open on all addresses":   {"listeners: [{address: ':1'}]", "organizations: none is configured"},
		"one name twice":          {model + ", aliases: [m]}]", `models[0].aliases[0]: "m" is the name of two models`},
		"an empty name":           {model + ", aliases: ['']}]", "models[0].aliases[0]: the name is empty"},
		"no window":               {strings.Replace(model, "Window: 1", "Window: 0", 1) + "}]", "models[0].contextWindow: 0 is not"},
		"no URL":                  {model + ", modelServers: [{url: 'localhost:1'}]}]", "modelServers[0].url: it is not an HTTP URL"},
		"a URL with a password":   {model + ", modelServers: [{url: 'http://u:secret@h'}]}]", "modelServers[0].url: it holds credentials"},
		"a broken URL":            {model + ", modelServers: [{url: 'http://u:secret@h:port'}]}]", "modelServers[0].url: it is not a URL"},
		"a URL with a query":      {model + ", modelServers: [{url: 'http://h/?key=secret'}]}]", "it has a query"},
		"a negative timeout":      {model + ", modelServers: [{url: 'http://h', idleTimeout: -1s}]}]", "idleTimeout: it is negative"},
		"an unknown format":       {model + ", modelServers: [{url: 'http://h', native: [responses, soap]}]}]", "native[1]: \"soap\" is unknown: use responses or messages"},
		"an unknown limit field":  {model + ", modelServers: [{url: 'http://h', dialect: {maxTokensField: x}}]}]", "use max_tokens or max_completion_tokens"},
		"an unknown way to count": {model + ", modelServers: [{url: 'http://h', dialect: {cachedTokens: x}}]}]", "use inside or beside"},
		"no interval":             {"intervals: {ping: 0s}", ":1:19: intervals.ping: it must be more than 0"},
		"a negative drain":        {"limits: {drain: -1s}", "limits.drain: it is negative"},
		"no body":                 {"limits: {maxBodyBytes: 0}", "limits.maxBodyBytes: it must be more than 0"},
		"a huge body":             {"limits: {maxBodyBytes: 9999999GiB}", "is not a number of bytes"},
		"one organization twice":  {"organizations: [{id: a, keys: []}, {id: a, keys: []}]", `organization "a" is listed twice`},
		"one key twice":           {"organizations: [{id: a, keys: [{id: x, key: s}, {id: y, key: s}]}]", `key "y" of organization "a" is the same as key "x"`},
		"broken YAML":             {"listeners: [", "line 1"},
		"two documents":           {"limits: {}\n---\nlimits: {}", "one YAML document"},
		"a list":                  {"- x", "it must be a mapping"},
		"an alias to itself":      {"models: &a [*a]", "models[0]: it must be a mapping"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := load(t, c.file, nil)
			require.ErrorContains(t, err, c.want)
			assert.NotContains(t, err.Error(), "secret")
		})
	}
}

func TestLoadRefusesVariablesAndFlags(t *testing.T) {
	for name, c := range map[string]struct {
		environ []string
		args    []string
		want    string
	}{
		"a mistyped variable":  {[]string{"PLUMBLINE_GATEWAY_PING_INTERVALL=1s"}, nil, "did you mean PLUMBLINE_GATEWAY_PING_INTERVAL?"},
		"a wrong variable":     {[]string{"PLUMBLINE_GATEWAY_DRAIN=long"}, nil, `PLUMBLINE_GATEWAY_DRAIN: "long" is not a duration`},
		"a wrong flag":         {nil, []string{"--ping-interval", "10"}, `--ping-interval: "10" is not a duration`},
		"a key for nobody":     {nil, []string{"--model-server-key", "secret"}, "there is no model server"},
		"a file that is not":   {nil, []string{"--config", "/nonexistent"}, "/nonexistent"},
		"a folder":             {nil, []string{"--config", "/"}, "reading the gateway's settings"},
		"an unknown profile":   {nil, []string{"--profile", "x"}, "listeners[0].profile"},
		"open without a key":   {nil, []string{"--listen", ":8080"}, "give at least one key"},
		"no URL of the server": {nil, []string{"--model-server", "x"}, "it is not an HTTP URL"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := load(t, "", c.environ, c.args...)
			require.ErrorContains(t, err, c.want)
			assert.NotContains(t, err.Error(), "secret")
		})
	}
}

func FuzzDocument(f *testing.F) {
	f.Add([]byte(example))
	f.Add([]byte("models: [{id: m, prices: {input: 1e999}}]"))
	f.Add([]byte("a: &a [*a, *a]\n<<: *a\n? [x]\n: y"))
	f.Add([]byte("--- !!binary x\n..."))
	f.Fuzz(func(t *testing.T, data []byte) {
		c := Default(ProfileMortar)
		r := &reader{file: "f", env: func(string) string { return "" }, places: make(map[string]string)}
		if err := r.document(c, data); err != nil || len(r.problems) > 0 {
			return
		}
		if len(c.complete()) > 0 {
			return
		}
		require.NotEmpty(t, c.Listeners)
		require.NotEmpty(t, c.Models)
		require.NotEmpty(t, c.Organizations)
		for _, l := range c.Listeners {
			for _, id := range l.Models {
				_, known := c.Model(id)
				require.True(t, known)
			}
		}
	})
}
