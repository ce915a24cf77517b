// Package batch schedules sequences on a simulated GPU by continuous batching:
// in each step every running sequence gets its next token, and what is left of
// the step's tokens prefills the prompts of new ones.
//
// A [Batch] knows no clock and no goroutine. Whoever drives it begins a step,
// lets the step's duration pass on whatever clock it likes, and ends the step.
// So the same scheduler serves requests in real time and simulates a fleet.
//
// As in vLLM, sequences wait in order of arrival until there is room for their
// prompt; when a running one needs a block and none is free, the sequence that
// was admitted last gives its blocks back, waits at the head of the queue, and
// later computes its keys and values anew.
package batch
