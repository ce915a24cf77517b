package config

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"
)

// setting is one that a flag or a variable can give. The variable is the flag in
// capitals behind PLUMBLINE_GATEWAY_.
type setting struct {
	flag  string
	usage string
	set   func(c *Config, value string) error
}

func (s setting) variable() string {
	return envPrefix + strings.ToUpper(strings.ReplaceAll(s.flag, "-", "_"))
}

// settings are applied in this order: a profile before the models that it
// brings, models before their servers.
func settings() []setting {
	interval := func(of func(*Config) *time.Duration) func(*Config, string) error {
		return func(c *Config, value string) error { return parseDuration(of(c), value) }
	}
	return []setting{
		{"listen", "`host:port` to serve the API on (default " + DefaultAddress + ")", func(c *Config, v string) error {
			c.first().Address = v
			return nil
		}},
		{"profile", "`name` of the documents to follow there: mortar (default) or notholy", func(c *Config, v string) error {
			c.first().Profile = Profile(v)
			return nil
		}},
		{"metrics-listen", "`host:port` to serve Prometheus metrics on (default none)", func(c *Config, v string) error {
			c.MetricsListen = v
			return nil
		}},
		{"key", "an API `key` that is accepted, of the organization \"default\"; the variable keeps it out of the process list", setKey},
		{"data", "`directory` for the ledger, and for the keys and credits that \"gateway keys\", \"orgs\" and \"credits\" add (default none: charges are kept in memory)", func(c *Config, v string) error {
			c.Data = v
			return nil
		}},
		{"model-server", "`URL` of an OpenAI-compatible model server, or several with commas, for every model (default: the built-in sample model)", setModelServers},
		{"model-server-model", "`name` of the model there (default: as the gateway calls it)", func(c *Config, v string) error {
			return c.eachServer("model-server-model", func(s *ModelServer) { s.Model = v })
		}},
		{"model-server-key", "API `key` for the model servers; the variable keeps it out of the process list", func(c *Config, v string) error {
			return c.eachServer("model-server-key", func(s *ModelServer) { s.APIKey = NewSecret(v) })
		}},
		{"ping-interval", "`duration` between keep-alive comments of a completion stream (default 10s)", interval(func(c *Config) *time.Duration { return &c.Intervals.Ping })},
		{"telemetry-ping-interval", "`duration` between keep-alive comments of a telemetry stream (default 15s)", interval(func(c *Config) *time.Duration { return &c.Intervals.TelemetryPing })},
		{"tick-interval", "`duration` between events of the fleet metrics stream (default 2s)", interval(func(c *Config) *time.Duration { return &c.Intervals.Tick })},
		{"health-interval", "`duration` between health checks of a model server (default 5s)", interval(func(c *Config) *time.Duration { return &c.Intervals.Health })},
		{"drain", "`duration` that running replies may go on at shutdown (default 30s)", interval(func(c *Config) *time.Duration { return &c.Limits.Drain })},
		{"max-body-bytes", "`size` of the largest request body (default 16MiB)", func(c *Config, v string) error { return parseBytes(&c.Limits.MaxBodyBytes, v) }},
		{"max-line-bytes", "`size` of the longest line of a model server's stream (default 32MiB)", func(c *Config, v string) error { return parseBytes(&c.Limits.MaxLineBytes, v) }},
	}
}

// BindFlags declares the flags that [Load] reads.
func BindFlags(flags *pflag.FlagSet) {
	flags.String(configFlag, "", "`file` of settings; --print-config prints one to start from")
	for _, s := range settings() {
		flags.String(s.flag, "", s.usage)
	}
}

// first returns the listener that flags are about.
func (c *Config) first() *Listener {
	if len(c.Listeners) == 0 {
		c.Listeners = []Listener{{Address: DefaultAddress, Profile: ProfileMortar}}
	}
	return &c.Listeners[0]
}

// setKey adds a key to the organization that flags are about.
func setKey(c *Config, key string) error {
	const org, id = "default", "key"
	for i := range c.Organizations {
		o := &c.Organizations[i]
		if o.ID != org {
			continue
		}
		o.Keys = slices.DeleteFunc(o.Keys, func(k Key) bool { return k.ID == id })
		o.Keys = append(o.Keys, KeyFrom(id, key))
		return nil
	}
	c.Organizations = append(c.Organizations, Organization{ID: org, Keys: []Key{KeyFrom(id, key)}})
	return nil
}

func setModelServers(c *Config, urls string) error {
	c.completeModels()
	for i := range c.Models {
		c.Models[i].ModelServers = nil
		for url := range strings.SplitSeq(urls, ",") {
			c.Models[i].ModelServers = append(c.Models[i].ModelServers, ModelServer{URL: strings.TrimSpace(url)})
		}
	}
	return nil
}

func (c *Config) eachServer(name string, set func(*ModelServer)) error {
	n := 0
	for i := range c.Models {
		for j := range c.Models[i].ModelServers {
			set(&c.Models[i].ModelServers[j])
			n++
		}
	}
	if n == 0 {
		return fmt.Errorf("there is no model server to which %s could apply: give --model-server as well", name)
	}
	return nil
}
