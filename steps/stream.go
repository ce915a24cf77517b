package steps

import (
	"context"
	"fmt"

	"plumbline.dev/plumbline/conformance/check"
	"plumbline.dev/plumbline/conformance/verdict"
)

// streamSentences are about a whole stream. Each that has a rule of its own is
// one rule of package check.
var streamSentences = []sentence{
	rule(`the header Cache-Control is "no-cache, no-transform"`, (*check.Chat).CacheControl),
	rule(`the header X-Accel-Buffering is "no"`, (*check.Chat).AccelBuffering),
	rule(`the stream has no Content-Length`, (*check.Chat).NoLength),
	rule(`the stream has no Content-Encoding`, (*check.Chat).NoEncoding),

	rule(`every line ends with LF alone`, (*check.Chat).LFOnly),
	rule(`every data line holds one whole JSON object or \[DONE\] after "data: "`,
		(*check.Chat).NoBOM, (*check.Chat).DataSpace, (*check.Chat).OneDataLine, (*check.Chat).DataJSON),
	rule(`every line that is not data is a comment`, (*check.Chat).UnnamedEvents, (*check.Chat).OnlyComments),
	rule(`every comment stands between events`, (*check.Chat).CommentsBetweenEvents),

	rule(`every data event but \[DONE\] is a chat.completion.chunk`,
		(*check.Chat).DataJSON, (*check.Chat).ChunkObject, (*check.Chat).ChunkShape),
	rule(`every delta has the documented types`, (*check.Chat).DeltaTypes),
	rule(`every chunk carries the same id`, (*check.Chat).IDConstant),
	rule(`the id is "chatcmpl-" and 24 lower-case hexadecimal digits`, (*check.Chat).IDForm),
	rule(`the header X-Mortar-Request-Id holds the id of the chunks`, (*check.Chat).IDHeader),
	rule(`every chunk has the same created, in seconds and close to now`, (*check.Chat).CreatedConstant),
	rule(`every chunk has the same model`, (*check.Chat).ModelConstant),
	rule(`the first delta of each choice has the role assistant`, (*check.Chat).RoleFirst),
	rule(`each choice has an index from 0 to n-1`, (*check.Chat).ChoiceIndex, (*check.Chat).EachChoice),
	rule(`no chunk has an error key`, (*check.Chat).NoErrorKey),
	rule(`no chunk has a field that OpenAI does not document`, (*check.Chat).NoVendorFields),
	rule(`the deltas of tool calls have the documented shape`, (*check.Chat).ToolDeltas),

	rule(`each choice has exactly one finish chunk before \[DONE\]`, (*check.Chat).FinishKey, (*check.Chat).FinishOnce),
	rule(`no content of a choice comes after its finish chunk`, (*check.Chat).NothingAfterFinish, (*check.Chat).ChoiceOver),
	rule(`\[DONE\] arrives exactly once, as the last event`, (*check.Chat).DoneOnce, (*check.Chat).DoneLast),
	rule(`the stream ends without a finish chunk`, (*check.Chat).NoFinish),

	rule(`the last chunk carries usage and an empty list of choices`, (*check.Chat).UsageLast),
	rule(`no other chunk carries usage`, (*check.Chat).UsageOnce),
	rule(`every chunk before the last has usage null`, (*check.Chat).UsageNullBefore),
	rule(`no chunk carries usage`, (*check.Chat).NoUsage),
	rule(`no chunk has an empty list of choices`, (*check.Chat).NoEmptyChoices),
	rule(`the token counts add up`, (*check.Chat).UsageSums),

	rule(`each content delta carries its tokens with logprobs`, (*check.Chat).Logprobs),
	rule(`no delta carries logprobs`, (*check.Chat).Logprobs),
	rule(`the official SDKs read the stream to its end`, (*check.Chat).SDKReads),
	rule(`the documented reader prints the whole reply`, (*check.Chat).DocumentedReader),

	say(`finish_reason is "(\w+)"`, func(w *World) any { return w.finishReasonIs }),
	say(`the header X-Mortar-Request-Id is readable while the model server waits`, func(w *World) any { return w.idWhileWaiting }),
}

// rule makes a sentence of rules: it waits for the end of the latest stream and
// judges that. What a rule forbids is absent from a stream without chunks too,
// so a stream has to have some before a rule can pass.
func rule(expr string, rules ...func(*check.Chat) []check.Finding) sentence {
	return failureRule(expr, append([]func(*check.Chat) []check.Finding{(*check.Chat).HasChunks}, rules...)...)
}

// failureRule is rule for streams that may fail before their first chunk.
func failureRule(expr string, rules ...func(*check.Chat) []check.Finding) sentence {
	return say(expr, func(w *World) any {
		return func(ctx context.Context) error {
			chat, err := w.chat(ctx)
			if err != nil {
				return err
			}
			for _, judgeChat := range rules {
				if err := judge(judgeChat(chat)); err != nil {
					return err
				}
			}
			return nil
		}
	})
}

func (w *World) finishReasonIs(ctx context.Context, want string) error {
	chat, err := w.chat(ctx)
	if err != nil {
		return err
	}
	for i := range max(chat.Ask.Choices, 1) {
		if got := chat.Finish(i); got != want {
			return verdict.Violated(fmt.Sprintf("finish_reason %q", want), "%q on choice %d", got, i)
		}
	}
	return nil
}

// idWhileWaiting reads the header while the model server has generated nothing,
// then lets it go on.
func (w *World) idWhileWaiting(ctx context.Context) error {
	stream, err := w.session.Stream()
	if err != nil {
		return err
	}
	if err := w.session.AtGate(ctx); err != nil {
		return err
	}
	if _, err := stream.HeaderID(ctx); err != nil {
		return err
	}
	return w.session.GoOn(ctx)
}
