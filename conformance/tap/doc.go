// Package tap judges live traffic as it passes. A [Proxy] stands between clients
// and a gateway, passes every byte on unchanged and at once, and shows a copy of
// each stream to the rules of package check.
//
// The traffic never waits for the judging: what passed goes into a queue that
// holds a bounded number of bytes, and a stream whose queue is full is not judged
// any more, which is counted. So is a judgement that panics.
package tap
