// Package witness lets clients that others wrote read the reference gateway's
// streams. It holds tests alone: OpenAI's and Anthropic's Go SDKs drive the gateway, behind
// which the fake GPU plays a script, and each test compares what the SDK
// understood with what was scripted.
//
// SDKs are witnesses, not judges: they take a broken connection's half reply for
// a whole one as long as the break is a clean one. What the wire must look like
// is judged by package conformance from the bytes.
//
// The package is a module of its own, see go.mod. Run it with make witness.
package witness
