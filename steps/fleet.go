package steps

import (
	"context"
	"errors"
	"time"

	"plumbline.dev/plumbline/conformance/check"
	"plumbline.dev/plumbline/conformance/probe"
)

// tickTolerance is that of the time between two ticks.
const tickTolerance = 300 * time.Millisecond

// fleetSentences are about the metrics of the fleet.
var fleetSentences = []sentence{
	say(`a page subscribes to the metrics of the fleet`, func(w *World) any { return w.subscribesToFleet }),
	say(`a tick has come`, func(w *World) any { return w.tickHasCome }),
	say(`(\d+) s of ticks pass`, func(w *World) any { return w.ticksPass }),
	fleetRule(`the metrics are answered 200 with Content-Type text/event-stream`, (*check.Fleet).EventStream),
	fleetRule(`each frame of the metrics is a metrics.tick with a JSON object`, (*check.Fleet).Frames),
	fleetRule(`each tick has every documented figure`, (*check.Fleet).TickFields),
	fleetRule(`the figures of the ticks move within realistic bounds`, (*check.Fleet).TickBounds),
	fleetRule(`a page of another origin may read the metrics`, func(f *check.Fleet) []check.Finding {
		return check.AllowsOrigin(f.Transcript, probe.ForeignOrigin)
	}),
	say(`a metrics.tick has come every (\d+) s`, func(w *World) any { return w.ticksEvery }),
}

func (w *World) subscribesToFleet(ctx context.Context) (err error) {
	w.fleet, err = w.session.Fleet(ctx)
	return err
}

// metrics is the stream of the fleet's metrics.
func (w *World) metrics() (*probe.Feed, error) {
	if w.fleet == nil {
		return nil, errors.New("the scenario judges the fleet's metrics before it subscribes to them")
	}
	return w.fleet, nil
}

func (w *World) tickHasCome(ctx context.Context) error {
	feed, err := w.metrics()
	if err != nil {
		return err
	}
	return feed.WaitEvent(ctx, "a metrics.tick", 0, func(e check.TelemetryEvent) bool { return e.Name == "metrics.tick" })
}

func (w *World) ticksPass(ctx context.Context, seconds int) error {
	feed, err := w.metrics()
	if err != nil {
		return err
	}
	return feed.Watch(ctx, w.session.InTicks(time.Duration(seconds)*time.Second))
}

func (w *World) ticksEvery(seconds int) error {
	feed, err := w.metrics()
	if err != nil {
		return err
	}
	documented := time.Duration(seconds) * time.Second
	interval := w.session.InTicks(documented)
	tolerance := shortened(tickTolerance, documented, interval)
	fleet, until := feed.Fleet(), feed.Elapsed()
	return timed(feed, 0, until, tolerance, func(tolerance time.Duration) []check.Finding {
		return fleet.TickPace(interval, tolerance, until)
	})
}

func fleetRule(expr string, rule func(*check.Fleet) []check.Finding) sentence {
	return say(expr, func(w *World) any {
		return func() error {
			feed, err := w.metrics()
			if err != nil {
				return err
			}
			return judge(append(feed.Fleet().HasTicks(), rule(feed.Fleet())...))
		}
	})
}
