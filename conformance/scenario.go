package conformance

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/cucumber/godog"

	"plumbline.dev/plumbline/conformance/catalogue"
	"plumbline.dev/plumbline/conformance/verdict"
	"plumbline.dev/plumbline/steps"
)

// scenarioLimit bounds a scenario, beyond the time for which it watches. Each
// wait has a shorter end of its own, which says what did not come.
const scenarioLimit = 5 * time.Minute

// running is one scenario on its way to its verdict.
type running struct {
	scenario Scenario
	world    *steps.World
	began    time.Time
	step     string // the step that did not pass
	err      error  // what it said
	release  func()
	cancel   context.CancelFunc
}

// initialize is called by godog for each scenario.
func (r *runner) initialize(sc *godog.ScenarioContext) {
	run := &running{world: steps.NewWorld(r.env)}
	run.world.Register(sc)

	sc.Before(func(ctx context.Context, pickle *godog.Scenario) (context.Context, error) {
		scenario, ok := r.planned(pickle.Uri, pickle.Location.Line)
		if !ok {
			return ctx, errNotSelected
		}
		if need := r.target.lacks(scenario.Needs); need != "" {
			result := ScenarioResult{Name: scenario.Name, Location: scenario.Location, Verdict: Inconclusive, Reason: need}
			r.ledger.record(result)
			r.observer.Finished(result)
			return ctx, errNotSelected
		}
		release, err := r.acquire(ctx, scenario)
		if err != nil {
			return ctx, errNotSelected // interrupted: the ledger counts it as missing
		}
		run.scenario, run.release, run.began = scenario, release, time.Now()
		ctx, run.cancel = context.WithTimeout(ctx, scenario.Wait+scenarioLimit)
		run.world.Name(scenario.Name)
		run.world.Waiting = func(what string, until time.Time) { r.observer.Waiting(scenario.Name, what, until) }
		r.observer.Started(scenario.Name)
		return ctx, nil
	})

	sc.StepContext().After(func(ctx context.Context, st *godog.Step, status godog.StepResultStatus, err error) (context.Context, error) {
		if run.release == nil || run.step != "" || status == godog.StepPassed {
			return ctx, nil
		}
		run.step = st.Text
		if run.err = err; err == nil {
			run.err = fmt.Errorf("the step is %s", status)
		}
		return ctx, nil
	})

	sc.After(func(ctx context.Context, _ *godog.Scenario, err error) (context.Context, error) {
		if run.release == nil {
			return ctx, nil
		}
		if run.err == nil && err != nil && !errors.Is(err, godog.ErrSkip) {
			run.err = err
		}
		result := run.settle(ctx)
		run.world.Close()
		run.cancel()
		run.release()
		if interrupted(run.err) {
			return ctx, nil // not judged: the ledger counts it as missing
		}
		r.ledger.record(result)
		r.observer.Finished(result)
		return ctx, nil
	})
}

// settle turns what the steps said into a result.
func (run *running) settle(ctx context.Context) ScenarioResult {
	result := ScenarioResult{Name: run.scenario.Name, Location: run.scenario.Location, Verdict: Pass,
		DurationMS: time.Since(run.began).Milliseconds(), Termination: run.world.Termination()}
	var violation *verdict.Violation
	var unjudged *verdict.Unjudged
	switch {
	case run.err == nil:
		return result
	case errors.As(run.err, &violation):
		result.Verdict, result.Reason = Fail, violation.Error()
	case errors.As(run.err, &unjudged):
		result.Verdict, result.Reason = Inconclusive, unjudged.Reason
	default:
		result.Verdict, result.Reason = HarnessError, run.err.Error()
	}
	result.Evidence = run.world.Evidence(ctx)
	result.Evidence.Step = run.step
	if violation != nil {
		result.Evidence.Expected, result.Evidence.Seen = violation.Expected, violation.Seen
	}
	return result
}

// reasons says in words why a need is not met.
var reasons = map[string]string{
	"scripted":    "the target's model server is not ours to script: run with --model-server or --control",
	"key":         "no key is given, so the target may not ask for one: --key",
	"key2":        "no second key of the same organization is given: --key2",
	"org2":        "no key of another organization is given: --org2-key",
	"poor-key":    "no key without credits is given: --poor-key",
	"limited-key": "no key that is over its limit is given: --limited-key",
	"alias":       "no alias of the model is given: --alias",
}

// lacks returns why the target cannot be judged on these needs, or "".
func (t Target) lacks(needs []string) string {
	offered := map[string]bool{"scripted": t.Control != "", "key": t.Key != "", "key2": t.Key2 != "", "org2": t.Org2Key != "",
		"poor-key": t.PoorKey != "", "limited-key": t.LimitedKey != "", "alias": t.Alias != ""}
	for _, need := range needs {
		if strings.HasPrefix(need, "time:") {
			continue
		}
		has, known := offered[need]
		if !known {
			has = !slices.Contains(t.Without, need)
		}
		if has {
			continue
		}
		if reason, ok := reasons[need]; ok {
			return reason
		}
		if catalogue.IsFormat(need) {
			return fmt.Sprintf("the target does not speak the %s format", need)
		}
		return fmt.Sprintf("the target does not offer %s", need)
	}
	return ""
}
