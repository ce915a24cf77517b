package server_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plumbline.dev/plumbline/fakegpu/control"
	"plumbline.dev/plumbline/fakegpu/server"
)

// plain is a chat request that no script answers.
func plain(extra string) string {
	return `{"model":"m","messages":[{"role":"user","content":"Hello"}]` + extra + `}`
}

func TestSteadyReplyIsTheSameEveryTime(t *testing.T) {
	r := newRig(t, server.Options{Seed: 7})
	first := decodeStream(t, r.post("/v1/chat/completions", plain(streamed+`,"stream_options":{"include_usage":true}`)))
	again := decodeStream(t, r.post("/v1/chat/completions", plain(streamed+`,"stream_options":{"include_usage":true}`)))
	assert.Equal(t, first, again)
	assert.NotEmpty(t, first.text[0])
	assert.Equal(t, "stop", first.finish[0])
	assert.Equal(t, first.usage.Prompt+first.usage.Completion, first.usage.Total)
	assert.Equal(t, first.text[0], wholeText(t, r.post("/v1/chat/completions", plain(""))))
	other := newRig(t, server.Options{Seed: 8})
	assert.NotEqual(t, first.text[0], wholeText(t, other.post("/v1/chat/completions", plain(""))))
}

func TestSteadyTextCompletion(t *testing.T) {
	r := newRig(t, server.Options{})
	got := r.post("/v1/completions", `{"prompt":"Hello","stream":true,"stream_options":{"include_usage":true},"ignore_eos":true}`)
	reply := decodeStream(t, got)
	assert.Equal(t, 16, reply.usage.Completion, "the default of text completions")
	assert.Equal(t, "length", reply.finish[0])
	assert.Contains(t, got.body, `"object":"text_completion"`)
	assert.NotContains(t, got.body, `"delta"`)
	assert.NotContains(t, got.body, `"role"`)
}

func TestContextWindow(t *testing.T) {
	r := newRig(t, server.Options{ContextWindow: 20})
	got := decodeStream(t, r.post("/v1/chat/completions", plain(streamed+`,"ignore_eos":true,"stream_options":{"include_usage":true}`)))
	assert.Equal(t, "length", got.finish[0])
	assert.Equal(t, 20, got.usage.Total, "prompt and reply fill the window")

	long := r.post("/v1/chat/completions", `{"messages":[{"role":"user","content":"`+strings.Repeat("long ", 30)+`"}]}`)
	assert.Equal(t, 400, long.status)
	assert.Contains(t, long.body, "context_length_exceeded")
	assert.Contains(t, long.body, "maximum context length is 20 tokens")
}

func TestSteadyChoicesAndStop(t *testing.T) {
	r := newRig(t, server.Options{})
	got := decodeStream(t, r.post("/v1/chat/completions", plain(streamed+`,"n":3,"stream_options":{"include_usage":true}`)))
	assert.NotEqual(t, got.text[0], got.text[1])
	assert.Equal(t, []string{"stop", "stop", "stop"}, got.finish[:3])
	// Any part of the reply serves as its stop sequence.
	sequence := got.text[0][len(got.text[0])/3 : len(got.text[0])/3+4]
	quoted, err := json.Marshal(strings.ToValidUTF8(sequence, ""))
	require.NoError(t, err)
	cut := decodeStream(t, r.post("/v1/chat/completions", plain(streamed+`,"stop":`+string(quoted))))
	before, _, found := strings.Cut(got.text[0], strings.ToValidUTF8(sequence, ""))
	require.True(t, found)
	assert.Equal(t, before, cut.text[0])
	assert.Equal(t, "stop", cut.finish[0])
}

var volatile = regexp.MustCompile(`"created":\d+|(chatcmpl-|cmpl-)?[0-9a-f]{32}|"(prompt|predicted)_[a-z_]*(ms|second)":[0-9.]+,?`)

// The dialects, byte for byte but for ids, dates and timings.
func TestDialects(t *testing.T) {
	for dialect, want := range map[string][]string{
		"vllm": {
			`{"id":"ID","object":"chat.completion.chunk",CREATED,"model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":""},"logprobs":null,"finish_reason":null}]}`,
			`{"id":"ID","object":"chat.completion.chunk",CREATED,"model":"m","choices":[{"index":0,"delta":{"content":"a"},"logprobs":null,"finish_reason":null}]}`,
			`{"id":"ID","object":"chat.completion.chunk",CREATED,"model":"m","choices":[{"index":0,"delta":{"content":""},"logprobs":null,"finish_reason":"stop","stop_reason":null}]}`,
			`{"id":"ID","object":"chat.completion.chunk",CREATED,"model":"m","choices":[],"usage":{"prompt_tokens":9,"total_tokens":10,"completion_tokens":1,"prompt_tokens_details":{"cached_tokens":4}}}`,
			`[DONE]`,
		},
		"sglang": {
			`{"id":"ID","object":"chat.completion.chunk",CREATED,"model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":"","reasoning_content":null,"tool_calls":null},"logprobs":null,"finish_reason":null,"matched_stop":null}],"usage":null}`,
			`{"id":"ID","object":"chat.completion.chunk",CREATED,"model":"m","choices":[{"index":0,"delta":{"role":null,"content":"a","reasoning_content":null,"tool_calls":null},"logprobs":null,"finish_reason":null,"matched_stop":null}],"usage":null}`,
			`{"id":"ID","object":"chat.completion.chunk",CREATED,"model":"m","choices":[{"index":0,"delta":{"role":null,"content":null,"reasoning_content":null,"tool_calls":null},"logprobs":null,"finish_reason":"stop","matched_stop":null}],"usage":null}`,
			`{"id":"ID","object":"chat.completion.chunk",CREATED,"model":"m","choices":[],"usage":{"prompt_tokens":9,"total_tokens":10,"completion_tokens":1,"prompt_tokens_details":{"cached_tokens":4}}}`,
			`[DONE]`,
		},
		"llamacpp": {
			`{"choices":[{"finish_reason":null,"index":0,"delta":{"role":"assistant","content":null}}],CREATED,"id":"ID","model":"m","system_fingerprint":"fakegpu","object":"chat.completion.chunk"}`,
			`{"choices":[{"finish_reason":null,"index":0,"delta":{"content":"a"}}],CREATED,"id":"ID","model":"m","system_fingerprint":"fakegpu","object":"chat.completion.chunk"}`,
			`{"choices":[{"finish_reason":"stop","index":0,"delta":{}}],CREATED,"id":"ID","model":"m","system_fingerprint":"fakegpu","object":"chat.completion.chunk",` +
				`"usage":{"prompt_tokens":9,"total_tokens":10,"completion_tokens":1,"prompt_tokens_details":{"cached_tokens":4}},"timings":{"prompt_n":9,"predicted_n":1}}`,
			`[DONE]`,
		},
	} {
		t.Run(dialect, func(t *testing.T) {
			r := newRig(t, server.Options{Dialect: dialect})
			cached := 4
			got := r.play(control.Script{PromptTokens: 9, CachedTokens: &cached}.Tokens("a"), `,"stream_options":{"include_usage":true}`)
			var seen []string
			for _, e := range got.events() {
				seen = append(seen, tidy(e))
			}
			assert.Equal(t, want, seen)
		})
	}
}

// tidy replaces what differs from run to run.
func tidy(event string) string {
	event = volatile.ReplaceAllStringFunc(event, func(s string) string {
		switch {
		case strings.HasPrefix(s, `"created"`):
			return "CREATED"
		case strings.HasSuffix(s, ","), strings.Contains(s, `_ms"`), strings.Contains(s, `_second"`):
			return ""
		}
		return "ID"
	})
	return strings.NewReplacer(",}", "}", ",,", ",").Replace(event)
}

func TestUsageFaults(t *testing.T) {
	asked := `,"stream_options":{"include_usage":true}`
	for name, tc := range map[string]struct {
		fault control.UsageFault
		extra string
		// carriers are the indices of the events that have usage: role, a, b, finish, then usage chunks.
		carriers []int
		last     string // completion_tokens of the last one
	}{
		"ordinary":          {"", asked, []int{4}, "2"},
		"ordinary, unasked": {"", "", nil, ""},
		"never":             {control.UsageNever, asked, nil, ""},
		"on the finish":     {control.UsageOnFinish, asked, []int{3}, "2"},
		"early":             {control.UsageEarly, asked, []int{0}, "0"},
		"cumulative":        {control.UsageCumulative, asked, []int{0, 1, 2, 3, 4}, "2"},
		"twice":             {control.UsageTwice, asked, []int{4, 5}, "2"},
		"unasked":           {control.UsageUnasked, "", []int{4}, "2"},
		"wrong":             {control.UsageWrong, asked, []int{4}, "1002"},
		"negative":          {control.UsageNegative, asked, []int{4}, "-1"},
		"fraction":          {control.UsageFraction, asked, []int{4}, "2.5"},
		"zero":              {control.UsageZero, asked, []int{4}, "0"},
		"continuous":        {"", `,"stream_options":{"include_usage":true,"continuous_usage_stats":true}`, []int{0, 1, 2, 3, 4}, "2"},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, server.Options{})
			nonce := r.register(control.Script{Usage: tc.fault}.Tokens("a", "b"))
			got := r.post("/v1/chat/completions", chat(nonce, streamed+tc.extra))
			var carriers []int
			last := ""
			for i, e := range got.events() {
				var chunk struct {
					Usage *struct {
						Completion json.Number `json:"completion_tokens"`
					}
				}
				if e != "[DONE]" {
					require.NoError(t, json.Unmarshal([]byte(e), &chunk))
				}
				if chunk.Usage != nil {
					carriers, last = append(carriers, i), chunk.Usage.Completion.String()
				}
			}
			assert.Equal(t, tc.carriers, carriers)
			assert.Equal(t, tc.last, last)
			whole := r.post("/v1/chat/completions", chat(nonce, ""))
			assert.Equal(t, tc.fault != control.UsageNever, strings.Contains(whole.body, `"usage"`))
		})
	}
}

func TestLogprobs(t *testing.T) {
	r := newRig(t, server.Options{})
	nonce := r.register(control.Script{}.Tokens("é", "b"))
	got := r.post("/v1/chat/completions", chat(nonce, streamed+`,"logprobs":true,"top_logprobs":2`))
	var chunk struct {
		Choices []struct {
			Logprobs struct {
				Content []struct {
					Token   string
					Logprob float64
					Bytes   []int
					Top     []struct{ Token string } `json:"top_logprobs"`
				}
			}
		}
	}
	require.NoError(t, json.Unmarshal([]byte(got.events()[1]), &chunk))
	item := chunk.Choices[0].Logprobs.Content[0]
	assert.Equal(t, "é", item.Token)
	assert.Equal(t, []int{0xc3, 0xa9}, item.Bytes)
	assert.LessOrEqual(t, item.Logprob, 0.0)
	require.Len(t, item.Top, 2)
	assert.Equal(t, "é", item.Top[0].Token)

	whole := r.post("/v1/chat/completions", chat(nonce, `,"logprobs":true`))
	require.NoError(t, json.Unmarshal([]byte(whole.body), &chunk))
	assert.Len(t, chunk.Choices[0].Logprobs.Content, 2)

	text := r.post("/v1/completions", `{"logprobs":1,"prompt":"`+control.Marker(nonce)+`"}`)
	assert.Contains(t, text.body, `"text_offset":[0,2]`)
	assert.Contains(t, text.body, `"tokens":["é","b"]`)
}

func TestBadRequests(t *testing.T) {
	messages := `"messages":[{"role":"user","content":"x"}]`
	for name, tc := range map[string]struct {
		body   string
		status int
		want   string
	}{
		"no JSON":                {`{"model":`, 400, "no valid JSON"},
		"empty":                  {``, 400, "no valid JSON"},
		"an array":               {`[]`, 400, "the body is a JSON array, want an object"},
		"two objects":            {`{` + messages + `}{}`, 400, "something follows"},
		"no messages":            {`{}`, 400, "messages is missing"},
		"messages of a type":     {`{"messages":"x"}`, 400, "messages is a string"},
		"no role":                {`{"messages":[{"content":"x"}]}`, 400, "messages[0] has no role"},
		"an image":               {`{"messages":[{"role":"user","content":[{"type":"image_url"}]}]}`, 400, `messages[0].content[0] is of type \"image_url\"`},
		"content of a type":      {`{"messages":[{"role":"user","content":5}]}`, 400, "messages[0].content is neither"},
		"max_tokens text":        {`{"max_tokens":"5",` + messages + `}`, 400, "max_tokens is a string"},
		"max_tokens 0":           {`{"max_tokens":0,` + messages + `}`, 400, "max_tokens is 0, want 1 or more"},
		"n 0":                    {`{"n":0,` + messages + `}`, 400, "n is 0, want 1 to 128"},
		"n too many":             {`{"n":129,` + messages + `}`, 400, "n is 129, want 1 to 128"},
		"temperature":            {`{"temperature":3,` + messages + `}`, 400, "temperature is 3"},
		"stop of a type":         {`{"stop":5,` + messages + `}`, 400, "stop is neither"},
		"an empty stop":          {`{"stop":[""],` + messages + `}`, 400, "stop[0] is empty"},
		"stream options":         {`{"stream_options":{},` + messages + `}`, 400, "Stream options can only be defined"},
		"top_logprobs alone":     {`{"top_logprobs":2,` + messages + `}`, 400, "needs logprobs"},
		"logprobs of a type":     {`{"logprobs":"x",` + messages + `}`, 400, "want a boolean"},
		"unknown model":          {`{"model":"other",` + messages + `}`, 404, "The model `other` does not exist."},
		"deeply nested":          {strings.Repeat(`{"a":`, 20_000), 400, "no valid JSON"},
		"unknown fields go well": {`{"model":"m","foo":1,"max_tokens":1,` + messages + `}`, 200, "chat.completion"},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, server.Options{Model: "m"})
			got := r.post("/v1/chat/completions", tc.body)
			assert.Equal(t, tc.status, got.status)
			assert.Contains(t, got.body, tc.want)
			assert.True(t, json.Valid([]byte(got.body)), got.body)
		})
	}
}

func TestErrorShapes(t *testing.T) {
	for dialect, want := range map[string]string{
		"vllm":     `{"error":{"message":"messages is missing or empty, want at least one message","type":"BadRequestError","param":"messages","code":400}}`,
		"sglang":   `{"object":"error","message":"messages is missing or empty, want at least one message","type":"BadRequestError","param":"messages","code":400}`,
		"llamacpp": `{"error":{"message":"messages is missing or empty, want at least one message","type":"invalid_request_error","code":400}}`,
	} {
		r := newRig(t, server.Options{Dialect: dialect})
		assert.JSONEq(t, want, r.post("/v1/chat/completions", `{}`).body, dialect)
	}
}

func TestBodyTooLarge(t *testing.T) {
	r := newRig(t, server.Options{})
	big := strings.NewReader(strings.Repeat("x", 33<<20))
	res, err := r.http.Post(r.running.URL()+"/v1/chat/completions", "application/json", big)
	require.NoError(t, err)
	defer res.Body.Close()
	assert.Equal(t, http.StatusRequestEntityTooLarge, res.StatusCode)
}

func (r *rig) get(path string) (int, string) {
	r.t.Helper()
	res, err := r.http.Get(r.running.URL() + path)
	require.NoError(r.t, err)
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	require.NoError(r.t, err)
	return res.StatusCode, string(body)
}

func TestModelsAndHealth(t *testing.T) {
	r := newRig(t, server.Options{Model: "org/model", ContextWindow: 4096})
	status, body := r.get("/v1/models")
	assert.Equal(t, 200, status)
	assert.Contains(t, body, `"id":"org/model"`)
	assert.Contains(t, body, `"max_model_len":4096`)
	status, body = r.get("/health")
	assert.Equal(t, 200, status)
	assert.Empty(t, body)
	llama := newRig(t, server.Options{Dialect: "llamacpp"})
	_, body = llama.get("/health")
	assert.JSONEq(t, `{"status":"ok"}`, body)
}

func TestMetrics(t *testing.T) {
	r := newRig(t, server.Options{})
	nonce := r.register(control.Script{PromptTokens: 9}.Tokens("a", "b").Gate("g"))
	conn := r.open("/v1/chat/completions", chat(nonce, streamed))
	_, err := r.control.Await(r.ctx, nonce, control.Condition{Gate: "g"})
	require.NoError(t, err)
	_, body := r.get("/metrics")
	line := func(name string, value any) string {
		return fmt.Sprintf("%s{model_name=%q} %v\n", name, server.DefaultModel, value)
	}
	for _, want := range []string{
		line("vllm:num_requests_running", 1), line("vllm:num_requests_waiting", 0),
		line("vllm:prompt_tokens_total", 9), line("vllm:generation_tokens_total", 2),
		line("vllm:time_to_first_token_seconds_count", 1), line("vllm:time_per_output_token_seconds_count", 1),
	} {
		assert.Contains(t, body, want)
	}
	assert.NotContains(t, body, line("vllm:gpu_cache_usage_perc", 0), "a running request holds cache")
	require.NoError(t, r.control.Release(r.ctx, nonce, "g"))
	r.read(conn)
	r.ended(nonce)
	_, body = r.get("/metrics")
	assert.Contains(t, body, `vllm:request_success_total{finished_reason="stop",model_name="`+server.DefaultModel+`"} 1`)
	assert.Contains(t, body, line("vllm:num_requests_running", 0))
	assert.Contains(t, body, line("vllm:gpu_cache_usage_perc", 0))
}

func TestControlAPIRefusals(t *testing.T) {
	r := newRig(t, server.Options{})
	nonce := newNonce()
	for name, tc := range map[string]struct {
		method, path, body string
		status             int
		want               string
	}{
		"unknown field":       {"POST", "/scripts", `{"nonce":"` + nonce + `","stpes":[]}`, 400, `did you mean \"steps\"?`},
		"unknown step field":  {"POST", "/scripts", `{"nonce":"` + nonce + `","steps":[{"done":true},{"tokn":{}}]}`, 400, `steps[1]: unknown field \"tokn\", did you mean \"token\"?`},
		"no JSON":             {"POST", "/scripts", `{`, 400, "the JSON ends too early"},
		"a bad gate":          {"POST", "/gates/" + nonce + "/a%20b/release", ``, 400, "letters, digits"},
		"a bad nonce":         {"GET", "/journals/short", ``, 400, "want 16 to 64"},
		"an unknown nonce":    {"GET", "/journals/" + nonce, ``, 404, "nothing is known"},
		"forgetting nothing":  {"DELETE", "/journals/" + nonce, ``, 404, "nothing is known"},
		"a bad condition":     {"POST", "/journals/" + nonce + "/await", `{"request":-1}`, 400, "request is -1"},
		"an unknown question": {"POST", "/journals/" + nonce + "/await", `{"endd":true}`, 400, `did you mean \"ended\"?`},
	} {
		t.Run(name, func(t *testing.T) {
			req, err := http.NewRequestWithContext(r.ctx, tc.method, r.running.URL()+control.Prefix+tc.path, strings.NewReader(tc.body))
			require.NoError(t, err)
			res, err := r.http.Do(req)
			require.NoError(t, err)
			defer res.Body.Close()
			body, err := io.ReadAll(res.Body)
			require.NoError(t, err)
			assert.Equal(t, tc.status, res.StatusCode)
			assert.Contains(t, string(body), tc.want)
		})
	}
}

func TestJournalKeepsTheBodyAsReceived(t *testing.T) {
	r := newRig(t, server.Options{})
	nonce := r.register(control.Script{}.Tokens("a"))
	body := chat(nonce, `,"max_tokens":5,"unknown":"<&>"`)
	r.post("/v1/chat/completions", body)
	record := r.ended(nonce)
	assert.Equal(t, body, string(record.Body))
	assert.Equal(t, "/v1/chat/completions", record.Path)
	assert.True(t, record.Scripted)
	// A body that is no JSON stands as a string.
	torn := `{"messages": ` + control.Marker(nonce)
	r.post("/v1/chat/completions", torn)
	j, err := r.control.Await(r.ctx, nonce, control.Condition{Requests: 2, Request: 2, Ended: true})
	require.NoError(t, err)
	var text string
	require.NoError(t, json.Unmarshal(j.Requests[1].Body, &text))
	assert.Equal(t, torn, text)
	assert.Equal(t, control.EndingFailed, j.Requests[1].Ending)
}
