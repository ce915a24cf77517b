// Package block arranges a reply as blocks that stand one after the other, for
// formats in which text, reasoning and each tool call are a part of their own
// with a beginning and an end (OpenAI Responses, Anthropic Messages).
//
// A chat completion has no such ends: a model server may go on with any tool
// call at any time. A [Sequence] keeps one block open at a time. What belongs to
// another block while a tool call is half sent is held back until the call's
// arguments are complete, so that nothing is lost and no block is opened twice.
package block
