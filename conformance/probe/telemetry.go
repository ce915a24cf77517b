package probe

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"plumbline.dev/plumbline/conformance/check"
	"plumbline.dev/plumbline/conformance/verdict"
	"plumbline.dev/plumbline/conformance/wire"
)

// defaultSessionHeader is where a request names its session; no document says it.
const defaultSessionHeader = "X-Mortar-Session-Id"

// ForeignOrigin is the origin of a page that is not the target's own.
const ForeignOrigin = "https://dashboard.example"

// The documented intervals of event streams, in whose terms the features speak.
const (
	documentedTelemetryPing = 15 * time.Second
	documentedTick          = 2 * time.Second
)

// InTelemetry returns how long a wait of telemetry takes on this target.
func (s *Session) InTelemetry(documented time.Duration) time.Duration {
	return scaled(documented, documentedTelemetryPing, s.env.Target.TelemetryPing)
}

// InTicks returns how long a wait for fleet ticks takes on this target.
func (s *Session) InTicks(documented time.Duration) time.Duration {
	return scaled(documented, documentedTick, s.env.Target.Tick)
}

// scaled is a wait where a documented interval may be shortened to actual.
func scaled(wait, interval, actual time.Duration) time.Duration {
	if actual <= 0 {
		return wait
	}
	return time.Duration(float64(wait) / float64(interval) * float64(actual))
}

// header is what a request carries beside what every request has.
func (s *Session) header(r Request) http.Header {
	header := http.Header{}
	if r.OfferGzip {
		header.Set("Accept-Encoding", "gzip, deflate")
	}
	if s.Name != "" && !r.NoSession {
		header.Set(s.env.sessionHeader(), s.Name)
	}
	s.formatHeader(header, r)
	return header
}

func (e *Env) sessionHeader() string {
	if e.Target.SessionHeader != "" {
		return e.Target.SessionHeader
	}
	return defaultSessionHeader
}

// NewName returns the name of a session that nobody else uses.
func NewName() string { return "plumbline-" + newNonce() }

// Feed is an event stream of the target that is no completion: the telemetry of
// a session, or the metrics of the fleet.
type Feed struct {
	env      *Env
	session  *Session
	exchange *wire.Exchange
	began    time.Time
	asked    check.Subscription
}

// Subscribe opens the telemetry of the session's Name. It does not wait.
func (s *Session) Subscribe(ctx context.Context, key Key) (*Feed, error) {
	return s.open(ctx, s.env.client, "/v1/telemetry/stream?session="+url.QueryEscape(s.Name), key)
}

// Fleet opens the stream of fleet metrics, with no key.
func (s *Session) Fleet(ctx context.Context) (*Feed, error) {
	return s.open(ctx, s.env.client, "/v1/metrics/stream", NoKey)
}

// open opens an event stream as the EventSource of a page of another origin does.
func (s *Session) open(ctx context.Context, client *http.Client, path string, key Key) (*Feed, error) {
	feed := &Feed{env: s.env, session: s, began: time.Now()}
	feed.asked = check.Subscription{Session: s.Name, Heartbeat: s.env.Target.TelemetryPing, Now: feed.began, Names: s.env.Target.Events}
	header := http.Header{}
	header.Set("Accept", "text/event-stream")
	header.Set("Origin", ForeignOrigin)
	exchange, err := s.env.startWith(ctx, client, http.MethodGet, path, nil, s.env.secret(key), header)
	if err != nil {
		return nil, err
	}
	feed.exchange = exchange
	s.feeds = append(s.feeds, feed)
	return feed, nil
}

// Telemetry is what came up to now, read as serving telemetry.
func (f *Feed) Telemetry() *check.Telemetry {
	return check.ParseTelemetry(f.exchange.Transcript(), f.asked)
}

// Fleet is what came up to now, read as metrics of the fleet.
func (f *Feed) Fleet() *check.Fleet {
	return check.ParseFleet(f.exchange.Transcript(), f.asked.Now)
}

// Transcript is what came up to now.
func (f *Feed) Transcript() *wire.Transcript { return f.exchange.Transcript() }

// Elapsed is the time since the stream was asked for: the clock of its transcript.
func (f *Feed) Elapsed() time.Duration { return f.exchange.Elapsed() }

// Noise is how late this machine was between two times of the transcript.
func (f *Feed) Noise(from, to time.Duration) time.Duration {
	return f.env.noise.Worst(f.began.Add(from), f.began.Add(to))
}

// WaitHead waits for the status and the headers.
func (f *Feed) WaitHead(ctx context.Context) error {
	return f.within(ctx, f.env.patience(), "the response headers of the event stream", f.exchange.WaitHead)
}

// WaitOpen waits for the first event, by which the target says that it follows
// the session from now on.
func (f *Feed) WaitOpen(ctx context.Context) error {
	return f.waitEvents(ctx, "stream.open", f.env.patience(), func(events []wire.Event) bool { return len(events) > 0 })
}

// WaitEvent waits for an event that ok accepts, and for no older one than the
// event with index from.
func (f *Feed) WaitEvent(ctx context.Context, expected string, from int, ok func(check.TelemetryEvent) bool) error {
	limit := f.env.patience()
	if !f.env.Scripted() {
		limit += f.env.replyPatience() // it may wait for the end of a reply that takes its time
	}
	return f.waitEvents(ctx, expected, limit, func(events []wire.Event) bool {
		for ; from < len(events) && events[from].Terminated; from++ {
			if e, read := check.ReadTelemetryEvent(events[from]); read && ok(e) {
				return true
			}
		}
		return false
	})
}

// WaitCost waits for the cost of a completion.
func (f *Feed) WaitCost(ctx context.Context, id string) error {
	return f.WaitEvent(ctx, "cost.update of "+id, 0, func(e check.TelemetryEvent) bool { return e.IsCost() && e.RequestID == id })
}

// WaitSums waits for the sums of the session behind the cost of a completion.
func (f *Feed) WaitSums(ctx context.Context, id string) error {
	cost := false
	return f.WaitEvent(ctx, "session.metrics after cost.update of "+id, 0, func(e check.TelemetryEvent) bool {
		cost = cost || e.IsCost() && e.RequestID == id
		return cost && e.IsSums()
	})
}

// WaitPings waits until n more pings have come.
func (f *Feed) WaitPings(ctx context.Context, n int) error {
	seen := len(f.exchange.Stream().Comments)
	wait := time.Duration(n) * f.session.InTelemetry(documentedTelemetryPing)
	f.session.waiting("a ping of the telemetry", wait)
	return f.within(ctx, wait+f.env.patience(), "a ping of the telemetry stream", func(ctx context.Context) error {
		return f.exchange.WaitUntil(ctx, func(s *wire.Stream) bool { return len(s.Comments) >= seen+n })
	})
}

// waitEvents waits until ok holds for the events. It is called after each read.
func (f *Feed) waitEvents(ctx context.Context, expected string, limit time.Duration, ok func([]wire.Event) bool) error {
	return f.within(ctx, limit, expected, func(ctx context.Context) error {
		return f.exchange.WaitUntil(ctx, func(s *wire.Stream) bool { return ok(s.Events) })
	})
}

// Watch lets time pass while the stream stays open.
func (f *Feed) Watch(ctx context.Context, d time.Duration) error {
	f.session.waiting("an event stream that is watched", d)
	watching, cancel := context.WithTimeout(ctx, d)
	defer cancel()
	switch err := f.exchange.WaitEnd(watching); {
	case ctx.Err() != nil:
		return ctx.Err()
	case err == nil:
		t := f.exchange.Transcript()
		return verdict.Violated(fmt.Sprintf("an event stream that stays open for %v", d), "status %d, it ended after %v (%s)", t.Status, t.EndAt.Round(time.Millisecond), t.End)
	}
	return nil
}

func (f *Feed) within(ctx context.Context, limit time.Duration, expected string, wait func(context.Context) error) error {
	return f.env.within(ctx, f.exchange, limit, expected, wait)
}
