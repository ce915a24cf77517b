package conformance

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/cucumber/godog"

	"plumbline.dev/plumbline/conformance/nearest"
	"plumbline.dev/plumbline/conformance/probe"
	"plumbline.dev/plumbline/features"
)

// Version is the version of the suite, as reports name it.
const Version = "0.1.0"

// Options say what a run judges and how.
type Options struct {
	Target Target
	// Tags selects scenarios: "@mortar-stream-11 or (@stop and not @org2)".
	Tags string
	// Concurrency bounds the scenarios that run at once, besides those that
	// only watch the time, which always run side by side. 0 takes 16 with a
	// scripted model server and 4 with a live one.
	Concurrency int
	// AllowInconclusive makes a run without failures exit with 0 although rows
	// could not be judged.
	AllowInconclusive bool
	// Baseline lists rows that are known to fail, each with the reason.
	Baseline map[string]string
	// Observer sees the run go on; nil for none.
	Observer Observer
	// Captured is given every stream of the run; nil for none. It is called from
	// many goroutines.
	Captured func(Captured)
}

// Observer sees a run go on. Its methods are called from many goroutines.
type Observer interface {
	Planned(scenarios int)
	Started(name string)
	// Waiting says what a scenario waits for, and until when.
	Waiting(name, what string, until time.Time)
	Finished(result ScenarioResult)
}

// Captured is a stream of a run, whole.
type Captured = probe.Captured

type noObserver struct{}

func (noObserver) Planned(int)                       {}
func (noObserver) Started(string)                    {}
func (noObserver) Waiting(string, string, time.Time) {}
func (noObserver) Finished(ScenarioResult)           {}

// SetupError says that the run could not begin: the target or its model server
// is out of reach. Nothing was judged.
type SetupError struct{ Problem string }

func (e *SetupError) Error() string { return e.Problem }

// Run judges a target. The error is a *UsageError or a *SetupError; what goes
// wrong later stands in the report, whose ExitCode is always set. When ctx is
// cancelled, what was judged is reported and the rest is a harness error.
func Run(ctx context.Context, options Options) (*Report, error) {
	suite, err := loadSuite(features.FS)
	if err != nil {
		return nil, err
	}
	target, err := options.Target.normalized()
	if err != nil {
		return nil, err
	}
	plan, err := suite.plan(target.profiles(), options.Tags)
	if err != nil {
		return nil, err
	}
	for row := range options.Baseline {
		if _, ok := suite.catalogue.Row(row); !ok {
			return nil, usagef("the baseline lists the row %q, which does not exist: %s", row, nearest.Hint(row, suite.rowIDs()))
		}
	}
	env, err := probe.NewEnv(ctx, target.probeTarget())
	if err != nil {
		return nil, &SetupError{Problem: err.Error()}
	}
	defer env.Close()
	env.Sink = options.Captured
	target.Without = append(target.Without, unspoken(ctx, env, plan)...)

	r := &runner{plan: plan, ledger: newLedger(plan), env: env, target: target, observer: options.Observer}
	if r.observer == nil {
		r.observer = noObserver{}
	}
	started := time.Now()
	r.observer.Planned(len(plan.scenarios))
	r.run(ctx, options.concurrency(target))

	report := &Report{SchemaVersion: SchemaVersion, Suite: Suite{Version: Version, Digest: suite.digest},
		Target: target.reported(), Profiles: target.profiles(), StartedAt: started.UTC(), Totals: map[Verdict]int{}}
	missing := "the scenario ended without a verdict"
	if report.Interrupted = ctx.Err() != nil; report.Interrupted {
		missing = "the run was interrupted before this scenario ended"
	}
	report.Requirements, report.Errors = r.ledger.close(missing, target.Reference)
	report.DurationMS = time.Since(started).Milliseconds()
	report.settle(options.Baseline, options.AllowInconclusive)
	return report, nil
}

// unspoken returns the formats of a plan of several that the target does not
// speak. One that speaks none of them is judged all the same, and fails.
func unspoken(ctx context.Context, env *probe.Env, p *plan) []string {
	formats := p.formats()
	if len(formats) < 2 {
		return nil
	}
	missing := env.Unspoken(ctx, formats)
	if len(missing) == len(formats) {
		return nil
	}
	return missing
}

func (o Options) concurrency(t Target) int {
	switch {
	case o.Concurrency > 0:
		return o.Concurrency
	case t.Control != "":
		return 16
	default:
		return 4
	}
}

// settle applies the baseline, counts, and sets the exit code.
func (r *Report) settle(baseline map[string]string, allowInconclusive bool) {
	failed, open := false, false
	for i := range r.Requirements {
		row := &r.Requirements[i]
		r.Totals[row.Verdict]++
		_, listed := baseline[row.ID]
		switch row.Verdict {
		case Fail:
			row.Known = listed
			failed = failed || !listed
		case Pass:
			row.Stale = listed
			failed = failed || listed
		case Inconclusive:
			open = true
		}
	}
	switch {
	case r.Interrupted || len(r.Errors) > 0 || r.Totals[HarnessError] > 0:
		r.ExitCode = ExitHarness
	case failed:
		r.ExitCode = ExitViolation
	case open && !allowInconclusive:
		r.ExitCode = ExitInconclusive
	case r.Totals[Pass] == 0 && r.Totals[Fail] == 0:
		r.ExitCode = ExitInconclusive // a run that judged nothing is never a pass
	default:
		r.ExitCode = ExitPass
	}
}

// Exit codes of a run.
const (
	ExitPass         = 0 // every row was judged and passed
	ExitViolation    = 1 // a row failed, or one that the baseline lists passed
	ExitUsage        = 2 // unknown tag, profile or key, or nothing selected
	ExitHarness      = 3 // the harness failed, or was interrupted
	ExitInconclusive = 4 // nothing failed, but rows could not be judged
)

// runner drives godog and tells the ledger what came of each scenario.
type runner struct {
	plan     *plan
	ledger   *ledger
	env      *probe.Env
	target   Target
	observer Observer
	slots    chan struct{}
}

func (r *runner) run(ctx context.Context, concurrency int) {
	r.slots = make(chan struct{}, concurrency)
	var files []string
	for _, s := range r.plan.scenarios {
		file, _, _ := strings.Cut(s.Location, ":")
		files = appendNew(files, file)
	}
	suite := godog.TestSuite{
		Name:                "plumbline",
		ScenarioInitializer: r.initialize,
		Options: &godog.Options{
			Format: "progress", Output: io.Discard, NoColors: true, Strict: true, FS: features.FS, Paths: files,
			// All at once: what waits must wait side by side. The slots bound the rest.
			Concurrency: len(r.plan.scenarios) + 1, DefaultContext: ctx,
		},
	}
	// The status says nothing that the ledger does not know better, except that
	// godog could not even read the features.
	if status := suite.Run(); status > 1 && ctx.Err() == nil {
		r.ledger.note(fmt.Sprintf("godog ended with status %d", status))
	}
}

func (r *runner) planned(uri string, line int64) (Scenario, bool) {
	location := fmt.Sprintf("%s:%d", uri, line)
	i := slices.IndexFunc(r.plan.scenarios, func(s Scenario) bool { return s.Location == location })
	if i < 0 {
		return Scenario{}, false
	}
	return r.plan.scenarios[i], true
}

// errNotSelected keeps godog from playing a scenario that is not planned.
var errNotSelected = fmt.Errorf("not selected: %w", godog.ErrSkip)

func (r *runner) acquire(ctx context.Context, s Scenario) (release func(), err error) {
	if s.Wait > 0 {
		return func() {}, ctx.Err()
	}
	select {
	case r.slots <- struct{}{}:
		return func() { <-r.slots }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func interrupted(err error) bool {
	return errors.Is(err, context.Canceled)
}
