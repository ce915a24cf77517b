package target

import (
	"crypto/x509"
	"time"
)

// Config is what a run judges and how, checked and normalised.
type Config struct {
	// URL is the root of the gateway, without a slash at its end and without
	// /v1: URL + "/v1/chat/completions" is an endpoint. "" stands for the
	// reference gateway, started in this process.
	URL string
	// RootCAs vouch for the target's certificate; nil leaves that to the system's.
	RootCAs  *x509.CertPool
	Profiles []string // at least one
	Model    string   // "" if the target shall be asked
	Alias    string   // another name of the model, "" for none
	Keys     Keys
	Offers   Offers
	// ModelServer is the host:port at which a scripted model server is to be
	// started; Control is the root URL of one that runs. Both "" means that the
	// target's model server is not ours to script.
	ModelServer string
	Control     string
	Intervals   Intervals
	Telemetry   Telemetry
	Credits     Credits
	Tags        string // a tag expression, "" for all
	Reports     []string
	Baseline    string // path, "" for none
	// AllowInconclusive lets a run succeed though rows could not be judged.
	AllowInconclusive bool
	Concurrency       int // 0 leaves it to the runner
}

// Keys are the API keys by the role that they play; a zero Secret is a role
// that nobody plays.
type Keys struct {
	Key     Secret
	Key2    Secret // same organization as Key
	Org2    Secret // another organization
	Poor    Secret // out of credits
	Limited Secret // over its limit
}

// All returns the keys that are set, for a redactor.
func (k Keys) All() []string {
	var all []string
	for _, s := range []Secret{k.Key, k.Key2, k.Org2, k.Poor, k.Limited} {
		if !s.IsZero() {
			all = append(all, s.Reveal())
		}
	}
	return all
}

// Offers says which optional parts of the documents the target serves; nil is
// not said: an API format is then found out by asking, and every other part is
// judged as the profile documents it.
type Offers struct {
	Stop      *bool
	Telemetry *bool
	Models    *bool
	Fleet     *bool
	Credits   *bool
	// The API formats.
	Chat, Text, Responses, Messages *bool
}

// Telemetry is how to read what the documents leave open of serving telemetry;
// "" leaves it to the runner.
type Telemetry struct {
	SessionHeader string // in which a request names its session
	// RouteEvent, CacheEvent and LatencyEvent are the names of the events that
	// tell a routing decision, a prefix-cache outcome and a latency.
	RouteEvent, CacheEvent, LatencyEvent string
}

// Credits is how to read a balance, which no document says; "" leaves it to the
// runner.
type Credits struct {
	Path string // of the balance and the last charges, such as /v1/credits
}

// Intervals replace what the documents say, for a development target that was
// started with shorter ones; 0 is the documented interval.
type Intervals struct {
	Ping          time.Duration // of a reply
	TelemetryPing time.Duration
	Tick          time.Duration // of fleet metrics
	Silence       time.Duration // how long a reply is silent to see that no time limit cuts it
}

// Overridden reports whether any interval is not the documented one: such a
// run cannot certify a target.
func (i Intervals) Overridden() bool { return i != Intervals{} }
