// Package report shows a run to people and machines: what happens while it
// runs ([Progress]), and what came out at its end ([Output]).
//
// Each format of the outcome is one file and one entry of [Formats]:
//
//	pretty  for a person at a terminal: failures with their evidence first, a table and the exit code last
//	junit   for the test views of Jenkins, GitLab and GitHub
//	json    for programs: conformance.Report, described by schema/report.schema.json
//
// Nothing is written but through the [Redactor], which takes keys out of the
// report before any format sees it. A file is complete or not there: it is
// written beside its place and then renamed.
package report
