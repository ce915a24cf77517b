package mutant

// onStopped is a mutant that changes how a stopped stream ends: f gets its usage
// chunk and its [DONE], which come without a finish chunk before.
func onStopped(f func(x *exchange, s *stream, e event)) wrap {
	return onStream(func(x *exchange, s *stream) func(event) {
		finished := false
		return func(e event) {
			finished = finished || isFinish(e)
			if !finished && (isUsage(e) || isDone(e)) {
				f(x, s, e)
				return
			}
			s.send(e)
		}
	})
}

// atDone is onStopped for [DONE] alone.
func atDone(f func(x *exchange, s *stream, e event)) wrap {
	return onStopped(func(x *exchange, s *stream, e event) {
		if isDone(e) {
			f(x, s, e)
			return
		}
		s.send(e)
	})
}

// finishBefore puts a finish chunk before the end of a stopped stream.
func finishBefore(reason string) wrap {
	return onStopped(func(x *exchange, s *stream, e event) {
		if isUsage(e) || !asksUsage(x) {
			s.write(chunkOf(x.id, object{}, reason))
		}
		s.send(e)
	})
}

func stopEnds() []Mutant {
	const done = "data: [DONE]\n\n"
	usage := []string{"mortar-cancel-08"}
	ending := []string{"mortar-cancel-09", "mortar-cancel-10"}
	stoppedUsage := func(change func(u object)) wrap {
		return onStopped(func(_ *exchange, s *stream, e event) {
			if isUsage(e) {
				c := e.chunk()
				change(c.usage())
				s.sendChunk(c)
				return
			}
			s.send(e)
		})
	}
	return []Mutant{
		{Name: "stopped-finish-stop", Summary: "a stopped stream has a finish chunk with stop",
			Breaks: []string{"mortar-cancel-07"}, Wrap: finishBefore("stop")},
		{Name: "stopped-finish-abort", Summary: "a stopped stream has a finish chunk with abort", Report: "vllm-project/vllm#57082",
			Breaks: []string{"mortar-cancel-07"}, Wrap: finishBefore("abort")},
		{Name: "stopped-finish-after-usage", Summary: "a stopped stream has a finish chunk before [DONE]", Report: "kekzl/imp#1590",
			Breaks: []string{"mortar-cancel-07"}, May: usage, Wrap: atDone(func(x *exchange, s *stream, e event) { s.write(chunkOf(x.id, object{}, "cancelled") + e.raw) })},
		{Name: "stopped-usage-missing", Summary: "a stopped stream has no usage chunk", Report: "BerriAI/litellm#33736",
			Breaks: usage, Wrap: onStopped(func(_ *exchange, s *stream, e event) {
				if isDone(e) {
					s.send(e)
				}
			})},
		{Name: "stopped-usage-zero", Summary: "the usage of a stopped stream counts nothing", Report: "BerriAI/litellm#39893",
			Breaks: usage, Wrap: stoppedUsage(func(u object) {
				u["completion_tokens"], u["total_tokens"] = 0, u.number("prompt_tokens")
			})},
		{Name: "stopped-usage-of-whole", Summary: "the usage of a stopped stream counts what it could have become",
			Breaks: usage, Wrap: stoppedUsage(addCompletion(5))},
		{Name: "stopped-usage-unasked", Summary: "a stopped stream has a usage chunk that was not asked for",
			Breaks: usage, Wrap: atDone(func(x *exchange, s *stream, e event) {
				if !asksUsage(x) {
					s.sendChunk(object{"id": x.id, "object": "chat.completion.chunk", "created": unixNow(), "model": "m", "choices": []any{}, "usage": noUsage()})
				}
				s.send(e)
			})},
		{Name: "stopped-without-done", Summary: "a stopped stream ends without [DONE]",
			Breaks: ending, Wrap: atDone(func(*exchange, *stream, event) {})},
		{Name: "stopped-with-error", Summary: "a stopped stream ends with an error event instead of [DONE]",
			Breaks: ending, Wrap: atDone(func(_ *exchange, s *stream, _ event) {
				s.write(`data: {"error":{"message":"cancelled","type":"cancelled","param":null,"code":null}}` + "\n\n")
			})},
		{Name: "stopped-done-twice", Summary: "a stopped stream has [DONE] twice",
			Breaks: ending, Wrap: atDone(func(_ *exchange, s *stream, _ event) { s.write(done + done) })},
		{Name: "stopped-then-cut", Summary: "a stopped stream is cut",
			Breaks: ending, May: []string{"mortar-cancel-07", "mortar-cancel-08"}, Wrap: atDone(func(_ *exchange, s *stream, _ event) { s.abort() })},
		{Name: "stopped-then-open", Summary: "a stopped stream stays open behind [DONE]",
			Breaks: []string{"mortar-cancel-03", "mortar-cancel-09"}, May: []string{"mortar-cancel-07", "mortar-cancel-08", "mortar-cancel-10"},
			Wrap: atDone(func(_ *exchange, s *stream, e event) { s.send(e); s.hang() })},
	}
}
