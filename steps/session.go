package steps

import (
	"context"

	"plumbline.dev/plumbline/conformance/check"
	"plumbline.dev/plumbline/conformance/verdict"
)

// sessionSentences are about session.metrics.
var sessionSentences = []sentence{
	sumRule(`savedUsd of session.metrics is the sum of theirs`, check.Sums.SumSaved),
	sumRule(`every other amount of session.metrics is the sum of theirs`, check.Sums.SumAmounts),
	say(`reusedTokens and prefilledTokens are the sums of the tokens read and not read`, func(w *World) any { return w.tokensAdded(check.Sums.SumTokens) }),
	say(`prefilledTokens is the sum of cacheWriteTokens`, func(w *World) any { return w.tokensAdded(check.Sums.PrefilledIsWritten) }),
	say(`the usageSource of session.metrics is "(upstream|estimate|mixed)"`, func(w *World) any { return w.sessionSource }),
	batchRule(`savedUsd of session.metrics was the exact sum each time, rounded once`, check.Sums.SumSaved),
	batchRule(`every other amount of session.metrics was the exact sum each time, rounded once`, check.Sums.SumAmounts),
	batchRule(`every amount of session.metrics has at most 12 significant digits`, func(s check.Sums, _ []check.Cost, _ check.Prices) []check.Finding {
		return s.SumDigits()
	}),
}

// sums waits for the session.metrics behind the latest request, and returns it
// with the costs that it adds up.
func (w *World) sums(ctx context.Context) (check.Sums, []check.Cost, error) {
	feed, err := w.feed()
	if err != nil {
		return check.Sums{}, nil, err
	}
	if err := feed.WaitSums(ctx, w.watch.ids[len(w.watch.ids)-1]); err != nil {
		return check.Sums{}, nil, err
	}
	t := feed.Telemetry()
	all := t.Sums()
	return all[len(all)-1], t.Costs(""), nil
}

type sumJudge func(check.Sums, []check.Cost, check.Prices) []check.Finding

func sumRule(expr string, rule sumJudge) sentence {
	return say(expr, func(w *World) any {
		return func(ctx context.Context) error {
			sums, costs, err := w.sums(ctx)
			if err != nil {
				return err
			}
			prices, err := w.prices(ctx)
			if err != nil {
				return err
			}
			return judge(rule(sums, costs, prices))
		}
	})
}

func (w *World) tokensAdded(rule func(check.Sums, []check.Cost) []check.Finding) func(context.Context) error {
	return func(ctx context.Context) error {
		sums, costs, err := w.sums(ctx)
		if err != nil {
			return err
		}
		return judge(rule(sums, costs))
	}
}

func (w *World) sessionSource(ctx context.Context, want string) error {
	sums, _, err := w.sums(ctx)
	if err != nil {
		return err
	}
	return judge(sums.SourceIs(want))
}

// crowdAccounted sends n requests, so many at a time, and waits each time until
// the sums have all of them in it.
func (w *World) crowdAccounted(ctx context.Context, n, atATime int) error {
	feed, err := w.feed()
	if err != nil {
		return err
	}
	if err := w.gather(ctx); err != nil {
		return err
	}
	for done := atATime; done <= n; done += atATime {
		if err := w.watch.crowd.Send(ctx, atATime); err != nil {
			return err
		}
		if err := feed.WaitCosts(ctx, done); err != nil {
			return err
		}
		if err := feed.WaitSumsOf(ctx, check.PromptOf(feed.Telemetry().Costs(""))); err != nil {
			return err
		}
		w.watch.batches = append(w.watch.batches, done)
	}
	return nil
}

// batchRule judges the sums at the end of each part of a crowd.
func batchRule(expr string, rule sumJudge) sentence {
	return say(expr, func(w *World) any {
		return func(ctx context.Context) error {
			feed, err := w.feed()
			if err != nil {
				return err
			}
			prices, err := w.prices(ctx)
			if err != nil {
				return err
			}
			t := feed.Telemetry()
			costs := t.Costs("")
			for _, n := range w.watch.batches {
				sums, ok := t.SumsOf(check.PromptOf(costs[:n]))
				if !ok {
					return verdict.Violated("session.metrics of the first requests", "none that adds up %d", n)
				}
				if err := judge(rule(sums, costs[:n], prices)); err != nil {
					return err
				}
			}
			return nil
		}
	})
}
