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
	// Target is the right gateway that every mutant stands in front of. Its model
	// server must be scripted and its intervals shortened.
	Target conformance.Target
	// Only selects mutants by name, as path.Match does; empty selects all.
	Only string
	// AllRows judges each mutant by every row, not only by those that it touches
	// and the control rows.
	AllRows bool
	// Concurrency is the number of mutants that are judged side by side; 0 is 8.
	Concurrency int
	// Judged is told each result as it comes; nil for none.
	Judged func(done, all int, result Result)
}

const defaultConcurrency = 8

// controlRows are judged on every mutant that does not touch them: they must
// pass, or the mutant is broken in more than it says.
func controlRows() []string {
	return []string{"mortar-stream-01", "mortar-stream-04", "mortar-stream-11", "mortar-stream-16", "mortar-stream-20", "mortar-stream-24",
		"mortar-cancel-05", "mortar-cancel-09", "mortar-models-01", "openai-chat-08", "openai-chat-12", "openai-chat-21", "openai-chat-30"}
}

// Run judges mutants. The error is a *conformance.UsageError, where nothing is
// selected, or says why the mutants could not be judged at all: the gateway
// behind them must itself keep every row.
func Run(ctx context.Context, options Options) (*Report, error) {
	mutants, err := Select(options.Only)
	if err != nil {
		return nil, err
	}
	r := &runner{options: options}
	if r.upstream, err = url.Parse(options.Target.BaseURL); err != nil {
		return nil, fmt.Errorf("the gateway behind the mutants: %w", err)
	}
	if r.rows, err = conformance.Requirements(options.Target.Profile); err != nil {
		return nil, err
	}
	started := time.Now()
	if err := r.control(ctx); err != nil {
		return nil, err
	}
	report := &Report{SchemaVersion: SchemaVersion, Totals: map[Outcome]int{}, Uncovered: uncovered(r.rows, All())}
	if report.Mutants, err = r.all(ctx, mutants); err != nil {
		return nil, err
	}
	for _, result := range report.Mutants {
		report.Totals[result.Outcome]++
	}
	report.DurationMS = time.Since(started).Milliseconds()
	return report, nil
}

// Select returns the mutants whose name matches, all for an empty pattern. The
// error is a *conformance.UsageError.
func Select(only string) ([]Mutant, error) {
	all := All()
	if only == "" {
		return all, nil
	}
	var names []string
	for _, m := range all {
		names = append(names, m.Name)
	}
	selected := slices.DeleteFunc(slices.Clone(all), func(m Mutant) bool { return !matches([]string{only}, m.Name) })
	if len(selected) == 0 {
		return nil, &conformance.UsageError{Problem: fmt.Sprintf("no mutant is called %q: %s", only, nearest.Hint(only, names))}
	}
	return selected, nil
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
		if row.Level != "assumed" && broken[row.ID] < 2 {
			missing = append(missing, row.ID)
		}
	}
	return missing
}

type runner struct {
	options  Options
	upstream *url.URL
	rows     []conformance.Requirement
}

// control makes sure that a relay which only takes chunks apart and puts them
// together again keeps every row.
func (r *runner) control(ctx context.Context) error {
	right := Mutant{Name: "none", Wrap: onStream(edit(func(object) {}))}
	report, err := r.judge(ctx, right, nil)
	if err != nil {
		return fmt.Errorf("judge the gateway behind the mutants: %w", err)
	}
	for _, row := range report.Requirements {
		if row.Verdict != conformance.Pass {
			return fmt.Errorf("the gateway behind the mutants does not keep %s by itself (%s: %s), so they prove nothing", row.ID, row.Verdict, row.Reason)
		}
	}
	return nil
}

// all judges mutants side by side, and those that this machine was too busy to
// tell once more, one by one.
func (r *runner) all(ctx context.Context, mutants []Mutant) ([]Result, error) {
	results, errs := make([]Result, len(mutants)), make([]error, len(mutants))
	workers := r.options.Concurrency
	if workers <= 0 {
		workers = defaultConcurrency
	}
	var group sync.WaitGroup
	var progress sync.Mutex
	next, done := make(chan int), 0
	for range workers {
		group.Go(func() {
			for i := range next {
				results[i], errs[i] = r.result(ctx, mutants[i])
				progress.Lock()
				done++
				if r.options.Judged != nil && errs[i] == nil {
					r.options.Judged(done, len(mutants), results[i])
				}
				progress.Unlock()
			}
		})
	}
	for i := range mutants {
		next <- i
	}
	close(next)
	group.Wait()
	for i := range mutants {
		for tries := 0; errs[i] == nil && results[i].unjudged && tries < 2; tries++ {
			results[i], errs[i] = r.result(ctx, mutants[i])
		}
		if errs[i] != nil {
			return nil, fmt.Errorf("judge the mutant %s: %w", mutants[i].Name, errs[i])
		}
	}
	return results, nil
}

// result judges one mutant by its rows.
func (r *runner) result(ctx context.Context, m Mutant) (Result, error) {
	rows := m.Breaks
	for _, row := range r.rows {
		touched, control := matches(m.May, row.ID), slices.Contains(controlRows(), row.ID)
		if !slices.Contains(rows, row.ID) && !touched && control {
			rows = append(slices.Clip(rows), row.ID)
		}
	}
	if r.options.AllRows {
		rows = nil
	}
	report, err := r.judge(ctx, m, rows)
	if err != nil {
		return Result{}, err
	}
	return settle(m, report)
}

// judge serves a mutant and judges it by some rows, or by all of them.
func (r *runner) judge(ctx context.Context, m Mutant, rows []string) (*conformance.Report, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("listen: %w", err)
	}
	intervals := r.options.Target.Intervals
	up := Upstream{URL: r.upstream, Ping: intervals.Ping, Silence: intervals.Silence}
	server := &http.Server{Handler: m.Wrap(ctx, up), ErrorLog: log.New(io.Discard, "", 0), ReadHeaderTimeout: time.Minute}
	served := make(chan struct{})
	go func() {
		defer close(served)
		_ = server.Serve(listener) // it ends with Close
	}()
	defer func() {
		_ = server.Close() // the connections are cut, whatever is on them
		<-served
	}()
	target := r.options.Target
	target.BaseURL = "http://" + listener.Addr().String()
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

// expression selects rows, but for the scenarios that take minutes.
func expression(rows []string) string {
	if len(rows) == 0 {
		return ""
	}
	return "(@" + strings.Join(rows, " or @") + ") and not @soak"
}
