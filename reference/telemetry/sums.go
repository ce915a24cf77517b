package telemetry

import "plumbline.dev/plumbline/reference/price"

// sums is what the requests of a session add up to, exactly. As an event it is
// session.metrics.
type sums struct {
	requests            int64
	upstream, estimated bool // whose counts are in it
	price.Cost
}

func (s *sums) add(c price.Cost, estimated bool) {
	s.requests++
	s.upstream = s.upstream || !estimated
	s.estimated = s.estimated || estimated
	s.Prompt += c.Prompt
	s.CacheRead += c.CacheRead
	s.CacheWrite += c.CacheWrite
	s.Completion += c.Completion
	s.CacheReadUSD = s.CacheReadUSD.Add(c.CacheReadUSD)
	s.CacheWriteUSD = s.CacheWriteUSD.Add(c.CacheWriteUSD)
	s.InputUSD = s.InputUSD.Add(c.InputUSD)
	s.OutputUSD = s.OutputUSD.Add(c.OutputUSD)
	s.TotalUSD = s.TotalUSD.Add(c.TotalUSD)
	s.BaselineUSD = s.BaselineUSD.Add(c.BaselineUSD)
	s.SavedUSD = s.SavedUSD.Add(c.SavedUSD)
}

func (*sums) name() string { return "session.metrics" }

func (s *sums) fields(o *object, at int64) {
	o.integer("at", at)
	o.text("baseline", price.Baseline)
	o.money("baselineUsd", s.BaselineUSD)
	o.money("cacheReadUsd", s.CacheReadUSD)
	o.integer("cacheWriteTokens", s.CacheWrite)
	o.money("cacheWriteUsd", s.CacheWriteUSD)
	o.integer("completionTokens", s.Completion)
	o.money("inputUsd", s.InputUSD)
	o.money("outputUsd", s.OutputUSD)
	o.integer("prefilledTokens", s.Prompt-s.CacheRead)
	o.integer("promptTokens", s.Prompt)
	o.integer("requests", s.requests)
	o.ratio("reuseRatio", s.CacheRead, s.Prompt)
	o.integer("reusedTokens", s.CacheRead)
	o.money("savedUsd", s.SavedUSD)
	o.integer("totalTokens", s.Prompt+s.Completion)
	o.money("totalUsd", s.TotalUSD)
	o.text("usageSource", s.source())
}

func (s *sums) source() string {
	if s.upstream && s.estimated {
		return "mixed"
	}
	return sourceOf(s.estimated)
}
