// Package kv is the KV cache of a simulated model server: what it keeps of the
// prompts that it has processed, so that the next prompt with the same beginning
// need not be processed again.
//
// A prompt is cut into blocks of a fixed number of tokens. The [Name] of a block
// is a hash over its own tokens and the name of the block before it, so equal
// names mean equal prompts up to there, and two prompts share their blocks
// exactly up to the first token that differs.
//
// A [Cache] holds the blocks in three tiers. A running [Sequence] has all of its
// blocks in the memory of the GPU and keeps them there. Blocks that nobody uses
// stay where they are until their room is needed: then the one that was used
// the longest time ago moves one tier down, and from the last tier out. A block
// that is found in a lower tier moves back up; it is never in two tiers.
//
// As in vLLM, only whole blocks are found again, and the last token of a prompt
// is always computed: it is what the first token of the reply follows from. The
// blocks of the reply itself are private to their sequence and given back at its
// end; a conversation that goes on has its reply in the next prompt.
package kv
