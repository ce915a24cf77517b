package steps

import (
	"context"
	"fmt"

	"plumbline.dev/plumbline/conformance/check"
	"plumbline.dev/plumbline/conformance/verdict"
)

// messageSentences are about replies of the Messages API.
var messageSentences = []sentence{
	messageRule(`every event of the message has a name, which is the type of its data`, (*check.Messages).EventJSON, (*check.Messages).EventNames),
	messageRule(`the message begins with one message_start`, (*check.Messages).StartFirst, (*check.Messages).StartShape),
	messageRule(`the blocks come one after the other, each with its start, its deltas and its stop`, (*check.Messages).BlockOrder),
	messageRule(`each event of the message has the fields of its type`, (*check.Messages).MessageEventFields),
	messageRule(`message_delta says why the message ended`, (*check.Messages).StopLast, (*check.Messages).StopReasons),
	messageRule(`message_stop is the last event`, (*check.Messages).StopLast, (*check.Messages).NoErrorEvent, (*check.Messages).CleanEnd),
	messageRule(`the message has no \[DONE\]`, (*check.Messages).StopLast, (*check.Messages).NoDoneMarker),
	messageRule(`each tool call begins with input {} and its deltas are one JSON object`, (*check.Messages).ToolInput),
	messageRule(`the counts of the message are whole numbers that never fall`, (*check.Messages).StopLast, (*check.Messages).MessageUsage),
	messageRule(`the prompt of the message is counted`, (*check.Messages).StopLast, (*check.Messages).InputCounted),
	messageRule(`the message counts no more tokens than max_tokens`, (*check.Messages).StopLast, (*check.Messages).MessageCounted),
	messageRule(`one error event ends the message`, (*check.Messages).OneErrorLast, (*check.Messages).ErrorEventShape, (*check.Messages).ErrorCloses),
	messageRule(`no message_delta, message_stop or \[DONE\] comes`, (*check.Messages).OneErrorLast, (*check.Messages).NoEndAfterError, (*check.Messages).NoDoneMarker),
	say(`stop_reason is "(\w+)"`, func(w *World) any { return w.stopReasonIs }),
	say(`stop_sequence is "([^"]+)"`, func(w *World) any { return w.stopSequenceIs }),
	say(`the first block is thinking, and the second text`, func(w *World) any { return w.thinkingFirst }),
	say(`the answer is one message`, func(w *World) any { return w.isMessage }),
}

func (w *World) message(ctx context.Context) (*check.Messages, error) {
	stream, t, err := w.ended(ctx)
	if err != nil {
		return nil, err
	}
	return check.ParseMessages(t, stream.Ask()), nil
}

func messageRule(expr string, rules ...func(*check.Messages) []check.Finding) sentence {
	return say(expr, func(w *World) any {
		return func(ctx context.Context) error {
			message, err := w.message(ctx)
			if err != nil {
				return err
			}
			for _, judgeMessage := range append([]func(*check.Messages) []check.Finding{(*check.Messages).HasEvents}, rules...) {
				if err := judge(judgeMessage(message)); err != nil {
					return err
				}
			}
			return nil
		}
	})
}

func (w *World) stopReasonIs(ctx context.Context, want string) error {
	message, err := w.message(ctx)
	if err != nil {
		return err
	}
	if got := message.StopReason(); got != want {
		return verdict.Violated(fmt.Sprintf("stop_reason %q", want), "%q", got)
	}
	return nil
}

func (w *World) stopSequenceIs(ctx context.Context, want string) error {
	message, err := w.message(ctx)
	if err != nil {
		return err
	}
	if got := message.StopSequence(); got != want {
		return verdict.Violated(fmt.Sprintf("stop_sequence %q", want), "%q", got)
	}
	return nil
}

func (w *World) thinkingFirst(ctx context.Context) error {
	message, err := w.message(ctx)
	if err != nil {
		return err
	}
	var types []string
	for _, block := range message.Blocks {
		types = append(types, block.Type)
	}
	if len(types) != 2 || types[0] != "thinking" || types[1] != "text" {
		return verdict.Violated("the blocks thinking and text", "%q", types)
	}
	return nil
}

func (w *World) isMessage() error {
	if w.whole == nil {
		return fmt.Errorf("the scenario judges a message before it asks for one")
	}
	if w.whole.Status == 0 {
		return verdict.Violated("an answer", "none: %s", w.whole.EndError)
	}
	return judge(check.ParseMessage(w.whole, w.wholeBy.Ask()).MessageWhole())
}
