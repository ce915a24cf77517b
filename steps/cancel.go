package steps

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"plumbline.dev/plumbline/conformance/check"
	"plumbline.dev/plumbline/conformance/probe"
	"plumbline.dev/plumbline/conformance/verdict"
	"plumbline.dev/plumbline/conformance/wire"
)

// unknownID has the form of an id and is nobody's.
const unknownID = "chatcmpl-0123456789abcdef01234567"

// cancelSentences are about the end that a client puts to a generation.
var cancelSentences = []sentence{
	say(`the client has received (\d+) tokens?`, func(w *World) any { return w.hasReceived }),
	say(`the client has the response headers`, func(w *World) any { return w.hasHeaders }),
	say(`the client closes its connection`, func(w *World) any { return w.leaves }),
	say(`the model server waits`, func(w *World) any { return w.modelServerWaits }),
	say(`the model server goes on`, func(w *World) any { return w.modelServerGoesOn }),
	say(`the model server goes on with the other streams`, func(w *World) any { return w.othersGoOn }),
	say(`the generation is stopped by its id`, func(w *World) any { return w.stop(probe.OwnKey) }),
	say(`the generation is stopped by the id in the header`, func(w *World) any { return w.stopByHeader }),
	say(`another key of the same organization stops the generation`, func(w *World) any { return w.stop(probe.SameOrg) }),
	say(`a key of another organization stops the generation`, func(w *World) any { return w.stop(probe.OtherOrg) }),
	say(`no key stops the generation`, func(w *World) any { return w.stop(probe.NoKey) }),
	say(`a wrong key stops the generation`, func(w *World) any { return w.stop(probe.WrongKey) }),
	say(`"([^"]+)" is stopped`, func(w *World) any { return w.stopPath }),
	say(`(`+alternatives(variantNames())+`) is stopped`, func(w *World) any { return w.stopVariant }),
	say(`the stop is accepted`, func(w *World) any { return w.stopAccepted }),
	say(`the stop is refused with a 4xx`, func(w *World) any { return w.stopRefused }),
	say(`the stop is refused with status (\d+)`, func(w *World) any { return w.stopRefusedWith }),
	say(`the stop answers 200 with the id, object "generation" and status "stopped"`, func(w *World) any { return w.stopAnswers }),
	say(`the refusal is a JSON error`, func(w *World) any { return w.refusalIsJSON }),
	say(`the refusal is the same as for an id that does not exist`, func(w *World) any { return w.refusalTellsNothing }),
	say(`the model server sees the generation aborted within (\d+) s`, func(w *World) any { return w.abortSeen }),
	say(`the stream ends within (\d+) s`, func(w *World) any { return w.endsWithin }),
	say(`every other stream is complete`, func(w *World) any { return w.othersComplete }),
}

// variants are ways to write an id that are not the id, as they stand in the
// path. The expressions of the features name them.
var variants = map[string]func(id string) string{
	"a prefix of the id":                 func(id string) string { return id[:len(id)-1] },
	"the id without its prefix":          func(id string) string { _, digits, _ := strings.Cut(id, "-"); return digits },
	"the id in upper case":               strings.ToUpper,
	"the id with a percent-coded letter": func(id string) string { return fmt.Sprintf("%%%02x%s", id[0], id[1:]) },
	"the id with a blank behind it":      func(id string) string { return id + "%20" },
	"the id with one digit more":         func(id string) string { return id + "0" },
	"a wildcard":                         func(string) string { return "*" },
	"an empty id":                        func(string) string { return "" },
	"a blank id":                         func(string) string { return "%20" },
}

func variantNames() []string {
	var names []string
	for name := range variants {
		names = append(names, name)
	}
	return names
}

func (w *World) hasReceived(ctx context.Context, n int) error {
	stream, err := w.session.Stream()
	if err != nil {
		return err
	}
	return stream.WaitText(ctx, w.session.Reply.TextOf(n))
}

func (w *World) hasHeaders(ctx context.Context) error {
	stream, err := w.session.Stream()
	if err != nil {
		return err
	}
	return stream.WaitHead(ctx)
}

func (w *World) leaves() error {
	stream, err := w.session.Stream()
	if err != nil {
		return err
	}
	stream.Leave()
	return nil
}

func (w *World) modelServerWaits(ctx context.Context) error { return w.session.AtGate(ctx) }

func (w *World) modelServerGoesOn(ctx context.Context) error { return w.session.GoOn(ctx) }

func (w *World) othersGoOn(ctx context.Context) error {
	for _, s := range w.other {
		if err := s.GoOn(ctx); err != nil {
			return err
		}
	}
	return nil
}

func (w *World) othersComplete(ctx context.Context) error {
	for i, s := range w.other {
		stream, err := s.Stream()
		if err != nil {
			return err
		}
		chat, err := stream.Whole(ctx)
		if err != nil {
			return err
		}
		expected := fmt.Sprintf("the other stream %d is complete with the text %q", i+1, s.Reply.Text())
		if !chat.Complete() || chat.Text(0) != s.Reply.Text() {
			return verdict.Violated(expected, "[DONE] %v, text %q", chat.Complete(), chat.Text(0))
		}
	}
	return nil
}

// stop returns the step that stops the latest stream with this key.
func (w *World) stop(key probe.Key) func(context.Context) error {
	return func(ctx context.Context) error {
		id, err := w.streamID()
		if err != nil {
			return err
		}
		w.session.Stop(ctx, id, key)
		return nil
	}
}

func (w *World) streamID() (string, error) {
	stream, err := w.session.Stream()
	if err != nil {
		return "", err
	}
	return stream.ID()
}

func (w *World) stopByHeader(ctx context.Context) error {
	stream, err := w.session.Stream()
	if err != nil {
		return err
	}
	id, err := stream.HeaderID(ctx)
	if err != nil {
		return err
	}
	w.session.Stop(ctx, id, probe.OwnKey)
	return nil
}

func (w *World) stopPath(ctx context.Context, id string) { w.session.Stop(ctx, id, probe.OwnKey) }

func (w *World) stopVariant(ctx context.Context, name string) error {
	id, err := w.streamID()
	if err != nil {
		return err
	}
	w.session.Stop(ctx, variants[name](id), probe.OwnKey)
	return nil
}

func (w *World) stopAccepted(ctx context.Context) error {
	return w.stopStatus(ctx, "the stop is answered 2xx", func(status int) bool { return status/100 == 2 })
}

func (w *World) stopRefused(ctx context.Context) error {
	return w.stopStatus(ctx, "the stop is answered 4xx", func(status int) bool { return status/100 == 4 })
}

func (w *World) stopRefusedWith(ctx context.Context, want int) error {
	return w.stopStatus(ctx, fmt.Sprintf("the stop is answered %d", want), func(status int) bool { return status == want })
}

func (w *World) stopStatus(ctx context.Context, expected string, ok func(int) bool) error {
	answer, err := w.session.Answer(ctx)
	if err != nil {
		return err
	}
	if !ok(answer.Status) {
		return verdict.Violated(expected, "%s", statusOf(answer))
	}
	return nil
}

func statusOf(t *wire.Transcript) string {
	if t.Status == 0 {
		return "no answer: " + t.EndError
	}
	return fmt.Sprintf("status %d", t.Status)
}

func (w *World) stopAnswers(ctx context.Context) error {
	answer, err := w.session.Answer(ctx)
	if err != nil {
		return err
	}
	id, err := w.streamID()
	if err != nil {
		return err
	}
	return judge(check.StopAnswer(answer, id))
}

func (w *World) refusalIsJSON(ctx context.Context) error {
	answer, err := w.session.Answer(ctx)
	if err != nil {
		return err
	}
	return judge(check.ParseError(answer).DocumentedError())
}

// refusalTellsNothing compares the refusal with that of an id that nobody has.
func (w *World) refusalTellsNothing(ctx context.Context) error {
	refused, err := w.session.Answer(ctx)
	if err != nil {
		return err
	}
	unknown := w.session.Stop(ctx, unknownID, probe.OtherOrg)
	const expected = "the same status, type and code as for an id that does not exist"
	if refused.Status != unknown.Status {
		return verdict.Violated(expected, "status %d, and %d for the unknown id", refused.Status, unknown.Status)
	}
	for _, field := range []string{"error.type", "error.code"} {
		one, other := gjson.GetBytes(refused.Body, field).Raw, gjson.GetBytes(unknown.Body, field).Raw
		if one != other {
			return verdict.Violated(expected, "%s %s, and %s for the unknown id", field, one, other)
		}
	}
	return nil
}

func (w *World) abortSeen(ctx context.Context, seconds int) error {
	return w.session.AbortSeen(ctx, time.Duration(seconds)*time.Second)
}

func (w *World) endsWithin(ctx context.Context, seconds int) error {
	stream, err := w.session.Stream()
	if err != nil {
		return err
	}
	return stream.EndsWithin(ctx, time.Duration(seconds)*time.Second)
}
