// Package store keeps what the control API of the fake GPU is about: the
// scripts by nonce, the gates that were opened, and the journal of what each
// request did. It is bounded: nonces that nobody used for a while, or the
// longest unused ones when there are too many, are dropped.
package store
