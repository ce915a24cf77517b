// Package telemetry tells an organization what happened to its requests, on an
// event stream of its own ("Serving telemetry").
//
// An [Observer] turns the life of each generation into events. Every event is
// made for one [Address], an organization and a session, and only a subscriber
// of that very address can see it. A stream without a key subscribes to nothing,
// so there is no way on which an event could reach it.
//
//	route.decision    a server took the request; before the reply's first token
//	cache.lookup      what the prefix cache held of the prompt, as soon as it is
//	                  known: at once when the gateway keeps the books itself, at
//	                  the end when the model server does
//	latency.update    once, at the end, when all of its figures are known
//	cost.update       once, at the end, whatever ended the reply
//	session.metrics   the sums of the session, after each cost.update
//
// A request that the gateway refused publishes nothing. One that no server took
// has no routing decision, and one of which no prompt was processed no lookup.
//
// Events of one address form a list that its subscribers read at their own
// pace. Publishing appends to it and wakes them; it writes to nobody and waits
// for nobody. A subscriber that falls too far behind is disconnected, and what
// only it had still to read is garbage from then on.
//
// Session sums are exact and begin with the session's first request that this
// process saw. They are kept while a request runs or somebody subscribes, and
// for a day after that, for the most recent sessions of each organization: see
// [Limits].
package telemetry
