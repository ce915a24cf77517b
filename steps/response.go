package steps

import (
	"context"
	"fmt"

	"plumbline.dev/plumbline/conformance/check"
	"plumbline.dev/plumbline/conformance/verdict"
)

// responseSentences are about replies of the Responses API.
var responseSentences = []sentence{
	responseRule(`every event of the response has a name, which is the type of its data`, (*check.Responses).EventJSON, (*check.Responses).EventNames),
	responseRule(`the sequence numbers count every event from 0`, (*check.Responses).SequenceNumbers),
	responseRule(`the response is created first, and in progress before any item`, (*check.Responses).CreatedFirst),
	responseRule(`every item and part is opened, filled and closed in order`, (*check.Responses).ItemOrder),
	responseRule(`every item keeps one id of its own`, (*check.Responses).ItemIDs),
	responseRule(`the deltas make up the texts at their ends`, (*check.Responses).TextAgrees),
	responseRule(`the output is the items that were added`, (*check.Responses).OutputAgrees),
	responseRule(`each event of the response has the fields of its type`, (*check.Responses).ResponseEventFields),
	responseRule(`every response object, item and part has the documented fields`, (*check.Responses).ResponseShape),
	responseRule(`the response keeps its id, created_at and model`, (*check.Responses).SameResponse),
	responseRule(`one event ends the response, and nothing follows`, (*check.Responses).TerminalLast, (*check.Responses).CleanEnd),
	responseRule(`the response has no \[DONE\]`, (*check.Responses).TerminalLast, (*check.Responses).NoDoneMarker),
	responseRule(`the name, the type and the status of the end agree`, (*check.Responses).EventNames, (*check.Responses).StatusAgrees),
	responseRule(`the items say as the response does how they ended`, (*check.Responses).TerminalLast, (*check.Responses).EndDetails),
	responseRule(`the calls begin empty and end as JSON`, (*check.Responses).ItemOrder, (*check.Responses).CallsBegin),
	responseRule(`the end of the response carries usage that adds up`, (*check.Responses).TerminalLast, (*check.Responses).ResponseUsage),
	responseRule(`no event of the response has an error key`, (*check.Responses).NoErrorInResponse),
	responseRule(`response.failed is the last event`, (*check.Responses).FailedLast, (*check.Responses).NoDoneMarker, (*check.Responses).ErrorCloses),
	responseRule(`response.error has a code, and a message that gives nothing away`, (*check.Responses).FailedLast, (*check.Responses).FailedError),
	say(`the response is (completed|failed)`, func(w *World) any { return w.responseIs }),
	say(`the response is incomplete because of (\w+)`, func(w *World) any { return w.responseIsIncomplete }),
	say(`the first item is reasoning, and the second a message`, func(w *World) any { return w.reasoningFirst }),
	say(`the answer is one response`, func(w *World) any { return w.isResponse }),
}

func (w *World) response(ctx context.Context) (*check.Responses, error) {
	stream, t, err := w.ended(ctx)
	if err != nil {
		return nil, err
	}
	return check.ParseResponses(t, stream.Ask()), nil
}

func responseRule(expr string, rules ...func(*check.Responses) []check.Finding) sentence {
	return say(expr, func(w *World) any {
		return func(ctx context.Context) error {
			response, err := w.response(ctx)
			if err != nil {
				return err
			}
			for _, judgeResponse := range append([]func(*check.Responses) []check.Finding{(*check.Responses).HasEvents}, rules...) {
				if err := judge(judgeResponse(response)); err != nil {
					return err
				}
			}
			return nil
		}
	})
}

func (w *World) responseIs(ctx context.Context, want string) error {
	response, err := w.response(ctx)
	if err != nil {
		return err
	}
	if got := response.Status(); got != want {
		return verdict.Violated("a response with status "+want, "status %q at its end", got)
	}
	return nil
}

func (w *World) responseIsIncomplete(ctx context.Context, reason string) error {
	if err := w.responseIs(ctx, "incomplete"); err != nil {
		return err
	}
	response, err := w.response(ctx)
	if err != nil {
		return err
	}
	if got := response.IncompleteReason(); got != reason {
		return verdict.Violated("incomplete_details.reason "+reason, "%q", got)
	}
	return nil
}

func (w *World) reasoningFirst(ctx context.Context) error {
	response, err := w.response(ctx)
	if err != nil {
		return err
	}
	var types []string
	for _, item := range response.Items {
		types = append(types, item.Type)
	}
	if len(types) != 2 || types[0] != "reasoning" || types[1] != "message" {
		return verdict.Violated("the items reasoning and message", "%q", types)
	}
	return nil
}

func (w *World) isResponse() error {
	if w.whole == nil {
		return fmt.Errorf("the scenario judges a response before it asks for one")
	}
	if w.whole.Status == 0 {
		return verdict.Violated("an answer", "none: %s", w.whole.EndError)
	}
	return judge(check.ParseResponse(w.whole, w.wholeBy.Ask()).ResponseWhole())
}
