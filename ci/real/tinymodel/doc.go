// Package tinymodel writes a language model whose reply is known in advance.
//
// A conformance run against a real model server needs real weights, yet the
// small models that can be downloaded are hundreds of megabytes and say
// something else at every release. This one is under two megabytes, made on the
// spot, and deterministic to the byte. It is an ordinary llama-architecture
// transformer in a GGUF file, so that an unmodified engine loads it and runs
// its whole path: tokenizer, attention over a KV cache, sampling, detokenizer.
//
// The trick is in the weights. Every token that occurs in a reply owns one
// dimension of the embedding and is embedded as the unit vector of it; all
// other tokens share dimension 0. Attention and feed-forward blocks compute, but
// the matrices through which they would write back are zero. So the last token
// reaches the output matrix unchanged, and there one row alone answers to its
// dimension: that of the token which follows it. The winner's logit is 32 and
// every other is 0, which no usual temperature can overturn.
package tinymodel
