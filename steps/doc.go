// Package steps turns the sentences of the features into calls of package probe
// and package check, and does nothing else. One file has the sentences of one
// subject.
//
// A step that returns a [verdict.Violation] fails the scenario, a
// [verdict.Unjudged] leaves it inconclusive, and any other error is a failure of
// the harness.
package steps
