package gateway

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"

	"plumbline.dev/plumbline/fakegpu/control"
	"plumbline.dev/plumbline/reference/config"
	"plumbline.dev/plumbline/reference/generation"
)

// formatCase asks for the same in one format, and reads the same of its reply.
type formatCase struct {
	name, path, body string // the body has a place for "stream" and the prompt
	id               string // prefix
	read             func(t *testing.T, streamed bool, reply string) truth
	failure          string // what a failure in the stream says, once
	success          []string
}

// truth is what all formats have to agree about.
type truth struct {
	text, end          string
	prompt, completion int64
}

var formatCases = []formatCase{
	{
		"chat", "/v1/chat/completions", `{"stream":%s,"max_tokens":16,"messages":[{"role":"user","content":%p}]}`, "chatcmpl-", readChat,
		`data: {"error":{"message":`, []string{"[DONE]", `"finish_reason":"`},
	},
	{
		"text", "/v1/completions", `{"stream":%s,"max_tokens":16,"prompt":%p}`, "cmpl-", readChat,
		`data: {"error":{"message":`, []string{"[DONE]", `"finish_reason":"`},
	},
	{
		"responses", "/v1/responses", `{"stream":%s,"max_output_tokens":16,"input":%p}`, "resp_", readResponse,
		"event: response.failed\n", []string{"[DONE]", "response.completed", "response.incomplete"},
	},
	{
		"messages", "/v1/messages", `{"model":"notholy-specter","stream":%s,"max_tokens":16,"messages":[{"role":"user","content":%p}]}`, "msg_", readMessage,
		"event: error\n", []string{"[DONE]", "message_delta", "message_stop"},
	},
}

func (c formatCase) ask(r *rig, nonce, stream string) *http.Response {
	r.Helper()
	return c.askAs(r, key1, nonce, stream)
}

func (c formatCase) askAs(r *rig, key, nonce, stream string, headers ...string) *http.Response {
	r.Helper()
	prompt, err := json.Marshal(secret + " " + control.Marker(nonce))
	require.NoError(r, err)
	body := strings.NewReplacer("%s", stream, "%p", string(prompt)).Replace(c.body)
	return r.send(r.Context(), http.MethodPost, c.path, key, body, append(headers, "anthropic-version", "2023-06-01")...)
}

func newNotholyRig(t *testing.T, change func(*config.Config)) *rig {
	return newRig(t, func(cfg *config.Config) {
		model := config.DefaultModel(config.ProfileNotholy)
		model.ModelServers = cfg.Models[0].ModelServers
		cfg.Models = []config.Model{model}
		cfg.Listeners[0].Profile = config.ProfileNotholy
		cfg.Listeners[0].Models = nil
		if change != nil {
			change(cfg)
		}
	})
}

func TestFormatsTellOneTruth(t *testing.T) {
	r := newNotholyRig(t, nil)
	many := control.Script{}.Tokens(strings.Split(strings.Repeat("x ", 15)+"y z", " ")...)
	for name, c := range map[string]struct {
		script control.Script
		want   truth
	}{
		"to its end":   {control.Script{}.Tokens("Hé", "llo \"x\"\n"), truth{text: "Héllo \"x\"\n", end: "stop", completion: 2}},
		"to the limit": {many, truth{text: strings.Repeat("x", 15) + "y", end: "length", completion: 16}},
		"no text":      {control.Script{}.Then(control.Step{Finish: "stop"}), truth{end: "stop"}},
	} {
		t.Run(name, func(t *testing.T) {
			prompt := int64(0)
			for _, f := range formatCases {
				for _, stream := range []string{"true", "false"} {
					resp := f.ask(r, r.script(c.script), stream)
					reply, err := read(resp)
					require.NoError(t, err)
					require.Equal(t, http.StatusOK, resp.StatusCode, "%s: %s", f.name, reply)
					got := f.read(t, stream == "true", reply)
					if prompt == 0 {
						prompt = got.prompt
					}
					want := c.want
					want.prompt = prompt
					assert.Equal(t, want, got, "%s, stream %s", f.name, stream)
					id := resp.Header.Get(generation.RequestIDHeader)
					assert.Regexp(t, "^"+f.id+"[0-9a-f]{24}$", id)
					assert.Contains(t, reply, id)
					assert.Equal(t, generation.Finished, (<-r.settled).Ending)
				}
			}
			assert.Positive(t, prompt)
		})
	}
}

func TestFormatsTellFailures(t *testing.T) {
	r := newNotholyRig(t, nil)
	for _, f := range formatCases {
		t.Run(f.name, func(t *testing.T) {
			reset := control.Script{}.Tokens("a").Then(control.Step{Reset: true})
			reply, err := read(f.ask(r, r.script(reset), "true"))
			require.NoError(t, err)
			assert.Equal(t, 1, strings.Count(reply, f.failure), reply)
			for _, sign := range f.success {
				assert.NotContains(t, reply, sign)
			}
			before := control.Script{HTTP: &control.HTTPAnswer{Status: 500, Body: "10.0.0.1"}}
			for _, stream := range []string{"true", "false"} {
				resp := f.ask(r, r.script(before), stream)
				reply, err := read(resp)
				require.NoError(t, err)
				assert.GreaterOrEqual(t, resp.StatusCode, 500)
				assert.Equal(t, "application/json", resp.Header.Get("Content-Type"))
				assert.Equal(t, f.name == "messages", gjson.Get(reply, "type").Str == "error", reply)
				assert.NotEmpty(t, gjson.Get(reply, "error.message").Str)
			}
		})
	}
}

func TestFormatsRefuseInTheirOwnForm(t *testing.T) {
	r := newNotholyRig(t, nil)
	for _, f := range formatCases {
		for name, c := range map[string]struct {
			method, key, body string
			status            int
			kind              string // of Anthropic's API
		}{
			"no key":         {http.MethodPost, "", `{}`, 401, "authentication_error"},
			"wrong key":      {http.MethodPost, "sk-wrong", `{}`, 401, "authentication_error"},
			"wrong JSON":     {http.MethodPost, key1, `{`, 400, "invalid_request_error"},
			"wrong request":  {http.MethodPost, key1, `{}`, 400, "invalid_request_error"},
			"another method": {http.MethodGet, key1, "", 405, "invalid_request_error"},
		} {
			t.Run(f.name+"/"+name, func(t *testing.T) {
				resp := r.send(r.Context(), c.method, f.path, c.key, c.body, "anthropic-version", "2026-10-21")
				reply, err := read(resp)
				require.NoError(t, err)
				assert.Equal(t, c.status, resp.StatusCode)
				if f.name == "messages" {
					assert.Equal(t, c.kind, gjson.Get(reply, "error.type").Str)
					assert.Equal(t, resp.Header.Get("Request-Id"), gjson.Get(reply, "request_id").Str)
					return
				}
				for _, member := range []string{"message", "type", "param", "code"} {
					assert.True(t, gjson.Get(reply, "error."+member).Exists(), member)
				}
			})
		}
	}
	for name, headers := range map[string][]string{
		"without a version": {"x-api-key", key1}, "of another version": {"x-api-key", key1, "anthropic-version", "2020-01-01"},
	} {
		t.Run(name, func(t *testing.T) {
			resp := r.send(r.Context(), http.MethodPost, "/v1/messages", "", `{}`, headers...)
			reply, err := read(resp)
			require.NoError(t, err)
			assert.Equal(t, 400, resp.StatusCode)
			assert.Contains(t, gjson.Get(reply, "error.message").Str, "anthropic-version")
		})
	}
}

func TestFormatsEndWhenStoppedByID(t *testing.T) {
	r := newNotholyRig(t, nil)
	for _, f := range formatCases {
		t.Run(f.name, func(t *testing.T) {
			nonce := r.script(control.Script{}.Tokens("a", "b").Then(control.Step{Gate: "held"}).Tokens("c"))
			resp := f.ask(r, nonce, "true")
			first := until(t, resp.Body, `"b"`)
			stopped := r.stop(resp.Header.Get(generation.RequestIDHeader), key1)
			require.Equal(t, http.StatusOK, stopped.StatusCode)
			rest, err := read(resp)
			require.NoError(t, err)
			reply := first + rest
			got := f.read(t, true, reply)
			assert.Equal(t, "ab", got.text)
			assert.EqualValues(t, 2, got.completion)
			assert.NotContains(t, reply, f.failure)
			want := map[string]string{"chat": "", "text": "", "responses": "incomplete", "messages": "stop"}
			assert.Equal(t, want[f.name], got.end)
			assert.Equal(t, generation.Stopped, (<-r.settled).Ending)
		})
	}
}

func TestFormatsKeepTheStreamAlive(t *testing.T) {
	r := newNotholyRig(t, func(cfg *config.Config) { cfg.Intervals.Ping = 20 * time.Millisecond })
	for _, f := range formatCases {
		t.Run(f.name, func(t *testing.T) {
			nonce := r.script(control.Script{NoRole: true}.Then(control.Step{Gate: "held"}).Tokens("a"))
			resp := f.ask(r, nonce, "true")
			ping := ": ping\n\n"
			if f.name == "messages" {
				ping = "event: ping\ndata: {\"type\":\"ping\"}\n\n"
			}
			var seen strings.Builder
			for buf := make([]byte, 512); !strings.Contains(seen.String(), ping); {
				n, err := resp.Body.Read(buf)
				require.NoError(t, err)
				seen.Write(buf[:n])
			}
			require.NoError(t, r.gpu.Release(r.Context(), nonce, "held"))
			rest, err := read(resp)
			require.NoError(t, err)
			assert.Equal(t, "a", f.read(t, true, seen.String()+rest).text)
		})
	}
}

func TestToolsAndReasoningInEachFormat(t *testing.T) {
	r := newNotholyRig(t, nil)
	delta := func(json string) control.Step { return control.Step{Delta: &control.Delta{JSON: []byte(json)}} }
	script := control.Script{}.Then(
		delta(`{"reasoning_content":"Hm."}`),
		delta(`{"tool_calls":[{"index":0,"id":"call_1","type":"function","function":{"name":"look","arguments":""}}]}`),
		delta(`{"tool_calls":[{"index":0,"function":{"arguments":"{\"q\":1}"}}]}`),
		control.Step{Finish: "tool_calls"},
	)
	for _, f := range formatCases {
		if f.name == "text" {
			continue
		}
		reply, err := read(f.ask(r, r.script(script), "false"))
		require.NoError(t, err)
		switch f.name {
		case "chat":
			assert.Equal(t, `{"q":1}`, gjson.Get(reply, "choices.0.message.tool_calls.0.function.arguments").Str)
			assert.Equal(t, "tool_calls", gjson.Get(reply, "choices.0.finish_reason").Str)
		case "responses":
			assert.Equal(t, "Hm.", gjson.Get(reply, "output.0.content.0.text").Str)
			assert.Equal(t, `{"q":1}`, gjson.Get(reply, "output.1.arguments").Str)
			assert.Equal(t, "call_1", gjson.Get(reply, "output.1.call_id").Str)
			assert.Equal(t, "completed", gjson.Get(reply, "status").Str)
		case "messages":
			assert.Equal(t, "Hm.", gjson.Get(reply, "content.0.thinking").Str)
			assert.Equal(t, `{"q":1}`, gjson.Get(reply, "content.1.input").Raw)
			assert.Equal(t, "tool_use", gjson.Get(reply, "stop_reason").Str)
		}
	}
}

func TestModelsInAnthropicsForm(t *testing.T) {
	r := newNotholyRig(t, nil)
	for path, member := range map[string]string{"/v1/models": "data.0.id", "/v1/models/notholy-specter": "id"} {
		resp := r.send(r.Context(), http.MethodGet, path, "", "", "x-api-key", key1, "anthropic-version", "2023-06-01")
		reply, err := read(resp)
		require.NoError(t, err)
		assert.Equal(t, "notholy-specter", gjson.Get(reply, member).Str)
		assert.NotContains(t, reply, `"object"`)
	}
	resp := r.send(r.Context(), http.MethodGet, "/v1/models/none", "", "", "x-api-key", key1, "anthropic-version", "2023-06-01")
	reply, err := read(resp)
	require.NoError(t, err)
	assert.Equal(t, "not_found_error", gjson.Get(reply, "error.type").Str)
}

// events yields the data of each event of a stream.
func events(stream string) (data []gjson.Result) {
	for line := range strings.SplitSeq(stream, "\n") {
		if text, ok := strings.CutPrefix(line, "data: "); ok {
			data = append(data, gjson.Parse(text))
		}
	}
	return data
}

// readChat reads a chat or a text completion. Profile notholy shows the usage in
// the chunk before [DONE], though nobody asked.
func readChat(t *testing.T, streamed bool, reply string) (got truth) {
	chunks := []gjson.Result{gjson.Parse(reply)}
	if streamed {
		chunks = events(reply)
		require.True(t, strings.HasSuffix(reply, "data: [DONE]\n\n"))
		chunks = chunks[:len(chunks)-1]
		require.True(t, chunks[len(chunks)-1].Get("usage.total_tokens").Exists())
	}
	for _, chunk := range chunks {
		choice := chunk.Get("choices.0")
		got.text += choice.Get("delta.content").Str + choice.Get("message.content").Str + choice.Get("text").Str
		got.end += choice.Get("finish_reason").Str
		got.prompt += chunk.Get("usage.prompt_tokens").Int()
		got.completion += chunk.Get("usage.completion_tokens").Int()
	}
	return got
}

func readResponse(t *testing.T, streamed bool, reply string) (got truth) {
	response := gjson.Parse(reply)
	if streamed {
		all := events(reply)
		for _, e := range all {
			if e.Get("type").Str == "response.output_text.delta" {
				got.text += e.Get("delta").Str
			}
		}
		response = all[len(all)-1].Get("response")
		require.Equal(t, got.text, response.Get("output.0.content.0.text").Str)
	} else {
		got.text = response.Get("output.0.content.0.text").Str
	}
	got.end = response.Get("status").Str
	switch {
	case got.end == "completed":
		got.end = "stop"
	case response.Get("incomplete_details.reason").Str == "max_output_tokens":
		got.end = "length"
	}
	got.prompt, got.completion = response.Get("usage.input_tokens").Int(), response.Get("usage.output_tokens").Int()
	return got
}

func readMessage(t *testing.T, streamed bool, reply string) (got truth) {
	stop, usage := gjson.Parse(reply).Get("stop_reason"), gjson.Parse(reply).Get("usage")
	if streamed {
		for _, e := range events(reply) {
			got.text += e.Get("delta.text").Str
			if e.Get("type").Str == "message_delta" {
				stop, usage = e.Get("delta.stop_reason"), e.Get("usage")
			}
		}
		require.True(t, strings.HasSuffix(reply, "event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n"))
	} else {
		got.text = gjson.Parse(reply).Get("content.0.text").Str
	}
	got.end = map[string]string{"end_turn": "stop", "max_tokens": "length"}[stop.Str]
	for _, name := range []string{"input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens"} {
		got.prompt += usage.Get(name).Int()
	}
	got.completion = usage.Get("output_tokens").Int()
	return got
}
