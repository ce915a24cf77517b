// Package lint judges a captured stream offline, by the rules of package check.
//
// [Read] takes what people have at hand: the bare body, the output of curl -i,
// -v, --trace or --trace-ascii, with or without the chunks of HTTP/1.1 in it, a
// transcript of plumbline's own, and what pasting did to any of these: a prompt
// before it, carriage returns, a beginning or an end that is missing. What it set
// right it says in [Capture.Notes].
//
// [Judge] guesses the format and the profile where they are not given, and what
// the request asked for, and returns a [Report], which has three forms: for
// people, as JSON, and as annotations of GitHub.
package lint
