package check

import (
	"fmt"
	"math/big"
	"slices"

	"github.com/tidwall/gjson"
)

// Tells: the stream tells this step of a completion.
func (t *Telemetry) Tells(id string, step Step) []Finding {
	n := t.notes("Tells")
	if _, ok := t.StepOf(id, step); !ok {
		n.end(fmt.Sprintf("the %s of %s", step, id), fmt.Sprintf("%d other events of it", len(t.Of(id))))
	}
	return n.found
}

// SumsFollow: session.metrics comes after the cost of a completion.
func (t *Telemetry) SumsFollow(id string) []Finding {
	n := t.notes("SumsFollow")
	cost, ok := t.StepOf(id, StepCost)
	if !ok {
		n.end("cost.update of "+id, "none")
		return n.found
	}
	if !slices.ContainsFunc(t.Events, func(e TelemetryEvent) bool { return e.IsSums() && e.Event > cost.Event }) {
		n.end("session.metrics after cost.update", "none")
	}
	return n.found
}

// OneCost: exactly one cost.update tells of a completion.
func (t *Telemetry) OneCost(id string) []Finding {
	n := t.notes("OneCost")
	costs := t.Costs(id)
	if len(costs) == 0 {
		n.end("one cost.update of "+id, "none")
	}
	for _, c := range costs[min(1, len(costs)):] {
		n.event(c.event.Event, "one cost.update of "+id, fmt.Sprintf("%d", len(costs)))
	}
	return n.found
}

// NoCost: no cost.update tells of a completion.
func (t *Telemetry) NoCost(id string) []Finding {
	n := t.notes("NoCost")
	for _, c := range t.Costs(id) {
		n.event(c.event.Event, "no cost.update before the reply has ended", "one of "+id)
	}
	return n.found
}

// tiers are the places in which a cached prefix can be.
var tiers = []string{"gpu-hbm", "host-memory", "storage"}

// CacheOutcome: the cache event of a completion has a reuseRatio from 0 to 1 and a
// tier: one of the three on a hit, null on a miss, whose reuseRatio is 0.
func (t *Telemetry) CacheOutcome(id string) []Finding {
	n := t.notes("CacheOutcome")
	e, ok := t.StepOf(id, StepCache)
	if !ok {
		n.end("the prefix-cache outcome of "+id, "none")
		return n.found
	}
	on, ratio, tier := eventOf{t, e}.notes("CacheOutcome"), e.object.get("reuseRatio"), e.object.get("tier")
	share := numberOf(ratio)
	if share == nil || share.Sign() < 0 || share.Cmp(big.NewRat(1, 1)) > 0 {
		on.bad("reuseRatio from 0 to 1", "reuseRatio "+seen(ratio))
		return on.found
	}
	switch {
	case share.Sign() == 0 && !isNull(tier):
		on.bad("tier null on a miss", "tier "+seen(tier)+" with reuseRatio "+ratio.Raw)
	case share.Sign() > 0 && (tier.Type != gjson.String || !slices.Contains(tiers, text(tier))):
		on.bad("tier gpu-hbm, host-memory or storage on a hit", "tier "+seen(tier)+" with reuseRatio "+ratio.Raw)
	}
	return on.found
}

// ReuseIs: the reuseRatio of a completion is read of prompt tokens, as far as
// its digits tell, and no coarser than hundredths.
func (t *Telemetry) ReuseIs(id string, read, prompt int64) []Finding {
	n := t.notes("ReuseIs")
	e, ok := t.StepOf(id, StepCache)
	if !ok {
		n.end("the prefix-cache outcome of "+id, "none")
		return n.found
	}
	on, v := eventOf{t, e}.notes("ReuseIs"), e.object.get("reuseRatio")
	want := new(big.Rat)
	if prompt > 0 {
		want.SetFrac64(read, prompt)
	}
	share := numberOf(v)
	off := big.NewRat(1, 1)
	if share != nil {
		off.Sub(share, want).Abs(off)
	}
	if off.Cmp(lastDigit(share, v.Raw)) > 0 {
		on.bad(fmt.Sprintf("reuseRatio %s, as %d of %d", decimal(want), read, prompt), "reuseRatio "+seen(v))
	}
	return on.found
}

// lastDigit is half a unit of the last digit of a share that was sent as raw, at
// most half a hundredth.
func lastDigit(share *big.Rat, raw string) *big.Rat {
	half, hundredth := big.NewRat(1, 2), big.NewRat(1, 200)
	if share == nil || share.Sign() == 0 {
		return hundredth
	}
	half.Mul(half, power(magnitude(share)-significant(raw)+1))
	if half.Cmp(hundredth) > 0 {
		return hundredth
	}
	return half
}

// SameEvents: two subscribers of a session were told the same of a completion.
func SameEvents(one, other *Telemetry, id string) []Finding {
	n := other.notes("SameEvents")
	left := one.names(id)
	if len(left) == 0 {
		n.end("events of "+id, "none")
	}
	for _, e := range other.Of(id) {
		if left[e.Name]--; left[e.Name] < 0 {
			n.event(e.Event, "the events that the first subscriber had", "one more "+e.Name)
		}
	}
	for name, missing := range left {
		if missing > 0 {
			n.end(name+" of "+id+", as the first subscriber had", "none")
		}
	}
	return n.found
}

// names counts the events about a completion by their names.
func (t *Telemetry) names(id string) map[string]int {
	count := map[string]int{}
	for _, e := range t.Of(id) {
		count[e.Name]++
	}
	return count
}

// NoGap: the costs that a subscriber received are the first that another one of
// the same session received, all of them if its stream is still open.
func (t *Telemetry) NoGap(whole *Telemetry) []Finding {
	n := t.notes("NoGap")
	got, want := t.Costs(""), whole.Costs("")
	for i, cost := range got {
		if i >= len(want) || cost.RequestID() != want[i].RequestID() {
			n.event(cost.event.Event, fmt.Sprintf("cost.update %d as the other subscriber received it", i+1), "that of "+cost.RequestID())
			return n.found
		}
	}
	if len(got) < len(want) && t.Transcript.End == "" {
		n.end(fmt.Sprintf("%d cost.update, or the end of the stream", len(want)), fmt.Sprintf("%d, and the stream is open", len(got)))
	}
	return n.found
}
