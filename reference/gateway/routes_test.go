package gateway

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plumbline.dev/plumbline/fakegpu/control"
	"plumbline.dev/plumbline/reference/config"
	"plumbline.dev/plumbline/reference/generation"
)

func TestStop(t *testing.T) {
	r := newRig(t, nil)
	usage := `"stream_options":{"include_usage":true}`
	t.Run("in the middle, by another key of the organization", func(t *testing.T) {
		nonce := r.script(control.Script{}.Tokens("a", "b").Gate("g").Tokens("c"))
		resp := r.complete(body(nonce, usage))
		id := resp.Header.Get(generation.RequestIDHeader)
		r.atGate(nonce, "g")
		other := r.script(control.Script{}.Gate("g").Tokens("a"))
		untouched := r.complete(body(other, ""))

		answer := r.stop(id, key2)
		text, err := read(answer)
		require.NoError(t, err)
		assert.Equal(t, http.StatusOK, answer.StatusCode)
		assert.JSONEq(t, `{"id":"`+id+`","object":"generation","status":"stopped"}`, text)
		got, err := read(resp)
		require.NoError(t, err)
		assert.NotContains(t, got, `"finish_reason":"`)
		assert.Contains(t, got, `"completion_tokens":2,`)
		assert.True(t, strings.HasSuffix(got, "data: [DONE]\n\n"))
		assert.Equal(t, control.EndingAborted, r.ended(nonce).Ending)
		assert.Equal(t, generation.Stopped, (<-r.settled).Ending)

		again := r.stop(id, key1)
		text, err = read(again)
		require.NoError(t, err)
		assert.Equal(t, http.StatusNotFound, again.StatusCode)
		assert.Contains(t, text, `"generation_not_found"`)

		require.NoError(t, r.gpu.Release(t.Context(), other, "g"))
		got, err = read(untouched)
		require.NoError(t, err)
		assert.Contains(t, got, `"finish_reason":"stop"`)
		assert.Equal(t, generation.Finished, (<-r.settled).Ending)
	})
	t.Run("before the first token", func(t *testing.T) {
		nonce := r.script(control.Script{}.Gate("g").Tokens("c"))
		resp := r.complete(body(nonce, ""))
		assert.Equal(t, http.StatusOK, r.stop(resp.Header.Get(generation.RequestIDHeader), key1).StatusCode)
		got, err := read(resp)
		require.NoError(t, err)
		assert.True(t, strings.HasSuffix(got, "data: [DONE]\n\n"))
		assert.NotContains(t, got, "content\":\"c")
		assert.Equal(t, control.EndingAborted, r.ended(nonce).Ending)
		<-r.settled
	})
	t.Run("who may not, and what is not the id", func(t *testing.T) {
		nonce := r.script(control.Script{}.Tokens("a").Gate("g").Tokens("b"))
		resp := r.complete(body(nonce, ""))
		id := resp.Header.Get(generation.RequestIDHeader)
		r.atGate(nonce, "g")
		unknown, err := read(r.stop("chatcmpl-000000000000000000000000", keyOrg))
		require.NoError(t, err)
		for name, attempt := range map[string]struct {
			id, key string
			status  int
		}{
			"another organization":     {id, keyOrg, 404},
			"no key":                   {id, "", 401},
			"a wrong key":              {id, "sk-wrong", 401},
			"prefix":                   {id[:20], key1, 404},
			"longer":                   {id + "0", key1, 404},
			"upper case":               {strings.ToUpper(id), key1, 404},
			"percent-coded":            {"%63" + id[1:], key1, 404},
			"percent-coded dash":       {strings.Replace(id, "-", "%2D", 1), key1, 404},
			"empty":                    {"", key1, 404},
			"blank":                    {"%20", key1, 404},
			"with a blank":             {id + "%20", key1, 404},
			"star":                     {"*", key1, 404},
			"coded star":               {"chatcmpl-%2A", key1, 404},
			"dots":                     {"../generations/" + id, key1, 404},
			"trailing slash in the id": {id + "%2F", key1, 404},
		} {
			answer := r.stop(attempt.id, attempt.key)
			text, err := read(answer)
			require.NoError(t, err)
			assert.Equal(t, attempt.status, answer.StatusCode, name)
			assert.Contains(t, text, `{"error":{"message":`, name)
			if name == "another organization" {
				assert.Equal(t, unknown, text, "it does not tell whether the id exists")
			}
		}
		require.NoError(t, r.gpu.Release(t.Context(), nonce, "g"))
		got, err := read(resp)
		require.NoError(t, err)
		assert.True(t, strings.HasSuffix(got, "data: [DONE]\n\n"), "it runs on to its end")
		assert.Contains(t, got, `"finish_reason":"stop"`)
		<-r.settled
	})
}

func TestRefusals(t *testing.T) {
	r := newRig(t, func(c *config.Config) { c.Limits.MaxBodyBytes = 1000 })
	ok := `{"messages":[{"role":"user","content":"x"}]}`
	tests := []struct {
		name, method, path, key, body string
		headers                       []string
		status                        int
		want                          string
	}{
		{"no key", "POST", "/v1/chat/completions", "", ok, nil, 401, `"invalid_api_key"`},
		{"wrong key", "POST", "/v1/chat/completions", "sk-wrong", ok, nil, 401, `"invalid_api_key"`},
		{"unknown model", "POST", "/v1/chat/completions", key1, `{"model":"gpt-9","messages":[{"role":"user","content":"x"}]}`, nil, 404, `"model_not_found"`},
		{"broken JSON", "POST", "/v1/chat/completions", key1, `{"messages":`, nil, 400, `"invalid_request_error"`},
		{"empty body", "POST", "/v1/chat/completions", key1, ``, nil, 400, `"invalid_request_error"`},
		{"body too large", "POST", "/v1/chat/completions", key1, strings.Repeat(" ", 1001), nil, 413, `"request_too_large"`},
		{"form instead of JSON", "POST", "/v1/chat/completions", key1, ok, []string{"Content-Type", "application/x-www-form-urlencoded"}, 415, `"unsupported_media_type"`},
		{"wrong method", "GET", "/v1/chat/completions", key1, ``, nil, 405, `"method_not_allowed"`},
		{"wrong method on stop", "GET", "/v1/generations/x/stop", key1, ``, nil, 405, `"method_not_allowed"`},
		{"unknown route", "GET", "/v1/chat", key1, ``, nil, 404, `Invalid URL`},
		{"double slash", "GET", "//v1/models", key1, ``, nil, 404, `Invalid URL`},
		{"models without a key", "GET", "/v1/models", "", ``, nil, 401, `"invalid_api_key"`},
		{"unknown model by name", "GET", "/v1/models/gpt-9", key1, ``, nil, 404, `"model_not_found"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			resp := r.send(t.Context(), tt.method, tt.path, tt.key, tt.body, tt.headers...)
			got, err := read(resp)
			require.NoError(t, err)
			assert.Equal(t, tt.status, resp.StatusCode)
			assert.Equal(t, "application/json", resp.Header.Get("Content-Type"))
			assert.Contains(t, got, tt.want)
			assert.Contains(t, got, `{"error":{"message":"`)
			assert.Equal(t, tt.status == 405, resp.Header.Get("Allow") != "")
			assert.NotContains(t, got, "sk-wrong")
		})
	}
	assert.Empty(t, r.settled, "nothing began")
}

func TestModels(t *testing.T) {
	r := newRig(t, func(c *config.Config) { c.Models[0].Aliases = []string{"qwen"} })
	const object = `{"id":"Qwen/Qwen2.5-7B-Instruct","object":"model","created":0,"owned_by":"plumbline","costPerMillionInput":0.0313,"costPerMillionOutput":0.2373,"costPerMillionCacheRead":0.00313,"costPerMillionCacheWrite":0.039125}`
	for path, want := range map[string]string{
		"/v1/models":                            `{"object":"list","data":[` + object + "]}\n",
		"/v1/models/Qwen/Qwen2.5-7B-Instruct":   object + "\n",
		"/v1/models/Qwen%2FQwen2.5-7B-Instruct": object + "\n",
		"/v1/models/qwen":                       object + "\n",
	} {
		got, err := read(r.send(t.Context(), http.MethodGet, path, key1, ""))
		require.NoError(t, err)
		assert.Equal(t, want, got, path)
	}
	for _, name := range []string{"qwen", "Qwen/Qwen2.5-7B-Instruct"} {
		got, err := read(r.complete(body(r.script(control.Script{}.Tokens("a")), `"model":"`+name+`"`)))
		require.NoError(t, err)
		assert.Contains(t, got, `"model":"Qwen/Qwen2.5-7B-Instruct"`)
	}
}

func TestCORS(t *testing.T) {
	r := newRig(t, nil)
	resp := r.send(t.Context(), http.MethodOptions, "/v1/chat/completions", "", "",
		"Origin", "https://example.com", "Access-Control-Request-Method", "POST", "Access-Control-Request-Headers", "authorization,x-stainless-os")
	assert.Equal(t, http.StatusNoContent, resp.StatusCode)
	assert.Equal(t, "*", resp.Header.Get("Access-Control-Allow-Origin"))
	assert.Equal(t, "POST", resp.Header.Get("Access-Control-Allow-Methods"))
	assert.Equal(t, "authorization,x-stainless-os", resp.Header.Get("Access-Control-Allow-Headers"))
}

func TestHealth(t *testing.T) {
	r := newRig(t, nil)
	for _, path := range []string{"/healthz", "/readyz"} {
		resp := r.send(t.Context(), http.MethodGet, path, "", "")
		assert.Equal(t, http.StatusOK, resp.StatusCode, path)
		resp = r.send(t.Context(), http.MethodHead, path, "", "")
		assert.Equal(t, http.StatusOK, resp.StatusCode, path)
		rest, _ := io.ReadAll(resp.Body)
		assert.Empty(t, rest)
	}
}

func TestTheClientsKeyStaysHere(t *testing.T) {
	r := newRig(t, nil)
	nonce := r.script(control.Script{}.Tokens("a"))
	_, err := read(r.complete(body(nonce, `"user":"u","top_k":5,"max_completion_tokens":9`)))
	require.NoError(t, err)
	record := r.ended(nonce)
	assert.True(t, record.IncludeUsage, "usage is always asked for")
	assert.NotContains(t, string(record.Body), key1)
	assert.Contains(t, string(record.Body), `"max_tokens":9`)
	assert.NotContains(t, string(record.Body), `max_completion_tokens`)
	assert.Contains(t, string(record.Body), `"top_k":5`)
}
