package mutant

import (
	"strings"
	"time"
)

// late are rows that need a token, or a ping, at its time.
func late() []string {
	return []string{"mortar-stream-27", "mortar-stream-28", "mortar-cancel-*"}
}

func bufferings() []Mutant {
	row := []string{"mortar-stream-03"}
	return []Mutant{
		{Name: "buffer-whole-reply", Summary: "the whole reply is sent at its end", Report: "maximhq/bifrost#4542",
			Breaks: append(row, "mortar-stream-28", "mortar-stream-27"), May: late(), Wrap: onStream(held(func(int, int) bool { return false }))},
		{Name: "buffer-after-role", Summary: "head and role are sent at once, all the rest at the end", Report: "kekzl/imp#754",
			Breaks: append(row, "mortar-stream-28"), May: late(), Wrap: onStream(held(func(events, _ int) bool { return events == 1 }))},
		{Name: "buffer-16k", Summary: "the reply is sent in pieces of 16 KiB",
			Breaks: append(row, "mortar-stream-28"), May: late(), Wrap: onStream(held(func(_, bytes int) bool { return bytes >= 16<<10 }))},
		{Name: "buffer-4k", Summary: "the reply is sent in pieces of 4 KiB",
			Breaks: row, May: late(), Wrap: onStream(held(func(_, bytes int) bool { return bytes >= 4<<10 }))},
		{Name: "buffer-pairs", Summary: "events are sent two by two",
			Breaks: row, May: late(), Wrap: onStream(held(func(events, _ int) bool { return events%2 == 0 }))},
		{Name: "buffer-of-five", Summary: "events are sent five by five",
			Breaks: row, May: late(), Wrap: onStream(held(func(events, _ int) bool { return events%5 == 0 }))},
		{Name: "late-by-one", Summary: "each event is sent when the next one comes",
			Breaks: row, May: append(late(), "mortar-stream-29"), Wrap: onStream(lateByOne)},
		{Name: "coalesced", Summary: "events are gathered for a second", Report: "withastro/flue#659",
			Breaks: row, May: append(late(), "mortar-stream-28"), Wrap: onStream(coalesced(time.Second))},
		{Name: "replayed-as-one", Summary: "the text comes in one big delta at the end", Report: "vllm-project/semantic-router#937",
			Breaks: row, May: append(late(), "openai-chat-10", "openai-chat-16", "mortar-stream-18"), Wrap: onStream(joined)},
		{Name: "first-token-late", Summary: "the first token is sent with the second one",
			Breaks: row, May: []string{"mortar-stream-27", "mortar-stream-18"}, Wrap: onStream(firstLate)},
	}
}

// held keeps events until full says, by their number and size, that they go.
// Comments are kept with them and do not count.
func held(full func(events, bytes int) bool) rewrite {
	return func(_ *exchange, s *stream) func(event) {
		var kept strings.Builder
		events := 0
		return func(e event) {
			if kept.WriteString(e.raw); !isComment(e) {
				events++
			}
			if e.end || !isComment(e) && full(events, kept.Len()) {
				s.send(event{raw: kept.String()})
				kept.Reset()
			}
		}
	}
}

func lateByOne(_ *exchange, s *stream) func(event) {
	var last event
	return func(e event) {
		s.send(event{raw: last.raw})
		last = e
	}
}

// coalesced gathers what comes within some time of the first event.
func coalesced(window time.Duration) rewrite {
	return func(x *exchange, s *stream) func(event) {
		lane := newLane(s)
		x.onClose(lane.close)
		return func(e event) {
			if e.end {
				lane.flush()
				return
			}
			lane.add(e.raw, window)
		}
	}
}

// joined keeps all text back and sends it with the finish chunk's coming.
func joined(_ *exchange, s *stream) func(event) {
	var text strings.Builder
	var pattern object
	return func(e event) {
		switch {
		case isText(e):
			pattern = e.chunk()
			text.WriteString(pattern.text())
			return
		case pattern != nil && !isComment(e):
			pattern.delta()["content"] = text.String()
			s.sendChunk(pattern)
			pattern = nil
		}
		s.send(e)
	}
}

func firstLate(_ *exchange, s *stream) func(event) {
	var first event
	texts := 0
	return func(e event) {
		if isText(e) {
			if texts++; texts == 1 {
				first = e
				return
			}
		}
		if !isComment(e) {
			s.send(event{raw: first.raw})
			first = event{}
		}
		s.send(e)
	}
}
