// Package mutant proves that the checks can fail. It holds gateways that are
// broken on purpose, each in one way, and judges every one of them with the
// suite: the rows that a mutant breaks must fail, and no other row may.
//
// A mutant is a small relay in front of a gateway that is right in everything.
// It changes one thing on the way: the request, the head of the answer, the
// events of a stream, an error, a stop. So a survivor tells of a hole in a check
// or a feature, and a mutant that dies for another reason than the declared one
// tells of a check that judges more than its row says.
//
// To add one, write an entry in the file of its area (terminator.go, usage.go,
// …). The words for it are in rewrite.go for streams, answer.go for answers
// that are no stream, formats.go for the formats beside chat completions, and
// generations.go for what must know which generations run. Most take three to
// ten lines. It is judged by the profile mortar if it names no other.
//
// REPORTS.md says which public bug report each mutant is modelled on, and which
// reports no mutant can stand for.
package mutant
