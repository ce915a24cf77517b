package conformance

import (
	"crypto/x509"
	"net/url"
	"strings"

	"plumbline.dev/plumbline/conformance/check"
	"plumbline.dev/plumbline/conformance/probe"
)

// defaultProfile is judged where none is named.
const defaultProfile = "mortar"

// Target is what is judged.
type Target struct {
	// BaseURL is the root of the API, with or without /v1.
	BaseURL string
	// RootCAs vouch for its certificate; nil leaves that to those of the system.
	RootCAs *x509.CertPool
	// Profile names the documents: mortar (also ""), openai, or several with
	// commas between.
	Profile string
	// Model is sent with each request; empty takes the first model that the
	// target lists.
	Model string
	// Key is sent as a bearer token. Key2 is a second key of the same
	// organization, Org2Key one of another organization.
	Key, Key2, Org2Key string
	// PoorKey is a key that is out of credits, LimitedKey one over its limit.
	PoorKey, LimitedKey string
	// CreditsPath is where the balance and the last charges are read; "" takes
	// /v1/credits. No document says it.
	CreditsPath string
	// Alias is another name of the model.
	Alias string
	// Control is the base URL of the fake GPU to which the target forwards. It
	// makes the target's model server scripted; empty means a live model.
	Control string
	// Without lists what the target does not offer: stop, models, chat, text,
	// responses, messages. Formats that it does not speak are found out, too.
	Without []string
	// Intervals are those of a development target that shortens the documented
	// ones; the zero value is the documented ones. Such a run certifies nothing.
	Intervals Intervals
	// Reference is set for our own gateway, which is held to assumed rows too.
	Reference bool
	// SessionHeader is the header in which a request names its session; "" takes
	// X-Mortar-Session-Id. No document says it.
	SessionHeader string
	// Events are the names of the telemetry events that the documents leave open;
	// what is "" is known by its shape.
	Events EventNames
}

// EventNames are the names of the events that tell a routing decision, a
// prefix-cache outcome and a latency.
type EventNames = check.Names

// Intervals are waits that a development target may shorten.
type Intervals = probe.Intervals

// profiles are the profiles by name.
func (t Target) profiles() []string {
	var names []string
	for name := range strings.SplitSeq(t.Profile, ",") {
		names = append(names, strings.TrimSpace(name))
	}
	return names
}

// normalized checks the target and completes it. The error is a *UsageError.
func (t Target) normalized() (Target, error) {
	if t.Profile == "" {
		t.Profile = defaultProfile
	}
	u, err := url.Parse(t.BaseURL)
	if err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") {
		return t, usagef("the target %q is no URL such as http://127.0.0.1:8080", t.BaseURL)
	}
	u.User, u.RawQuery, u.Fragment = nil, "", ""
	t.BaseURL = strings.TrimSuffix(strings.TrimSuffix(u.String(), "/"), "/v1")
	return t, nil
}

func (t Target) probeTarget() probe.Target {
	return probe.Target{BaseURL: t.BaseURL, RootCAs: t.RootCAs, Model: t.Model, Key: t.Key, Key2: t.Key2, Org2Key: t.Org2Key, Control: t.Control,
		Poor: t.PoorKey, Limited: t.LimitedKey, Alias: t.Alias, CreditsPath: t.CreditsPath,
		SessionHeader: t.SessionHeader, Events: t.Events, Intervals: t.Intervals}
}

func (t Target) reported() ReportTarget {
	server := "live"
	if t.Control != "" {
		server = "scripted"
	}
	return ReportTarget{URL: t.BaseURL, Model: t.Model, ModelServer: server, Reference: t.Reference, Shortened: t.Intervals != Intervals{}}
}
