package target

// Kind says which texts a setting takes.
type Kind string

// Kinds of settings, named as a --help shows them.
const (
	Text     Kind = "text"
	Key      Kind = "key"      // a secret; in the file also {env: NAME}
	Bool     Kind = "bool"     // true or false
	Number   Kind = "n"        // a whole number
	Duration Kind = "duration" // such as 500ms or 10s
	List     Kind = "list"     // may be given more than once
)

// Setting is one thing that a user can set, by any of its three names.
type Setting struct {
	Key   string // in the file; a dot stands for nesting
	Env   string
	Flag  string // without the dashes
	Kind  Kind
	Usage string // one line for --help
}

// Settings returns all settings, in the order in which a user wants to read
// about them.
func Settings() []Setting {
	return []Setting{
		{"target", "PLUMBLINE_TARGET", "target", Text, "base URL of the gateway, with or without /v1; without one the reference gateway is judged"},
		{"caFile", "PLUMBLINE_CA_FILE", "ca-file", Text, "file of PEM certificates that vouch for the target instead of the system's, where its authority is a private one"},
		{"profile", "PLUMBLINE_PROFILE", "profile", List, "which documents to judge by"},
		{"model", "PLUMBLINE_MODEL", "model", Text, "model to ask for; without one the first that the target lists"},
		{"alias", "PLUMBLINE_ALIAS", "alias", Text, "another name of that model, to see that it is served alike"},
		{"keys.key", "PLUMBLINE_KEY", "key", Key, "API key"},
		{"keys.key2", "PLUMBLINE_KEY2", "key2", Key, "a second API key of the same organization"},
		{"keys.org2", "PLUMBLINE_ORG2_KEY", "org2-key", Key, "an API key of another organization"},
		{"keys.poor", "PLUMBLINE_POOR_KEY", "poor-key", Key, "an API key that is out of credits"},
		{"keys.limited", "PLUMBLINE_LIMITED_KEY", "limited-key", Key, "an API key that is over its limit"},
		{"modelServer", "PLUMBLINE_MODEL_SERVER", "model-server", Text, "start a scripted model server on this address; the target must forward to it"},
		{"control", "PLUMBLINE_CONTROL", "control", Text, "URL of the control API of a running plumbline fakegpu; the target must forward to it"},
		{"offers.stop", "PLUMBLINE_OFFERS_STOP", "offers-stop", Bool, "whether the target can stop a generation by its id; if not set it is judged as documented"},
		{"offers.telemetry", "PLUMBLINE_OFFERS_TELEMETRY", "offers-telemetry", Bool, "whether the target serves telemetry; if not set it is judged as documented"},
		{"offers.models", "PLUMBLINE_OFFERS_MODELS", "offers-models", Bool, "whether the target lists its models; if not set it is judged as documented"},
		{"offers.fleet", "PLUMBLINE_OFFERS_FLEET", "offers-fleet", Bool, "whether the target serves fleet metrics; if not set it is judged as documented"},
		{"offers.credits", "PLUMBLINE_OFFERS_CREDITS", "offers-credits", Bool, "whether the target serves a balance of credits; if not set it is judged as documented"},
		{"offers.chat", "PLUMBLINE_OFFERS_CHAT", "offers-chat", Bool, "whether the target speaks chat completions; found out if not set"},
		{"offers.text", "PLUMBLINE_OFFERS_TEXT", "offers-text", Bool, "whether the target speaks text completions; found out if not set"},
		{"offers.responses", "PLUMBLINE_OFFERS_RESPONSES", "offers-responses", Bool, "whether the target speaks Responses; found out if not set"},
		{"offers.messages", "PLUMBLINE_OFFERS_MESSAGES", "offers-messages", Bool, "whether the target speaks Messages; found out if not set"},
		{"credits.path", "PLUMBLINE_CREDITS_PATH", "credits-path", Text, "where the balance and the last charges are read, which no document says; /v1/credits if not set"},
		{"telemetry.sessionHeader", "PLUMBLINE_SESSION_HEADER", "session-header", Text, "header in which a request names its session, which no document says; X-Mortar-Session-Id if not set"},
		{"telemetry.routeEvent", "PLUMBLINE_ROUTE_EVENT", "route-event", Text, "name of the event that tells a routing decision; known by its shape if not set"},
		{"telemetry.cacheEvent", "PLUMBLINE_CACHE_EVENT", "cache-event", Text, "name of the event that tells a prefix-cache outcome; known by its shape if not set"},
		{"telemetry.latencyEvent", "PLUMBLINE_LATENCY_EVENT", "latency-event", Text, "name of the event that tells a latency; known by its shape if not set"},
		{"intervals.ping", "PLUMBLINE_PING_INTERVAL", "ping-interval", Duration, "interval of pings in a reply, where a development target shortens the documented 10s"},
		{"intervals.telemetryPing", "PLUMBLINE_TELEMETRY_PING_INTERVAL", "telemetry-ping-interval", Duration, "interval of pings in telemetry, where a development target shortens the documented 15s"},
		{"intervals.tick", "PLUMBLINE_TICK_INTERVAL", "tick-interval", Duration, "interval of fleet ticks, where a development target shortens the documented 2s"},
		{"intervals.silence", "PLUMBLINE_SILENCE", "silence", Duration, "how long a reply stays silent to see that no time limit cuts it, 35s if not set"},
		{"tags", "PLUMBLINE_TAGS", "tags", Text, "judge only scenarios that this tag expression selects: and, or, not, parentheses"},
		{"reports", "PLUMBLINE_REPORTS", "report", List, "report to write, FORMAT or FORMAT:PATH"},
		{"baseline", "PLUMBLINE_BASELINE", "baseline", Text, "file that lists the rows known to fail"},
		{"allowInconclusive", "PLUMBLINE_ALLOW_INCONCLUSIVE", "allow-inconclusive", Bool, "exit 0 also when rows could not be judged"},
		{"concurrency", "PLUMBLINE_CONCURRENCY", "concurrency", Number, "most scenarios to run side by side"},
	}
}

// setting finds a setting by its key in the file.
func setting(key string) (Setting, bool) {
	for _, s := range Settings() {
		if s.Key == key {
			return s, true
		}
	}
	return Setting{}, false
}
