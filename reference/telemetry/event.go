package telemetry

import (
	"time"

	"plumbline.dev/plumbline/reference/completion"
	"plumbline.dev/plumbline/reference/generation"
	"plumbline.dev/plumbline/reference/price"
)

// event is something to publish. The fields are those of the JSON object, in
// the order of their names, as the documents' example has them.
type event interface {
	name() string
	fields(o *object, at int64)
}

// encode makes the frame of an event: one event line, one data line.
func encode(e event, at int64) []byte {
	o := make(object, 0, 512)
	o = append(o, "event: "...)
	o = append(o, e.name()...)
	o = append(o, "\ndata: {"...)
	e.fields(&o, at)
	return append(o, "}\n\n"...)
}

// streamOpen is the first event of every stream.
type streamOpen struct {
	session   string
	heartbeat time.Duration
}

func (streamOpen) name() string { return "stream.open" }

func (e streamOpen) fields(o *object, at int64) {
	o.text("sessionId", e.session)
	o.integer("heartbeatMs", e.heartbeat.Milliseconds())
	o.integer("serverTime", at)
}

// routeDecision tells which server took the request, and why.
type routeDecision struct {
	generation.Info
	completion.Route
}

func (routeDecision) name() string { return "route.decision" }

func (e routeDecision) fields(o *object, at int64) {
	o.integer("at", at)
	o.integer("expectedReuseTokens", e.ExpectedReuse)
	o.integer("load", int64(e.Load))
	o.text("model", e.Model)
	o.textOrNull("reason", e.Reason)
	o.text("requestId", e.ID)
	o.text("server", e.Server)
}

// cacheLookup tells what of the prompt was found in the prefix cache.
type cacheLookup struct {
	requestID string
	prompt    int64
	read      int64
	tier      completion.Tier
	estimated bool
}

func (cacheLookup) name() string { return "cache.lookup" }

func (e cacheLookup) fields(o *object, at int64) {
	o.integer("at", at)
	o.integer("cacheReadTokens", e.read)
	o.integer("promptTokens", e.prompt)
	o.text("requestId", e.requestID)
	o.ratio("reuseRatio", e.read, e.prompt)
	o.textOrNull("tier", string(e.tier))
	o.text("usageSource", sourceOf(e.estimated))
}

// latencyUpdate tells how long the request took, in milliseconds.
type latencyUpdate struct {
	generation.Settlement
	queue time.Duration // from the request to the server that took it; 0 if none did
}

func (latencyUpdate) name() string { return "latency.update" }

func (e latencyUpdate) fields(o *object, at int64) {
	o.integer("at", at)
	o.milliseconds("durationMs", e.Duration)
	o.text("ending", e.Ending.String())
	o.milliseconds("interTokenMs", e.interToken())
	o.milliseconds("queueMs", e.queue)
	o.text("requestId", e.ID)
	o.milliseconds("ttftMs", e.FirstToken)
}

// interToken is the mean time between two tokens, 0 if there were not two or
// they were not streamed.
func (e latencyUpdate) interToken() time.Duration {
	if e.FirstToken == 0 || e.Generated < 2 {
		return 0
	}
	return (e.Duration - e.FirstToken) / time.Duration(e.Generated-1)
}

// costUpdate tells what the request cost.
type costUpdate struct {
	requestID string
	price.Cost
	estimated bool
}

func (costUpdate) name() string { return "cost.update" }

func (e costUpdate) fields(o *object, at int64) {
	o.integer("at", at)
	o.text("baseline", price.Baseline)
	o.money("baselineUsd", e.BaselineUSD)
	o.integer("billedPromptTokens", e.CacheWrite)
	o.integer("cacheReadTokens", e.CacheRead)
	o.money("cacheReadUsd", e.CacheReadUSD)
	o.integer("cacheWriteTokens", e.CacheWrite)
	o.money("cacheWriteUsd", e.CacheWriteUSD)
	o.integer("completionTokens", e.Completion)
	o.money("inputUsd", e.InputUSD)
	o.money("outputUsd", e.OutputUSD)
	o.integer("promptTokens", e.Prompt)
	o.text("requestId", e.requestID)
	o.money("savedUsd", e.SavedUSD)
	o.integer("totalTokens", e.Prompt+e.Completion)
	o.money("totalUsd", e.TotalUSD)
	o.text("usageSource", sourceOf(e.estimated))
}

// sourceOf names who counted the tokens.
func sourceOf(estimated bool) string {
	if estimated {
		return "estimate"
	}
	return "upstream"
}
