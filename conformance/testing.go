package conformance

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"
)

// Test judges a target inside a test of the caller's own: a subtest for each
// scenario, named by its rows, skipped with the reason where the target cannot
// be judged on it. The run is over when t is.
//
//	func TestGateway(t *testing.T) {
//		srv := httptest.NewServer(myGateway())
//		t.Cleanup(srv.Close)
//		conformance.Test(t, conformance.Target{BaseURL: srv.URL, Profile: "mortar", Key: "sk-test"})
//	}
func Test(t *testing.T, target Target) {
	t.Helper()
	TestWith(t, Options{Target: target})
}

// TestWith is Test with all options. A baseline does not excuse a subtest, and
// options.Observer is not called.
func TestWith(t *testing.T, options Options) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	results := newResultFeed()
	options.Observer = results
	type outcome struct {
		report *Report
		err    error
	}
	done := make(chan outcome, 1)
	go func() {
		report, err := Run(ctx, options)
		results.close()
		done <- outcome{report, err}
	}()
	for {
		result, ok := results.next()
		if !ok {
			break
		}
		t.Run(result.Name, func(t *testing.T) { tell(t, result) })
	}
	end := <-done
	if end.err != nil {
		t.Fatalf("plumbline: %v", end.err)
	}
	for _, problem := range end.report.Errors {
		t.Errorf("plumbline: %s", problem)
	}
	if end.report.Interrupted {
		t.Error("plumbline: the run was interrupted; what was not judged by then is not a pass")
	}
}

// tell gives a subtest its verdict.
func tell(t *testing.T, result ScenarioResult) {
	switch result.Verdict {
	case Pass:
	case Inconclusive:
		t.Skipf("%s: %s", result.Location, result.Reason)
	default:
		t.Errorf("%s: %s\n%s", result.Location, result.Reason, describe(result.Evidence))
	}
}

func describe(e *Evidence) string {
	if e == nil {
		return ""
	}
	var b strings.Builder
	fmt.Fprintf(&b, "step: %s\n", e.Step)
	if e.Curl != "" {
		fmt.Fprintf(&b, "repeat: %s\n", e.Curl)
	}
	if e.Response != "" {
		fmt.Fprintf(&b, "response: %s\n", strings.ReplaceAll(e.Response, "\n", "\n          "))
	}
	for _, m := range e.Timeline {
		fmt.Fprintf(&b, "%10.1f ms  %-12s  %s\n", m.AtMS, m.Side, m.Text)
	}
	return b.String()
}

// resultFeed hands results from the run to the test, in the order in which the
// scenarios end.
type resultFeed struct {
	mu      sync.Mutex
	arrived *sync.Cond
	results []ScenarioResult
	closed  bool
}

func newResultFeed() *resultFeed {
	f := &resultFeed{}
	f.arrived = sync.NewCond(&f.mu)
	return f
}

func (f *resultFeed) Planned(int)                       {}
func (f *resultFeed) Started(string)                    {}
func (f *resultFeed) Waiting(string, string, time.Time) {}

// Finished implements Observer.
func (f *resultFeed) Finished(result ScenarioResult) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.results = append(f.results, result)
	f.arrived.Signal()
}

func (f *resultFeed) close() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.closed = true
	f.arrived.Signal()
}

func (f *resultFeed) next() (ScenarioResult, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for len(f.results) == 0 && !f.closed {
		f.arrived.Wait()
	}
	if len(f.results) == 0 {
		return ScenarioResult{}, false
	}
	result := f.results[0]
	f.results = f.results[1:]
	return result, true
}
