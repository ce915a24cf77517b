package mutant

// waitForDone are rows whose scenarios look for [DONE] although they are about
// something else: that a reply came whole is seen by its end.
func waitForDone() []string {
	return []string{"mortar-stream-06", "mortar-stream-07", "mortar-stream-14", "mortar-stream-26", "mortar-stream-31", "mortar-cancel-*"}
}

func terminators() []Mutant {
	const done = "data: [DONE]\n\n"
	both := []string{"mortar-stream-11", "openai-chat-03"}
	return []Mutant{
		{Name: "done-missing", Summary: "a complete reply ends without [DONE]", Report: "microsoft/agent-framework#8526",
			Breaks: both, May: waitForDone(), Wrap: onStream(drop(isDone))},
		{Name: "done-missing-with-usage", Summary: "a reply ends without [DONE] when usage was asked for", Report: "NousResearch/hermes-agent#90848",
			Breaks: both, May: waitForDone(), Wrap: onStream(when(asksUsage, drop(isDone)))},
		{Name: "done-missing-after-packet", Summary: "of events that come at once the last one is lost", Report: "ray-project/ray#62246",
			Breaks: []string{"mortar-stream-11"}, May: []string{"mortar-stream-12", "mortar-stream-18", "openai-chat-*", "mortar-cancel-*"},
			Wrap: onStream(func(_ *exchange, s *stream) func(event) {
				finished := false
				return func(e event) {
					if !(isDone(e) && finished) {
						s.send(e)
					}
					finished = isFinish(e)
				}
			})},
		{Name: "done-missing-on-long-reply", Summary: "a reply of more than 2000 tokens hangs behind its finish chunk", Report: "waybarrios/vllm-mlx#101",
			Breaks: []string{"mortar-stream-11"}, Wrap: onStream(longReply(func(s *stream, _ event) { s.hang() }))},
		{Name: "done-missing-on-empty-reply", Summary: "a reply without any text ends without finish chunk and [DONE]", Report: "pegainfer-project/pegainfer#584",
			Breaks: []string{"mortar-stream-11"}, May: []string{"mortar-cancel-10"}, Wrap: onStream(func(_ *exchange, s *stream) func(event) {
				text := false
				return func(e event) {
					text = text || isText(e) || e.chunk().delta()["tool_calls"] != nil
					if text || !isFinish(e) && !isDone(e) {
						s.send(e)
					}
				}
			})},
		{Name: "done-twice", Summary: "[DONE] is sent twice", Report: "ray-project/ray#62246",
			Breaks: both, May: []string{"mortar-stream-14", "mortar-cancel-09", "mortar-cancel-10"}, Wrap: onStream(after(isDone, done))},
		{Name: "done-twice-at-end", Summary: "a second [DONE] is sent when the model server closes", Report: "Th0rgal/sandboxed.sh#389",
			Breaks: both, May: []string{"mortar-stream-14", "mortar-stream-17", "mortar-cancel-09", "mortar-cancel-10"},
			Wrap: onStream(func(_ *exchange, s *stream) func(event) {
				return func(e event) {
					if s.send(e); e.end {
						s.write(done)
					}
				}
			})},
		{Name: "done-without-brackets", Summary: "the terminator is spelt DONE", Report: "openai/codex#8708",
			Breaks: both, May: append(waitForDone(), "mortar-stream-02", "mortar-stream-08", "openai-chat-02"), Wrap: onStream(replace(isDone, "data: DONE\n\n"))},
		{Name: "done-lower-case", Summary: "the terminator is spelt [done]",
			Breaks: both, May: append(waitForDone(), "mortar-stream-02", "mortar-stream-08", "openai-chat-02"), Wrap: onStream(replace(isDone, "data: [done]\n\n"))},
		{Name: "done-bare", Summary: "the terminator stands without its field name", Report: "Portkey-AI/gateway#55",
			Breaks: append(both, "mortar-stream-09"), May: append(waitForDone(), "openai-chat-19"), Wrap: onStream(replace(isDone, "[DONE]\n\n"))},
		{Name: "done-as-json", Summary: "the terminator is a JSON text",
			Breaks: both, May: append(waitForDone(), "mortar-stream-02", "mortar-stream-08", "openai-chat-02"), Wrap: onStream(replace(isDone, "data: \"[DONE]\"\n\n"))},
		{Name: "done-then-comment", Summary: "a comment follows [DONE]",
			Breaks: both, May: []string{"mortar-stream-14", "mortar-cancel-09", "mortar-cancel-10"}, Wrap: onStream(after(isDone, ": bye\n\n"))},
		{Name: "done-then-chunk", Summary: "a chunk with the cost follows [DONE]", Report: "tempoxyz/mpp#975",
			Breaks: both, May: []string{"mortar-stream-*", "mortar-cancel-*", "openai-chat-*"}, Wrap: onStream(after(isDone, `data: {"choices":[],"cost":"0"}`+"\n\n"))},
		{Name: "done-then-open", Summary: "the body stays open behind [DONE]", Report: "openai/codex#8708",
			Breaks: both, May: []string{"mortar-*", "openai-*"}, // every scenario waits for the end of its stream
			Wrap: onStream(nth(isDone, func(s *stream, e event, _ int) { s.send(e); s.hang() }))},
		{Name: "done-then-cut", Summary: "the body is cut behind [DONE]",
			Breaks: append(both, "mortar-stream-31"), May: []string{"mortar-stream-07", "mortar-cancel-*"}, Wrap: onStream(nth(isDone, func(s *stream, e event, _ int) { s.send(e); s.abort() }))},
		{Name: "done-early", Summary: "[DONE] comes before the usage chunk", Report: "maximhq/bifrost#191",
			Breaks: []string{"mortar-stream-04", "openai-chat-03"}, May: []string{"mortar-*", "openai-*"}, Wrap: onStream(nth(isUsage, func(s *stream, e event, _ int) { s.write(done + e.raw); s.stop() }))},
	}
}

// longReply does last with the [DONE] of a reply of more than 2000 tokens.
func longReply(last func(s *stream, e event)) rewrite {
	return func(_ *exchange, s *stream) func(event) {
		events := 0
		return func(e event) {
			events++
			if isDone(e) && events > 2000 {
				last(s, e)
				return
			}
			s.send(e)
		}
	}
}
