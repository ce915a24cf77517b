package config

import (
	"time"

	"plumbline.dev/plumbline/reference/account"
	"plumbline.dev/plumbline/reference/price"
)

const (
	// DefaultAddress is where the API is served when nothing else is said.
	DefaultAddress = "127.0.0.1:8080"
	// DevelopmentKey is the key that works when no organization is configured.
	DevelopmentKey = "dev-key"
)

// Default returns the settings of a gateway that serves the default model of a
// profile from the built-in sample model, on [DefaultAddress], without keys.
func Default(profile Profile) *Config {
	return &Config{
		Listeners: []Listener{{Address: DefaultAddress, Profile: profile}},
		Intervals: Intervals{
			Ping:          10 * time.Second,
			TelemetryPing: 15 * time.Second,
			Tick:          2 * time.Second,
			Health:        5 * time.Second,
		},
		Limits: Limits{
			MaxBodyBytes: 16 << 20,
			MaxLineBytes: 32 << 20,
			Drain:        30 * time.Second,
		},
	}
}

// DefaultModel returns the model that a profile's document names in its
// examples. Mortar's prices are those of its worked example.
func DefaultModel(profile Profile) Model {
	if profile == ProfileNotholy {
		return Model{
			ID:            "notholy-specter",
			ContextWindow: 131072,
			Prices: price.Prices{
				Input:      price.MustParse("0.24"),
				CacheRead:  price.MustParse("0.024"),
				CacheWrite: price.MustParse("0.3"),
				Output:     price.MustParse("0.96"),
			},
		}
	}
	return Model{
		ID:            "Qwen/Qwen2.5-7B-Instruct",
		ContextWindow: 32768,
		Prices: price.Prices{
			Input:      price.MustParse("0.0313"),
			CacheRead:  price.MustParse("0.00313"),
			CacheWrite: price.MustParse("0.039125"),
			Output:     price.MustParse("0.2373"),
		},
	}
}

// DefaultDialect is that of the OpenAI API, with the older name of the limit,
// which more model servers know.
func DefaultDialect() Dialect {
	return Dialect{
		AskUsage:        true,
		MaxTokensField:  "max_tokens",
		CachedTokens:    CachedInside,
		CachedField:     "prompt_tokens_details.cached_tokens",
		CacheWriteField: "prompt_tokens_details.cache_write_tokens",
	}
}

// KeyFrom returns a key named id.
func KeyFrom(id, key string) Key { return Key{ID: id, Digest: account.DigestOf(key)} }
