package mutant

import "time"

// openings are mutants of how a stream of telemetry begins and is kept open.
func openings() []Mutant {
	open, beats := []string{"mortar-telemetry-02"}, []string{"mortar-telemetry-04"}
	return []Mutant{
		{Name: "open-untold", Summary: "stream.open never comes",
			Breaks: open, May: []string{"mortar-*"}, Wrap: onFeed(drop(named(tellsOpen)))},
		{Name: "open-late", Summary: "stream.open comes after two seconds",
			Breaks: open, May: []string{"mortar-telemetry-*"}, Wrap: onFeed(func(x *exchange, s *stream) func(event) {
				return func(e event) {
					if e.name == tellsOpen {
						pause(x, 2*time.Second)
					}
					s.send(e)
				}
			})},
		{Name: "open-after-ping", Summary: "stream.open comes with the first ping",
			Breaks: open, May: []string{"mortar-*"}, Wrap: onFeed(func(_ *exchange, s *stream) func(event) {
				held := ""
				return func(e event) {
					switch {
					case e.name == tellsOpen:
						held = e.raw
					case isPing(e):
						s.write(held + e.raw)
						held = ""
					default:
						s.send(e)
					}
				}
			})},
		{Name: "open-twice", Summary: "stream.open comes again with the first request",
			Breaks: open, Wrap: onFeed(func(_ *exchange, s *stream) func(event) {
				open := ""
				return func(e event) {
					if e.name == tellsOpen {
						open = e.raw
					} else if e.name == tellsRoute && open != "" {
						s.write(open)
						open = ""
					}
					s.send(e)
				}
			})},
		{Name: "open-of-another-name", Summary: "the first event is called open",
			Breaks: open, May: []string{"mortar-telemetry-03"}, Wrap: onFeed(nth(named(tellsOpen), func(s *stream, e event, _ int) { s.tell("open", e.json()) }))},
		{Name: "open-without-session", Summary: "stream.open does not say which session",
			Breaks: open, Wrap: onTold(tellsOpen, without("sessionId"))},
		{Name: "open-with-shortened-session", Summary: "stream.open shortens the name of the session",
			Breaks: open, Wrap: onTold(tellsOpen, func(o object) {
				name := o.word("sessionId")
				o["sessionId"] = name[:min(8, len(name))]
			})},
		{Name: "open-in-seconds", Summary: "serverTime is in Unix seconds",
			Breaks: open, Wrap: onTold(tellsOpen, func(o object) { o["serverTime"] = o.number("serverTime") / 1000 })},
		{Name: "open-time-as-text", Summary: "serverTime is a text",
			Breaks: open, Wrap: onTold(tellsOpen, func(o object) { o["serverTime"] = encode(o["serverTime"]) })},
		{Name: "open-heartbeat-in-seconds", Summary: "heartbeatMs is in seconds",
			Breaks: open, Wrap: onTold(tellsOpen, with("heartbeatMs", 15))},
		{Name: "open-heartbeat-other", Summary: "heartbeatMs is not how often pings come",
			Breaks: open, Wrap: onTold(tellsOpen, with("heartbeatMs", 30000))},

		{Name: "beats-missing", Summary: "telemetry has no pings",
			Breaks: append([]string{"mortar-telemetry-07"}, beats...), Wrap: onFeed(drop(isPing))},
		{Name: "beats-half-as-often", Summary: "pings of telemetry come 30 s apart",
			Breaks: beats, Wrap: onFeed(nth(isPing, func(s *stream, e event, n int) {
				if n%2 == 0 {
					s.send(e)
				}
			}))},
		{Name: "beats-twice-as-often", Summary: "pings of telemetry come 7.5 s apart",
			Breaks: beats, Wrap: stateful(func(up Upstream) relay {
				return relay{feeds: &relay{events: func(x *exchange, s *stream) func(event) {
					lane := newLane(s)
					x.onClose(lane.close)
					return func(e event) {
						s.send(e)
						if isPing(e) {
							lane.add(ping, up.TelemetryPing/2)
						}
					}
				}}}
			})},
		{Name: "beats-as-event", Summary: "a ping of telemetry is an event", Report: "AntigmaLabs/ante#187",
			Breaks: append([]string{"mortar-telemetry-07"}, beats...), May: []string{"mortar-telemetry-*"},
			Wrap: onFeed(replace(isPing, "event: ping\ndata: {}\n\n"))},
		{Name: "beats-without-text", Summary: "a ping of telemetry is a colon alone",
			Breaks: beats, Wrap: onFeed(replace(isPing, ":\n\n"))},
		{Name: "beats-end-with-idleness", Summary: "a stream of telemetry on which nothing happens is ended", Report: "anomalyco/opencode#44385",
			Breaks: beats, May: []string{"mortar-telemetry-07"}, Wrap: onFeed(nth(isPing, func(s *stream, e event, n int) {
				s.send(e)
				if n == 2 {
					s.stop()
				}
			}))},
	}
}

// pause waits, unless the client leaves.
func pause(x *exchange, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-x.ctx.Done():
	}
}
