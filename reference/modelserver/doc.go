// Package modelserver asks OpenAI-compatible model servers for completions and
// turns their streams into completion events.
//
// A [Pool] holds the servers of one model. Its Open chooses one, sends the
// request from memory and returns a [Reply], from which the events are pulled.
// A request that fails before the first byte of an answer may go to another
// server; a reply that has begun is never repeated.
//
// The reader is as tolerant as the standard of server-sent events is (any line
// end, comments, a byte order mark, several data lines), and as strict as a
// gateway must be: a reply is complete only when every choice has its finish
// and the model server has ended its stream properly, with [DONE] or with a
// clean end of the body. Everything else is an [Error] whose Kind tells it from
// all others. Every buffer is bounded.
//
// Servers are asked for chat completions. One that is known to speak another
// format itself gets a client's request in that format as it is, and the events
// that it answers with become the same events of a reply.
//
// # What is made uniform
//
//   - Usage is taken wherever it stands: on its own chunk, on the finish chunk,
//     on every chunk; the last one counts. Counts that cannot be true are
//     refused, and the gateway's own count is used.
//   - A finish that is said twice counts once, the first time. Finish reasons in
//     other words (eos, end_turn, max_tokens) become OpenAI's.
//   - The stop sequence at which a reply ended is reported where a server says it
//     (stop_reason of vLLM, matched_stop of SGLang).
//   - A role that stands on every delta is reported once for each choice.
//   - Pieces of a tool call get their index and type when a server leaves them
//     out, and lose an id and a name that are repeated.
//   - Fields that OpenAI's API does not have are dropped, at every depth.
package modelserver
