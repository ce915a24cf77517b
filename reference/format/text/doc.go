// Package text is the OpenAI text completions format, the older of the two
// ("Streaming": text completions). DecodeRequest reads a request and makes a
// conversation of it, since model servers are asked for chat completions: the
// prompt becomes the one message of a user. Errors have the form of the chat
// format.
//
// What follows from that is decided here: prompts are text (token ids are
// refused, as the gateway does not have the tokenizer of each model), one to a
// request; echo repeats the prompt without logprobs; suffix is refused, and
// best_of unless it is n.
package text
