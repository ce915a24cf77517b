package config

import (
	"fmt"
	"net"
	"net/url"
	"slices"
	"strings"

	"plumbline.dev/plumbline/reference/account"
)

// Complete fills in what was left to defaults (the profiles' models, names of
// model servers, the development key) and returns every problem of the
// settings, joined.
func (c *Config) Complete() error {
	return c.complete().err()
}

func (c *Config) complete() problems {
	c.completeModels()
	c.completeKeys()
	var p problems
	c.checkListeners(&p)
	c.checkModels(&p)
	c.checkLimits(&p)
	c.checkOrganizations(&p)
	if _, err := account.NewDirectory(c.Accounts()); err != nil {
		p.add("organizations", "%v", err)
	}
	return p
}

// completeModels gives each listener its models: those of its profile when none
// are configured at all, otherwise all of them.
func (c *Config) completeModels() {
	ofProfile := len(c.Models) == 0
	for i := range c.Listeners {
		listener := &c.Listeners[i]
		if ofProfile {
			model := DefaultModel(listener.Profile)
			if _, known := c.Model(model.ID); !known {
				c.Models = append(c.Models, model)
			}
			if len(listener.Models) == 0 {
				listener.Models = []string{model.ID}
			}
			continue
		}
		if len(listener.Models) == 0 {
			for _, model := range c.Models {
				listener.Models = append(listener.Models, model.ID)
			}
		}
	}
	for i := range c.Models {
		for j := range c.Models[i].ModelServers {
			c.Models[i].ModelServers[j].complete(c.Models[i].ID)
		}
	}
}

func (s *ModelServer) complete(model string) {
	if s.Model == "" {
		s.Model = model
	}
	if u, err := url.Parse(s.URL); err == nil && s.Name == "" {
		s.Name = u.Host
	}
	if s.Dialect == (Dialect{}) {
		s.Dialect = DefaultDialect()
	}
}

func (c *Config) completeKeys() {
	if len(c.Organizations) > 0 || c.Data != "" || slices.ContainsFunc(c.Listeners, func(l Listener) bool { return !isLoopback(l.Address) }) {
		return
	}
	c.DevelopmentKey = true
	c.Organizations = []Organization{{ID: "dev", Keys: []Key{KeyFrom("dev", DevelopmentKey)}}}
}

func (c *Config) checkListeners(p *problems) {
	if len(c.Listeners) == 0 {
		p.add("listeners", "none is configured: give at least one address")
	}
	seen := make(map[string]bool)
	for i, l := range c.Listeners {
		path := fmt.Sprintf("listeners[%d]", i)
		checkAddress(p, path+".address", l.Address)
		if seen[l.Address] && !strings.HasSuffix(l.Address, ":0") {
			p.add(path+".address", "%s is listed twice", l.Address)
		}
		seen[l.Address] = true
		if l.Profile != ProfileMortar && l.Profile != ProfileNotholy {
			p.add(path+".profile", "%q is not a profile: use mortar or notholy", l.Profile)
		}
		for j, id := range l.Models {
			if !slices.ContainsFunc(c.Models, func(m Model) bool { return m.ID == id }) {
				p.add(fmt.Sprintf("%s.models[%d]", path, j), "no model has the id %q", id)
			}
		}
		if len(c.Organizations) == 0 && c.Data == "" && !isLoopback(l.Address) {
			p.add("organizations", "none is configured, and %s can be reached from other machines: give at least one key, or a data directory that holds keys", l.Address)
		}
	}
	if c.MetricsListen != "" {
		checkAddress(p, "metrics.address", c.MetricsListen)
	}
}

func (c *Config) checkModels(p *problems) {
	seen := make(map[string]bool)
	name := func(path, name string) {
		switch {
		case name == "":
			p.add(path, "the name is empty")
		case seen[name]:
			p.add(path, "%q is the name of two models", name)
		}
		seen[name] = true
	}
	for i, m := range c.Models {
		path := fmt.Sprintf("models[%d]", i)
		name(path+".id", m.ID)
		for j, alias := range m.Aliases {
			name(fmt.Sprintf("%s.aliases[%d]", path, j), alias)
		}
		if m.ContextWindow < 1 {
			p.add(path+".contextWindow", "%d is not a number of tokens: it must be 1 or more", m.ContextWindow)
		}
		for j, s := range m.ModelServers {
			s.check(p, fmt.Sprintf("%s.modelServers[%d]", path, j))
		}
	}
}

func (s ModelServer) check(p *problems, path string) {
	u, err := url.Parse(s.URL)
	switch {
	case err != nil:
		// The parser's error repeats the URL, which may hold a password.
		p.add(path+".url", "it is not a URL: write it as http://host:port or http://host:port/v1")
	case u.Scheme != "http" && u.Scheme != "https" || u.Host == "":
		p.add(path+".url", "it is not an HTTP URL: write it as http://host:port or http://host:port/v1")
	case u.User != nil:
		p.add(path+".url", "it holds credentials: use apiKeyEnv instead")
	case u.RawQuery != "" || u.Fragment != "":
		p.add(path+".url", "it has a query or a fragment: leave them out")
	}
	if s.IdleTimeout < 0 {
		p.add(path+".idleTimeout", "it is negative: use 0 for no limit")
	}
	for i, format := range s.Native {
		if format != "responses" && format != "messages" {
			p.add(fmt.Sprintf("%s.native[%d]", path, i), "%q is unknown: use responses or messages", format)
		}
	}
	if f := s.Dialect.MaxTokensField; f != "max_tokens" && f != "max_completion_tokens" {
		p.add(path+".maxTokensField", "%q is unknown: use max_tokens or max_completion_tokens", f)
	}
	if w := s.Dialect.CachedTokens; w != CachedInside && w != CachedBeside {
		p.add(path+".cachedTokens", "%q is unknown: use inside or beside", w)
	}
}

func (c *Config) checkLimits(p *problems) {
	for _, positive := range []struct {
		path  string
		value int64
	}{
		{"intervals.ping", int64(c.Intervals.Ping)},
		{"intervals.telemetryPing", int64(c.Intervals.TelemetryPing)},
		{"intervals.tick", int64(c.Intervals.Tick)},
		{"intervals.health", int64(c.Intervals.Health)},
		{"limits.maxBodyBytes", c.Limits.MaxBodyBytes},
		{"limits.maxLineBytes", c.Limits.MaxLineBytes},
	} {
		if positive.value <= 0 {
			p.add(positive.path, "it must be more than 0")
		}
	}
	if c.Limits.Drain < 0 {
		p.add("limits.drain", "it is negative: use 0 to end running replies at once")
	}
}

func (c *Config) checkOrganizations(p *problems) {
	for i, org := range c.Organizations {
		if org.Credits != nil && org.Credits.Sign() < 0 {
			p.add(fmt.Sprintf("organizations[%d].credits", i), "it is negative: use 0 for no credits")
		}
		for j, key := range org.Keys {
			path := fmt.Sprintf("organizations[%d].keys[%d].limits", i, j)
			checkPerMinute(p, path+".requestsPerMinute", key.Limits.RequestsPerMinute)
			checkPerMinute(p, path+".tokensPerMinute", key.Limits.TokensPerMinute)
		}
	}
}

func checkPerMinute(p *problems, path string, n *int64) {
	if n != nil && *n < 0 {
		p.add(path, "it is negative: use 0 to let nothing pass, and leave it out for no limit")
	}
}

func checkAddress(p *problems, path, address string) {
	if _, port, err := net.SplitHostPort(address); err != nil || port == "" {
		p.add(path, "%q is not an address: write host:port, such as %s", address, DefaultAddress)
	}
}

func isLoopback(address string) bool {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return false
	}
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}
