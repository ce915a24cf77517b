package check

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"plumbline.dev/plumbline/conformance/wire"
)

const (
	testID   = "chatcmpl-1e3a5c7b9d0f2a4c6e8b0d1f"
	testTime = 1767225600
)

// envelope is a chunk of the test reply with these choices and more fields.
func envelope(choices, more string) string {
	return fmt.Sprintf(`data: {"id":%q,"object":"chat.completion.chunk","created":%d,"model":"m","choices":[%s]%s}`+"\n\n", testID, testTime, choices, more)
}

// choice is one choice of a chunk; finish is JSON.
func choice(index int, delta, finish string) string {
	return fmt.Sprintf(`{"index":%d,"delta":%s,"finish_reason":%s}`, index, delta, finish)
}

// The events of the test reply, with usage asked for.
var (
	role   = envelope(choice(0, `{"role":"assistant","content":""}`, "null"), `,"usage":null`)
	hello  = envelope(choice(0, `{"content":"Hello"}`, "null"), `,"usage":null`)
	world  = envelope(choice(0, `{"content":" wörld"}`, "null"), `,"usage":null`)
	finish = envelope(choice(0, `{}`, `"stop"`), `,"usage":null`)
	usage  = envelope("", `,"usage":{"prompt_tokens":9,"completion_tokens":2,"total_tokens":11}`)
	done   = "data: [DONE]\n\n"
	failed = `data: {"error":{"message":"The model server failed.","type":"upstream_error","param":null,"code":null}}` + "\n\n"
)

var (
	asked   = Ask{IncludeUsage: true, Now: time.Unix(testTime+5, 0)}
	unasked = Ask{Now: time.Unix(testTime+5, 0)}
)

// without returns what the events are where usage was not asked for.
func without(events ...string) []string {
	for i := range events {
		events[i] = strings.Replace(events[i], `,"usage":null`, "", 1)
	}
	return events
}

// transcript is a good answer with this body, read in one go, that ends cleanly.
func transcript(body string) *wire.Transcript {
	return &wire.Transcript{
		Status: http.StatusOK, Proto: "HTTP/1.1", HeaderAt: 10 * time.Millisecond, ContentLength: -1,
		Header: http.Header{
			"Content-Type":        {"text/event-stream; charset=utf-8"},
			"Cache-Control":       {"no-cache, no-transform"},
			"X-Accel-Buffering":   {"no"},
			"X-Mortar-Request-Id": {testID},
		},
		Body:  []byte(body),
		Reads: []wire.Read{{End: len(body), At: 20 * time.Millisecond}},
		End:   wire.EndClean, EndAt: 30 * time.Millisecond,
	}
}

// answer is a good answer whose body is these events.
func answer(events ...string) *wire.Transcript { return transcript(strings.Join(events, "")) }

// names returns the rules that found something, each once and in order.
func names(found []Finding) []string {
	var out []string
	for _, f := range found {
		out = append(out, f.Rule)
	}
	slices.Sort(out)
	return slices.Compact(out)
}
