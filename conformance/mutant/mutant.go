package mutant

import (
	"context"
	"net/http"
	"net/url"
	"time"
)

// Mutant is a gateway that is broken in one way.
type Mutant struct {
	Name    string // lower case, words joined by hyphens
	Area    string
	Profile string // the documents that it is judged by; "" in an entry is mortar
	Summary string // what it does wrong
	// Breaks are the rows of the catalogue that must fail.
	Breaks []string
	// May are patterns (as of path.Match) of rows that can fail too, because the
	// fault harms what they look at.
	May []string
	// Report is the public bug report that it is modelled on, "owner/repo#n".
	Report string
	// Wrap returns the mutant in front of a right gateway. It ends with ctx.
	Wrap func(ctx context.Context, up Upstream) http.Handler
	// Behind is set, in the place of Wrap, where the fault is in how the gateway
	// reads its model server: it stands between the two.
	Behind func(ctx context.Context, up Upstream) http.Handler
}

// Upstream is what is right behind a mutant: the gateway, or the model server.
type Upstream struct {
	URL *url.URL // its root, without /v1
	// Ping is the time between its keep-alive comments, Silence the longest
	// silence of a model server that a run tries.
	Ping, Silence time.Duration
	// TelemetryPing is the time between two pings of a telemetry stream, Tick that
	// between two ticks of the fleet's metrics.
	TelemetryPing, Tick time.Duration
}

// defaultProfile is that of most mutants.
const defaultProfile = "mortar"

// All returns every mutant, area by area.
func All() []Mutant {
	var all []Mutant
	for _, area := range []struct {
		name    string
		mutants []Mutant
	}{
		{"terminator", terminators()},
		{"usage", usages()},
		{"usage", counts()},
		{"finish", finishes()},
		{"identity", identities()},
		{"shape", shapes()},
		{"framing", framings()},
		{"characters", characters()},
		{"head", heads()},
		{"buffering", bufferings()},
		{"keep-alive", keepalives()},
		{"failure", failures()},
		{"failure", failureWords()},
		{"refusal", refusals()},
		{"refusal", leniencies()},
		{"disconnect", disconnects()},
		{"stop", stops()},
		{"stop", stopRights()},
		{"stop", stopEnds()},
		{"choices", choices()},
		{"tools", tools()},
		{"logprobs", logprobs()},
		{"text", texts()},
		{"limits", limits()},
		{"reading", readings()},
		{"not streamed", wholes()},
		{"models", models()},
		{"telemetry", tellings()},
		{"telemetry", openings()},
		{"telemetry", outcomes()},
		{"telemetry", subscribers()},
		{"isolation", isolations()},
		{"accounting", accountings()},
		{"accounting", usageReadings()},
		{"cost", costs()},
		{"cost", amounts()},
		{"session", sums()},
		{"fleet", ticks()},
		{"text completions", textCompletions()},
		{"responses", responses()},
		{"messages", messages()},
		{"all formats", everyFormat()},
		{areaOfCredits, credits()},
		{"load", loads()},
	} {
		for _, m := range area.mutants {
			m.Area = area.name
			if m.Profile == "" {
				m.Profile = defaultProfile
			}
			all = append(all, m)
		}
	}
	return all
}
