// Package engine generates the tokens of prompts that no script answers: a
// steady engine with a fixed time to first token and a fixed inter-token
// latency, seeded and deterministic text, and a context window.
//
// A prompt's text, the seed and the choice decide every token, so the same
// prompt gives the same reply. The natural length of a reply is 8 to 64 tokens,
// derived from the prompt's hash. A reply ends with [Stop] at its natural end
// or at a stop sequence, with [Length] at max_tokens or when prompt and reply
// fill the context window.
//
// Prompt tokens are counted by a [Counter]; the built-in one takes each started
// four bytes of text for one token, which is near what tokenizers give for
// English, and cheap.
package engine
