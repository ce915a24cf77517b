// Package config holds the settings of the gateway and reads them: defaults,
// then a YAML file, then PLUMBLINE_GATEWAY_* variables, then flags; the later
// wins. Everything wrong is reported at once, each problem with its place in the
// file and what would be right; a mistyped key is an error, never ignored.
//
// Prices keep the text they were written with until they are exact decimals, so
// no float comes between a file and a bill.
package config

import (
	"time"

	"plumbline.dev/plumbline/reference/account"
	"plumbline.dev/plumbline/reference/limit"
	"plumbline.dev/plumbline/reference/price"
)

// Profile is a set of documented behaviours. The documents disagree on when a
// stream carries usage, so each listener has one profile.
type Profile string

// Profiles.
const (
	ProfileMortar  Profile = "mortar"
	ProfileNotholy Profile = "notholy"
)

// Config is the settings of one gateway process. [Load] returns it complete and
// valid; one made by hand is completed and checked by [Config.Complete].
type Config struct {
	Listeners []Listener
	// MetricsListen is the address of the Prometheus listener; empty is none.
	MetricsListen string
	// Models are offered in this order.
	Models        []Model
	Organizations []Organization
	// DevelopmentKey tells that no organization was configured, and that the
	// well-known key [DevelopmentKey] was therefore given access. It is possible
	// on loopback addresses only.
	DevelopmentKey bool
	// Data is the directory that holds the ledger, and the organizations, keys
	// and credits that the administration commands add; "" keeps charges in
	// memory alone.
	Data      string
	Intervals Intervals
	Limits    Limits
}

// Listener is one address on which the API is served.
type Listener struct {
	Address string // host:port
	Profile Profile
	// Models are the ids of the models that are offered here; the first is the
	// default of requests that name none. Complete fills it in when empty.
	Models []string
}

// Model is a model that clients can ask for.
type Model struct {
	ID string
	// Aliases are further names for it; replies always carry the ID.
	Aliases       []string
	Prices        price.Prices
	ContextWindow int64 // tokens of prompt and completion together
	// ModelServers serve it; with none, the built-in sample model answers.
	ModelServers []ModelServer
}

// ModelServer is an OpenAI-compatible server of one model.
type ModelServer struct {
	// Name is how telemetry and logs call it; by default the host and port.
	Name string
	// URL is where its API begins, such as http://10.0.0.7:8000/v1.
	URL string
	// Model is the model's name there; by default the model's id.
	Model string
	// APIKey is sent to it as a bearer token, if it has any.
	APIKey Secret
	// IdleTimeout fails a reply after so long a silence; 0 is no limit, as none
	// is documented.
	IdleTimeout time.Duration
	Dialect     Dialect
	// Native are the formats that it speaks itself beside chat: responses,
	// messages.
	Native []string
}

// Dialect is where model servers differ from one another.
type Dialect struct {
	// AskUsage asks for usage with stream_options.include_usage; false for
	// servers that refuse the field.
	AskUsage bool
	// MaxTokensField is the name under which the server knows the limit:
	// max_tokens or max_completion_tokens.
	MaxTokensField string
	// CachedTokens tells whether prompt_tokens includes the cached ones.
	CachedTokens CachedTokens
	// CachedField and CacheWriteField are the paths (dots between keys) inside
	// usage of the tokens read from and written to the prefix cache.
	CachedField     string
	CacheWriteField string
}

// CachedTokens tells how a model server counts cached prompt tokens.
type CachedTokens string

// Ways of counting cached prompt tokens.
const (
	CachedInside CachedTokens = "inside" // prompt_tokens includes them, as in the OpenAI API
	CachedBeside CachedTokens = "beside" // prompt_tokens is the rest
)

// Organization is an organization with its keys.
type Organization struct {
	ID   string
	Keys []Key
	// Credits are what it was granted in all, in US dollars; nil is no balance,
	// so that nothing is refused.
	Credits *price.Money
}

// Key is an API key of an organization, given itself or by its digest.
type Key struct {
	ID     string
	Digest account.Digest
	Limits limit.Limits
}

// Intervals are how often things happen. The documents give the first three.
type Intervals struct {
	Ping          time.Duration // keep-alive comments of completion streams
	TelemetryPing time.Duration // keep-alive comments of telemetry streams
	Tick          time.Duration // events of the fleet metrics stream
	Health        time.Duration // health checks of model servers
}

// Limits bound what a peer can make the gateway do.
type Limits struct {
	MaxBodyBytes int64         // of a request
	MaxLineBytes int64         // of a model server's stream
	Drain        time.Duration // how long running replies may go on at shutdown
}

// Accounts returns the organizations in the form that a directory of keys is
// built from.
func (c *Config) Accounts() []account.Organization {
	orgs := make([]account.Organization, len(c.Organizations))
	for i, org := range c.Organizations {
		orgs[i].ID = org.ID
		for _, key := range org.Keys {
			orgs[i].Keys = append(orgs[i].Keys, account.Key{ID: key.ID, Digest: key.Digest, Limits: key.Limits})
		}
	}
	return orgs
}

// Model returns the model with this id or alias.
func (c *Config) Model(name string) (*Model, bool) {
	for i := range c.Models {
		m := &c.Models[i]
		if m.ID == name {
			return m, true
		}
		for _, alias := range m.Aliases {
			if alias == name {
				return m, true
			}
		}
	}
	return nil, false
}
