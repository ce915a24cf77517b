// Package engine generates the tokens of prompts that no script answers: seeded
// and deterministic text, at the pace of a simulated GPU.
//
// A prompt's text, the seed and the choice decide every token, so the same
// prompt gives the same reply. The natural length of a reply is 8 to 64 tokens,
// derived from the prompt's hash. A reply ends with [Stop] at its natural end
// or at a stop sequence, with [Length] at max_tokens or when prompt and reply
// fill the context window. Each started four bytes of a prompt are one token.
//
// # Pace
//
// Without a card the pace is steady: a fixed time to first token and a fixed
// inter-token latency, however many requests run. With one of [Cards] requests
// are batched continuously, as vLLM does: they wait in a queue until one of the
// places and room in the KV memory is free, a step takes longer the more of
// them run and the more prompt tokens it prefills, and a request for which no
// memory is left has to wait again. The card works on a [Clock]: the wall's, or
// a virtual one on which no wait takes any time.
//
// # Prefix cache
//
// Every prompt goes through the KV cache of package kv, also those that scripts
// answer ([Engine.Hold]). With a card the tokens that are found cost no prefill,
// only the time to move their blocks from the tier in which they lie. Without
// one they change nothing but the counts.
package engine
