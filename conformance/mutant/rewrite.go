package mutant

import (
	"context"
	"net/http"
)

// wrap puts a mutant in front of a gateway.
type wrap = func(context.Context, Upstream) http.Handler

// rewrite is what a mutant does to the events of a stream: called once for each
// stream, it returns what is done with each event, the end included.
type rewrite func(x *exchange, s *stream) func(event)

// fixed is a mutant that keeps nothing between two requests.
func fixed(g relay) wrap { return g.on }

// onStream is a mutant that changes the events of streams.
func onStream(r rewrite) wrap { return fixed(relay{events: r}) }

// onRequest is a mutant that changes requests for chat completions.
func onRequest(change func(x *exchange, o object)) wrap {
	return fixed(relay{request: func(x *exchange) {
		if x.isChat() {
			x.ask(func(o object) { change(x, o) })
		}
	}})
}

// onHead is a mutant that changes the head of streams.
func onHead(change func(x *exchange, r *reply)) wrap { return fixed(relay{head: change}) }

// each does f with each event but the end.
func each(f func(s *stream, e event)) rewrite {
	return func(_ *exchange, s *stream) func(event) {
		return func(e event) {
			if !e.end {
				f(s, e)
			}
		}
	}
}

// nth does f with each event that matches and its number from 1 on, and passes
// the others on.
func nth(match func(event) bool, f func(s *stream, e event, n int)) rewrite {
	return func(_ *exchange, s *stream) func(event) {
		n := 0
		return func(e event) {
			if e.end || !match(e) {
				s.send(e)
				return
			}
			n++
			f(s, e, n)
		}
	}
}

// edit changes each chunk.
func edit(change func(c object)) rewrite {
	return editIf(isChunk, change)
}

// editIf changes each chunk that matches.
func editIf(match func(event) bool, change func(c object)) rewrite {
	return editNth(match, func(c object, _ int) { change(c) })
}

// editNth changes each chunk that matches, by its number from 1 on.
func editNth(match func(event) bool, change func(c object, n int)) rewrite {
	return nth(func(e event) bool { return isChunk(e) && match(e) }, func(s *stream, e event, n int) {
		c := e.chunk()
		change(c, n)
		s.sendChunk(c)
	})
}

// drop loses each event that matches.
func drop(match func(event) bool) rewrite { return replace(match, "") }

// replace puts other bytes in the place of each event that matches.
func replace(match func(event) bool, raw string) rewrite {
	return nth(match, func(s *stream, _ event, _ int) {
		if raw != "" {
			s.write(raw)
		}
	})
}

// before puts bytes before each event that matches.
func before(match func(event) bool, raw string) rewrite {
	return nth(match, func(s *stream, e event, _ int) { s.write(raw + e.raw) })
}

// after puts bytes behind each event that matches.
func after(match func(event) bool, raw string) rewrite {
	return nth(match, func(s *stream, e event, _ int) { s.write(e.raw + raw) })
}

// reframe changes the bytes of each event, comments included.
func reframe(change func(raw string) string) rewrite {
	return each(func(s *stream, e event) { s.write(change(e.raw)) })
}

// when applies a rewrite to some streams and passes the others on.
func when(match func(x *exchange) bool, r rewrite) rewrite {
	return func(x *exchange, s *stream) func(event) {
		if !match(x) {
			return s.send
		}
		return r(x, s)
	}
}

// asksUsage tells whether a stream was asked for its usage.
func asksUsage(x *exchange) bool {
	return x.asked().inner("stream_options")["include_usage"] == true
}
