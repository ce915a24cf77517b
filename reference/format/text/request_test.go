package text

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plumbline.dev/plumbline/reference/apierror"
	"plumbline.dev/plumbline/reference/completion"
	"plumbline.dev/plumbline/reference/format/internal/refusals"
)

var testDefaults = Defaults{Model: "the-default"}

func decode(body string) (*completion.Request, *apierror.Error) {
	req, e := DecodeRequest([]byte(body), testDefaults)
	if e != nil {
		return nil, e
	}
	return req.Request, nil
}

func TestDecodeRequest(t *testing.T) {
	req, e := DecodeRequest([]byte(`{"prompt":"say \u00e9"}`), testDefaults)
	require.Nil(t, e)
	assert.Equal(t, "the-default", req.Model)
	assert.Equal(t, 16, *req.MaxTokens, "as OpenAI's API")
	assert.Equal(t, 1, req.Choices)
	assert.Nil(t, req.Echo)
	assert.Equal(t, []completion.Message{{Role: "user", Text: "say é"}}, req.Messages)
	assert.Equal(t, map[string]json.RawMessage{"messages": json.RawMessage(`[{"role":"user","content":"say \u00e9"}]`)}, req.Body)

	req, e = DecodeRequest([]byte(`{"model":"m","prompt":["x"],"max_tokens":5,"n":2,"best_of":2,"logprobs":0,"stream":true,
		"stream_options":{"include_usage":true},"stop":["a","b"],"temperature":0.5,"top_k":4,"suffix":null,"echo":false}`), testDefaults)
	require.Nil(t, e)
	assert.Equal(t, "m", req.Model)
	assert.Equal(t, 5, *req.MaxTokens)
	assert.Equal(t, 2, req.Choices)
	assert.True(t, req.Stream && req.IncludeUsage && req.Logprobs)
	assert.Equal(t, []string{"a", "b"}, req.Stop)
	for name, want := range map[string]string{
		"logprobs": "true", "top_logprobs": "0", "temperature": "0.5", "top_k": "4", "n": "2", "stop": `["a","b"]`,
		"messages": `[{"role":"user","content":"x"}]`,
	} {
		assert.Equal(t, want, string(req.Body[name]), name)
	}
	for _, name := range []string{"prompt", "echo", "suffix", "best_of"} {
		assert.NotContains(t, req.Body, name)
	}

	req, e = DecodeRequest([]byte(`{"prompt":"x","echo":true}`), testDefaults)
	require.Nil(t, e)
	assert.Equal(t, `"x"`, string(req.Echo))
}

func TestDecodeRequestRefuses(t *testing.T) {
	with := func(members string) string { return `{"prompt":"x",` + members + `}` }
	refusals.Check(t, decode, []refusals.Case{
		{Body: `{}`, Code: "missing_required_parameter", Param: "prompt"},
		{Body: `{"prompt":null}`, Code: "invalid_type", Param: "prompt"},
		{Body: `{"prompt":7}`, Code: "invalid_type", Param: "prompt"},
		{Body: `{"prompt":""}`, Code: "empty_string", Param: "prompt"},
		{Body: `{"prompt":[]}`, Code: "empty_array", Param: "prompt"},
		{Body: `{"prompt":[""]}`, Code: "empty_string", Param: "prompt[0]"},
		{Body: `{"prompt":[1,2]}`, Code: "invalid_value", Param: "prompt[0]"},
		{Body: `{"prompt":[[1,2]]}`, Code: "invalid_value", Param: "prompt[0]"},
		{Body: `{"prompt":["a","b"]}`, Code: "array_above_max_length", Param: "prompt"},
		{Body: with(`"model":""`), Code: "empty_string", Param: "model"},
		{Body: with(`"model":null`), Code: "invalid_type", Param: "model"},
		{Body: with(`"max_tokens":0`), Code: "integer_below_min_value", Param: "max_tokens"},
		{Body: with(`"max_tokens":"5"`), Code: "invalid_type", Param: "max_tokens"},
		{Body: with(`"n":0`), Code: "integer_below_min_value", Param: "n"},
		{Body: with(`"n":129`), Code: "integer_above_max_value", Param: "n"},
		{Body: with(`"best_of":2`), Code: "unsupported_parameter", Param: "best_of"},
		{Body: with(`"suffix":"end"`), Code: "unsupported_parameter", Param: "suffix"},
		{Body: with(`"logprobs":6`), Code: "integer_above_max_value", Param: "logprobs"},
		{Body: with(`"logprobs":true`), Code: "invalid_type", Param: "logprobs"},
		{Body: with(`"logprobs":1,"echo":true`), Code: "unsupported_parameter", Param: "logprobs"},
		{Body: with(`"echo":"yes"`), Code: "invalid_type", Param: "echo"},
		{Body: with(`"stop":["a","b","c","d","e"]`), Code: "array_above_max_length", Param: "stop"},
		{Body: with(`"temperature":3`), Code: "decimal_above_max_value", Param: "temperature"},
		{Body: with(`"stream":"true"`), Code: "invalid_type", Param: "stream"},
		{Body: with(`"stream_options":{"include_usage":true}`), Param: "stream_options"},
		{Body: with(`"tools":[]`), Code: "unknown_parameter", Param: "tools"},
		{Body: with(`"messages":[]`), Code: "unknown_parameter", Param: "messages"},
	})
}

func TestDecodeRequestIsLinear(t *testing.T) {
	refusals.Linear(t, decode, func(n int) string { return `{"prompt":"` + strings.Repeat(`\u00e9"`[:6], n) + `"}` })
}

func FuzzDecodeRequest(f *testing.F) {
	refusals.Fuzz(f, decode, `{"prompt":"x","echo":true,"logprobs":3}`, `{"prompt":["x"],"n":3,"stop":"a"}`, `{"prompt":[[1]]}`)
}
