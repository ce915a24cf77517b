package mutant

import "time"

const ping = ": ping\n\n"

// isPing tells a keep-alive comment.
func isPing(e event) bool { return e.raw == ping }

// pings changes the keep-alive comments before the first token, or behind it.
func pings(early, late func(s *stream, n int)) rewrite {
	return func(_ *exchange, s *stream) func(event) {
		text, n := false, 0
		return func(e event) {
			text = text || isText(e)
			f := early
			if text {
				f = late
			}
			if !isPing(e) || f == nil {
				s.send(e)
				return
			}
			n++
			f(s, n)
		}
	}
}

// everyPing changes all of them.
func everyPing(f func(s *stream, n int)) wrap { return onStream(pings(f, f)) }

// writes puts other bytes in the place of a ping.
func writes(raw string) func(*stream, int) {
	return func(s *stream, _ int) { s.send(event{raw: raw}) }
}

func keepalives() []Mutant {
	both := []string{"mortar-stream-27", "mortar-stream-28"}
	noChunk := []string{"mortar-stream-26", "mortar-stream-29"} // an event that is no chunk comes while they wait
	return []Mutant{
		{Name: "no-pings", Summary: "no keep-alive is sent at all",
			Breaks: both, Wrap: everyPing(writes(""))},
		{Name: "no-pings-before-first-token", Summary: "keep-alives begin with the first token", Report: "BerriAI/litellm#34819",
			Breaks: []string{"mortar-stream-27"}, Wrap: onStream(pings(writes(""), nil))},
		{Name: "no-pings-in-reply", Summary: "keep-alives end with the first token", Report: "antirez/ds4#222",
			Breaks: []string{"mortar-stream-28"}, Wrap: onStream(pings(nil, writes("")))},
		{Name: "one-ping-alone", Summary: "one keep-alive is sent and no other",
			Breaks: both, Wrap: everyPing(func(s *stream, n int) {
				if n == 1 {
					s.write(ping)
				}
			})},
		{Name: "pings-half-as-often", Summary: "keep-alives come 20 s apart",
			Breaks: both, Wrap: everyPing(func(s *stream, n int) {
				if n%2 == 0 {
					s.write(ping)
				}
			})},
		{Name: "pings-doubled", Summary: "two keep-alives come together",
			Breaks: both, Wrap: everyPing(writes(ping + ping))},
		{Name: "pings-twice-as-often", Summary: "keep-alives come 5 s apart",
			Breaks: both, Wrap: stateful(func(up Upstream) relay {
				return relay{events: func(x *exchange, s *stream) func(event) {
					lane := newLane(s)
					x.onClose(lane.close)
					more := func(s *stream, _ int) {
						s.write(ping)
						lane.add(ping, up.Ping/2)
					}
					return pings(more, more)(x, s)
				}}
			})},
		{Name: "pings-without-text", Summary: "a keep-alive is a colon alone",
			Breaks: both, Wrap: everyPing(writes(":\n\n"))},
		{Name: "pings-of-another-text", Summary: "keep-alives say something else",
			Breaks: both, Wrap: everyPing(writes(": OPENROUTER PROCESSING\n\n"))},
		{Name: "pings-as-data", Summary: "a keep-alive is a data event that is empty", Report: "omnigent-ai/omnigent#1474",
			Breaks: both, May: noChunk, Wrap: everyPing(writes("data: \n\n"))},
		{Name: "pings-as-named-event", Summary: "a keep-alive is an event with a name", Report: "AntigmaLabs/ante#187",
			Breaks: both, May: noChunk, Wrap: everyPing(writes("event: ping\ndata: {\"type\":\"ping\"}\n\n"))},
		{Name: "pings-as-chunk", Summary: "a keep-alive is a chunk with an empty delta", Report: "diegosouzapw/OmniRoute#8948",
			Breaks: both, May: noChunk, Wrap: everyPing(writes(`data: {"id":"","object":"chat.completion.chunk","created":0,"model":"","choices":[]}` + "\n\n"))},
		{Name: "comment-inside-event", Summary: "a comment stands between a data line and its blank line",
			Breaks: []string{"mortar-stream-29"}, Wrap: onStream(nth(isText, func(s *stream, e event, _ int) {
				s.write("data: " + e.data + "\n: alive\n\n")
			}))},
		{Name: "comment-inside-line", Summary: "a keep-alive cuts the line of an event in two",
			Breaks: []string{"mortar-stream-29", "mortar-stream-08"}, May: []string{"mortar-*", "openai-chat-*"}, // its JSON is torn
			Wrap: onStream(nth(isText, func(s *stream, e event, _ int) {
				half := len(e.raw) / 2
				s.write(e.raw[:half] + "\n: ping\n" + e.raw[half:])
			}))},
		{Name: "head-with-first-token", Summary: "the head of a stream waits for the first token", Report: "antirez/ds4#151",
			Breaks: []string{"mortar-stream-22", "mortar-stream-27"}, May: []string{"mortar-cancel-10"}, Wrap: fixed(relay{lateHead: true,
				events: func(_ *exchange, s *stream) func(event) {
					text, early := false, ""
					return func(e event) {
						if text = text || isText(e) || isDone(e) || isError(e) || e.end; !text {
							early += e.raw
							return
						}
						s.send(event{raw: early + e.raw})
						early = ""
					}
				}})},
		{Name: "head-with-second-ping", Summary: "the head of a stream waits for 20 s",
			Breaks: []string{"mortar-stream-27"}, May: []string{"mortar-stream-22", "mortar-cancel-10"}, Wrap: fixed(relay{lateHead: true,
				events: pings(func(s *stream, n int) {
					if n > 1 {
						s.write(ping)
					}
				}, nil)})},
		{Name: "cut-in-silence", Summary: "a stream that is silent for long is cut", Report: "anomalyco/opencode#44385",
			Breaks: []string{"mortar-stream-26"}, May: []string{"mortar-stream-03", "openai-chat-05"}, Wrap: impatient(true, "")},
		{Name: "ended-in-silence", Summary: "a stream that is silent for long is ended with an error",
			Breaks: []string{"mortar-stream-26"}, May: []string{"mortar-stream-03", "openai-chat-05"},
			Wrap: impatient(true, `data: {"error":{"message":"idle timeout","type":"timeout","param":null,"code":null}}`+"\n\n")},
		{Name: "cut-by-age", Summary: "a stream is ended when it is old, however it flows", Report: "astaxie/TokenHub#82",
			Breaks: []string{"mortar-stream-26"}, May: []string{"mortar-*", "openai-chat-05"}, // as do all that last
			Wrap: impatient(false, "")},
	}
}

// impatient ends streams before the longest silence of the run is over: after a
// silence that long, or at that age. Keep-alives do not count.
func impatient(afterSilence bool, last string) wrap {
	return stateful(func(up Upstream) relay {
		limit := up.Silence * 4 / 5
		return relay{events: func(x *exchange, s *stream) func(event) {
			timer := time.AfterFunc(limit, func() {
				if !s.isOver() {
					s.send(event{raw: last})
					s.stop()
				}
			})
			x.onClose(func() { timer.Stop() })
			return func(e event) {
				if afterSilence && !isComment(e) {
					timer.Reset(limit)
				}
				s.send(e)
			}
		}}
	})
}
