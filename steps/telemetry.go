package steps

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"plumbline.dev/plumbline/conformance/check"
	"plumbline.dev/plumbline/conformance/probe"
	"plumbline.dev/plumbline/conformance/verdict"
)

// telemetrySentences are about what a subscriber has received.
var telemetrySentences = []sentence{
	telemetryRule(`the telemetry is answered 200 with Content-Type text/event-stream`, (*check.Telemetry).EventStream),
	telemetryRule(`each frame of the telemetry has one event line and one data line that holds a JSON object`, (*check.Telemetry).Frames),
	telemetryRule(`stream.open is the first event of the telemetry, and comes once`, (*check.Telemetry).OpenFirst),
	telemetryRule(`stream.open holds the session, a heartbeat of 15 s and the server's time`, (*check.Telemetry).OpenFields),
	telemetryRule(`every event after stream.open carries at in Unix milliseconds, never decreasing`, (*check.Telemetry).AtOrder),
	say(`stream.open has come within (\d+) s`, func(w *World) any { return w.opensWithin }),
	say(`(\d+) s pass without a request`, func(w *World) any { return w.passes }),
	say(`pings of the telemetry come every (\d+) s`, func(w *World) any { return w.telemetryPings }),

	requestRule(`every event about the completion carries its id as requestId`, func(t *check.Telemetry, id string) []check.Finding { return t.RequestIDs(id) }),
	requestRule(`session.metrics follows cost.update`, (*check.Telemetry).SumsFollow),
	requestRule(`exactly one cost.update tells of the request`, (*check.Telemetry).OneCost),
	requestRule(`no cost.update tells of the request while the model server waits`, (*check.Telemetry).NoCost),
	requestRule(`the prefix-cache outcome has a reuseRatio from 0 to 1 and a tier, null on a miss`, (*check.Telemetry).CacheOutcome),
	say(`its reuseRatio is (\d+) of (\d+)`, func(w *World) any { return w.reuseIs }),
	say(`its reuseRatio is cacheReadTokens of promptTokens`, func(w *World) any { return w.reuseIsCost }),
	say(`the telemetry tells the (routing decision|prefix-cache outcome|latency|cost) of the request`, func(w *World) any { return w.tells }),
	say(`the telemetry tells the cost of the completion`, func(w *World) any { return w.tellsWhole }),
	say(`the telemetry tells the routing decision while the model server waits`, func(w *World) any { return w.routedWhileWaiting }),

	say(`the telemetry tells of (?:the client's requests|the later request) alone`, func(w *World) any { return w.tellsOfOwn }),
	say(`the other telemetry tells of the other requests alone`, func(w *World) any { return w.tellsOfOthers }),
	say(`the other subscriber has received the same events of the request`, func(w *World) any { return w.sameEvents }),
	say(`the telemetry without a key holds stream.open and nothing else`, func(w *World) any { return w.keylessEmpty }),
	say(`the telemetry is refused with status (\d+)`, func(w *World) any { return w.telemetryRefused }),
	say(`a page of another origin may read the telemetry`, func(w *World) any { return w.pageMayRead }),
	say(`the subscriber that reads has been told of all of them`, func(w *World) any { return w.toldOfAll }),
	say(`the subscriber that stopped reading has missed nothing before the end of its stream`, func(w *World) any { return w.missedNothing }),
}

// telemetryRule makes a sentence of a rule about the stream of telemetry.
func telemetryRule(expr string, rule func(*check.Telemetry) []check.Finding) sentence {
	return say(expr, func(w *World) any {
		return func() error {
			feed, err := w.feed()
			if err != nil {
				return err
			}
			return judge(rule(feed.Telemetry()))
		}
	})
}

// requestRule makes a sentence of a rule about the events of the latest stream.
func requestRule(expr string, rule func(*check.Telemetry, string) []check.Finding) sentence {
	return say(expr, func(w *World) any {
		return func(ctx context.Context) error {
			feed, id, err := w.feedAndID(ctx)
			if err != nil {
				return err
			}
			return judge(rule(feed.Telemetry(), id))
		}
	})
}

func (w *World) feedAndID(ctx context.Context) (*probe.Feed, string, error) {
	feed, err := w.feed()
	if err != nil {
		return nil, "", err
	}
	id, err := w.completionID(ctx)
	return feed, id, err
}

func (w *World) opensWithin(seconds int) error {
	feed, err := w.feed()
	if err != nil {
		return err
	}
	limit := time.Duration(seconds) * time.Second
	return timed(feed, 0, feed.Elapsed(), limit/2, func(tolerance time.Duration) []check.Finding {
		return feed.Telemetry().OpenAtOnce(limit/2 + tolerance)
	})
}

func (w *World) passes(ctx context.Context, seconds int) error {
	feed, err := w.feed()
	if err != nil {
		return err
	}
	return feed.Watch(ctx, w.session.InTelemetry(time.Duration(seconds)*time.Second))
}

func (w *World) telemetryPings(seconds int) error {
	feed, err := w.feed()
	if err != nil {
		return err
	}
	t, to := feed.Telemetry(), feed.Elapsed()
	if len(t.Events) == 0 {
		return verdict.Violated("stream.open", "none")
	}
	documented := time.Duration(seconds) * time.Second
	interval := w.session.InTelemetry(documented)
	tolerance := shortened(pingTolerance, documented, interval)
	from := t.Events[0].At
	return timed(feed, from, to, tolerance, func(tolerance time.Duration) []check.Finding {
		return check.Keepalive(t.Transcript, interval, tolerance, from, to)
	})
}

// shortened is the tolerance of an interval that a target may have shortened.
func shortened(tolerance, documented, actual time.Duration) time.Duration {
	const least = 100 * time.Millisecond
	if actual == documented {
		return tolerance
	}
	return max(least, time.Duration(float64(tolerance)*float64(actual)/float64(documented)))
}

func (w *World) reuseIs(ctx context.Context, read, prompt int) error {
	feed, id, err := w.feedAndID(ctx)
	if err != nil {
		return err
	}
	return judge(feed.Telemetry().ReuseIs(id, int64(read), int64(prompt)))
}

func (w *World) reuseIsCost(ctx context.Context) error {
	cost, err := w.cost(ctx)
	if err != nil {
		return err
	}
	feed, err := w.feed()
	if err != nil {
		return err
	}
	if cost.Counts.Read == 0 {
		return verdict.Violated("cacheReadTokens above 0 when a prompt is sent again", "0 of %d", cost.Counts.Prompt)
	}
	return judge(feed.Telemetry().ReuseIs(cost.RequestID(), cost.Counts.Read, cost.Counts.Prompt))
}

func (w *World) tells(ctx context.Context, step string) error {
	feed, id, err := w.feedAndID(ctx)
	if err != nil {
		return err
	}
	t := feed.Telemetry()
	return orUnknown(t, id, step, judge(t.Tells(id, check.Step(step))))
}

// orUnknown takes a violation back where a target may have told a step under a
// name that nobody knows: the documents do not give it.
func orUnknown(t *check.Telemetry, id, step string, err error) error {
	var violation *verdict.Violation
	if unknown := t.Unknown(id); errors.As(err, &violation) && len(unknown) > 0 {
		return verdict.CannotJudge("the %s may be %s, which no document says: name its event with --route-event, --cache-event or --latency-event",
			step, strings.Join(unknown, " or "))
	}
	return err
}

func (w *World) tellsWhole(ctx context.Context) error {
	_, err := w.wholeCost(ctx)
	return err
}

// wholeCost waits for the cost of the completion that was not streamed.
func (w *World) wholeCost(ctx context.Context) (check.Cost, error) {
	feed, err := w.feed()
	if err != nil {
		return check.Cost{}, err
	}
	id := gjson.GetBytes(w.whole.Body, "id").String()
	if id == "" {
		return check.Cost{}, verdict.Violated("a completion with an id", "status %d and none", w.whole.Status)
	}
	if err := feed.WaitCost(ctx, id); err != nil {
		return check.Cost{}, err
	}
	return feed.Telemetry().Costs(id)[0], nil
}

func (w *World) routedWhileWaiting(ctx context.Context) error {
	feed, id, err := w.feedAndID(ctx)
	if err != nil {
		return err
	}
	names := feed.Telemetry().Asked.Names
	err = feed.WaitEvent(ctx, "the routing decision of "+id, 0, func(e check.TelemetryEvent) bool {
		return e.RequestID == id && e.Step(names) == check.StepRoute
	})
	if err != nil {
		return orUnknown(feed.Telemetry(), id, string(check.StepRoute), err)
	}
	return w.session.GoOn(ctx)
}

func (w *World) tellsOfOwn() error {
	feed, err := w.feed()
	if err != nil {
		return err
	}
	return tellsAlone(feed, w.watch.ids)
}

func (w *World) tellsOfOthers() error {
	return tellsAlone(w.watch.other, w.watch.otherIDs)
}

// tellsAlone judges that neither the events nor the sums are about other requests.
func tellsAlone(feed *probe.Feed, ids []string) error {
	t := feed.Telemetry()
	return judge(append(t.NoOthers(ids...), t.SumsOfOwn()...))
}

func (w *World) sameEvents(ctx context.Context) error {
	feed, id, err := w.feedAndID(ctx)
	if err != nil {
		return err
	}
	last := w.watch.ids[len(w.watch.ids)-1]
	if err := w.watch.other.WaitSums(ctx, last); err != nil {
		return err
	}
	return judge(check.SameEvents(feed.Telemetry(), w.watch.other.Telemetry(), id))
}

func (w *World) keylessEmpty() error {
	for _, feed := range w.watch.keyless {
		if err := judge(feed.Telemetry().Empty()); err != nil {
			return err
		}
	}
	return nil
}

func (w *World) telemetryRefused(want int) error {
	feed, err := w.feed()
	if err != nil {
		return err
	}
	if got := feed.Transcript().Status; got != want {
		return verdict.Violated(fmt.Sprintf("status %d", want), "status %d", got)
	}
	return nil
}

func (w *World) pageMayRead() error {
	return judge(check.AllowsOrigin(w.watch.keyless[0].Transcript(), probe.ForeignOrigin))
}

func (w *World) toldOfAll(ctx context.Context) error {
	feed, err := w.feed()
	if err != nil {
		return err
	}
	return feed.WaitCosts(ctx, w.watch.batches[0])
}

func (w *World) missedNothing(ctx context.Context) error {
	feed, err := w.feed()
	if err != nil {
		return err
	}
	if err := w.watch.stalled.ReadOn(ctx, w.watch.batches[0]); err != nil {
		return err
	}
	return judge(w.watch.stalled.Telemetry().NoGap(feed.Telemetry()))
}
