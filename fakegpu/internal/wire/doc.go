// Package wire is how model servers speak OpenAI's chat and text completions:
// it decodes requests and writes chunks, whole replies, usage and errors, each
// in the dialect of vLLM, SGLang or llama.cpp.
//
// It knows no timing and no HTTP. The chunk writers append to a caller's
// buffer, so that a token costs no allocation.
package wire
