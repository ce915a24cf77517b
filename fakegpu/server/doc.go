// Package server is the fake GPU as an HTTP server: the endpoints of a model
// server (chat and text completions, models, health, metrics) and the control
// API by which tests script it.
//
// A request's way: [Server] reads the body and finds the script's marker in it;
// a session keeps the account of the reply; the player walks the script's
// steps, or the steady engine generates; both write to a reply, which is either
// a stream of chunks or one JSON object; the transport below puts the bytes on
// the wire, with every fault of framing that the script asks for.
package server
