package report

import (
	"time"

	"plumbline.dev/plumbline/conformance"
)

const document = "Mortar, Stream responses"

// sample is a made-up report that holds every verdict and every field.
func sample() *conformance.Report {
	pass := func(name, location string, ms int64) conformance.ScenarioResult {
		return conformance.ScenarioResult{Name: name, Location: location, Verdict: conformance.Pass, DurationMS: ms, Termination: "complete"}
	}
	gzip := conformance.ScenarioResult{
		Name: "A client that offers gzip is sent none", Location: "features/mortar/proxies.feature:31", Verdict: conformance.Fail,
		Reason: "a Content-Encoding stands on the stream", DurationMS: 1240, Termination: "complete",
		Evidence: &conformance.Evidence{
			Step:     "Then the response has no header Content-Encoding",
			Expected: "no header Content-Encoding",
			Seen:     "Content-Encoding: gzip",
			Curl:     `curl -iN 'https://gateway.example/v1/chat/completions' -H 'Accept-Encoding: gzip' -H "Authorization: Bearer $PLUMBLINE_KEY" --data-raw '{"model":"Qwen/Qwen2.5-7B-Instruct","stream":true}'`,
			Response: "HTTP/1.1 200 OK\nContent-Type: text/event-stream\nContent-Encoding: gzip",
			Timeline: []conformance.Moment{
				{AtMS: 0, Side: "client", Text: "POST /v1/chat/completions"},
				{AtMS: 1.24, Side: "model server", Text: "request received"},
				{AtMS: 3.4, Side: "client", Text: "200 OK, headers"},
				{AtMS: 53.9, Side: "model server", Text: "token 1 sent"},
				{AtMS: 54.31, Side: "client", Text: `data: {"id":"chatcmpl-5f0c9a1b2d3e4f5061728394","object":"chat.completion.chunk","choices":[{"index":0}]}`},
				{AtMS: 12_250.5, Side: "client", Text: "end of the body\x1b[31m"},
			},
		},
	}
	gzipAgain := gzip
	gzipAgain.Name, gzipAgain.Location = "A long reply is not compressed", "features/mortar/proxies.feature:44"
	return &conformance.Report{
		SchemaVersion: conformance.SchemaVersion,
		Suite:         conformance.Suite{Version: "0.1.0", Digest: "sha256:4a5e1e4b"},
		Target:        conformance.ReportTarget{URL: "https://gateway.example", Model: "Qwen/Qwen2.5-7B-Instruct", ModelServer: "scripted"},
		Profiles:      []string{"mortar"},
		StartedAt:     time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC),
		DurationMS:    36_214,
		ExitCode:      3,
		Totals: map[conformance.Verdict]int{
			conformance.Pass: 3, conformance.Fail: 3, conformance.Remark: 1, conformance.Inconclusive: 3, conformance.HarnessError: 1,
		},
		Interrupted: true,
		Errors:      []string{"listening on 127.0.0.1:9000: address already in use"},
		Requirements: []conformance.RequirementResult{
			{
				ID: "mortar-stream-01", Level: "documented", Document: document, Section: "Stream with an SDK",
				Statement: "A request with stream set to true is answered 200 with Content-Type text/event-stream.",
				Verdict:   conformance.Pass, Termination: "complete",
				Scenarios: []conformance.ScenarioResult{pass("A stream is an event stream", "features/mortar/stream.feature:7", 110)},
			},
			{
				ID: "mortar-stream-11", Level: "documented", Document: document, Section: "Know when a reply is complete",
				Statement: "A complete reply has [DONE] exactly once, as its last event, and then only the end of the body.",
				Verdict:   conformance.Pass, Termination: "complete", Stale: true,
				Scenarios: []conformance.ScenarioResult{pass("The end of a reply", "features/mortar/complete.feature:9", 95)},
			},
			{
				ID: "mortar-stream-24", Level: "documented", Document: document, Section: "Proxies and timeouts",
				Statement: "Cache-Control is 'no-cache, no-transform'.",
				Verdict:   conformance.Fail, Known: true, Reason: "Cache-Control: no-cache",
				Scenarios: []conformance.ScenarioResult{{
					Name: "No proxy changes a stream", Location: "features/mortar/proxies.feature:12", Verdict: conformance.Fail, Reason: "Cache-Control: no-cache", DurationMS: 88,
				}},
			},
			{
				ID: "mortar-stream-25", Level: "documented", Document: document, Section: "Proxies and timeouts",
				Statement: "X-Accel-Buffering is 'no'; and no Content-Length, no Content-Encoding stands on a stream, even when the client offers gzip.",
				Verdict:   conformance.Fail, Termination: "complete", Reason: "a Content-Encoding stands on the stream",
				Scenarios: []conformance.ScenarioResult{gzip, gzipAgain, pass("A plain client", "features/mortar/proxies.feature:50", 90)},
			},
			{
				ID: "mortar-stream-26", Level: "documented", Document: document, Section: "Proxies and timeouts",
				Statement: "No time limit cuts a reply: one that is silent for 35 s and then goes on is delivered whole.",
				Verdict:   conformance.Inconclusive, Reason: "needs a scripted model server (--model-server or --control)",
				Scenarios: []conformance.ScenarioResult{{
					Name: "A silent reply", Location: "features/mortar/proxies.feature:61", Verdict: conformance.Inconclusive, Reason: "needs a scripted model server (--model-server or --control)",
				}},
			},
			{
				ID: "mortar-stream-28", Level: "documented", Document: document, Section: "Proxies and timeouts",
				Statement: "The same holds in a pause in the middle of a reply: no silence is longer than 11 s.",
				Verdict:   conformance.Inconclusive, Reason: "needs a scripted model server (--model-server or --control)",
			},
			{
				ID: "mortar-cancel-01", Level: "documented", Document: document, Section: "Cancel a generation",
				Statement: "When the client closes its connection the model server sees the generation aborted within 1 s.",
				Verdict:   conformance.Pass, Termination: "left",
				Scenarios: []conformance.ScenarioResult{pass("The client goes", "features/mortar/cancel.feature:5", 301)},
			},
			{
				ID: "mortar-cancel-05", Level: "documented", Document: document, Section: "Cancel a generation",
				Statement: "A key of another organization cannot stop it.",
				Verdict:   conformance.Inconclusive, Reason: "needs a key of another organization (--org2-key)",
			},
			{
				ID: "mortar-cancel-09", Level: "documented", Document: document, Section: "Cancel a generation",
				Statement: "[DONE] still comes, last.",
				Verdict:   conformance.Fail, Termination: "cut", Reason: "the body ended without [DONE]",
				Scenarios: []conformance.ScenarioResult{{
					Name: "The end of a stopped stream", Location: "features/mortar/stop.feature:22", Verdict: conformance.Fail,
					Reason: "the body ended without [DONE]", DurationMS: 402, Termination: "cut",
				}},
			},
			{
				ID: "mortar-cancel-12", Level: "assumed", Document: document, Section: "not said",
				Statement: "An id that is unknown or already over answers 404 with a JSON error.",
				Verdict:   conformance.Remark, Reason: "answered 400",
				Scenarios: []conformance.ScenarioResult{{
					Name: "An unknown id", Location: "features/mortar/stop.feature:40", Verdict: conformance.Remark, Reason: "answered 400", DurationMS: 12,
				}},
			},
			{
				ID: "openai-chat-03", Level: "baseline", Document: "OpenAI chat", Section: "2.3 Chunk schema",
				Statement: "created and model are the same on every chunk.",
				Verdict:   conformance.HarnessError, Reason: "the scenario never ended",
			},
		},
	}
}

// allPass is a report with nothing to complain about.
func allPass() *conformance.Report {
	rep := sample()
	rep.Requirements = rep.Requirements[:1]
	rep.Totals = map[conformance.Verdict]int{conformance.Pass: 1}
	rep.ExitCode, rep.Interrupted, rep.Errors = 0, false, nil
	rep.Target = conformance.ReportTarget{ModelServer: "scripted", Reference: true}
	return rep
}
