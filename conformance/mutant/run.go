package mutant

import (
	"context"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"plumbline.dev/plumbline/conformance"
	"plumbline.dev/plumbline/conformance/nearest"
)

// Options say which mutants are judged and on what.
type Options struct {
	// Targets are the right gateways that the mutants stand in front of: one for
	// each profile that a mutant is judged by, which it names. Their model servers
	// must be scripted and their intervals shortened.
	Targets []conformance.Target
	// Gateway starts a right gateway of a profile in front of a model server, for
	// the mutants that stand between the two.
	Gateway func(ctx context.Context, profile, modelServer string) (baseURL string, stop func(), err error)
	// Only selects mutants by name: those that any pattern matches, as path.Match
	// does. Without any it is all of them.
	Only []string
	// AllRows judges each mutant by every row that any mutant breaks, not only by
	// those that it breaks itself and the control rows.
	AllRows bool
	// Concurrency is the number of mutants that are judged side by side; 0 is 12.
	Concurrency int
	// Judged is told each result as it comes; nil for none.
	Judged func(done, all int, result Result)
}

const defaultConcurrency = 12

// controlRows are judged on every mutant of an area that does not touch them: they
// must pass, or the mutant is broken in more than it says.
func controlRows(area string) []string {
	if slices.Contains(feedAreas(), area) {
		return feedControlRows(area)
	}
	if rows := formatControlRows(area); rows != nil {
		return rows
	}
	return []string{"mortar-stream-01", "mortar-stream-04", "mortar-stream-11", "mortar-stream-16", "mortar-stream-20", "mortar-stream-24",
		"mortar-cancel-05", "mortar-cancel-09", "mortar-models-01", "openai-chat-08", "openai-chat-12", "openai-chat-21", "openai-chat-30"}
}

// Run judges mutants. The error is a *conformance.UsageError, where nothing is
// selected, or says why the mutants could not be judged at all: the gateway
// behind them must itself keep every row.
func Run(ctx context.Context, options Options) (*Report, error) {
	mutants, err := Select(options.Only...)
	if err != nil {
		return nil, err
	}
	r := &runner{options: options, rights: map[string]*right{}}
	var rows []conformance.Requirement
	for _, target := range options.Targets {
		if err := r.add(target); err != nil {
			return nil, err
		}
		of, err := conformance.Requirements(target.Profile)
		if err != nil {
			return nil, err
		}
		rows = append(rows, of...)
	}
	started := time.Now()
	if err := r.controls(ctx, mutants); err != nil {
		return nil, err
	}
	report := &Report{SchemaVersion: SchemaVersion, Totals: map[Outcome]int{}}
	if len(options.Only) == 0 {
		report.Uncovered = uncovered(rows, All())
	}
	if report.Mutants, err = r.all(ctx, mutants); err != nil {
		return nil, err
	}
	for _, result := range report.Mutants {
		report.Totals[result.Outcome]++
	}
	report.DurationMS = time.Since(started).Milliseconds()
	return report, nil
}

// Select returns the mutants whose name any pattern matches, all of them without
// patterns. A pattern that matches none is a *conformance.UsageError.
func Select(only ...string) ([]Mutant, error) {
	all := All()
	if len(only) == 0 {
		return all, nil
	}
	for _, pattern := range only {
		if !slices.ContainsFunc(all, func(m Mutant) bool { return matches([]string{pattern}, m.Name) }) {
			var names []string
			for _, m := range all {
				names = append(names, m.Name)
			}
			return nil, &conformance.UsageError{Problem: fmt.Sprintf("no mutant is called %q: %s", pattern, nearest.Hint(pattern, names))}
		}
	}
	return slices.DeleteFunc(all, func(m Mutant) bool { return !matches(only, m.Name) }), nil
}

// matches tells whether any pattern matches a name.
func matches(patterns []string, name string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool {
		ok, err := path.Match(p, name)
		return err == nil && ok
	})
}

// uncovered returns the rows that fewer than two mutants break. What is assumed
// need not be proven.
func uncovered(rows []conformance.Requirement, mutants []Mutant) []string {
	broken := map[string]int{}
	for _, m := range mutants {
		for _, row := range m.Breaks {
			broken[row]++
		}
	}
	var missing []string
	for _, row := range rows {
		if row.Level != "assumed" && broken[row.ID] < 2 && !slices.Contains(missing, row.ID) {
			missing = append(missing, row.ID)
		}
	}
	return missing
}

// broken returns the rows of a profile that some mutant which is judged by it
// breaks, by their ids.
func broken(profile string, rows []conformance.Requirement, mutants []Mutant) []string {
	var ids []string
	for _, row := range rows {
		if slices.ContainsFunc(mutants, func(m Mutant) bool { return m.Profile == profile && slices.Contains(m.Breaks, row.ID) }) {
			ids = append(ids, row.ID)
		}
	}
	return ids
}

type runner struct {
	options Options
	rights  map[string]*right // by profile
}

// right is a right gateway that mutants stand in front of.
type right struct {
	target      conformance.Target
	gateway     *url.URL
	modelServer *url.URL
	rows        []string // that some mutant breaks
}

// add takes in a right gateway.
func (r *runner) add(target conformance.Target) error {
	gateway, err := url.Parse(target.BaseURL)
	if err != nil {
		return fmt.Errorf("the address of the gateway behind the mutants: %w", err)
	}
	modelServer, err := url.Parse(target.Control)
	if err != nil {
		return fmt.Errorf("the address of the model server behind the mutants: %w", err)
	}
	rows, err := conformance.Requirements(target.Profile)
	if err != nil {
		return err
	}
	r.rights[target.Profile] = &right{target: target, gateway: gateway, modelServer: modelServer, rows: broken(target.Profile, rows, All())}
	return nil
}

// controls makes sure that what stands behind these mutants is right.
func (r *runner) controls(ctx context.Context, mutants []Mutant) error {
	judged := map[string]bool{}
	for _, m := range mutants {
		if judged[m.Profile] {
			continue
		}
		judged[m.Profile] = true
		if r.rights[m.Profile] == nil {
			return fmt.Errorf("the mutant %s is judged by the profile %s, for which there is no right gateway", m.Name, m.Profile)
		}
		if err := r.control(ctx, m.Profile); err != nil {
			return err
		}
	}
	return nil
}

// busyTries is how often a measured time is tried again that this machine was
// too busy to tell.
const busyTries = 3

// control makes sure that a relay which only takes chunks apart and puts them
// together again keeps every row.
func (r *runner) control(ctx context.Context, profile string) error {
	same := Mutant{Name: "none", Profile: profile, Wrap: fixed(relay{events: rewritten(func(object) {}), feeds: &relay{events: rewritten(func(object) {})}})}
	var err error
	for range busyTries {
		var report *conformance.Report
		if report, err = r.judge(ctx, same, r.rights[profile].rows); err != nil {
			return fmt.Errorf("judge the gateway behind the mutants: %w", err)
		}
		for _, row := range report.Requirements {
			if row.Verdict == conformance.Pass {
				continue
			}
			err = fmt.Errorf("the gateway of the profile %s behind the mutants does not keep %s by itself (%s: %s), so they prove nothing",
				profile, row.ID, row.Verdict, row.Reason)
			if row.Verdict != conformance.Inconclusive {
				return err
			}
		}
		if err == nil {
			return nil
		}
	}
	return err
}

// all judges mutants side by side, and those that were not killed once more, one
// by one: what a crowded machine did to a measured time does not come again.
func (r *runner) all(ctx context.Context, mutants []Mutant) ([]Result, error) {
	results, errs := make([]Result, len(mutants)), make([]error, len(mutants))
	workers := r.options.Concurrency
	if workers <= 0 {
		workers = defaultConcurrency
	}
	var progress sync.Mutex
	done := 0
	judge := func(i int) {
		results[i], errs[i] = r.result(ctx, mutants[i])
		progress.Lock()
		defer progress.Unlock()
		done++
		if r.options.Judged != nil && errs[i] == nil {
			r.options.Judged(done, len(mutants), results[i])
		}
	}
	sideBySide(mutants, workers, func(m Mutant) bool { return m.Area != areaOfCredits }, judge)
	// A crowd moves each other's balances, and fills the list of the last charges.
	sideBySide(mutants, min(workers, 3), func(m Mutant) bool { return m.Area == areaOfCredits }, judge)
	for i, m := range mutants {
		if errs[i] == nil && results[i].Outcome == Killed {
			continue
		}
		if err := r.again(ctx, m, &results[i]); err != nil {
			return nil, fmt.Errorf("judge the mutant %s: %w", m.Name, err)
		}
	}
	return results, nil
}

// sideBySide judges the mutants that match, by their places, so many at a time.
func sideBySide(mutants []Mutant, workers int, match func(Mutant) bool, judge func(i int)) {
	var group sync.WaitGroup
	next := make(chan int)
	for range workers {
		group.Go(func() {
			for i := range next {
				judge(i)
			}
		})
	}
	for i, m := range mutants {
		if match(m) {
			next <- i
		}
	}
	close(next)
	group.Wait()
}

// again judges a mutant alone, and more often while this machine is too busy to
// tell a time.
func (r *runner) again(ctx context.Context, m Mutant, result *Result) error {
	for try := 1; try <= busyTries; try++ {
		second, err := r.result(ctx, m)
		if err != nil {
			return err
		}
		second.Judged = try + 1
		*result = second
		if !second.unjudged {
			return nil
		}
	}
	return nil
}

// result judges one mutant by its rows.
func (r *runner) result(ctx context.Context, m Mutant) (Result, error) {
	rows := m.Breaks
	for _, row := range controlRows(m.Area) {
		if !slices.Contains(m.Breaks, row) && !matches(m.May, row) {
			rows = append(slices.Clip(rows), row)
		}
	}
	if r.options.AllRows {
		rows = r.rights[m.Profile].rows
	}
	report, err := r.judge(ctx, m, rows)
	if err != nil {
		return Result{}, err
	}
	return settle(m, report)
}

// judge serves a mutant and judges it by some rows.
func (r *runner) judge(ctx context.Context, m Mutant, rows []string) (*conformance.Report, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	target := r.rights[m.Profile].target
	url, end, err := r.serve(ctx, m)
	if err != nil {
		return nil, err
	}
	defer end()
	if target.BaseURL = url; m.Behind != nil {
		var stop func()
		if target.BaseURL, stop, err = r.options.Gateway(ctx, m.Profile, url); err != nil {
			return nil, fmt.Errorf("start a gateway in front of it: %w", err)
		}
		defer stop()
	}
	report, err := conformance.Run(ctx, conformance.Options{Target: target, Tags: expression(rows)})
	if err != nil {
		return nil, err
	}
	if report.Interrupted {
		return nil, fmt.Errorf("interrupted: %w", context.Cause(ctx))
	}
	if len(report.Errors) > 0 {
		return nil, fmt.Errorf("the harness failed: %s", report.Errors[0])
	}
	return report, nil
}

// serve serves a mutant at an address of its own.
func (r *runner) serve(ctx context.Context, m Mutant) (baseURL string, end func(), err error) {
	behind := r.rights[m.Profile]
	intervals := behind.target.Intervals
	up := Upstream{URL: behind.gateway, Ping: intervals.Ping, Silence: intervals.Silence, TelemetryPing: intervals.TelemetryPing, Tick: intervals.Tick}
	wrap := m.Wrap
	if m.Behind != nil {
		up.URL, wrap = behind.modelServer, m.Behind
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, fmt.Errorf("listen: %w", err)
	}
	server := &http.Server{Handler: wrap(ctx, up), ErrorLog: log.New(io.Discard, "", 0), ReadHeaderTimeout: time.Minute}
	served := make(chan struct{})
	go func() {
		defer close(served)
		_ = server.Serve(listener) // it ends with Close
	}()
	return "http://" + listener.Addr().String(), func() {
		_ = server.Close() // the connections are cut, whatever is on them
		<-served
	}, nil
}

// expression selects rows, but for the scenarios that take minutes.
func expression(rows []string) string {
	return "(@" + strings.Join(rows, " or @") + ") and not @soak"
}
