// Package fakegpu is the fake GPU: a simulated model server for tests of what
// stands in front of one. It is only documentation; the code is in the packages
// below it.
//
// # What it is
//
// To a gateway it looks like vLLM, SGLang or llama.cpp: it serves
// /v1/chat/completions and /v1/completions, streamed and not, /v1/models,
// /health and /metrics, each in that server's own shape. Two things generate its
// replies:
//
//   - The engine answers any prompt with made-up text, the same text for the
//     same prompt and seed, at a fixed pace or at that of a named card.
//   - A script answers one test's prompt with exactly the tokens, pauses and
//     faults that the test wrote down.
//
// # Scripting a reply through any gateway
//
// A test registers a script under a nonce of its own, and puts the nonce's
// marker anywhere into its prompt. The fake GPU finds the marker in whatever
// request arrives, so neither the API format nor the gateway in between matters,
// and hundreds of tests can share one server.
//
//	gpu, err := server.Listen(ctx, "127.0.0.1:0", server.Options{})
//	defer gpu.Close()
//	c := control.NewClient(gpu.URL(), nil)
//
//	script := control.Script{Nonce: "4b1f7c2d9e8a6053"}.
//		Tokens("Hello", " there").
//		Gate("hold").
//		Tokens(", bye")
//	err = c.Register(ctx, script)
//
//	// … ask the gateway "Say hello [plumbline:4b1f7c2d9e8a6053]" …
//
//	_, err = c.Await(ctx, script.Nonce, control.Condition{Gate: "hold"})
//	// … the gateway's client has two tokens now; close its connection …
//	j, err := c.Await(ctx, script.Nonce, control.Condition{Ended: true})
//	// j.Requests[0].Ending is "aborted", Generated is 2
//
// A gate holds a reply until the test releases it, also if that happens before
// the reply gets there; [plumbline.dev/plumbline/fakegpu/control.Client.Await]
// waits for what the model server did. So a test needs no sleep.
//
// # Faults
//
//	connection reset                  Step.Reset
//	cut without the final HTTP chunk  Step.Cut
//	clean end before the finish       Step.Close
//	half an event, torn UTF-8         Step.Raw, Token.Cuts
//	silence inside an event           Token.CutPauseMS
//	stall                             Step.Hang, Step.PauseMS, Step.Gate
//	a body that never starts          Script.HoldHeaders or NoRole, then Step.Hang
//	slow drip                         Script.ChopBytes, Step.PauseMS
//	HTTP error, 200 with JSON or HTML Script.HTTP
//	error event                       Step.Error, then Step.Done or nothing
//	[DONE] without a finish           Step.Done
//	a finish without [DONE]           Step.Finish, then Step.Close
//	wrong, early, missing usage       Script.Usage
//	a run past max_tokens             Script.IgnoreMaxTokens
//	duplicate, late chunks            Step.Repeat, Step.Token after Step.Finish
//	lines over 64 KiB, over 1 MiB     Token.Pad
//	CRLF, BOM, gzip, no space         Script.LineEnd, BOM, Gzip, NoSpace
//	coalesced writes                  Script.CoalesceMS
//
// In a reply that is not streamed an error is answered with HTTP 500, a reset
// comes before any byte, and a cut or a close breaks the connection.
//
// # The prefix cache
//
// Every prompt, scripted or not, goes through a prefix cache of KV blocks in
// three tiers: the memory of the GPU, the memory of its host, and a disk. Usage
// tells what was found, as vLLM does with --enable-prompt-tokens-details:
// prompt_tokens_details.cached_tokens, always less than the prompt. What was
// written is not reported, as vLLM does not, unless the script says so. The
// response header X-Cache-Tier, which no other model server has, tells where it
// was found: gpu-hbm, host-memory or storage; a miss has none. Of several tiers
// it names the slowest. Models do not share their caches, nor do prompts with
// different cache_salt.
//
// A script's own promptTokens and cachedTokens are reported as they are, and
// cached tokens of a script count as found in the memory of the GPU.
//
// # Cards and fleets
//
// With Options.Card requests wait in a queue, run in batches, and share the
// card's memory; the metrics show it under vLLM's names. Scripts keep their exact
// times. engine.Fleet simulates many such servers behind a router on a virtual
// clock, hours in seconds, with the same result for the same seed.
//
// # The packages
//
//   - control: scripts, journals, and the client of the control API
//   - server: the HTTP server, in-process or behind the command "plumbline fakegpu"
//   - engine: the tokens of prompts that no script answers, and their pace
//   - kv: the prefix cache
//
// The control API has no key, and its journal holds the prompts of scripted
// requests: serve it on a loopback address.
package fakegpu
