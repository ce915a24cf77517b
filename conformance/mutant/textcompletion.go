package mutant

import (
	"encoding/json"
	"fmt"
)

// Kinds of objects of a text completion.

func isTextChunk(o object) bool  { return o["object"] == "text_completion" }
func isTextPiece(o object) bool  { return isTextChunk(o) && o.choice().word("text") != "" }
func isTextFinish(o object) bool { return isTextChunk(o) && o.finish() != "" }
func isTextUsage(o object) bool  { return isTextChunk(o) && o.usage() != nil }

// isTextOpen tells the chunks before that with the usage.
func isTextOpen(o object) bool { return isTextChunk(o) && o.usage() == nil }

// onText is a mutant that changes each chunk of a text completion that matches.
func onText(match func(o object) bool, change func(c object)) wrap {
	return onStreamAt(pathText, rewrittenIf(match, change))
}

// onTextEvents is a mutant that does f with each chunk of a text completion that
// matches, and its number from 1 on.
func onTextEvents(match func(o object) bool, f func(s *stream, e event, n int)) wrap {
	return onStreamAt(pathText, nth(holds(match), f))
}

// onTextDone is onTextEvents for [DONE].
func onTextDone(f func(s *stream, e event)) wrap {
	return onStreamAt(pathText, nth(isDone, func(s *stream, e event, _ int) { f(s, e) }))
}

// eachTextChoice changes each choice of a text completion.
func eachTextChoice(match func(o object) bool, change func(choice object)) wrap {
	return onText(match, func(c object) {
		for _, choice := range c.choices() {
			change(choice)
		}
	})
}

// textAll are the rows that most faults of a text completion break beside their
// own, as their scenarios judge it whole or read its text.
func textAll() []string {
	return []string{"openai-text-*", "notholy-stream-*", "notholy-billing-0[12]"}
}

func textCompletions() []Mutant {
	return notholy(textShapes(), textFinishes(), textUsages(), textWords(), textWholes(),
		refusalsAt("completions", pathText, []string{"openai-text-21", "openai-text-22", "openai-text-23", "openai-text-24"}))
}

func textShapes() []Mutant {
	return []Mutant{
		{Name: "completions-content-type-json", Summary: "a streamed text completion is sent as application/json",
			Breaks: []string{"openai-text-01", "notholy-stream-01", "notholy-stream-09"},
			Wrap:   onHeadAt(pathText, func(_ *exchange, r *reply) { r.Header.Set("Content-Type", "application/json") })},
		{Name: "completions-answered-whole", Summary: "a streamed text completion is answered whole",
			Breaks: []string{"openai-text-01", "notholy-stream-01", "notholy-stream-02"}, May: append(textAll(), "notholy-errors-04"), Wrap: answeredWhole(pathText)},
		{Name: "completions-object-of-chat", Summary: "chunks of a text completion have the object chat.completion.chunk",
			Breaks: []string{"openai-text-02", "notholy-stream-09"}, Wrap: onText(isTextChunk, func(c object) { c["object"] = "chat.completion.chunk" })},
		{Name: "completions-in-deltas", Summary: "a text completion comes in deltas, as a chat completion does",
			Breaks: []string{"openai-text-02", "openai-text-05", "openai-text-20", "notholy-stream-09", "notholy-stream-10"}, May: textAll(),
			Wrap: eachTextChoice(isTextChunk, func(choice object) {
				choice["delta"] = object{"content": choice["text"]}
				delete(choice, "text")
			})},
		{Name: "completions-with-deltas", Summary: "a delta stands beside the text",
			Breaks: []string{"openai-text-05", "notholy-stream-09"}, Wrap: eachTextChoice(isTextPiece, func(choice object) { choice["delta"] = object{"content": choice["text"]} })},
		{Name: "completions-with-role", Summary: "the first chunk of a text completion has a role",
			Breaks: []string{"openai-text-05", "notholy-stream-09"}, Wrap: onTextEvents(isTextChunk, func(s *stream, e event, n int) {
				if n == 1 {
					e.json().choice()["role"] = "assistant"
				}
				s.sendChunk(e.json())
			})},
		{Name: "completions-id-per-chunk", Summary: "each chunk of a text completion has an id of its own", Report: "raullenchai/Rapid-MLX#752",
			Breaks: []string{"openai-text-04", "notholy-stream-09"}, May: []string{"notholy-billing-*"}, Wrap: onTextEvents(isTextChunk, func(s *stream, e event, n int) {
				e.json()["id"] = fmt.Sprintf("cmpl-%d", n)
				s.sendChunk(e.json())
			})},
		{Name: "completions-id-shared", Summary: "every text completion has the same id",
			Breaks: []string{"openai-text-04"}, May: []string{"notholy-billing-*"}, Wrap: onText(isTextChunk, func(c object) { c["id"] = "cmpl-1" })},
		{Name: "completions-created-per-chunk", Summary: "created of a text completion moves on with each chunk",
			Breaks: []string{"openai-text-04", "notholy-stream-09"}, Wrap: onTextEvents(isTextChunk, func(s *stream, e event, n int) {
				e.json().add("created", n)
				s.sendChunk(e.json())
			})},
		{Name: "completions-index-missing", Summary: "choices of a text completion have no index",
			Breaks: []string{"openai-text-02", "openai-text-06", "notholy-stream-09"}, May: textAll(), Wrap: eachTextChoice(isTextChunk, func(choice object) { delete(choice, "index") })},
		{Name: "completions-index-zero-for-all", Summary: "every choice of a text completion has the index 0",
			Breaks: []string{"openai-text-06"}, Wrap: eachTextChoice(isTextChunk, func(choice object) { choice["index"] = 0 })},
		{Name: "completions-index-counts-up", Summary: "index of a text completion counts the tokens",
			Breaks: []string{"openai-text-06", "notholy-stream-09"}, May: textAll(), Wrap: onTextEvents(isTextPiece, func(s *stream, e event, n int) {
				e.json().choice()["index"] = n - 1
				s.sendChunk(e.json())
			})},
		{Name: "completions-events-named", Summary: "events of a text completion have a name",
			Breaks: []string{"openai-text-16", "notholy-stream-09"}, Wrap: onTextEvents(isTextChunk, func(s *stream, e event, _ int) { s.write("event: completion\n" + e.raw) })},
		{Name: "completions-events-numbered", Summary: "events of a text completion have the field id",
			Breaks: []string{"openai-text-16"}, Wrap: onTextEvents(isTextChunk, func(s *stream, e event, n int) { s.write(fmt.Sprintf("id: %d\n", n) + e.raw) })},
		{Name: "completions-error-null", Summary: "every chunk of a text completion has error null",
			Breaks: []string{"openai-text-17", "notholy-stream-09"}, Wrap: onText(isTextChunk, func(c object) { c["error"] = nil })},
		{Name: "completions-error-empty", Summary: "the finish chunk of a text completion has an empty error",
			Breaks: []string{"openai-text-17", "notholy-stream-09"}, Wrap: onText(isTextFinish, func(c object) { c["error"] = "" })},
	}
}

func textFinishes() []Mutant {
	done := []string{"openai-text-03", "notholy-stream-03"}
	return []Mutant{
		{Name: "completions-done-missing", Summary: "a text completion has no [DONE]",
			Breaks: append(done, "notholy-stream-09", "notholy-stream-10"), May: textAll(), Wrap: onTextDone(func(*stream, event) {})},
		{Name: "completions-done-twice", Summary: "a text completion has [DONE] twice",
			Breaks: append(done, "notholy-stream-09"), Wrap: onTextDone(func(s *stream, e event) { s.write(e.raw + e.raw) })},
		{Name: "completions-done-then-open", Summary: "the stream of a text completion stays open behind [DONE]",
			Breaks: done, May: append(textAll(), "notholy-errors-*"), Wrap: onTextDone(func(s *stream, e event) { s.send(e); s.hang() })},
		{Name: "completions-done-missing-on-empty-reply", Summary: "a text completion without text has no [DONE]",
			Breaks: []string{"openai-text-03", "notholy-stream-09"}, Wrap: onStreamAt(pathText, func(_ *exchange, s *stream) func(event) {
				text := false
				return func(e event) {
					if text = text || !e.end && holds(isTextPiece)(e); text || !isDone(e) {
						s.send(e)
					}
				}
			})},
		{Name: "completions-finish-missing", Summary: "finish_reason of a text completion is null to its end",
			Breaks: []string{"openai-text-07", "openai-text-14", "notholy-stream-09"}, May: textAll(),
			Wrap: eachTextChoice(isTextFinish, func(choice object) { choice["finish_reason"] = nil })},
		{Name: "completions-finish-twice", Summary: "a text completion has two finish chunks",
			Breaks: []string{"openai-text-07", "notholy-stream-09"}, May: []string{"openai-text-06"}, Wrap: onTextEvents(isTextFinish, func(s *stream, e event, _ int) { s.write(e.raw + e.raw) })},
		{Name: "completions-finish-end-turn", Summary: "finish_reason of a text completion is end_turn",
			Breaks: []string{"openai-text-07", "notholy-stream-09", "notholy-stream-10"}, May: textAll(), Wrap: eachTextChoice(isTextFinish, func(choice object) {
				if choice["finish_reason"] == "stop" {
					choice["finish_reason"] = "end_turn"
				}
			})},
		{Name: "completions-finish-then-text", Summary: "text follows the finish chunk of a text completion",
			Breaks: []string{"openai-text-07", "notholy-stream-09"}, May: textAll(), Wrap: onTextEvents(isTextFinish, func(s *stream, e event, _ int) {
				s.send(e)
				more := e.json().clone()
				more.choice()["text"], more.choice()["finish_reason"] = "!", nil
				s.sendChunk(more)
			})},
		{Name: "completions-limit-stops", Summary: "finish_reason is stop where a text completion reached max_tokens",
			Breaks: []string{"openai-text-14", "openai-text-15", "openai-text-19", "notholy-stream-10"}, Wrap: eachTextChoice(isTextFinish, func(choice object) { choice["finish_reason"] = "stop" })},
		{Name: "completions-limit-raised", Summary: "max_tokens of a text completion counts twice",
			Breaks: []string{"openai-text-14", "notholy-stream-10"}, May: []string{"openai-text-19", "notholy-stream-09"}, Wrap: onAskedAt(pathText, func(o object) {
				if n := o.number("max_tokens"); n > 0 {
					o["max_tokens"] = 2 * n
				}
			})},
		{Name: "completions-default-limit-none", Summary: "a text completion without max_tokens has no limit",
			Breaks: []string{"openai-text-15"}, Wrap: withDefaultLimit(4096)},
		{Name: "completions-default-limit-32", Summary: "a text completion without max_tokens has 32 tokens",
			Breaks: []string{"openai-text-15"}, Wrap: withDefaultLimit(32)},
	}
}

// withDefaultLimit is a mutant with another limit for text completions that name
// none.
func withDefaultLimit(n int) wrap {
	return onAskedAt(pathText, func(o object) {
		if o["max_tokens"] == nil {
			o["max_tokens"] = json.Number(fmt.Sprint(n))
		}
	})
}
