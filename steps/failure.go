package steps

import (
	"context"

	"plumbline.dev/plumbline/conformance/check"
	"plumbline.dev/plumbline/conformance/verdict"
)

// failureSentences are about a model server that fails.
var failureSentences = []sentence{
	failureRule(`exactly one event holds an error envelope of type upstream_error`, (*check.Chat).OneErrorEvent),
	failureRule(`the stream closes after the error event: no \[DONE\], no finish chunk, no usage chunk`, (*check.Chat).OneErrorEvent, (*check.Chat).NothingAfterError, (*check.Chat).NoDone, (*check.Chat).ErrorCloses),
	failureRule(`the message of the error envelope is a non-empty text`, (*check.Chat).OneErrorEvent, (*check.Chat).ErrorMessage),
	failureRule(`it carries no address, key or stack of the deployment`, (*check.Chat).OneErrorEvent, (*check.Chat).ErrorMessageClean),
	say(`the client is told once that the model server failed`, func(w *World) any { return w.toldOnce }),
}

// toldOnce takes either form: an HTTP error before the stream, or one error
// event in it and no [DONE].
func (w *World) toldOnce(ctx context.Context) error {
	chat, err := w.chat(ctx)
	if err != nil {
		return err
	}
	if status := chat.Transcript.Status; status/100 != 2 {
		return judge(check.ParseError(chat.Transcript).DocumentedError())
	}
	if len(chat.Errors) == 0 {
		return verdict.Violated("an HTTP error, or one error event", "status 200 and no error")
	}
	if err := judge(chat.OneErrorEvent()); err != nil {
		return err
	}
	return judge(chat.NothingAfterError())
}
