package gateway

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plumbline.dev/plumbline/fakegpu/control"
	"plumbline.dev/plumbline/reference/config"
	"plumbline.dev/plumbline/reference/generation"
)

func TestStream(t *testing.T) {
	r := newRig(t, nil)
	hello := control.Script{PromptTokens: 12}.Tokens("Hé", "llo \"x\"\n")
	tests := []struct {
		name   string
		script control.Script
		more   string
		want   string
		ending generation.Ending
	}{
		{
			"with usage", hello, `"stream_options":{"include_usage":true}`,
			`{"index":0,"delta":{"role":"assistant","content":""},"usage":null}
{"index":0,"delta":{"content":"Hé"},"usage":null}
{"index":0,"delta":{"content":"llo \"x\"\n"},"usage":null}
{"index":0,"delta":{},"logprobs":null,"finish_reason":"stop"}],"usage":null}
],"usage":{"prompt_tokens":12,"completion_tokens":2,"total_tokens":14,"prompt_tokens_details":{"cached_tokens":0},"completion_tokens_details":{"reasoning_tokens":0}}}
data: [DONE]
`, generation.Finished,
		},
		{
			"without usage", hello, "",
			`{"index":0,"delta":{"role":"assistant","content":""}}
{"index":0,"delta":{"content":"Hé"}}
{"index":0,"delta":{"content":"llo \"x\"\n"}}
{"index":0,"delta":{},"logprobs":null,"finish_reason":"stop"}]}
data: [DONE]
`, generation.Finished,
		},
		{
			"overrun", control.Script{IgnoreMaxTokens: true}.Tokens("a", "b", "c", "d"), `"max_tokens":2,"stream_options":{"include_usage":false}`,
			`{"index":0,"delta":{"role":"assistant","content":""}}
{"index":0,"delta":{"content":"a"}}
{"index":0,"delta":{"content":"b"}}
{"index":0,"delta":{},"logprobs":null,"finish_reason":"length"}]}
data: [DONE]
`, generation.Overrun,
		},
		{
			"reset in the middle", control.Script{}.Tokens("a").Then(control.Step{Reset: true}), `"stream_options":{"include_usage":true}`,
			`{"index":0,"delta":{"role":"assistant","content":""},"usage":null}
{"index":0,"delta":{"content":"a"},"usage":null}
data: {"error":{"message":"The model server closed the connection before the reply was complete.","type":"upstream_error","param":null,"code":"model_server_disconnected"}}
`, generation.Failed,
		},
		{
			"error event and [DONE]", control.Script{}.Tokens("a").Then(control.Step{Error: &control.ErrorObject{Message: "CUDA at 10.1.2.3, key sk-1"}}, control.Step{Done: true}), "",
			`{"index":0,"delta":{"role":"assistant","content":""}}
{"index":0,"delta":{"content":"a"}}
data: {"error":{"message":"The model server reported an error.","type":"upstream_error","param":null,"code":"model_server_error"}}
`, generation.Failed,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			resp := r.complete(body(r.script(tt.script), tt.more))
			got, err := read(resp)
			require.NoError(t, err)
			assert.Equal(t, tt.want, plain(got))
			assert.Equal(t, http.StatusOK, resp.StatusCode)
			for name, want := range map[string]string{
				"Content-Type": "text/event-stream; charset=utf-8", "Cache-Control": "no-cache, no-transform", "X-Accel-Buffering": "no",
				"Content-Length": "", "Content-Encoding": "", "Access-Control-Expose-Headers": "X-Mortar-Request-Id, Retry-After",
			} {
				assert.Equal(t, want, resp.Header.Get(name), name)
			}
			id := resp.Header.Get(generation.RequestIDHeader)
			assert.Regexp(t, `^chatcmpl-[0-9a-f]{24}$`, id)
			assert.Equal(t, strings.Count(got, `"id":`), strings.Count(got, `"id":"`+id+`"`))
			s := <-r.settled
			assert.Equal(t, tt.ending, s.Ending)
			assert.Equal(t, "gpu-0", s.Server)
		})
	}
}

func TestRefusalsOfTheModelServer(t *testing.T) {
	r := newRig(t, nil)
	tests := []struct {
		name   string
		answer control.HTTPAnswer
		status int
		code   string
	}{
		{"500", control.HTTPAnswer{Status: 500, Body: `{"error":{"message":"at 10.0.0.1"}}`}, 502, "model_server_error"},
		{"503", control.HTTPAnswer{Status: 503, Headers: map[string]string{"Retry-After": "7"}}, 503, "model_server_error"},
		{"context length", control.HTTPAnswer{Status: 400, Body: `{"error":{"code":"context_length_exceeded"}}`}, 400, "context_length_exceeded"},
		{"200 HTML", control.HTTPAnswer{Status: 200, Headers: map[string]string{"Content-Type": "text/html"}, Body: "<html>"}, 502, "malformed_reply"},
	}
	for _, tt := range tests {
		for _, stream := range []string{"true", "false"} {
			t.Run(tt.name+"/stream "+stream, func(t *testing.T) {
				answer := tt.answer
				nonce := r.script(control.Script{HTTP: &answer})
				resp := r.complete(strings.Replace(body(nonce, ""), `"stream":true`, `"stream":`+stream, 1))
				got, err := read(resp)
				require.NoError(t, err)
				assert.Equal(t, tt.status, resp.StatusCode)
				assert.Equal(t, "application/json", resp.Header.Get("Content-Type"))
				assert.Regexp(t, `^chatcmpl-`, resp.Header.Get(generation.RequestIDHeader))
				var envelope struct {
					Error struct{ Message, Code string }
				}
				require.NoError(t, json.Unmarshal([]byte(got), &envelope))
				assert.Equal(t, tt.code, envelope.Error.Code)
				assert.NotContains(t, got, "10.0.0.1")
				assert.Equal(t, generation.Failed, (<-r.settled).Ending)
			})
		}
	}
}

func TestNotStreamed(t *testing.T) {
	r := newRig(t, nil)
	unstreamed := func(nonce, more string) string {
		return strings.Replace(body(nonce, more), `"stream":true,`, "", 1)
	}
	t.Run("whole", func(t *testing.T) {
		resp := r.complete(unstreamed(r.script(control.Script{PromptTokens: 3}.Tokens("a\"", "é")), ""))
		got, err := read(resp)
		require.NoError(t, err)
		assert.Equal(t, `{‹head›,"choices":[{"index":0,"message":{"role":"assistant","content":"a\"é","refusal":null},"logprobs":null,"finish_reason":"stop"}],"usage":{"prompt_tokens":3,"completion_tokens":2,"total_tokens":5,"prompt_tokens_details":{"cached_tokens":0},"completion_tokens_details":{"reasoning_tokens":0}}}`+"\n", plain(got))
		assert.Contains(t, got, resp.Header.Get(generation.RequestIDHeader))
		<-r.settled
	})
	t.Run("failure", func(t *testing.T) {
		resp := r.complete(unstreamed(r.script(control.Script{}.Tokens("a").Then(control.Step{Cut: true})), ""))
		got, err := read(resp)
		require.NoError(t, err)
		assert.Equal(t, http.StatusBadGateway, resp.StatusCode)
		assert.Contains(t, got, `"type":"upstream_error"`)
		assert.EqualValues(t, 1, (<-r.settled).Generated)
	})
	t.Run("client leaves", func(t *testing.T) {
		nonce := r.script(control.Script{}.Tokens("a").Gate("g").Tokens("b"))
		ctx, leave := context.WithCancel(t.Context())
		go func() { r.atGate(nonce, "g"); leave() }()
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, r.base+"/v1/chat/completions", strings.NewReader(unstreamed(nonce, "")))
		require.NoError(t, err)
		req.Header.Set("Authorization", "Bearer "+key1)
		_, err = r.client.Do(req)
		require.ErrorIs(t, err, context.Canceled)
		assert.Equal(t, control.EndingAborted, r.ended(nonce).Ending)
		assert.Equal(t, generation.Disconnected, (<-r.settled).Ending)
	})
}

func TestDisconnectReachesTheModelServerWhileNothingFlows(t *testing.T) {
	for _, hold := range []bool{false, true} {
		r := newRig(t, nil)
		script := control.Script{HoldHeaders: hold}
		if !hold {
			script = script.Tokens("a", "b")
		}
		nonce := r.script(script.Gate("g").Tokens("c"))
		ctx, leave := context.WithCancel(t.Context())
		resp := r.send(ctx, http.MethodPost, "/v1/chat/completions", key1, body(nonce, ""))
		r.atGate(nonce, "g")
		leave()
		_, err := read(resp)
		require.Error(t, err)
		record := r.ended(nonce)
		assert.Equal(t, control.EndingAborted, record.Ending)
		s := <-r.settled
		assert.Equal(t, generation.Disconnected, s.Ending)
		assert.EqualValues(t, record.Generated, s.Generated)
	}
}

// A client that shuts down its side alone has left, as far as a server can
// tell, but it may still read: it must not see an end that looks like success.
func TestHalfCloseSeesNoCleanEnd(t *testing.T) {
	r := newRig(t, nil)
	nonce := r.script(control.Script{}.Tokens("a").Gate("g").Tokens("b"))
	conn, err := net.Dial("tcp", strings.TrimPrefix(r.base, "http://"))
	require.NoError(t, err)
	defer conn.Close()
	request := body(nonce, "")
	_, err = fmt.Fprintf(conn, "POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\nContent-Length: %d\r\n\r\n%s", key1, len(request), request)
	require.NoError(t, err)
	r.atGate(nonce, "g")
	until(t, conn, `"content":"a"`)
	require.NoError(t, conn.(*net.TCPConn).CloseWrite())
	rest, _ := io.ReadAll(conn)
	assert.NotContains(t, string(rest), "\r\n0\r\n\r\n", "the final HTTP chunk")
	assert.Equal(t, control.EndingAborted, r.ended(nonce).Ending)
	assert.Equal(t, generation.Disconnected, (<-r.settled).Ending)
}

func TestDrainLimitEndsRepliesWithAnError(t *testing.T) {
	r := newRig(t, func(c *config.Config) { c.Limits.Drain = 0 })
	nonce := r.script(control.Script{}.Tokens("a").Gate("g").Tokens("b"))
	resp := r.complete(body(nonce, ""))
	r.atGate(nonce, "g")
	r.cancel() // the drain limit is none: the reply ends with an error event
	got, err := read(resp)
	require.NoError(t, err)
	assert.Contains(t, got, `"type":"service_unavailable_error"`)
	assert.NotContains(t, got, "[DONE]")
	assert.Equal(t, generation.ShutDown, (<-r.settled).Ending)
}

func TestDrainLetsRepliesEnd(t *testing.T) {
	r := newRig(t, nil)
	nonce := r.script(control.Script{}.Tokens("a").Gate("g").Tokens("b"))
	resp := r.complete(body(nonce, ""))
	r.atGate(nonce, "g")
	r.cancel()
	require.NoError(t, r.gpu.Release(t.Context(), nonce, "g"))
	got, err := read(resp)
	require.NoError(t, err)
	assert.Contains(t, got, `"content":"b"`)
	assert.True(t, strings.HasSuffix(got, "data: [DONE]\n\n"))
}

func TestPingsBetweenEvents(t *testing.T) {
	r := newRig(t, func(c *config.Config) { c.Intervals.Ping = 20 * time.Millisecond })
	nonce := r.script(control.Script{}.Gate("start").Tokens("a").Gate("middle").Tokens("b"))
	resp := r.complete(body(nonce, ""))
	lines := bufio.NewReader(resp.Body)
	pings := func() {
		for {
			line, err := lines.ReadString('\n')
			require.NoError(t, err)
			if line == ": ping\n" {
				blank, err := lines.ReadString('\n')
				require.NoError(t, err)
				require.Equal(t, "\n", blank)
				return
			}
		}
	}
	pings()
	pings()
	require.NoError(t, r.gpu.Release(t.Context(), nonce, "start"))
	r.atGate(nonce, "middle")
	for {
		line, err := lines.ReadString('\n')
		require.NoError(t, err)
		if strings.Contains(line, `"a"`) {
			break
		}
	}
	pings()
	require.NoError(t, r.gpu.Release(t.Context(), nonce, "middle"))
	rest, err := io.ReadAll(lines)
	require.NoError(t, err)
	assert.True(t, strings.HasSuffix(string(rest), "data: [DONE]\n\n"))
}

func TestHeadDoesNotWaitForTheModelServer(t *testing.T) {
	r := newRig(t, func(c *config.Config) { c.Intervals.Ping = 30 * time.Millisecond })
	nonce := r.script(control.Script{HoldHeaders: true}.Gate("g").Tokens("a"))
	resp := r.complete(body(nonce, "")) // returns: the head has left although no token has
	j, err := r.gpu.Journal(t.Context(), nonce)
	require.NoError(t, err)
	assert.Zero(t, j.Requests[0].Generated)
	require.NoError(t, r.gpu.Release(t.Context(), nonce, "g"))
	got, err := read(resp)
	require.NoError(t, err)
	assert.Contains(t, got, "[DONE]")
}

func TestSlowReaderHoldsNobodyBack(t *testing.T) {
	r := newRig(t, nil)
	big := strings.Repeat("x", 64<<10)
	flood := control.Script{}
	for range 100 {
		flood = flood.Tokens(big)
	}
	r.complete(body(r.script(flood), "")) // nobody reads this one
	for range 20 {
		got, err := read(r.complete(body(r.script(control.Script{}.Tokens("a")), "")))
		require.NoError(t, err)
		require.Contains(t, got, "[DONE]")
	}
}

func TestSampleModel(t *testing.T) {
	r := newRig(t, func(c *config.Config) { c.Models[0].ModelServers = nil })
	got, err := read(r.complete(body("none", `"max_tokens":3,"n":2`)))
	require.NoError(t, err)
	assert.Equal(t, 2, strings.Count(got, `"finish_reason":"length"`))
	assert.True(t, strings.HasSuffix(got, "data: [DONE]\n\n"))
	s := <-r.settled
	assert.EqualValues(t, 6, s.Usage.CompletionTokens)
	assert.True(t, s.Usage.Estimated)

	long := `{"stream":true,"messages":[{"role":"user","content":"` + strings.Repeat("word ", 40000) + `"}]}`
	resp := r.complete(long)
	got, err = read(resp)
	require.NoError(t, err)
	assert.Equal(t, http.StatusBadRequest, resp.StatusCode)
	assert.Contains(t, got, "context_length_exceeded")
}

func TestNotholyAlwaysSendsUsage(t *testing.T) {
	r := newRig(t, func(c *config.Config) { c.Listeners[0].Profile = config.ProfileNotholy })
	got, err := read(r.complete(body(r.script(control.Script{PromptTokens: 4}.Tokens("a")), "")))
	require.NoError(t, err)
	assert.Contains(t, got, `"choices":[],"usage":{"prompt_tokens":4,`)
}
