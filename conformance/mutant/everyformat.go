package mutant

import (
	"net/http"
	"strings"
	"sync/atomic"
	"time"
)

// everyFormat are faults that one format has and the others have not, or that
// all of them have in the form that is theirs.
func everyFormat() []Mutant {
	return notholy(formatBuffers(), formatPings(), formatRepeats(), formatKeys(), formatFailures())
}

func formatBuffers() []Mutant {
	row := []string{"notholy-stream-02"}
	may := []string{"notholy-stream-07", "notholy-stream-08", "notholy-billing-01"}
	none := func(int, int) bool { return false }
	return []Mutant{
		{Name: "completions-buffered-whole", Summary: "a text completion is sent at its end", Breaks: row, May: may, Wrap: onStreamAt(pathText, held(none))},
		{Name: "completions-late-by-one", Summary: "each event of a text completion is sent when the next one comes", Breaks: row, May: may, Wrap: onStreamAt(pathText, lateByOne)},
		{Name: "responses-buffered-whole", Summary: "a response is sent at its end", Breaks: row, May: may, Wrap: onStreamAt(pathResponses, held(none))},
		{Name: "responses-buffered-2k", Summary: "a response is sent in pieces of 2 KiB", Breaks: row, May: may,
			Wrap: onStreamAt(pathResponses, held(func(_, bytes int) bool { return bytes >= 2<<10 }))},
		{Name: "messages-buffered-pairs", Summary: "events of a message are sent two by two", Breaks: row, May: may,
			Wrap: onStreamAt(pathMessages, held(func(events, _ int) bool { return events%2 == 0 }))},
		{Name: "messages-coalesced", Summary: "events of a message are gathered for a second", Breaks: row, May: append(may, "notholy-stream-09", "notholy-errors-06"),
			Wrap: onStreamAt(pathMessages, coalesced(time.Second))},
	}
}

func formatPings() []Mutant {
	comments, events := []string{"notholy-stream-07"}, []string{"notholy-stream-08"}
	isPingEvent := holds(typed("ping"))
	early := func(match func(event) bool, begun func(event) bool) rewrite {
		return func(_ *exchange, s *stream) func(event) {
			over := false
			return func(e event) {
				if over = over || !e.end && begun(e); over || e.end || !match(e) {
					s.send(e)
				}
			}
		}
	}
	return []Mutant{
		{Name: "completions-no-pings", Summary: "a text completion has no keep-alives", Breaks: comments, Wrap: onStreamAt(pathText, drop(isComment))},
		{Name: "completions-pings-as-chunks", Summary: "a keep-alive of a text completion is a chunk without text",
			Breaks: append(comments, "notholy-stream-09"), Wrap: onStreamAt(pathText, replace(isComment, `data: {"object":"text_completion","choices":[]}`+"\n\n"))},
		{Name: "responses-no-pings", Summary: "a response has no keep-alives", Breaks: comments, Wrap: onStreamAt(pathResponses, drop(isComment))},
		{Name: "responses-no-pings-before-first-token", Summary: "keep-alives of a response begin with the first text",
			Breaks: comments, Wrap: onStreamAt(pathResponses, early(isComment, holds(typed(textDelta))))},
		{Name: "responses-pings-as-events", Summary: "a keep-alive of a response is an event that no document has",
			Breaks: append(comments, "notholy-stream-09"), May: []string{"openai-responses-*"}, Wrap: onStreamAt(pathResponses, replace(isComment, "event: keepalive\ndata: {\"type\":\"keepalive\"}\n\n")),
		},
		{Name: "messages-no-pings", Summary: "a message has no pings", Breaks: events, Wrap: onStreamAt(pathMessages, drop(isPingEvent))},
		{Name: "messages-no-pings-before-first-token", Summary: "pings of a message begin with the first text",
			Breaks: events, Wrap: onStreamAt(pathMessages, early(isPingEvent, holds(isTextDelta)))},
		{Name: "messages-pings-as-comments", Summary: "a keep-alive of a message is a comment, which SDKs do not see", Breaks: events, Wrap: onStreamAt(pathMessages, replace(isPingEvent, ping))},
		{Name: "messages-pings-unnamed", Summary: "pings of a message have no name", Breaks: []string{"notholy-stream-09"}, May: events,
			Wrap: onStreamAt(pathMessages, nth(isPingEvent, func(s *stream, e event, _ int) { s.sendChunk(e.json()) }))},
		{Name: "messages-one-ping-alone", Summary: "a message has one ping and no other", Breaks: events,
			Wrap: onStreamAt(pathMessages, nth(isPingEvent, func(s *stream, e event, n int) {
				if n == 1 {
					s.send(e)
				}
			}))},
	}
}

// onRepeat is a mutant that changes the streams of requests that came before.
func onRepeat(match func(*exchange) bool, r rewrite) wrap {
	return stateful(func(Upstream) relay {
		seen := newSet()
		return relay{events: func(x *exchange, s *stream) func(event) {
			if !match(x) || seen.add(string(x.body)) {
				return s.send
			}
			return r(x, s)
		}}
	})
}

// byAlias tells the requests that name the model by its alias.
func byAlias(x *exchange) bool { return strings.Contains(x.asked().word("model"), "alias") }

func formatRepeats() []Mutant {
	row := []string{"notholy-stream-09"}
	may := []string{"notholy-billing-02", "notholy-stream-04"}
	return []Mutant{
		{Name: "responses-repeated-from-cache", Summary: "a response from a cache is not created first", Breaks: row, May: may,
			Wrap: onRepeat(at(pathResponses), drop(holds(typed("response.created"))))},
		{Name: "completions-repeated-of-chat", Summary: "a text completion from a cache has the object chat.completion.chunk", Breaks: row, May: may,
			Wrap: onRepeat(at(pathText), rewritten(func(o object) {
				if o["object"] != nil {
					o["object"] = "chat.completion.chunk"
				}
			}))},
		{Name: "messages-repeated-unnamed", Summary: "events of a message from a cache have no names", Breaks: row, May: may,
			Wrap: onRepeat(at(pathMessages), nth(holds(anything), func(s *stream, e event, _ int) { s.sendChunk(e.json()) }))},
		{Name: "chat-repeated-without-role", Summary: "a chat completion from a cache has no role", Breaks: row, May: may,
			Wrap: onRepeat((*exchange).isChat, editIf(isRole, func(c object) { delete(c.delta(), "role") }))},
		{Name: "alias-model-changes", Summary: "by its alias a model is named otherwise at the end of a text completion", Breaks: row,
			Wrap: onStream(when(func(x *exchange) bool { return x.path == pathText && byAlias(x) }, rewrittenIf(isTextUsage, func(c object) { c["model"] = "other" })))},
		{Name: "alias-unknown", Summary: "an alias of the model is refused", Breaks: row, Wrap: onAsked(byAlias, with("model", unknownModel))},
	}
}

func formatFailures() []Mutant {
	row := []string{"notholy-errors-04"}
	inChunks := func(x *exchange) bool { return x.isChat() || x.path == pathText }
	failure := func(change func(s *stream, e event)) wrap {
		return onStream(when(inChunks, nth(isError, func(s *stream, e event, _ int) { change(s, e) })))
	}
	error := func(change func(e object)) wrap {
		return failure(func(s *stream, e event) {
			o := e.json()
			change(o.inner("error"))
			s.sendChunk(o)
		})
	}
	return []Mutant{
		{Name: "formats-failure-without-param", Summary: "the error event of chat and text completions has neither param nor code", Breaks: row, May: []string{"notholy-errors-07"}, Wrap: error(without("param", "code"))},
		{Name: "formats-failure-code-as-number", Summary: "the code of an error event is a number", Breaks: row, May: []string{"notholy-errors-07"}, Wrap: error(with("code", 502))},
		{Name: "formats-failure-of-messages", Summary: "the error event of chat and text completions is that of Messages", Breaks: row, May: []string{"notholy-errors-07"},
			Wrap: failure(func(s *stream, e event) {
				s.tell("error", object{"type": "error", "error": object{"type": "api_error", "message": e.json().inner("error")["message"]}})
			})},
		{Name: "completions-failure-silent", Summary: "a text completion that fails just ends", Breaks: row, May: []string{"notholy-errors-07"},
			Wrap: onStreamAt(pathText, drop(isError))},
		{Name: "completions-failure-as-success", Summary: "a text completion that fails ends with [DONE]", Breaks: row, May: []string{"notholy-errors-07"},
			Wrap: onStreamAt(pathText, replace(isError, "data: [DONE]\n\n"))},
		{Name: "completions-failure-then-done", Summary: "[DONE] follows the error event of a text completion", Breaks: []string{"notholy-errors-07"},
			Wrap: onStreamAt(pathText, after(isError, "data: [DONE]\n\n"))},
	}
}

// onRefused is a mutant that changes the refusals of any format with one of these
// statuses.
func onRefused(change func(x *exchange, r *reply), statuses ...int) wrap {
	return onAnswer(func(x *exchange, r *reply) bool {
		for _, status := range statuses {
			if isGeneration(x) && r.Status == status {
				return true
			}
		}
		return false
	}, change)
}

// asStream answers with an event stream that holds the error alone.
func asStream(_ *exchange, r *reply) {
	r.Status = http.StatusOK
	r.say("text/event-stream", "event: error\ndata: "+strings.TrimSpace(string(r.Body))+"\n\n")
}

// asPage answers with HTML.
func asPage(_ *exchange, r *reply) { r.say("text/html", "<html><h1>Error</h1></html>") }

// asChatError gives every format the envelope of chat completions.
func asChatError(_ *exchange, r *reply) {
	r.json(object{"error": object{"message": r.envelope()["message"], "type": r.envelope()["type"], "param": nil, "code": nil}})
}

func formatKeys() []Mutant {
	key, poor, limited := []string{"notholy-errors-01"}, []string{"notholy-errors-02"}, []string{"notholy-errors-03"}
	const noKey, noCredits, overLimit = http.StatusUnauthorized, http.StatusPaymentRequired, http.StatusTooManyRequests
	may := []string{"anthropic-messages-21", "notholy-billing-03"}
	retry := func(change func(h http.Header)) wrap {
		return onRefused(func(_ *exchange, r *reply) { change(r.Header) }, overLimit)
	}
	return []Mutant{
		{Name: "formats-wrong-key-as-stream", Summary: "a wrong key is answered 200 with an error event", Breaks: key, May: may, Wrap: onRefused(asStream, noKey)},
		{Name: "formats-wrong-key-with-403", Summary: "a wrong key is refused with 403", Breaks: key, May: may, Wrap: onRefused(withStatus(http.StatusForbidden), noKey)},
		{Name: "formats-wrong-key-of-chat", Summary: "a wrong key has the envelope of chat completions in every format", Breaks: key, May: may, Wrap: onRefused(asChatError, noKey)},
		{Name: "poor-as-stream", Summary: "a key without credits is answered 200 with an error event", Breaks: append(poor, "notholy-billing-03"), Wrap: onRefused(asStream, noCredits)},
		{Name: "poor-as-page", Summary: "a key without credits gets a page that offers some", Breaks: poor, Wrap: onRefused(asPage, noCredits)},
		{Name: "poor-with-500", Summary: "a key without credits makes an internal error", Breaks: append(poor, "notholy-billing-03"), Wrap: onRefused(withStatus(http.StatusInternalServerError), noCredits)},
		{Name: "poor-of-chat", Summary: "a key without credits has the envelope of chat completions in every format", Breaks: poor, Wrap: onRefused(asChatError, noCredits)},
		{Name: "limited-without-retry-after", Summary: "a key over its limit is not told when to come back", Report: "BerriAI/litellm#21553",
			Breaks: limited, Wrap: retry(func(h http.Header) { h.Del("Retry-After") })},
		{Name: "limited-retry-after-in-words", Summary: "Retry-After is a duration in words", Breaks: limited, Wrap: retry(func(h http.Header) { h.Set("Retry-After", "20s") })},
		{Name: "limited-with-503", Summary: "a key over its limit makes the gateway unavailable", Breaks: limited, Wrap: onRefused(withStatus(http.StatusServiceUnavailable), overLimit)},
		{Name: "limited-as-stream", Summary: "a key over its limit is answered 200 with an error event", Breaks: limited, Wrap: onRefused(asStream, overLimit)},
		{Name: "limited-as-page", Summary: "a key over its limit gets a page of HTML", Breaks: limited, Wrap: onRefused(asPage, overLimit)},
		{Name: "formats-no-key-accepted", Summary: "a request without a key is answered in every format", Breaks: key, May: append(may, "notholy-billing-0[12]"), Wrap: keyless()},
	}
}

// keyless is a mutant that serves requests without a key with the first key that
// it saw.
func keyless() wrap {
	return stateful(func(Upstream) relay {
		var known atomic.Pointer[string]
		return relay{request: func(x *exchange) {
			if key := x.key(); key != "" {
				known.CompareAndSwap(nil, &key)
				return
			}
			if lent := known.Load(); lent != nil && isGeneration(x) && x.header.Get("X-Api-Key") == "" {
				x.header.Set("Authorization", *lent)
			}
		}}
	})
}
