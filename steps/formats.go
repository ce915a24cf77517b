package steps

import (
	"context"
	"fmt"

	"plumbline.dev/plumbline/conformance/check"
	"plumbline.dev/plumbline/conformance/probe"
	"plumbline.dev/plumbline/conformance/verdict"
)

// anyFormatSentences are about replies in any format.
var anyFormatSentences = []sentence{
	framedRule(`the answer is 200 with Content-Type text/event-stream`, false, (*check.Framed).EventStream),
	framedRule(`each event ends with a blank line`, true, (*check.Framed).EventsTerminated),
	framedRule(`the stream is UTF-8`, true, (*check.Framed).UTF8),
	framedRule(`nothing but the end of the body follows`, true, (*check.Framed).CleanEnd),

	say(`the reply is complete`, func(w *World) any { return w.isComplete }),
	say(`the stream keeps every rule of its format`, func(w *World) any { return w.keepsFormat }),
	say(`it counts (\d+) completion tokens`, func(w *World) any { return w.countsTokens }),
	say(`no two replies share an id`, func(w *World) any { return w.idsDiffer }),
	say(`both forms of the reply say the same`, func(w *World) any { return w.bothSayTheSame }),

	say(`the client streams the prompt in all four formats(.*)`, func(w *World) any { return w.streamsInEvery(probe.Formats()) }),
	say(`the client streams the prompt in each format with tools(.*)`, func(w *World) any { return w.streamsInEvery(formatsWithTools) }),
	say(`the client streams the prompt in each format with stop sequences(.*)`, func(w *World) any { return w.streamsInEvery(formatsWithStop) }),
	say(`the client asks in all four formats for a reply that is not streamed`, func(w *World) any { return w.asksInEvery }),
	say(`every format gives the same text, end and token counts`, func(w *World) any { return w.everyFormatTheSame }),

	say(`the answer is the JSON error of its format`, func(w *World) any { return w.isFormatError }),
	say(`its status is a 4xx`, func(w *World) any { return w.statusIs4xx }),
	say(`the header Retry-After says when to come back`, func(w *World) any { return w.saysRetryAfter }),
}

var (
	formatsWithTools = []check.Format{check.FormatChat, check.FormatResponses, check.FormatMessages}
	formatsWithStop  = []check.Format{check.FormatChat, check.FormatText, check.FormatMessages}
)

// framedRule makes a sentence of rules that hold for streams in any format. What
// a rule forbids is absent from an empty stream too, so that some need events.
func framedRule(expr string, needsEvents bool, rules ...func(*check.Framed) []check.Finding) sentence {
	return say(expr, func(w *World) any {
		return func(ctx context.Context) error {
			stream, t, err := w.ended(ctx)
			if err != nil {
				return err
			}
			if needsEvents && check.Say(stream.Format(), t, stream.Ask()).Events == 0 {
				return verdict.Violated("at least one event of a reply", "none, status %d", t.Status)
			}
			framed := check.ParseFramed(t, stream.Ask())
			for _, rule := range rules {
				if err := judge(rule(framed)); err != nil {
					return err
				}
			}
			return nil
		}
	})
}

func (w *World) isComplete(ctx context.Context) error {
	_, t, err := w.ended(ctx)
	if err != nil {
		return err
	}
	says, err := w.says(ctx)
	if err != nil {
		return err
	}
	if !says.Complete {
		return verdict.Violated("a reply that comes to the end of its format", "status %d, the body ended without it (%s)", t.Status, t.End)
	}
	return nil
}

// keepsFormat judges the whole stream by its public format. Where chat and text
// completions carry usage is for the documents to say, which differ.
func (w *World) keepsFormat(ctx context.Context) error {
	stream, t, err := w.ended(ctx)
	if err != nil {
		return err
	}
	switch ask := stream.Ask(); stream.Format() {
	case check.FormatText:
		return judge(check.JudgeBy(check.ParseText(t, ask), check.TextRules()))
	case check.FormatResponses:
		return judge(check.JudgeBy(check.ParseResponses(t, ask), check.ResponsesRules()))
	case check.FormatMessages:
		return judge(check.JudgeBy(check.ParseMessages(t, ask), check.MessagesRules()))
	default:
		return judge(check.Judge(check.ParseChat(t, ask), check.ChatBaseline()))
	}
}

func (w *World) countsTokens(ctx context.Context, want int) error {
	says, err := w.says(ctx)
	if err != nil {
		return err
	}
	expected := fmt.Sprintf("usage with %d completion tokens", want)
	if says.Usage == nil {
		return verdict.Violated(expected, "no usage")
	}
	if got := says.Usage.CompletionTokens; got != int64(want) {
		return verdict.Violated(expected, "%d", got)
	}
	return nil
}

func (w *World) idsDiffer(ctx context.Context) error {
	seen := map[string]bool{}
	for _, stream := range w.session.Streams() {
		t, err := stream.Ended(ctx)
		if err != nil {
			return err
		}
		id := check.Say(stream.Format(), t, stream.Ask()).ID
		if id == "" {
			return verdict.Violated("a reply with an id", "none")
		}
		if seen[id] {
			return verdict.Violated("an id of its own for each reply", "%q twice", id)
		}
		seen[id] = true
	}
	return nil
}

// bothSayTheSame compares the stream with the reply that was not streamed.
func (w *World) bothSayTheSame(ctx context.Context) error {
	streamed, err := w.says(ctx)
	if err != nil {
		return err
	}
	if w.whole == nil {
		return fmt.Errorf("the scenario compares a reply that is not streamed before it asks for one")
	}
	whole := check.SayWhole(w.wholeBy.Format, w.whole, w.wholeBy.Ask())
	if !whole.Complete {
		return verdict.Violated("a whole reply that says why it ended", "%s", statusOf(w.whole))
	}
	return judge(check.Same("reply that is not streamed", whole, "stream", streamed))
}

// said is what a reply says and how it was asked for.
type said struct {
	name string
	check.Saying
}

func (w *World) streamsInEvery(list []check.Format) any {
	return func(ctx context.Context, words string) error {
		w.said = nil
		for _, format := range list {
			if err := w.streams(ctx, string(format), words); err != nil {
				return err
			}
			stream, err := w.session.Stream()
			if err != nil {
				return err
			}
			t, err := stream.Ended(ctx)
			if err != nil {
				return err
			}
			w.said = append(w.said, said{string(format), check.Say(format, t, stream.Ask())})
		}
		return nil
	}
}

func (w *World) asksInEvery(ctx context.Context) error {
	w.said = nil
	for _, format := range probe.Formats() {
		if err := w.asksWhole(ctx, string(format), ""); err != nil {
			return err
		}
		w.said = append(w.said, said{string(format), check.SayWhole(format, w.whole, w.wholeBy.Ask())})
	}
	return nil
}

func (w *World) everyFormatTheSame() error {
	for _, s := range w.said {
		if !s.Complete {
			return verdict.Violated("a complete reply in every format", "none as a %s", s.name)
		}
		if s.Usage == nil {
			return verdict.Violated("token counts in every format", "none in the %s", s.name)
		}
		if err := judge(check.Same(w.said[0].name, w.said[0].Saying, s.name, s.Saying)); err != nil {
			return err
		}
	}
	return nil
}

// isFormatError judges the latest answer as an error of the format that was asked
// for.
func (w *World) isFormatError(ctx context.Context) error {
	answer, err := w.session.Answer(ctx)
	if err != nil {
		return err
	}
	if answer.Status == 0 {
		return verdict.Violated("an answer", "none: %s", answer.EndError)
	}
	if w.session.Last().Format == check.FormatMessages {
		return judge(check.ParseMessageError(answer).MessageErrorForm())
	}
	body := check.ParseError(answer)
	return judge(append(append(body.ErrorStatus(), body.ErrorJSON()...), body.ErrorEnvelope()...))
}

func (w *World) statusIs4xx(ctx context.Context) error {
	answer, err := w.session.Answer(ctx)
	if err != nil {
		return err
	}
	if answer.Status/100 != 4 {
		return verdict.Violated("a status from 400 to 499", "%s", statusOf(answer))
	}
	return nil
}

func (w *World) saysRetryAfter(ctx context.Context) error {
	answer, err := w.session.Answer(ctx)
	if err != nil {
		return err
	}
	return judge(check.RetryAfter(answer))
}
