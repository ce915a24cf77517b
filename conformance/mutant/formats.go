package mutant

import (
	"net/http"
	"strings"
)

// Where the formats beside chat completions are spoken.
const (
	pathText      = "/v1/completions"
	pathResponses = "/v1/responses"
	pathMessages  = "/v1/messages"
)

// notholy makes mutants judged by the document that has every format.
func notholy(lists ...[]Mutant) []Mutant {
	var all []Mutant
	for _, list := range lists {
		for _, m := range list {
			if m.Profile == "" {
				m.Profile = "notholy"
			}
			all = append(all, m)
		}
	}
	return all
}

// formatControlRows are judged on mutants of the formats, nil of other areas:
// what can be judged at once of each format, and how all of them end. None is on
// credits: mutants side by side share the gateway's organizations, and its last
// charges are soon those of others.
func formatControlRows(area string) []string {
	ends := []string{"notholy-stream-03", "notholy-stream-05", "notholy-stream-06", "notholy-errors-01"}
	switch area {
	case "text completions":
		return append(ends, "notholy-stream-04", "notholy-errors-04", "openai-text-01", "openai-text-02", "openai-text-03", "openai-text-04",
			"openai-text-05", "openai-text-06", "openai-text-07", "openai-text-08", "openai-text-10", "openai-text-11", "openai-text-12",
			"openai-text-13", "openai-text-14", "openai-text-15", "openai-text-16", "openai-text-17", "openai-text-18", "openai-text-19",
			"openai-text-20", "openai-text-21", "openai-text-22", "openai-text-23", "openai-text-24")
	case "responses":
		return append(ends, "notholy-errors-05", "openai-responses-01", "openai-responses-02", "openai-responses-03", "openai-responses-05",
			"openai-responses-06", "openai-responses-07", "openai-responses-08", "openai-responses-09", "openai-responses-10",
			"openai-responses-11", "openai-responses-12", "openai-responses-13", "openai-responses-14", "openai-responses-15",
			"openai-responses-16", "openai-responses-17", "openai-responses-18", "openai-responses-19", "openai-responses-20",
			"openai-responses-21", "openai-responses-22", "openai-responses-23", "openai-responses-24", "openai-responses-25")
	case "messages":
		return append(ends, "notholy-errors-06", "anthropic-messages-01", "anthropic-messages-02", "anthropic-messages-04",
			"anthropic-messages-05", "anthropic-messages-06", "anthropic-messages-07", "anthropic-messages-08", "anthropic-messages-09",
			"anthropic-messages-10", "anthropic-messages-11", "anthropic-messages-12", "anthropic-messages-13", "anthropic-messages-14",
			"anthropic-messages-15", "anthropic-messages-16", "anthropic-messages-17", "anthropic-messages-18", "anthropic-messages-19",
			"anthropic-messages-20", "anthropic-messages-21", "anthropic-messages-22", "anthropic-messages-23", "anthropic-messages-24",
			"anthropic-messages-25")
	case "all formats", areaOfCredits:
		return append(ends, "notholy-stream-01", "notholy-stream-10", "notholy-errors-02", "notholy-errors-03",
			"notholy-errors-04", "notholy-errors-05", "notholy-errors-06", "openai-text-11", "openai-responses-10", "anthropic-messages-07")
	}
	return nil
}

// at tells the requests of a format.
func at(path string) func(*exchange) bool {
	return func(x *exchange) bool { return x.path == path }
}

// isGeneration tells the requests for a reply in any format.
func isGeneration(x *exchange) bool {
	return x.isChat() || x.path == pathText || x.path == pathResponses || x.path == pathMessages
}

// onStreamAt is a mutant that changes the events of the streams of a format.
func onStreamAt(path string, r rewrite) wrap { return onStream(when(at(path), r)) }

// onHeadAt is a mutant that changes the head of the streams of a format.
func onHeadAt(path string, change func(x *exchange, r *reply)) wrap {
	return onHead(func(x *exchange, r *reply) {
		if x.path == path {
			change(x, r)
		}
	})
}

// onAsked is a mutant that changes the requests that match.
func onAsked(match func(*exchange) bool, change func(o object)) wrap {
	return fixed(relay{request: func(x *exchange) {
		if match(x) {
			x.ask(change)
		}
	}})
}

// onAskedAt is a mutant that changes the requests of a format.
func onAskedAt(path string, change func(o object)) wrap { return onAsked(at(path), change) }

// isRefusalAt tells the errors of a format.
func isRefusalAt(path string) func(*exchange, *reply) bool {
	return func(x *exchange, r *reply) bool { return x.path == path && r.Status >= http.StatusBadRequest }
}

// hasStatusAt tells the errors of a format by their status.
func hasStatusAt(path string, status int) func(*exchange, *reply) bool {
	return func(x *exchange, r *reply) bool { return x.path == path && r.Status == status }
}

// onWholeAt is a mutant that changes the replies of a format that are not
// streamed.
func onWholeAt(path string, change func(o object)) wrap {
	return onAnswer(hasStatusAt(path, http.StatusOK), editJSON(change))
}

// rewritten changes each object of a stream, in whatever format. Without any
// change it takes them apart and puts them together again.
func rewritten(change func(o object)) rewrite {
	return rewrittenIf(func(object) bool { return true }, change)
}

// rewrittenIf changes each object of a stream that matches.
func rewrittenIf(match func(o object) bool, change func(o object)) rewrite {
	return nth(holds(match), func(s *stream, e event, _ int) {
		o := e.json()
		change(o)
		if e.name != "" {
			s.tell(e.name, o)
			return
		}
		s.sendChunk(o)
	})
}

// holds tells the events whose object matches.
func holds(match func(o object) bool) func(event) bool {
	return func(e event) bool { return e.json() != nil && match(e.json()) }
}

// typed tells objects by their type.
func typed(types ...string) func(o object) bool {
	return func(o object) bool {
		for _, t := range types {
			if o["type"] == t {
				return true
			}
		}
		return false
	}
}

// anything tells every object.
func anything(object) bool { return true }

// append puts more text behind a text under a key, if it is one.
func (o object) append(key, more string) {
	if s, ok := o[key].(string); ok {
		o[key] = s + more
	}
}

// cut takes the last byte from a text under a key, if it is one.
func (o object) cut(key string) {
	if s, ok := o[key].(string); ok {
		o[key] = strings.TrimSuffix(s, lastOf(s))
	}
}

// lastOf is the last character of a text.
func lastOf(s string) string {
	if s == "" {
		return ""
	}
	runes := []rune(s)
	return string(runes[len(runes)-1])
}

// add adds to a count under a key, if it is one.
func (o object) add(key string, n int) {
	if _, ok := o[key]; ok {
		o[key] = o.number(key) + n
	}
}

// answeredWhole is a mutant that does not stream in a format.
func answeredWhole(path string) wrap {
	return onAskedAt(path, func(o object) {
		delete(o, "stream")
		delete(o, "stream_options")
	})
}

// answeredAsStream is a mutant that streams in a format although it was not asked
// to.
func answeredAsStream(path string) wrap {
	return onAskedAt(path, func(o object) {
		if o["stream"] == nil {
			o["stream"] = true
		}
	})
}
