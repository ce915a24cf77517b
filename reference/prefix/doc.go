// Package prefix keeps the gateway's own books of prefix caches: which model
// server holds the beginning of which prompt, so that a request goes where most
// of its prompt is already processed, and what a deployment without model server
// would hold.
//
// A prompt is named by its [Chain]: the text that every model server makes its
// tokens from, cut into blocks of 64 bytes (about 16 tokens), each named by a
// hash over itself and everything before it. Two prompts share names exactly as
// far as they are equal, and only within one organization and one model: the
// names begin with both. So neither the timing of another organization's
// prompts nor their text can be told from anything in this package.
//
//   - [Index] remembers which server was given which blocks. Its answers are
//     expectations: a server may have dropped what it was given.
//   - [Picker] chooses the server of a request by expected reuse and load, and
//     tells the decision that it took.
//   - [Ledger] keeps the blocks of the built-in sample model in three tiers, and
//     counts what a prompt reads from them and writes to them. Its counts are
//     estimates, made of the prompt's tokens and the bytes that were found.
//
// Only what the Messages of a request hold counts, and its tools; prompts that
// differ in nothing but an image are the same prompt here.
package prefix
