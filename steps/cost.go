package steps

import (
	"context"

	"plumbline.dev/plumbline/conformance/check"
	"plumbline.dev/plumbline/conformance/verdict"
)

// costSentences are about the cost.update of the latest stream.
var costSentences = []sentence{
	costRule(`cost.update has every documented field`, check.Cost.CostFields),
	costRule(`totalTokens is promptTokens and completionTokens`, check.Cost.TotalTokens),
	costRule(`billedPromptTokens equals cacheWriteTokens`, check.Cost.Billed),
	costRule(`nothing was read, and savedUsd is negative`, check.Cost.SavesLessThanNothing),
	costRule(`every amount is a number of at most 12 significant digits`, check.Cost.Digits),
	priceRule(`cacheReadUsd and cacheWriteUsd are the tokens at the prices of the model`, check.Cost.CacheAmounts),
	priceRule(`inputUsd is what was read, what was written, and the rest at the input price`, check.Cost.InputAmount),
	priceRule(`outputUsd is the completion tokens at the output price, and totalUsd adds inputUsd`, check.Cost.OutputAmount),
	priceRule(`baselineUsd is the same model without a prefix cache`, check.Cost.BaselineAmount),
	priceRule(`savedUsd is baselineUsd minus totalUsd`, check.Cost.SavedAmount),
	priceRule(`every amount is the exact one, rounded to 12 significant digits`, check.Cost.EveryAmount),
	priceRule(`what has a price of 0 costs 0`, check.Cost.Free),
	say(`cost.update counts (\d+) prompt tokens, (\d+) of them read and (\d+) written`, func(w *World) any { return w.costCounts }),
	say(`cost.update counts (\d+) completion tokens`, func(w *World) any { return w.costCountsCompletion }),
	say(`cost.update counts no fewer completion tokens than were received, and no more than were generated`, func(w *World) any { return w.costCountsBetween }),
	say(`cost.update counts tokens read from the cache`, func(w *World) any { return w.costCountsReads }),
	say(`cost.update counts the tokens that the model server found in its cache`, func(w *World) any { return w.costCountsFound }),
	say(`cost.update is the worked example`, func(w *World) any { return w.costIsExample }),
	say(`the usageSource of cost.update is "(upstream|estimate)"`, func(w *World) any { return w.costSource }),
	say(`the usageSource of cost.update is "upstream" or "estimate"`, func(w *World) any { return w.costHasSource }),
	say(`the usage of the reply and cost.update agree on every count`, func(w *World) any { return w.usageAgrees }),
	say(`the usage of the completion and cost.update agree on every count`, func(w *World) any { return w.wholeUsageAgrees }),
	say(`the model whose prices have the most digits`, func(w *World) any { return w.choosesLongPrices }),
	say(`a model that has a price of 0`, func(w *World) any { return w.choosesZeroPrice }),
	say(`a model all of whose prices are 0`, func(w *World) any { return w.choosesFree }),
}

// cost waits for the cost of the latest stream.
func (w *World) cost(ctx context.Context) (check.Cost, error) {
	feed, id, err := w.feedAndID(ctx)
	if err != nil {
		return check.Cost{}, err
	}
	if err := feed.WaitCost(ctx, id); err != nil {
		return check.Cost{}, err
	}
	return feed.Telemetry().Costs(id)[0], nil
}

func costRule(expr string, rule func(check.Cost) []check.Finding) sentence {
	return say(expr, func(w *World) any {
		return func(ctx context.Context) error {
			cost, err := w.cost(ctx)
			if err != nil {
				return err
			}
			return judge(rule(cost))
		}
	})
}

func priceRule(expr string, rule func(check.Cost, check.Prices) []check.Finding) sentence {
	return say(expr, func(w *World) any {
		return func(ctx context.Context) error {
			cost, err := w.cost(ctx)
			if err != nil {
				return err
			}
			prices, err := w.prices(ctx)
			if err != nil {
				return err
			}
			return judge(rule(cost, prices))
		}
	})
}

func (w *World) costCounts(ctx context.Context, prompt, read, written int) error {
	return w.countsAre(ctx, check.Counts{Prompt: int64(prompt), Read: int64(read), Write: int64(written), Completion: -1})
}

func (w *World) costCountsCompletion(ctx context.Context, completion int) error {
	return w.countsAre(ctx, check.Counts{Prompt: -1, Read: -1, Write: -1, Completion: int64(completion)})
}

func (w *World) countsAre(ctx context.Context, want check.Counts) error {
	cost, err := w.cost(ctx)
	if err != nil {
		return err
	}
	return judge(cost.CountsAre(want))
}

func (w *World) costCountsBetween(ctx context.Context) error {
	stream, err := w.session.Stream()
	if err != nil {
		return err
	}
	cost, err := w.cost(ctx)
	if err != nil {
		return err
	}
	ended, err := w.session.Ended(ctx)
	if err != nil {
		return err
	}
	return judge(cost.CompletionBetween(int64(stream.Received()), int64(ended.Generated)))
}

func (w *World) costCountsReads(ctx context.Context) error {
	cost, err := w.cost(ctx)
	if err != nil {
		return err
	}
	if cost.Counts.Read <= 0 {
		return verdict.Violated("cacheReadTokens above 0", "%d of %d prompt tokens", cost.Counts.Read, cost.Counts.Prompt)
	}
	return nil
}

func (w *World) costCountsFound(ctx context.Context) error {
	cost, err := w.cost(ctx)
	if err != nil {
		return err
	}
	records, err := w.session.Journal(ctx)
	if err != nil {
		return err
	}
	last := records[len(records)-1]
	if last.CachedTokens == 0 {
		return verdict.CannotJudge("the model server found nothing of %d prompt tokens in its cache", last.PromptTokens)
	}
	return judge(cost.CountsAre(check.Counts{Prompt: int64(last.PromptTokens), Read: int64(last.CachedTokens), Write: -1, Completion: -1}))
}

func (w *World) costIsExample(ctx context.Context) error {
	prices, err := w.prices(ctx)
	if err != nil {
		return err
	}
	if !prices.Equal(check.ExamplePrices()) {
		return verdict.CannotJudge("the model does not have the prices of the worked example")
	}
	cost, err := w.cost(ctx)
	if err != nil {
		return err
	}
	return judge(cost.Example())
}

func (w *World) costSource(ctx context.Context, want string) error {
	cost, err := w.cost(ctx)
	if err != nil {
		return err
	}
	return judge(cost.SourceIs(want))
}

func (w *World) costHasSource(ctx context.Context) error {
	cost, err := w.cost(ctx)
	if err != nil {
		return err
	}
	if got := cost.UsageSource(); got != "upstream" && got != "estimate" {
		return verdict.Violated("usageSource upstream or estimate", "%q", got)
	}
	return nil
}

func (w *World) usageAgrees(ctx context.Context) error {
	chat, err := w.chat(ctx)
	if err != nil {
		return err
	}
	cost, err := w.cost(ctx)
	if err != nil {
		return err
	}
	return judge(cost.UsageAgrees(chat.Usage()))
}

func (w *World) wholeUsageAgrees(ctx context.Context) error {
	completion, err := w.completion()
	if err != nil {
		return err
	}
	cost, err := w.wholeCost(ctx)
	if err != nil {
		return err
	}
	return judge(cost.UsageAgrees(completion.Usage()))
}

// prices are those of the model that the scenario's requests ask for.
func (w *World) prices(ctx context.Context) (check.Prices, error) {
	models, err := w.priced(ctx)
	if err != nil {
		return check.Prices{}, err
	}
	name := w.model
	if name == "" {
		name = w.session.Model()
	}
	for _, model := range models.List {
		if model.ID != name {
			continue
		}
		if missing := model.Prices().Missing(); missing != "" {
			return check.Prices{}, verdict.CannotJudge("the model %s is listed without %s", name, missing)
		}
		return model.Prices(), nil
	}
	return check.Prices{}, verdict.CannotJudge("GET /v1/models does not list the model %q, so its prices are not known", name)
}

// priced is the list of models.
func (w *World) priced(ctx context.Context) (*check.Models, error) {
	if w.models == nil {
		w.listsModels(ctx)
	}
	return w.listed()
}

// choose takes the model that is better than every other one by this measure,
// and any only if its measure is above 0.
func (w *World) choose(ctx context.Context, what string, measure func(check.Prices) int) error {
	models, err := w.priced(ctx)
	if err != nil {
		return err
	}
	best := 0
	for _, model := range models.List {
		if m := measure(model.Prices()); model.Prices().Missing() == "" && m > best {
			best, w.model = m, model.ID
		}
	}
	if best == 0 {
		return verdict.CannotJudge("GET /v1/models lists no model %s", what)
	}
	return nil
}

func (w *World) choosesLongPrices(ctx context.Context) error {
	return w.choose(ctx, "with all four prices", check.Prices.Digits)
}

func (w *World) choosesZeroPrice(ctx context.Context) error {
	return w.choose(ctx, "with a price of 0", func(p check.Prices) int {
		switch {
		case !p.HasZero():
			return 0
		case p.Digits() == 0:
			return 1 // what costs nothing at all shows less
		}
		return 2
	})
}

func (w *World) choosesFree(ctx context.Context) error {
	return w.choose(ctx, "all of whose prices are 0", func(p check.Prices) int {
		if p.HasZero() && p.Digits() == 0 {
			return 1
		}
		return 0
	})
}
