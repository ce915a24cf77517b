// Package chat is the OpenAI chat completions format: it decodes a request
// (DecodeRequest), encodes the reply as a stream of chunks or as one object, and
// shapes errors (WriteError). Nothing but the fields of that API leaves here
// ("Serving telemetry": the response stays exactly OpenAI-shaped).
package chat
