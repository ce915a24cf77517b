package mutant

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"sync"
)

// Names of the events of telemetry. The documents leave the first three of a
// request open: these are what the gateway behind the mutants calls them.
const (
	tellsOpen    = "stream.open"
	tellsRoute   = "route.decision"
	tellsCache   = "cache.lookup"
	tellsLatency = "latency.update"
	tellsCost    = "cost.update"
	tellsSums    = "session.metrics"
	tellsTick    = "metrics.tick"
)

// feedAreas are the areas whose mutants are broken in telemetry alone.
func feedAreas() []string {
	return []string{"telemetry", "isolation", "accounting", "cost", "session", "fleet"}
}

// feedControlRows are judged on them: rows that look at everything of their kind,
// and in most areas only some of each, since a scenario takes requests.
func feedControlRows(area string) []string {
	rows := []string{"mortar-telemetry-01", "mortar-telemetry-02", "mortar-telemetry-03", "mortar-telemetry-06", "mortar-telemetry-09",
		"mortar-cost-01", "mortar-cost-04", "mortar-fleet-03", "mortar-stream-11", "openai-chat-12"}
	switch area {
	case "cost":
		return append(rows, "mortar-cost-02", "mortar-cost-03", "mortar-cost-05", "mortar-cost-06", "mortar-cost-07", "mortar-cost-08",
			"mortar-cost-09", "mortar-cost-11", "mortar-cost-12", "mortar-cost-14", "mortar-cost-15", "mortar-cost-16")
	case "session":
		return append(rows, "mortar-session-01", "mortar-session-02", "mortar-session-03")
	default:
		return append(rows, "mortar-telemetry-05", "mortar-telemetry-10", "mortar-telemetry-12", "mortar-telemetry-13", "mortar-cost-07",
			"mortar-session-01", "mortar-fleet-01", "mortar-fleet-05")
	}
}

// onFeed is a mutant that changes the events of telemetry and of the fleet.
func onFeed(r rewrite) wrap { return fixed(relay{feeds: &relay{events: r}}) }

// onTold is a mutant that changes the object of each event of this name.
func onTold(name string, change func(o object)) wrap { return onFeed(told(name, change)) }

// without is a change that leaves keys out.
func without(keys ...string) func(o object) {
	return func(o object) {
		for _, key := range keys {
			delete(o, key)
		}
	}
}

// with is a change that puts a value under a key.
func with(key string, value any) func(o object) { return func(o object) { o[key] = value } }

// named tells the events of a name.
func named(name string) func(event) bool {
	return func(e event) bool { return e.name == name }
}

// told changes the object of each event of a name.
func told(name string, change func(o object)) rewrite { return toldIf(named(name), change) }

// toldIf changes the object of each event that matches.
func toldIf(match func(event) bool, change func(o object)) rewrite {
	return nth(match, func(s *stream, e event, _ int) {
		change(e.json())
		s.tell(e.name, e.json())
	})
}

// tell sends an event with a name.
func (s *stream) tell(name string, o object) { s.write(frame(name, o)) }

// frame is the text of an event with a name.
func frame(name string, o object) string { return "event: " + name + "\ndata: " + encode(o) + "\n\n" }

// of is the id of the completion that an event is about, "" if it is about none.
func (e event) of() string {
	return e.json().word("requestId")
}

// session is the session that a subscriber asks for.
func (x *exchange) session() string {
	query, err := url.ParseQuery(x.query)
	if err != nil {
		return ""
	}
	return query.Get("session")
}

// follower is a subscriber to telemetry that runs through a mutant.
type follower struct {
	key, session string
	stream       *stream
	costs        int // that it was to be told
}

// every is true for each nth cost that it was to be told.
func (f *follower) every(n int) bool {
	f.costs++
	return f.costs%n == 0
}

// followers are the subscribers to telemetry, oldest first.
type followers struct {
	mu  sync.Mutex
	all []*follower
}

// following is a mutant that knows who follows. The events hook of feeds is given
// the follower whose stream it is.
func following(build func(all *followers) (g relay, events func(f *follower, e event))) wrap {
	return func(ctx context.Context, up Upstream) http.Handler {
		all := &followers{}
		g, events := build(all)
		g.feeds = &relay{events: func(x *exchange, s *stream) func(event) {
			if !x.isTelemetry() {
				return s.send
			}
			f := all.add(x, s)
			return func(e event) { events(f, e) }
		}}
		return g.on(ctx, up)
	}
}

func (l *followers) add(x *exchange, s *stream) *follower {
	f := &follower{key: x.key(), session: x.session(), stream: s}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all = append(l.all, f)
	x.onClose(func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.all = slices.DeleteFunc(l.all, func(one *follower) bool { return one == f })
	})
	return f
}

// find returns the followers that match, oldest first.
func (l *followers) find(match func(*follower) bool) []*follower {
	l.mu.Lock()
	defer l.mu.Unlock()
	var found []*follower
	for _, f := range l.all {
		if match(f) {
			found = append(found, f)
		}
	}
	return found
}

// beside returns the followers of the same session with the same key, f among
// them, oldest first.
func (l *followers) beside(f *follower) []*follower {
	return l.find(func(one *follower) bool { return one.key == f.key && one.session == f.session })
}
