package check

import (
	"fmt"
	"math/big"
	"time"

	"plumbline.dev/plumbline/conformance/wire"
)

const eventTick = "metrics.tick"

// Fleet is a stream of fleet metrics, taken apart but not judged.
type Fleet struct {
	Framed
	Ticks []TelemetryEvent
	now   time.Time
}

// ParseFleet takes a stream of fleet metrics apart. It never fails; the stream may
// still be open. now is the wall clock when the request was sent.
func ParseFleet(t *wire.Transcript, now time.Time) *Fleet {
	f := &Fleet{Framed: parseFramed(t, Ask{}), now: now}
	for i, e := range f.Stream.Events {
		if tick, ok := ReadTelemetryEvent(e); ok && tick.Name == eventTick {
			tick.Event, tick.At = i, f.Transcript.EventAt(e)
			f.Ticks = append(f.Ticks, tick)
		}
	}
	return f
}

// some notes that there is no tick to judge.
func (f *Fleet) some(n *eventNotes) bool {
	if len(f.Ticks) == 0 {
		n.end("metrics.tick", "none")
	}
	return len(f.Ticks) > 0
}

// HasTicks: there is a tick to judge.
func (f *Fleet) HasTicks() []Finding {
	n := f.notes("HasTicks")
	f.some(n)
	return n.found
}

// Frames: each frame is a metrics.tick with a JSON object.
func (f *Fleet) Frames() []Finding {
	n := f.notes("Frames")
	n.frames(eventTick)
	return n.found
}

// fleetFields are the figures of a tick.
var fleetFields = []string{"requests", "tokensProcessed", "medianTtftMs", "blendedCostPerMillion", "cacheHitRate", "requestsPerSecond", "activeReplicas"}

// TickFields: each tick has every figure as a number, and at in Unix milliseconds.
func (f *Fleet) TickFields() []Finding {
	n := f.notes("TickFields")
	f.some(n)
	for _, tick := range f.Ticks {
		for _, key := range fleetFields {
			if v := tick.object.get(key); numberOf(v) == nil {
				n.event(tick.Event, key+" as a number", key+" "+seen(v))
			}
		}
		v := tick.object.get("at")
		ms, ok := integer(v)
		if earliest, latest := f.now.Add(-clockTolerance), f.now.Add(tick.At+clockTolerance); !ok || ms < earliest.UnixMilli() || ms > latest.UnixMilli() {
			n.event(tick.Event, fmt.Sprintf("at near %d, in Unix milliseconds", f.now.UnixMilli()), "at "+seen(v))
		}
	}
	return n.found
}

// TickBounds: the figures move within realistic bounds.
func (f *Fleet) TickBounds() []Finding {
	n := f.notes("TickBounds")
	f.some(n)
	last := map[string]*big.Rat{}
	for _, tick := range f.Ticks {
		for _, key := range fleetFields {
			v := tick.object.get(key)
			x := numberOf(v)
			if x == nil {
				n.event(tick.Event, key+" as a number", key+" "+seen(v))
				continue
			}
			if wrong := outOfBounds(key, x, last[key]); wrong != "" {
				n.event(tick.Event, wrong, key+" "+v.Raw)
			}
			last[key] = x
		}
	}
	return n.found
}

// outOfBounds says what a figure should be that is not, "" if it is right. last
// is the figure of the tick before, nil if there was none.
func outOfBounds(key string, x, last *big.Rat) string {
	switch key {
	case "requests", "tokensProcessed":
		switch {
		case x.Sign() < 0 || !x.IsInt():
			return key + " as a whole number of 0 or more"
		case last != nil && x.Cmp(last) < 0:
			return key + " that never decreases, after " + decimal(last)
		}
	case "cacheHitRate":
		if x.Sign() < 0 || x.Cmp(big.NewRat(1, 1)) > 0 {
			return key + " from 0 to 1"
		}
	case "activeReplicas":
		if x.Sign() <= 0 || !x.IsInt() {
			return key + " as a whole number above 0"
		}
	default:
		if x.Sign() <= 0 {
			return key + " above 0"
		}
	}
	return ""
}

// TickPace: from the head of the stream to the time until, a tick comes every
// interval, within tolerance. The first may come sooner.
func (f *Fleet) TickPace(interval, tolerance, until time.Duration) []Finding {
	n := f.notes("TickPace")
	last := f.Transcript.HeaderAt
	for i, tick := range f.Ticks {
		gap := tick.At - last
		if gap > interval+tolerance || i > 0 && gap < interval-tolerance {
			n.event(tick.Event, fmt.Sprintf("ticks %s apart, ±%s", interval, tolerance), seconds(gap)+" after the one before")
		}
		last = tick.At
	}
	if rest := until - last; rest > interval+tolerance {
		n.add(Finding{At: last, Expected: fmt.Sprintf("a tick at most %s after %s", interval+tolerance, seconds(last)), Seen: fmt.Sprintf("none until %s, after %d ticks", seconds(until), len(f.Ticks))})
	}
	return n.found
}
