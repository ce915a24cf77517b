// Package wire reads the client side of a conversation with a gateway and keeps
// everything: each byte of the body with the time at which it came, how the
// body ended, and the server-sent events in it.
//
// [Start] sends a request and reads its answer in the background. The
// [Exchange] can be waited for (its head, its n-th event, its end), left in the
// middle, and looked at while it runs. Its [Transcript] is the evidence that
// the checks judge.
//
// [Parse] reads a whole body by the rules that WHATWG gives for server-sent
// events. Unlike an EventSource it forgets nothing: comments, line ends, fields
// that dispatch no event and what stands unfinished at the end are all in its
// [Stream], for the documents are stricter than those rules.
package wire
