// Package reference is the root of the reference gateway: a streaming gateway in
// front of OpenAI-compatible model servers that does everything its documents
// say, and is judged by the conformance harness at every change.
//
// A request travels through the packages in this order:
//
//	gateway      HTTP: listeners, routes, keys, stop by id, drain, logs, metrics
//	format/…     one package for each API format: decode the request, encode events
//	credits      the tab that pays for it; limit and idempotency come before
//	generation   the running reply: relay, endings, pings, settlement
//	modelserver  ask a model server, read its stream, tell its failures apart
//	sample       the built-in model of a deployment without a model server
//
// Between them travel the values of package completion: one request and one
// model of events, whatever the formats on both sides. Errors for clients are in
// apierror, organizations and keys in account, settings in config, exact money in
// price, token counts in tokens, what replicas share in bus. What was charged is
// written by ledger, and what an administrator decided by admin, both to files
// that only grow (appendlog).
//
// The gateway shares no code with the harness: two independent readings of the
// documents, so that one misreading cannot hide in both.
package reference
