package steps

import (
	"context"
	"time"

	"plumbline.dev/plumbline/conformance/check"
	"plumbline.dev/plumbline/conformance/verdict"
)

// aliveSentences are about signs of life in a silence, whose interval the target
// chooses.
var aliveSentences = []sentence{
	say(`a (comment|ping event) comes in every (\d+) s of the silence until token 1`, func(w *World) any { return w.aliveUntilFirst }),
	say(`a (comment|ping event) comes in every (\d+) s of the silence between tokens (\d+) and (\d+)`, func(w *World) any { return w.aliveBetween }),
}

// aliveUntilFirst judges the silence from the request on, as a head may come late.
func (w *World) aliveUntilFirst(ctx context.Context, sign string, seconds int) error {
	says, err := w.says(ctx)
	if err != nil {
		return err
	}
	if len(says.Deltas) == 0 {
		return verdict.Violated("a reply with text", "none")
	}
	return w.alive(ctx, sign, seconds, 0, says.Deltas[0].At)
}

func (w *World) aliveBetween(ctx context.Context, sign string, seconds, before, _ int) error {
	stream, err := w.session.Stream()
	if err != nil {
		return err
	}
	deltas, i, err := w.deltasAround(ctx, before)
	if err != nil {
		return err
	}
	from, to := deltas[i].At, deltas[i+1].At
	// Where no pause is seen, no sign could be missed: the silence was elsewhere.
	if err := pauseSeen(stream, deltas, i, w.session.Reply.Silence(), pingTolerance); err != nil {
		return err
	}
	return w.alive(ctx, sign, seconds, from, to)
}

func (w *World) alive(ctx context.Context, sign string, seconds int, from, to time.Duration) error {
	stream, t, err := w.ended(ctx)
	if err != nil {
		return err
	}
	signs := check.CommentTimes(t)
	if sign == "ping event" {
		signs = check.ParseMessages(t, stream.Ask()).PingTimes()
	}
	interval := time.Duration(seconds) * time.Second
	tolerance := w.session.Tolerance(interval, pingTolerance)
	return timed(stream, from, to, tolerance, func(tolerance time.Duration) []check.Finding {
		return check.Alive(signs, w.session.In(interval), tolerance, from, to)
	})
}
