package steps

import (
	"context"
	"fmt"
	"time"

	"plumbline.dev/plumbline/conformance/check"
	"plumbline.dev/plumbline/conformance/probe"
	"plumbline.dev/plumbline/conformance/verdict"
)

// Tolerances of the measured times; the catalogue states them with the rows.
const (
	pauseTolerance = 250 * time.Millisecond
	pingTolerance  = time.Second
)

// timeSentences are about when something arrives.
var timeSentences = []sentence{
	say(`the client sees a pause of (\d+) s between tokens (\d+) and (\d+)`, func(w *World) any { return w.seesPause }),
	say(`pings come every (\d+) s until token 1`, func(w *World) any { return w.pingsUntilFirstToken }),
	say(`pings come every (\d+) s between tokens (\d+) and (\d+)`, func(w *World) any { return w.pingsBetween }),
	say(`the response headers arrive while the model server waits`, func(w *World) any { return w.headersWhileWaiting }),
}

// noisy knows how late this machine was between two times of a transcript.
type noisy interface {
	Noise(from, to time.Duration) time.Duration
}

// timed judges times with a tolerance. What it finds is taken back when this
// machine was too late meanwhile, unless no lateness explains it.
func timed(stream noisy, from, to, tolerance time.Duration, judged func(tolerance time.Duration) []check.Finding) error {
	findings := judged(tolerance)
	noise := stream.Noise(from, to)
	if len(findings) == 0 || noise <= tolerance/2 {
		return judge(findings)
	}
	if sure := judged(tolerance + 2*noise); len(sure) > 0 {
		return judge(sure)
	}
	return verdict.CannotJudge("%s was seen, but this machine ran %v late meanwhile", findings[0].Seen, noise)
}

// pauseSeen judges the pause behind delta i.
func pauseSeen(stream noisy, deltas []check.Delta, i int, pause, tolerance time.Duration) error {
	return timed(stream, deltas[i].At, deltas[i+1].At, tolerance, func(tolerance time.Duration) []check.Finding {
		return check.PauseSeen(deltas, i, pause, tolerance)
	})
}

func (w *World) seesPause(ctx context.Context, seconds, before, after int) error {
	stream, err := w.session.Stream()
	if err != nil {
		return err
	}
	deltas, i, err := w.deltasAround(ctx, before)
	if err != nil {
		return err
	}
	pause := time.Duration(seconds) * time.Second
	return pauseSeen(stream, deltas, i, pause, pauseTolerance)
}

// deltasAround returns the deltas of the reply, and the index of the one that
// completes the first n tokens and that another one follows. A gateway may join
// tokens that come at once, so their text counts, not their number.
func (w *World) deltasAround(ctx context.Context, n int) ([]check.Delta, int, error) {
	says, err := w.says(ctx)
	if err != nil {
		return nil, 0, err
	}
	deltas := says.Deltas
	want := len(w.session.Reply.TextOf(n))
	length := 0
	for i, delta := range deltas {
		if length += len(delta.Text); length >= want && i+1 < len(deltas) {
			return deltas, i, nil
		}
	}
	return nil, 0, verdict.Violated(fmt.Sprintf("token %d and a later one apart", n), "a text of %d bytes in %d deltas", length, len(deltas))
}

func (w *World) pingsUntilFirstToken(ctx context.Context, seconds int) error {
	stream, err := w.session.Stream()
	if err != nil {
		return err
	}
	chat, err := stream.Whole(ctx)
	if err != nil {
		return err
	}
	deltas := chat.Deltas(0)
	if len(deltas) == 0 {
		return verdict.Violated("a reply with text", "none")
	}
	head, interval := chat.Transcript.HeaderAt, time.Duration(seconds)*time.Second
	tolerance := w.session.Tolerance(interval, pingTolerance)
	err = timed(stream, 0, head, tolerance, func(tolerance time.Duration) []check.Finding {
		limit := w.session.In(interval) + tolerance
		if head <= limit {
			return nil
		}
		return []check.Finding{{Expected: fmt.Sprintf("the head of the stream within %v", limit), Seen: fmt.Sprintf("after %v", head.Round(time.Millisecond))}}
	})
	if err != nil {
		return err
	}
	return w.pings(stream, seconds, head, deltas[0].At)
}

func (w *World) pingsBetween(ctx context.Context, seconds, before, after int) error {
	stream, err := w.session.Stream()
	if err != nil {
		return err
	}
	deltas, i, err := w.deltasAround(ctx, before)
	if err != nil {
		return err
	}
	from, to := deltas[i].At, deltas[i+1].At
	// Where no pause is seen, no ping could be missed: the silence was elsewhere.
	pause := w.session.Reply.Silence()
	if err := pauseSeen(stream, deltas, i, pause, pingTolerance); err != nil {
		return err
	}
	return w.pings(stream, seconds, from, to)
}

func (w *World) pings(stream *probe.Stream, seconds int, from, to time.Duration) error {
	interval := time.Duration(seconds) * time.Second
	tolerance := w.session.Tolerance(interval, pingTolerance)
	return timed(stream, from, to, tolerance, func(tolerance time.Duration) []check.Finding {
		return check.Keepalive(stream.Transcript(), w.session.In(interval), tolerance, from, to)
	})
}

// headersWhileWaiting reads the head while the model server has generated
// nothing, then lets it go on.
func (w *World) headersWhileWaiting(ctx context.Context) error {
	stream, err := w.session.Stream()
	if err != nil {
		return err
	}
	if err := w.session.AtGate(ctx); err != nil {
		return err
	}
	if err := stream.WaitHead(ctx); err != nil {
		return err
	}
	return w.session.GoOn(ctx)
}
