// Package generation runs one reply: it opens the completion at a backend,
// relays its events to the client, and ends it exactly once.
//
// Two goroutines work on a generation. One reads the backend and hands over
// batches of events; the other, the caller of [Generation.Serve], is the only
// one that writes to the client. Everything that can end a generation early
// (the client leaves, somebody stops it by its id, the gateway shuts down, the
// reply runs past its limit) cancels the reader's context; the reader's last
// word then arrives behind all events before it, in their order. So the writer
// has one queue to look at, and what was generated before a stop is delivered
// and counted.
//
// An ending is decided once, by the first that asks for it: a stop that was
// granted is never followed by a finish, and a reply whose finish is being
// written cannot be stopped any more. Finish chunks are held until the model
// server has ended its stream, because only then the reply is complete.
//
// The settlement is told to the [Observer] once for every generation, after the
// backend was let go and before the client is told the end: a client that has
// seen [DONE] finds its request accounted for.
package generation
