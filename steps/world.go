package steps

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"time"

	"github.com/cucumber/godog"

	"plumbline.dev/plumbline/conformance/check"
	"plumbline.dev/plumbline/conformance/probe"
	"plumbline.dev/plumbline/conformance/verdict"
	"plumbline.dev/plumbline/conformance/wire"
)

// World is what the sentences of one scenario share.
type World struct {
	// Waiting is told what the scenario waits for, when that takes long.
	Waiting func(what string, until time.Time)

	session *probe.Session
	other   []*probe.Session // the other streams of the scenario
	long    bool             // the prompt has a long answer
	models  *wire.Transcript // the list of models
	whole   *wire.Transcript // the completion that was not streamed
	wholeBy probe.Request    // and what asked for it
	model   string           // the model that the scenario chose, "" for the target's
	prompt  string           // stands before every question of the scenario
	watch   watch
	fleet   *probe.Feed    // the metrics of the fleet
	balance *check.Credits // as the scenario read it first
	said    []said         // what the replies say that the scenario compares
}

// NewWorld returns the world of a new scenario.
func NewWorld(env *probe.Env) *World {
	w := &World{session: env.NewSession()}
	w.session.Waiting = func(what string, until time.Time) {
		if w.Waiting != nil {
			w.Waiting(what, until)
		}
	}
	return w
}

// Name tells the name of the scenario, for what is captured.
func (w *World) Name(scenario string) { w.session.Scenario = scenario }

// Close ends what the scenario left running.
func (w *World) Close() {
	w.session.Close()
	for _, s := range w.other {
		s.Close()
	}
	w.watch.close()
}

// Evidence gathers what a person needs to see.
func (w *World) Evidence(ctx context.Context) *verdict.Evidence { return w.session.Evidence(ctx) }

// Termination says how the scenario's latest stream ended.
func (w *World) Termination() string { return w.session.Termination() }

// sentence is one step definition. The expressions are compiled once, since
// godog would compile a text again for each scenario.
type sentence struct {
	expr *regexp.Regexp
	call func(*World) any
}

func say(expr string, call func(*World) any) sentence {
	return sentence{expr: regexp.MustCompile("^" + expr + "$"), call: call}
}

// sentences are all of them.
func sentences() []sentence {
	return slices.Concat(replySentences, requestSentences, cancelSentences, streamSentences, textSentences,
		timeSentences, failureSentences, answerSentences, modelSentences, telemetrySentences, watchSentences, costSentences, sessionSentences, fleetSentences,
		anyFormatSentences, textCompletionSentences, responseSentences, messageSentences, aliveSentences, creditSentences)
}

// Register gives godog every sentence, for this scenario.
func (w *World) Register(sc *godog.ScenarioContext) {
	for _, s := range sentences() {
		sc.Step(s.expr, s.call(w))
	}
}

// judge turns findings into a violation: the first in full, the others counted.
func judge(findings []check.Finding) error {
	if len(findings) == 0 {
		return nil
	}
	f := findings[0]
	where := fmt.Sprintf(" (line %d, byte %d, at %v)", f.Line, f.Offset, f.At.Round(time.Millisecond))
	if f.Line == 0 {
		where = ""
	}
	if more := len(findings) - 1; more > 0 {
		where += fmt.Sprintf(", and %d more", more)
	}
	return verdict.Violated(f.Expected, "%s%s", f.Seen, where)
}

// ended waits for the end of the latest stream.
func (w *World) ended(ctx context.Context) (*probe.Stream, *wire.Transcript, error) {
	stream, err := w.session.Stream()
	if err != nil {
		return nil, nil, err
	}
	t, err := stream.Ended(ctx)
	return stream, t, err
}

// says waits for the end of the latest stream and reads what it says, in whatever
// format.
func (w *World) says(ctx context.Context) (check.Saying, error) {
	stream, t, err := w.ended(ctx)
	if err != nil {
		return check.Saying{}, err
	}
	return check.Say(stream.Format(), t, stream.Ask()), nil
}

// chat waits for the end of the latest stream and reads it.
func (w *World) chat(ctx context.Context) (*check.Chat, error) {
	stream, err := w.session.Stream()
	if err != nil {
		return nil, err
	}
	return stream.Whole(ctx)
}
