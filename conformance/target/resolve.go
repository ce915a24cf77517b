package target

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"plumbline.dev/plumbline/conformance/nearest"
)

const (
	maxConcurrency = 10_000
	maxInterval    = time.Hour
)

// resolver turns the merged texts into a Config and collects what is wrong.
type resolver struct {
	overlay  Overlay
	environ  []string
	problems []error
}

func (r *resolver) fail(v value, format string, args ...any) {
	r.problems = append(r.problems, fmt.Errorf("%s: %s", v.where, fmt.Sprintf(format, args...)))
}

func (r *resolver) config(profiles []string) Config {
	c := Config{
		URL:      r.baseURL("target"),
		RootCAs:  r.certificates("caFile"),
		Profiles: r.profiles(profiles),
		Model:    r.text("model"),
		Alias:    r.text("alias"),
		Keys: Keys{
			Key:     r.secret("keys.key"),
			Key2:    r.secret("keys.key2"),
			Org2:    r.secret("keys.org2"),
			Poor:    r.secret("keys.poor"),
			Limited: r.secret("keys.limited"),
		},
		Offers: Offers{
			Stop:      r.bool("offers.stop"),
			Telemetry: r.bool("offers.telemetry"),
			Models:    r.bool("offers.models"),
			Fleet:     r.bool("offers.fleet"),
			Credits:   r.bool("offers.credits"),
			Chat:      r.bool("offers.chat"),
			Text:      r.bool("offers.text"),
			Responses: r.bool("offers.responses"),
			Messages:  r.bool("offers.messages"),
		},
		ModelServer: r.address("modelServer"),
		Control:     r.baseURL("control"),
		Intervals: Intervals{
			Ping:          r.interval("intervals.ping"),
			TelemetryPing: r.interval("intervals.telemetryPing"),
			Tick:          r.interval("intervals.tick"),
			Silence:       r.interval("intervals.silence"),
		},
		Telemetry: Telemetry{
			SessionHeader: r.header("telemetry.sessionHeader"),
			RouteEvent:    r.text("telemetry.routeEvent"),
			CacheEvent:    r.text("telemetry.cacheEvent"),
			LatencyEvent:  r.text("telemetry.latencyEvent"),
		},
		Credits:     Credits{Path: r.path("credits.path")},
		Tags:        r.text("tags"),
		Reports:     r.overlay.values["reports"].texts,
		Baseline:    r.text("baseline"),
		Concurrency: r.number("concurrency"),
	}
	if allow := r.bool("allowInconclusive"); allow != nil {
		c.AllowInconclusive = *allow
	}
	r.contradictions(c)
	return c
}

// text returns a setting as it was written, "" if it is not set.
func (r *resolver) text(key string) string {
	if v, given := r.overlay.values[key]; given {
		return v.texts[0]
	}
	return ""
}

func (r *resolver) profiles(known []string) []string {
	v, given := r.overlay.values["profile"]
	if !given {
		return known[:min(1, len(known))]
	}
	var names []string
	for _, text := range v.texts {
		for name := range strings.SplitSeq(text, ",") {
			name = strings.TrimSpace(name)
			switch {
			case !slices.Contains(known, name):
				r.fail(v, "unknown profile %q: %s", name, nearest.Hint(name, known))
			case !slices.Contains(names, name):
				names = append(names, name)
			}
		}
	}
	return names
}

func (r *resolver) bool(key string) *bool {
	v, given := r.overlay.values[key]
	if !given {
		return nil
	}
	switch v.texts[0] {
	case "true", "false":
		yes := v.texts[0] == "true"
		return &yes
	}
	r.fail(v, "%s is true or false, not %q", key, v.texts[0])
	return nil
}

func (r *resolver) number(key string) int {
	v, given := r.overlay.values[key]
	if !given {
		return 0
	}
	n, err := strconv.Atoi(v.texts[0])
	if err != nil || n < 1 || n > maxConcurrency {
		r.fail(v, "%s is a whole number from 1 to %d, not %q", key, maxConcurrency, v.texts[0])
		return 0
	}
	return n
}

func (r *resolver) interval(key string) time.Duration {
	v, given := r.overlay.values[key]
	if !given {
		return 0
	}
	d, err := time.ParseDuration(v.texts[0])
	if err != nil {
		r.fail(v, "%s is a duration with its unit, such as 500ms or 10s, not %q", key, v.texts[0])
		return 0
	}
	if d <= 0 || d > maxInterval {
		r.fail(v, "%s is more than 0 and at most %s, not %s", key, maxInterval, d)
		return 0
	}
	return d
}

// secret returns a key and never quotes it.
func (r *resolver) secret(key string) Secret {
	v, given := r.overlay.values[key]
	if !given {
		return Secret{}
	}
	if v.env == "" {
		return r.checkedKey(key, v, v.texts[0])
	}
	text := lookup(r.environ, v.env)
	if text == "" {
		r.fail(v, "%s: the variable %s is not set, or empty", key, v.env)
		return Secret{}
	}
	return r.checkedKey(key, v, text)
}

func (r *resolver) checkedKey(key string, v value, text string) Secret {
	for _, c := range []byte(text) {
		if c <= ' ' || c >= 0x7f {
			r.fail(v, "%s holds a blank, a line break or a character beyond ASCII, which no header can carry: check how it was copied", key)
			return Secret{}
		}
	}
	return NewSecret(text)
}
