package check

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"plumbline.dev/plumbline/conformance/wire"
)

// message is the failed event with this message, as JSON.
func message(m string) string {
	return strings.Replace(failed, `"The model server failed."`, m, 1)
}

func TestFailedStreams(t *testing.T) {
	tests := map[string]struct {
		events []string
		end    wire.End
		want   []string
	}{
		"good":                      {events: []string{role, hello, failed}},
		"good, before any token":    {events: []string{failed}},
		"good, behind the finish":   {events: []string{role, hello, finish, failed}},
		"good, then reset":          {events: []string{role, hello, failed}, end: wire.EndReset},
		"good, then cut":            {events: []string{role, hello, failed}, end: wire.EndCut},
		"no error event":            {events: []string{role, hello}, want: []string{"OneErrorEvent"}},
		"a good end instead":        {events: []string{role, hello, finish, usage, done}, want: []string{"NoDone", "OneErrorEvent"}},
		"[DONE] after it":           {events: []string{role, hello, failed, done}, want: []string{"NoDone"}},
		"two error events":          {events: []string{role, hello, failed, failed}, want: []string{"OneErrorEvent"}},
		"finish after it":           {events: []string{role, hello, failed, finish}, want: []string{"NothingAfterError"}},
		"usage after it":            {events: []string{role, hello, failed, usage}, want: []string{"NothingAfterError"}},
		"text after it":             {events: []string{role, failed, hello}, want: []string{"NothingAfterError"}},
		"garbage after it":          {events: []string{role, failed, "data: oops\n\n"}, want: []string{"DataJSON", "NothingAfterError"}},
		"another type":              {events: []string{role, strings.Replace(failed, "upstream_error", "server_error", 1)}, want: []string{"OneErrorEvent"}},
		"no type":                   {events: []string{role, strings.Replace(failed, `"type":"upstream_error",`, "", 1)}, want: []string{"OneErrorEvent"}},
		"error is a text":           {events: []string{role, `data: {"error":"upstream_error"}` + "\n\n"}, want: []string{"ErrorMessage", "OneErrorEvent"}},
		"an event named error":      {events: []string{role, "event: error\n" + failed}, want: []string{"UnnamedEvents"}},
		"a field named error":       {events: []string{role, "error: " + strings.TrimPrefix(failed, "data: ")}, want: []string{"OneErrorEvent", "OnlyComments"}},
		"in a comment":              {events: []string{role, ": error\n\n"}, want: []string{"OneErrorEvent"}},
		"beside empty choices":      {events: []string{role, `data: {"choices":[],"error":{"message":"m","type":"upstream_error"}}` + "\n\n"}},
		"the connection stays open": {events: []string{role, failed}, end: wire.EndTimeout, want: []string{"ErrorCloses"}},
		"an empty message":          {events: []string{role, message(`" "`)}, want: []string{"ErrorMessage"}},
		"a message that is null":    {events: []string{role, message(`null`)}, want: []string{"ErrorMessage"}},
		"an open event":             {events: []string{role, failed[:len(failed)-1]}, want: []string{"EventsTerminated", "OneErrorEvent"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			tr := answer(tt.events...)
			if tt.end != "" {
				tr.End, tr.EndError = tt.end, "words"
			}
			found := Judge(ParseChat(tr, Ask{IncludeUsage: true}), FailedRules())
			assert.Equal(t, tt.want, names(found))
			wellFormed(t, found)
		})
	}
}

func TestErrorMessageClean(t *testing.T) {
	clean := []string{
		"The model server failed.", "upstream closed the stream after 12 tokens (reset)", "status: 502", "error 500: overloaded",
		"stopped at 12:30:45 of 2026-11-30", "input and/or output too long", "retry in 1.5 s", "POST /v1/chat/completions failed",
		"reply " + testID + " is incomplete", "looked at tokens (12) again", "Model Qwen/Qwen2.5-7B-Instruct is overloaded.",
	}
	leaking := map[string]string{
		"a URL":           "Post \"http://vllm/generate\": EOF",
		"an address":      "dial tcp 10.0.3.7: connection refused",
		"a port":          "connect ECONNREFUSED vllm-0:8000",
		"a host and port": "lookup gpu7.example.com:443",
		"localhost":       "localhost refused",
		"a cluster name":  "no such host vllm.models.svc",
		"IPv6":            "dial tcp [::1] refused",
		"a path":          "open /srv/models/qwen: no such file",
		"a Go stack":      "panic: oops goroutine 7",
		"a Go file":       "relay.go:112 EOF",
		"a Python stack":  "Traceback (most recent call last)",
		"a Node stack":    "at Server.emit (node:events)",
		"a key":           "bad key sk-abcdefgh12345678",
		"a bearer":        "sent Bearer abc123",
		"a token":         "with 0123456789abcdef0123456789abcdef",
		"our key":         "key geheim is wrong",
	}
	judge := func(m string) []string {
		ask := Ask{Keys: []string{"geheim"}}
		found := ParseChat(answer(role, message(quoted(m))), ask).ErrorMessageClean()
		for _, f := range found {
			assert.NotContains(t, f.Seen, "geheim")
			assert.NotContains(t, f.Seen, "sk-abc")
		}
		return names(found)
	}
	for _, m := range clean {
		assert.Empty(t, judge(m), m)
	}
	for name, m := range leaking {
		assert.Equal(t, []string{"ErrorMessageClean"}, judge(m), name)
	}
}

// quoted writes s as a JSON string.
func quoted(s string) string { return `"` + strings.ReplaceAll(s, `"`, `\"`) + `"` }

func TestStoppedStreams(t *testing.T) {
	tests := map[string]struct {
		events []string
		ask    Ask
		want   []string
	}{
		"good":               {events: []string{role, hello, usage, done}, ask: asked},
		"good, at once":      {events: []string{usage, done}, ask: asked},
		"good, unasked":      {events: append(without(role, hello), done), ask: unasked},
		"a finish chunk":     {events: []string{role, hello, finish, usage, done}, ask: asked, want: []string{"NoFinish"}},
		"no usage":           {events: []string{role, hello, done}, ask: asked, want: []string{"UsageLast"}},
		"no usage, no chunk": {events: []string{done}, ask: asked, want: []string{"UsageLast"}},
		"usage unasked":      {events: append(without(role, hello), usage, done), ask: unasked, want: []string{"NoEmptyChoices", "NoUsage"}},
		"no [DONE]":          {events: []string{role, hello, usage}, ask: asked, want: []string{"DoneOnce"}},
		"an error":           {events: []string{role, hello, failed, usage, done}, ask: asked, want: []string{"NoErrorKey"}},
		"text after [DONE]":  {events: []string{role, usage, done, hello}, ask: asked, want: []string{"DoneLast"}},
		"a stopped reason":   {events: []string{role, strings.Replace(finish, `"stop"`, `"cancelled"`, 1), usage, done}, ask: asked, want: []string{"FinishKey", "NoFinish"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			found := Judge(ParseChat(answer(tt.events...), tt.ask), StoppedRules())
			assert.Equal(t, tt.want, names(found))
			wellFormed(t, found)
		})
	}
}

func TestStopAnswer(t *testing.T) {
	good := `{"id":"` + testID + `","object":"generation","status":"stopped"}`
	tests := map[string]struct {
		status int
		body   string
		want   int
	}{
		"good":           {200, good, 0},
		"created":        {201, good, 1},
		"another id":     {200, strings.Replace(good, "0d1f", "0000", 1), 1},
		"another status": {200, strings.Replace(good, "stopped", "running", 1), 1},
		"no object":      {200, `{"id":"` + testID + `","status":"stopped"}`, 1},
		"empty":          {200, "", 1},
		"a list":         {200, "[" + good + "]", 1},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			found := StopAnswer(jsonAnswer(tt.status, tt.body), testID)
			assert.Len(t, found, tt.want)
			wellFormed(t, found)
		})
	}
}

// jsonAnswer is an answer of one document.
func jsonAnswer(status int, body string) *wire.Transcript {
	tr := transcript(body)
	tr.Status = status
	tr.Header.Set("Content-Type", "application/json")
	tr.ContentLength = int64(len(body))
	return tr
}
