package conformance

import (
	"time"

	"plumbline.dev/plumbline/conformance/verdict"
)

// SchemaVersion is the version of the JSON report.
const SchemaVersion = 1

// Verdict is the outcome of a requirement or a scenario.
type Verdict string

// Verdicts, from the best to the worst.
const (
	Pass         Verdict = "pass"
	Remark       Verdict = "remark"       // an assumed row that the target does not keep
	Inconclusive Verdict = "inconclusive" // what it needs is not offered, or could not be provoked
	Fail         Verdict = "fail"
	HarnessError Verdict = "harness-error"
)

// Report is the result of one run. Its JSON form is a public interface.
type Report struct {
	SchemaVersion int                 `json:"schemaVersion"`
	Suite         Suite               `json:"suite"`
	Target        ReportTarget        `json:"target"`
	Profiles      []string            `json:"profiles"`
	StartedAt     time.Time           `json:"startedAt"`
	DurationMS    int64               `json:"durationMs"`
	ExitCode      int                 `json:"exitCode"`
	Totals        map[Verdict]int     `json:"totals"` // rows by verdict
	Requirements  []RequirementResult `json:"requirements"`
	// Interrupted is true when the run was cancelled before every scenario ended.
	Interrupted bool `json:"interrupted,omitempty"`
	// Errors are failures of the harness itself, outside any one scenario.
	Errors []string `json:"errors,omitempty"`
}

// Suite names the checks that judged.
type Suite struct {
	Version string `json:"version"`
	Digest  string `json:"digest"` // sha256 of the features and the catalogue
}

// ReportTarget names what was judged, without any key.
type ReportTarget struct {
	URL         string `json:"url"`
	Model       string `json:"model,omitempty"`
	ModelServer string `json:"modelServer"` // scripted, live
	Reference   bool   `json:"reference"`
	// Shortened is true when intervals were overridden: no certificate.
	Shortened bool `json:"shortened,omitempty"`
}

// RequirementResult is the outcome of one row of the catalogue.
type RequirementResult struct {
	ID        string  `json:"id"`
	Level     string  `json:"level"`
	Document  string  `json:"document"`
	Section   string  `json:"section"`
	Statement string  `json:"statement"`
	Verdict   Verdict `json:"verdict"`
	// Termination is how the streams of this row ended: the second axis.
	Termination string `json:"termination"`
	// Reason says why a row is not a pass.
	Reason    string           `json:"reason"`
	Known     bool             `json:"known,omitempty"` // excused by the baseline
	Stale     bool             `json:"stale,omitempty"` // listed in the baseline, yet it passes
	Scenarios []ScenarioResult `json:"scenarios"`
}

// ScenarioResult is the outcome of one scenario.
type ScenarioResult struct {
	Name       string  `json:"name"`
	Location   string  `json:"location"` // file:line in features/
	Verdict    Verdict `json:"verdict"`
	Reason     string  `json:"reason,omitempty"`
	DurationMS int64   `json:"durationMs"`
	// Termination says how the scenario's latest stream ended: complete,
	// "error event", or the end of its body where it had neither.
	Termination string    `json:"termination,omitempty"`
	Evidence    *Evidence `json:"evidence,omitempty"` // of a scenario that did not pass
}

// Evidence is what a person needs to see why a scenario did not pass.
type Evidence = verdict.Evidence

// Moment is one line of the two-sided timeline.
type Moment = verdict.Moment
