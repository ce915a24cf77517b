package steps

import (
	"context"
	"fmt"

	"plumbline.dev/plumbline/conformance/check"
	"plumbline.dev/plumbline/conformance/probe"
	"plumbline.dev/plumbline/conformance/verdict"
)

// answerSentences are about answers that are no stream: completions and errors.
var answerSentences = []sentence{
	say(`the answer is one chat.completion`, func(w *World) any { return w.isCompletion }),
	say(`the token counts of the completion add up`, func(w *World) any { return w.completionAddsUp }),
	say(`the two replies agree on text, finish_reason and usage`, func(w *World) any { return w.agree }),
	say(`the answer is an error with a JSON body whose error.message is a string`, func(w *World) any {
		return w.errorRule((*check.ErrorBody).DocumentedError)
	}),
	say(`the answer is an error with message, type, param and code as JSON`, func(w *World) any {
		return w.errorRule((*check.ErrorBody).ErrorStatus, (*check.ErrorBody).ErrorJSON, (*check.ErrorBody).ErrorEnvelope)
	}),
	say(`its status is (\d+)`, func(w *World) any { return w.statusIs }),
	say(`its status is (\d+) or (\d+)`, func(w *World) any { return w.statusIsOneOf }),
	say(`its (type|param|code) is "([^"]*)"`, func(w *World) any { return w.errorFieldIs }),
	say(`the key does not come back in the answer`, func(w *World) any { return w.keyStays }),
}

func (w *World) completion() (*check.Completion, error) {
	if w.whole == nil {
		return nil, fmt.Errorf("the scenario judges a completion before it asks for one")
	}
	if w.whole.Status == 0 {
		return nil, verdict.Violated("an answer", "none: %s", w.whole.EndError)
	}
	return check.ParseCompletion(w.whole, w.wholeBy.Ask()), nil
}

func (w *World) isCompletion() error {
	completion, err := w.completion()
	if err != nil {
		return err
	}
	return judge(append(completion.CompletionJSON(), completion.CompletionShape()...))
}

func (w *World) completionAddsUp() error {
	completion, err := w.completion()
	if err != nil {
		return err
	}
	return judge(append(completion.CompletionJSON(), completion.CompletionUsage()...))
}

func (w *World) agree(ctx context.Context) error {
	chat, err := w.chat(ctx)
	if err != nil {
		return err
	}
	completion, err := w.completion()
	if err != nil {
		return err
	}
	// Two replies that hold nothing would agree.
	if err := judge(chat.HasChunks()); err != nil {
		return err
	}
	if completion.Finish(0) == "" {
		return verdict.Violated("a completion with a finish_reason", "none, status %d", w.whole.Status)
	}
	return judge(check.Agreement(chat, completion))
}

// errorBody reads the latest answer as an error.
func (w *World) errorBody(ctx context.Context) (*check.ErrorBody, error) {
	answer, err := w.session.Answer(ctx)
	if err != nil {
		return nil, err
	}
	if answer.Status == 0 {
		return nil, verdict.Violated("an answer", "none: %s", answer.EndError)
	}
	return check.ParseError(answer), nil
}

func (w *World) errorRule(rules ...func(*check.ErrorBody) []check.Finding) func(context.Context) error {
	return func(ctx context.Context) error {
		body, err := w.errorBody(ctx)
		if err != nil {
			return err
		}
		for _, judgeBody := range rules {
			if err := judge(judgeBody(body)); err != nil {
				return err
			}
		}
		return nil
	}
}

func (w *World) statusIs(ctx context.Context, want int) error {
	return w.statusIsOneOf(ctx, want, want)
}

func (w *World) statusIsOneOf(ctx context.Context, want, or int) error {
	body, err := w.errorBody(ctx)
	if err != nil {
		return err
	}
	return judge(body.Is(check.ErrorWant{Statuses: []int{want, or}}))
}

func (w *World) errorFieldIs(ctx context.Context, field, want string) error {
	body, err := w.errorBody(ctx)
	if err != nil {
		return err
	}
	wanted := map[string]check.ErrorWant{"type": {Type: want}, "code": {Code: want}, "param": {Param: want}}
	return judge(body.Is(wanted[field]))
}

func (w *World) keyStays(ctx context.Context) error {
	body, err := w.errorBody(ctx)
	if err != nil {
		return err
	}
	return judge(body.NoSecret(w.session.Secret(probe.WrongKey)))
}
