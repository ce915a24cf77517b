package steps

import (
	"context"
	"fmt"

	"github.com/tidwall/gjson"

	"plumbline.dev/plumbline/conformance/check"
	"plumbline.dev/plumbline/conformance/verdict"
)

// modelSentences are about the list of models.
var modelSentences = []sentence{
	say(`the client lists the models`, func(w *World) any { return w.listsModels }),
	modelRule(`the answer is a list of models`, (*check.Models).ModelsList),
	modelRule(`each model has costPerMillionCacheRead and costPerMillionCacheWrite`, (*check.Models).ModelPrices),
	modelRule(`each model has costPerMillionInput and costPerMillionOutput`, (*check.Models).ModelTokenPrices),
	say(`a cache write costs more than an input token, and a cache read costs less`, func(w *World) any { return w.pricesInOrder }),
	say(`the chunks name the first model listed`, func(w *World) any { return w.namesFirstModel }),
}

// pricesInOrder compares the prices. The documents name the cache's prices alone,
// so a list without the input price cannot be judged.
func (w *World) pricesInOrder() error {
	models, err := w.listed()
	if err != nil {
		return err
	}
	if err := judge(models.ModelPrices()); err != nil {
		return err
	}
	for _, model := range models.List {
		if model.Price("costPerMillionInput") == nil {
			return verdict.CannotJudge("the model %s is listed without costPerMillionInput, which no document names", model.ID)
		}
	}
	return judge(models.PriceOrder())
}

func (w *World) listed() (*check.Models, error) {
	if w.models == nil {
		return nil, fmt.Errorf("the scenario judges the list of models before it asks for it")
	}
	if w.models.Status == 0 {
		return nil, verdict.Violated("an answer", "none: %s", w.models.EndError)
	}
	return check.ParseModels(w.models), nil
}

func modelRule(expr string, judgeModels func(*check.Models) []check.Finding) sentence {
	return say(expr, func(w *World) any {
		return func() error {
			models, err := w.listed()
			if err != nil {
				return err
			}
			return judge(judgeModels(models))
		}
	})
}

func (w *World) listsModels(ctx context.Context) { w.models = w.session.Models(ctx) }

func (w *World) namesFirstModel(ctx context.Context) error {
	chat, err := w.chat(ctx)
	if err != nil {
		return err
	}
	first := gjson.GetBytes(w.models.Body, "data.0.id").String()
	if first == "" {
		return verdict.Violated("a list of models with a first one", "none")
	}
	if len(chat.Chunks) == 0 {
		return verdict.Violated("chunks", "none, status %d", chat.Transcript.Status)
	}
	if got := gjson.GetBytes(chat.Chunks[0].Raw, "model").String(); got != first {
		return verdict.Violated(fmt.Sprintf("chunks of the model %q", first), "%q", got)
	}
	return nil
}
