// Package idempotency answers a repeated request with the reply of the first,
// so that it is neither generated nor charged twice.
//
// Requests are the same when they have the same Idempotency-Key and
// organization. While the first of them runs, the others join it: they get what
// it has been told so far and then what follows, byte for byte. When it is over
// they get the whole reply, for as long as [Window], and while memory lasts.
//
// Only a reply that ended as it should is kept. One that was refused, broke, or
// whose clients all left is forgotten, and the next request with its key begins
// anew: a client that repeats a request after a break wants the reply, not the
// break once more.
package idempotency
