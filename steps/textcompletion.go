package steps

import (
	"context"
	"fmt"

	"plumbline.dev/plumbline/conformance/check"
	"plumbline.dev/plumbline/conformance/verdict"
)

// textCompletionSentences are about text completions alone; what they have in
// common with chat completions is said of both.
var textCompletionSentences = []sentence{
	textRule(`every data event but \[DONE\] is a text_completion`, (*check.Text).DataJSON, (*check.Text).TextObject, (*check.Text).TextShape),
	textRule(`every choice holds its text itself`, (*check.Text).TextAlone),
	textRule(`finish_reason is null, or a word of text completions`, (*check.Text).TextReasons),
	textRule(`each piece of text carries its tokens with logprobs`, (*check.Text).TextLogprobs),
	textRule(`no piece of text carries logprobs`, (*check.Text).TextLogprobs),
	rule(`the chunk before \[DONE\] carries usage`, (*check.Chat).UsageBeforeDone),
	failureRule(`one event holds an error envelope with message, type, param and code`, (*check.Chat).OneErrorEnvelope),
	failureRule(`no chunk and no \[DONE\] follows the error event`, (*check.Chat).OneErrorEnvelope, (*check.Chat).NothingAfterError, (*check.Chat).NoDone, (*check.Chat).NoEndBeforeError, (*check.Chat).ErrorCloses),
	say(`the answer is one text_completion`, func(w *World) any { return w.isTextCompletion }),
}

func textRule(expr string, rules ...func(*check.Text) []check.Finding) sentence {
	return say(expr, func(w *World) any {
		return func(ctx context.Context) error {
			stream, t, err := w.ended(ctx)
			if err != nil {
				return err
			}
			text := check.ParseText(t, stream.Ask())
			for _, judgeText := range append([]func(*check.Text) []check.Finding{(*check.Text).HasChunks}, rules...) {
				if err := judge(judgeText(text)); err != nil {
					return err
				}
			}
			return nil
		}
	})
}

func (w *World) isTextCompletion() error {
	if w.whole == nil {
		return fmt.Errorf("the scenario judges a completion before it asks for one")
	}
	if w.whole.Status == 0 {
		return verdict.Violated("an answer", "none: %s", w.whole.EndError)
	}
	return judge(check.ParseTextCompletion(w.whole, w.wholeBy.Ask()).TextCompletionShape())
}
