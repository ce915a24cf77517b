package server_test

import (
	"context"
	"encoding/json"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plumbline.dev/plumbline/fakegpu/control"
	"plumbline.dev/plumbline/fakegpu/server"
)

// An abort is seen while the request waits at a gate and no token flows.
func TestAbortAtGate(t *testing.T) {
	r := newRig(t, server.Options{})
	nonce := r.register(control.Script{}.Tokens("one", " two").Gate("middle").Tokens(" three"))
	conn := r.open("/v1/chat/completions", chat(nonce, streamed+`,"stream_options":{"include_usage":true}`))
	j, err := r.control.Await(r.ctx, nonce, control.Condition{Gate: "middle"})
	require.NoError(t, err)
	require.Len(t, j.Requests, 1)
	assert.Equal(t, 2, j.Requests[0].Generated)
	assert.Equal(t, control.EndingRunning, j.Requests[0].Ending)
	assert.True(t, j.Requests[0].IncludeUsage)
	require.NoError(t, conn.Close())
	record := r.ended(nonce)
	assert.Equal(t, control.EndingAborted, record.Ending)
	assert.Equal(t, 2, record.Generated)
	assert.Empty(t, record.AtGate)
	// Every time stands on one clock, in order.
	times := append([]int64{record.ReceivedAt}, record.TokenTimes...)
	times = append(times, record.EndedAt)
	for i := 1; i < len(times); i++ {
		assert.LessOrEqual(t, times[i-1], times[i])
	}
	assert.Less(t, record.ReceivedAt, record.EndedAt)
}

func TestGateReleasedBeforeArrival(t *testing.T) {
	r := newRig(t, server.Options{})
	s := control.Script{Nonce: newNonce()}.Tokens("a").Gate("g").Tokens("b")
	require.NoError(t, r.control.Release(r.ctx, s.Nonce, "g"), "even before the script is registered")
	require.NoError(t, r.control.Register(r.ctx, s))
	got := r.post("/v1/chat/completions", chat(s.Nonce, streamed))
	assert.Contains(t, got.body, `"content":"b"`)
}

func TestGateReleasedLater(t *testing.T) {
	r := newRig(t, server.Options{})
	nonce := r.register(control.Script{}.Tokens("a").Gate("g").Tokens("b"))
	conn := r.open("/v1/chat/completions", chat(nonce, streamed))
	_, err := r.control.Await(r.ctx, nonce, control.Condition{Gate: "g", Generated: 1})
	require.NoError(t, err)
	require.NoError(t, r.control.Release(r.ctx, nonce, "g"))
	got := r.read(conn)
	require.NoError(t, got.end)
	assert.Contains(t, got.body, `"content":"b"`)
	assert.Equal(t, control.EndingFinished, r.ended(nonce).Ending)
}

func TestAwaitEndsWithItsContext(t *testing.T) {
	r := newRig(t, server.Options{})
	nonce := r.register(control.Script{}.Tokens("a"))
	ctx, cancel := context.WithCancel(r.ctx)
	failed := make(chan error)
	go func() {
		_, err := r.control.Await(ctx, nonce, control.Condition{Requests: 1})
		failed <- err
	}()
	cancel()
	assert.ErrorIs(t, <-failed, context.Canceled)
}

func TestAwaitOneOfSeveralRequests(t *testing.T) {
	r := newRig(t, server.Options{})
	nonce := r.register(control.Script{}.Tokens("a"))
	for range 2 {
		r.post("/v1/chat/completions", chat(nonce, streamed))
	}
	j, err := r.control.Await(r.ctx, nonce, control.Condition{Requests: 2, Request: 2, Ended: true})
	require.NoError(t, err)
	assert.Equal(t, control.EndingFinished, j.Requests[1].Ending)
	assert.NotEqual(t, j.Requests[0].ID, j.Requests[1].ID)
}

func TestForget(t *testing.T) {
	r := newRig(t, server.Options{})
	nonce := r.register(control.Script{}.Tokens("scripted"))
	_, err := r.control.Journal(r.ctx, nonce)
	require.NoError(t, err)
	require.NoError(t, r.control.Forget(r.ctx, nonce))
	_, err = r.control.Journal(r.ctx, nonce)
	assert.True(t, control.IsUnknownNonce(err), "%v", err)
	got := r.post("/v1/chat/completions", chat(nonce, streamed))
	assert.NotContains(t, got.body, "scripted", "the steady engine answers")
	assert.False(t, r.ended(nonce).Scripted)
}

func TestClockOffset(t *testing.T) {
	r := newRig(t, server.Options{})
	offset, bound, err := r.control.ClockOffset(r.ctx)
	require.NoError(t, err)
	assert.LessOrEqual(t, offset.Abs(), bound+time.Millisecond, "one machine has one clock")
}

func TestTokenLimits(t *testing.T) {
	stopped := func(reason string) string { return `"finish_reason":"` + reason + `"` }
	for name, tc := range map[string]struct {
		script control.Script
		extra  string
		text   string
		reason string
		count  int
	}{
		"below max_tokens":            {control.Script{}.Tokens("a", "b"), `,"max_tokens":3`, "ab", "stop", 2},
		"at max_tokens":               {control.Script{}.Tokens("a", "b"), `,"max_tokens":2`, "ab", "length", 2},
		"beyond max_tokens":           {control.Script{}.Tokens("a", "b", "c"), `,"max_tokens":2`, "ab", "length", 2},
		"max_completion_tokens":       {control.Script{}.Tokens("a", "b", "c"), `,"max_completion_tokens":1`, "a", "length", 1},
		"max_tokens before a gate":    {control.Script{}.Tokens("a", "b").Gate("g").Tokens("c"), `,"max_tokens":2`, "ab", "length", 2},
		"a finish of the script":      {control.Script{}.Tokens("a").Finish("length"), ``, "a", "length", 1},
		"stop inside a token":         {control.Script{}.Tokens("a", "bXc", "d"), `,"stop":"X"`, "ab", "stop", 2},
		"stop across tokens":          {control.Script{}.Tokens("a", "bE", "ND", "d"), `,"stop":["END"]`, "ab", "stop", 3},
		"a beginning of a stop only":  {control.Script{}.Tokens("a", "EN"), `,"stop":["END"]`, "aEN", "stop", 2},
		"held back up to max_tokens":  {control.Script{}.Tokens("EN", "x"), `,"stop":["END"],"max_tokens":1`, "EN", "length", 1},
		"the script's own count wins": {control.Script{PromptTokens: 77}.Tokens("a"), ``, "a", "stop", 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, server.Options{})
			nonce := r.register(tc.script)
			got := r.post("/v1/chat/completions", chat(nonce, streamed+tc.extra+`,"stream_options":{"include_usage":true}`))
			require.NoError(t, got.end)
			reply := decodeStream(t, got)
			assert.Equal(t, tc.text, reply.text[0])
			assert.Contains(t, got.body, stopped(tc.reason))
			assert.Equal(t, tc.count, reply.usage.Completion)
			assert.True(t, strings.HasSuffix(got.body, "data: [DONE]\n\n"))
			record := r.ended(nonce)
			assert.Equal(t, tc.count, record.Generated)
			assert.Equal(t, record.PromptTokens, reply.usage.Prompt)
			if tc.script.PromptTokens > 0 {
				assert.Equal(t, tc.script.PromptTokens, reply.usage.Prompt)
			}
			// The reply that is not streamed says the same.
			whole := r.post("/v1/chat/completions", chat(nonce, tc.extra))
			assert.Equal(t, tc.text, wholeText(t, whole))
			assert.Contains(t, whole.body, stopped(tc.reason))
		})
	}
}

// A fault that needs no further token is played although max_tokens is reached.
func TestFaultAtMaxTokens(t *testing.T) {
	r := newRig(t, server.Options{})
	got := r.play(control.Script{}.Tokens("a", "b").Then(control.Step{Reset: true}), `,"max_tokens":2`)
	assert.True(t, isReset(got.end), "%v", got.end)
}

func TestChoicesAreInterleaved(t *testing.T) {
	r := newRig(t, server.Options{})
	nonce := r.register(control.Script{}.Tokens("a", "b"))
	got := r.post("/v1/chat/completions", chat(nonce, streamed+`,"n":2,"stream_options":{"include_usage":true}`))
	var order []int
	for _, e := range got.events() {
		var c struct {
			Choices []struct{ Index int }
		}
		if json.Unmarshal([]byte(e), &c) == nil && len(c.Choices) == 1 {
			order = append(order, c.Choices[0].Index)
		}
	}
	assert.Equal(t, []int{0, 1, 0, 1, 0, 1, 0, 1}, order, "role, a, b, finish of both")
	reply := decodeStream(t, got)
	assert.Equal(t, []string{"ab", "ab"}, reply.text[:2])
	assert.Equal(t, 4, reply.usage.Completion)
	assert.Equal(t, 4, r.ended(nonce).Generated)
}

func TestDeltas(t *testing.T) {
	r := newRig(t, server.Options{})
	delta := func(s string) control.Step { return control.Step{Delta: &control.Delta{JSON: json.RawMessage(s)}} }
	nonce := r.register(control.Script{}.Then(
		delta(`{"reasoning_content":"let me "}`), delta(`{"reasoning_content":"see"}`),
		delta(`{"tool_calls":[{"index":0,"id":"call_1","type":"function","function":{"name":"f","arguments":""}}]}`),
		delta(`{"tool_calls":[{"index":0,"function":{"arguments":"{\"a\""}}]}`),
		delta(`{"tool_calls":[{"index":0,"function":{"arguments":":1}"}}]}`),
	).Finish("tool_calls"))
	got := r.post("/v1/chat/completions", chat(nonce, streamed))
	assert.Contains(t, got.body, `"delta":{"reasoning_content":"let me "}`)
	assert.Equal(t, 5, r.ended(nonce).Generated)

	whole := r.post("/v1/chat/completions", chat(nonce, ""))
	var reply struct {
		Choices []struct {
			Message json.RawMessage
			Finish  string `json:"finish_reason"`
		}
	}
	require.NoError(t, json.Unmarshal([]byte(whole.body), &reply))
	assert.JSONEq(t, `{"role":"assistant","content":null,"reasoning_content":"let me see","tool_calls":[
		{"id":"call_1","type":"function","function":{"name":"f","arguments":"{\"a\":1}"}}]}`, string(reply.Choices[0].Message))
	assert.Equal(t, "tool_calls", reply.Choices[0].Finish)
}

func TestRepliesThatAreNotStreamedFail(t *testing.T) {
	for name, tc := range map[string]struct {
		step  control.Step
		check func(t *testing.T, r *result)
	}{
		"error": {control.Step{Error: &control.ErrorObject{Message: "OOM"}}, func(t *testing.T, r *result) {
			assert.Equal(t, 500, r.status)
			assert.Equal(t, `{"error":{"message":"OOM"}}`, r.body)
		}},
		"reset": {control.Step{Reset: true}, func(t *testing.T, r *result) {
			assert.Zero(t, r.status)
			assert.True(t, isReset(r.end), "%v", r.end)
		}},
		"cut": {control.Step{Cut: true}, func(t *testing.T, r *result) {
			assert.Equal(t, 200, r.status)
			assert.NotEmpty(t, r.body)
			assert.False(t, json.Valid([]byte(r.body)))
			assert.True(t, isCut(r.end), "%v", r.end)
		}},
		"close": {control.Step{Close: true}, func(t *testing.T, r *result) { assert.True(t, isCut(r.end), "%v", r.end) }},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, server.Options{})
			nonce := r.register(control.Script{}.Tokens("a").Then(tc.step))
			tc.check(t, r.post("/v1/chat/completions", chat(nonce, "")))
			assert.Equal(t, control.EndingFailed, r.ended(nonce).Ending)
		})
	}
}

// The nonce is found whatever the format of the request around it.
func TestMarkerInAnyFormat(t *testing.T) {
	r := newRig(t, server.Options{})
	nonce := r.register(control.Script{}.Tokens("scripted"))
	old := control.Marker("oldnonce00000000000000")
	for name, request := range map[string]struct{ path, body string }{
		"text completion": {"/v1/completions", `{"stream":true,"prompt":"x ` + control.Marker(nonce) + `"}`},
		"content parts":   {"/v1/chat/completions", `{"stream":true,"messages":[{"role":"user","content":[{"type":"text","text":"` + control.Marker(nonce) + `"}]}]}`},
		"the last marker": {"/v1/chat/completions", `{"stream":true,"messages":[{"role":"user","content":"` + old + `"},{"role":"user","content":"` + control.Marker(nonce) + `"}]}`},
	} {
		t.Run(name, func(t *testing.T) {
			assert.Contains(t, r.post(request.path, request.body).body, "scripted")
		})
	}
}

func TestListenErrors(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	_, err = server.Listen(context.Background(), l.Addr().String(), server.Options{})
	require.ErrorContains(t, err, "another process uses this address already")
	_, err = server.Listen(context.Background(), "127.0.0.1:0", server.Options{Dialect: "vlm"})
	require.ErrorContains(t, err, `dialect "vlm" is unknown`)
	require.ErrorContains(t, err, `did you mean "vllm"?`)
	_, err = server.New(server.Options{TTFT: -1})
	require.ErrorContains(t, err, "time to first token")
}
