package check

import (
	"fmt"
	"time"

	"plumbline.dev/plumbline/conformance/wire"
)

// Keepalive judges the ": ping" comments of a window in which nothing else
// comes, from the time from to the time to: the first ping comes at most an
// interval after its start, the later ones an interval apart, and no silence is
// longer than an interval, all within tolerance. The first may come sooner, for
// a clock that began earlier is right too.
func Keepalive(t *wire.Transcript, interval, tolerance, from, to time.Duration) []Finding {
	n := notes{rule: "Keepalive", t: t}
	last, pings := from, 0
	for _, k := range wire.Parse(t.Body).Comments {
		at := t.At(k.End - 1)
		if k.Text != "ping" || at < from || at > to {
			continue
		}
		gap := at - last
		switch {
		case gap > interval+tolerance:
			n.at(k.Offset, k.Line, fmt.Sprintf("a ping at most %s after %s", interval+tolerance, seconds(last)), fmt.Sprintf("it came %s after", seconds(gap)))
		case pings > 0 && gap < interval-tolerance:
			n.at(k.Offset, k.Line, fmt.Sprintf("pings %s apart, ±%s", interval, tolerance), fmt.Sprintf("%s apart", seconds(gap)))
		}
		last = at
		pings++
	}
	if rest := to - last; rest > interval+tolerance {
		n.add(Finding{At: last, Expected: fmt.Sprintf("a ping at most %s after %s", interval+tolerance, seconds(last)), Seen: fmt.Sprintf("none until %s, after %d pings", seconds(to), pings)})
	}
	return n.found
}

// Alive judges a silence from the time from to the time to, in which signs of life
// came at these times: none of it is longer than an interval, within tolerance.
func Alive(signs []time.Duration, interval, tolerance, from, to time.Duration) []Finding {
	last, seen := from, 0
	var found []Finding
	quiet := func(until time.Duration) {
		if gap := until - last; gap > interval+tolerance {
			found = append(found, Finding{Rule: "Alive", At: last, Expected: fmt.Sprintf("a sign of life in every %s of silence", interval),
				Seen: fmt.Sprintf("none from %s to %s, after %d signs", seconds(last), seconds(until), seen)})
		}
	}
	for _, at := range signs {
		if at > from && at < to {
			quiet(at)
			last = at
			seen++
		}
	}
	quiet(to)
	return found
}

// CommentTimes returns when each comment of a stream was read.
func CommentTimes(t *wire.Transcript) []time.Duration {
	var times []time.Duration
	for _, k := range wire.Parse(t.Body).Comments {
		times = append(times, t.At(k.End-1))
	}
	return times
}

// PingTimes returns when each ping event of a message was read.
func (m *Messages) PingTimes() []time.Duration {
	var times []time.Duration
	for _, e := range m.Pings {
		times = append(times, e.At)
	}
	return times
}

// PauseSeen judges that a pause of the model server of length want is seen
// between the deltas with index i and i+1, within tolerance.
func PauseSeen(deltas []Delta, i int, want, tolerance time.Duration) []Finding {
	const rule = "PauseSeen"
	if i < 0 || i+1 >= len(deltas) {
		return []Finding{{Rule: rule, Expected: fmt.Sprintf("text before and after a pause behind delta %d", i), Seen: fmt.Sprintf("%d deltas", len(deltas))}}
	}
	gap := deltas[i+1].At - deltas[i].At
	if (gap - want).Abs() <= tolerance {
		return nil
	}
	return []Finding{{
		Rule: rule, At: deltas[i+1].At,
		Expected: fmt.Sprintf("a pause of %s (±%s) behind delta %d", want, tolerance, i),
		Seen:     fmt.Sprintf("a pause of %s", seconds(gap)),
	}}
}

// seconds writes d to the millisecond.
func seconds(d time.Duration) string { return d.Round(time.Millisecond).String() }
