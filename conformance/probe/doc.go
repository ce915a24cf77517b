// Package probe is the hands of a scenario: it describes what the scripted
// model server shall reply, sends requests to the target, waits for what both
// ends see, and gathers the evidence. Package steps turns the sentences of the
// features into calls of it; package check judges what it brings back.
package probe
