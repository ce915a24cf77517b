package config

import (
	"bytes"
	_ "embed" // the example
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"

	"go.yaml.in/yaml/v3"

	"plumbline.dev/plumbline/reference/account"
)

// maxFileBytes is far more than any settings need.
const maxFileBytes = 4 << 20

//go:embed example.yaml
var example []byte

// Example returns a commented settings file that says what holds without any.
func Example() []byte { return bytes.Clone(example) }

// readFile reads the settings of a file over those in c.
func readFile(c *Config, path string, env func(string) string) (*reader, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("reading the gateway's settings: %w", err)
	}
	defer func() { _ = f.Close() }() // it was only read
	data, err := io.ReadAll(io.LimitReader(f, maxFileBytes+1))
	if err != nil {
		return nil, fmt.Errorf("reading the gateway's settings from %s: %w", path, err)
	}
	if len(data) > maxFileBytes {
		return nil, fmt.Errorf("reading the gateway's settings from %s: it is larger than %d bytes", path, maxFileBytes)
	}
	r := &reader{file: path, env: env, places: make(map[string]string)}
	if err := r.document(c, data); err != nil {
		return nil, fmt.Errorf("reading the gateway's settings from %s: %w", path, err)
	}
	if err := r.problems.err(); err != nil {
		return nil, err
	}
	return r, nil
}

// document reads one YAML document; one without content changes nothing.
func (r *reader) document(c *Config, data []byte) error {
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	var document yaml.Node
	err := decoder.Decode(&document)
	if errors.Is(err, io.EOF) {
		return nil
	}
	if err != nil {
		return err
	}
	if err := decoder.Decode(new(yaml.Node)); !errors.Is(err, io.EOF) {
		return errors.New("it must be one YAML document: remove the --- line and what follows")
	}
	if root := document.Content[0]; root.Tag != "!!null" {
		r.config(c, root)
	}
	return nil
}

func (r *reader) config(c *Config, n *yaml.Node) {
	r.mapping("", n, map[string]read{
		"listeners": func(path string, n *yaml.Node) {
			c.Listeners = nil
			r.sequence(path, n, func(path string, n *yaml.Node) {
				c.Listeners = append(c.Listeners, r.listener(path, n))
			})
		},
		"metrics": func(path string, n *yaml.Node) {
			r.mapping(path, n, map[string]read{"address": r.text(&c.MetricsListen)}, "address")
		},
		"models": func(path string, n *yaml.Node) {
			c.Models = nil
			r.sequence(path, n, func(path string, n *yaml.Node) {
				c.Models = append(c.Models, r.model(path, n))
			})
		},
		"organizations": func(path string, n *yaml.Node) {
			c.Organizations = nil
			r.sequence(path, n, func(path string, n *yaml.Node) {
				c.Organizations = append(c.Organizations, r.organization(path, n))
			})
		},
		"data": r.text(&c.Data),
		"intervals": func(path string, n *yaml.Node) {
			r.mapping(path, n, map[string]read{
				"ping":          r.duration(&c.Intervals.Ping),
				"telemetryPing": r.duration(&c.Intervals.TelemetryPing),
				"tick":          r.duration(&c.Intervals.Tick),
				"health":        r.duration(&c.Intervals.Health),
			})
		},
		"limits": func(path string, n *yaml.Node) {
			r.mapping(path, n, map[string]read{
				"maxBodyBytes": r.scalar(func(text string) error { return parseBytes(&c.Limits.MaxBodyBytes, text) }),
				"maxLineBytes": r.scalar(func(text string) error { return parseBytes(&c.Limits.MaxLineBytes, text) }),
				"drain":        r.duration(&c.Limits.Drain),
			})
		},
	})
}

func (r *reader) listener(path string, n *yaml.Node) Listener {
	l := Listener{Profile: ProfileMortar}
	r.mapping(path, n, map[string]read{
		"address": r.text(&l.Address),
		"profile": r.text((*string)(&l.Profile)),
		"models":  r.texts(&l.Models),
	}, "address")
	return l
}

func (r *reader) model(path string, n *yaml.Node) Model {
	var m Model
	r.mapping(path, n, map[string]read{
		"id":            r.text(&m.ID),
		"aliases":       r.texts(&m.Aliases),
		"contextWindow": r.integer(&m.ContextWindow),
		"prices": func(path string, n *yaml.Node) {
			r.mapping(path, n, map[string]read{
				"input":      r.price(&m.Prices.Input),
				"output":     r.price(&m.Prices.Output),
				"cacheRead":  r.price(&m.Prices.CacheRead),
				"cacheWrite": r.price(&m.Prices.CacheWrite),
			}, "input", "output", "cacheRead", "cacheWrite")
		},
		"modelServers": func(path string, n *yaml.Node) {
			r.sequence(path, n, func(path string, n *yaml.Node) {
				m.ModelServers = append(m.ModelServers, r.modelServer(path, n))
			})
		},
	}, "id", "contextWindow", "prices")
	return m
}

func (r *reader) modelServer(path string, n *yaml.Node) ModelServer {
	s := ModelServer{Dialect: DefaultDialect()}
	r.mapping(path, n, map[string]read{
		"name":        r.text(&s.Name),
		"url":         r.text(&s.URL),
		"model":       r.text(&s.Model),
		"apiKeyEnv":   r.fromEnv(func(value string) { s.APIKey = NewSecret(value) }),
		"idleTimeout": r.duration(&s.IdleTimeout),
		"native":      r.texts(&s.Native),
		"dialect": func(path string, n *yaml.Node) {
			r.mapping(path, n, map[string]read{
				"askUsage":        r.boolean(&s.Dialect.AskUsage),
				"maxTokensField":  r.text(&s.Dialect.MaxTokensField),
				"cachedTokens":    r.text((*string)(&s.Dialect.CachedTokens)),
				"cachedField":     r.text(&s.Dialect.CachedField),
				"cacheWriteField": r.text(&s.Dialect.CacheWriteField),
			})
		},
	}, "url")
	return s
}

func (r *reader) organization(path string, n *yaml.Node) Organization {
	var o Organization
	r.mapping(path, n, map[string]read{
		"id":      r.text(&o.ID),
		"credits": r.money(&o.Credits),
		"keys": func(path string, n *yaml.Node) {
			r.sequence(path, n, func(path string, n *yaml.Node) {
				o.Keys = append(o.Keys, r.key(path, n))
			})
		},
	}, "id", "keys")
	return o
}

// key reads a key, given in one of three ways.
func (r *reader) key(path string, n *yaml.Node) Key {
	var k Key
	given := 0
	once := func(take read) read {
		return func(path string, n *yaml.Node) {
			given++
			take(path, n)
		}
	}
	r.mapping(path, n, map[string]read{
		"id": r.text(&k.ID),
		"limits": func(path string, n *yaml.Node) {
			r.mapping(path, n, map[string]read{
				"requestsPerMinute": r.optionalInteger(&k.Limits.RequestsPerMinute),
				"tokensPerMinute":   r.optionalInteger(&k.Limits.TokensPerMinute),
			})
		},
		"keyEnv": once(r.fromEnv(func(value string) { k.Digest = account.DigestOf(value) })),
		"key": once(r.scalar(func(text string) error {
			if text == "" {
				return errors.New("the key is empty")
			}
			k.Digest = account.DigestOf(text)
			return nil
		})),
		"keySHA256": once(r.scalar(func(text string) error {
			digest, err := hex.DecodeString(text)
			if err != nil || len(digest) != len(k.Digest) {
				return errors.New("it must be 64 hexadecimal digits, as sha256sum prints them")
			}
			copy(k.Digest[:], digest)
			return nil
		})),
	}, "id")
	if given > 1 {
		r.fail(path, "give the key once: as keyEnv, key or keySHA256")
	}
	if given == 0 {
		r.fail(path, "no key: give keyEnv, key or keySHA256")
	}
	return k
}
