package text

import (
	"encoding/json"
	"maps"
	"math"

	"github.com/tidwall/gjson"

	"plumbline.dev/plumbline/reference/apierror"
	"plumbline.dev/plumbline/reference/completion"
	"plumbline.dev/plumbline/reference/format/param"
)

// Defaults are what a request that leaves something out gets.
type Defaults struct {
	Model string // of requests that name none
}

// Request is a text completion request.
type Request struct {
	*completion.Request
	// Echo is the prompt as a JSON string literal when the reply is to begin
	// with it, else nil.
	Echo []byte
}

// defaultMaxTokens is what max_tokens is for requests that do not say, as in
// OpenAI's API.
const defaultMaxTokens = 16

// ownParameters are not for the model server: the gateway acts on them.
var ownParameters = []string{"prompt", "echo", "logprobs", "best_of", "suffix"}

// parameters are judged in this order. Their bounds are those of OpenAI text
// completions, CreateCompletionRequest.
var parameters = []param.Rule{
	param.Strict("model", param.NonEmptyText),
	param.Nullable("stream", param.Boolean),
	param.Nullable("stream_options", param.StreamOptions),
	param.Nullable("max_tokens", param.Integer(1, math.MaxInt32)),
	param.Nullable("n", param.Integer(1, 128)),
	param.Nullable("best_of", param.Integer(1, 20)),
	param.Nullable("stop", param.Stop),
	param.Nullable("echo", param.Boolean),
	param.Nullable("suffix", param.Unsupported("the models complete a prompt at its end only")),
	param.Nullable("temperature", param.Decimal(0, 2)),
	param.Nullable("top_p", param.Decimal(0, 1)),
	param.Nullable("frequency_penalty", param.Decimal(-2, 2)),
	param.Nullable("presence_penalty", param.Decimal(-2, 2)),
	param.Nullable("logprobs", param.Integer(0, 5)),
	param.Nullable("seed", param.Integer(math.MinInt64, math.MaxInt64)),
	param.Nullable("logit_bias", param.LogitBias),
	param.Strict("user", param.Text),
	param.Strict("messages", unknown),
	param.Strict("tools", unknown),
	param.Strict("tool_choice", unknown),
	param.Strict("max_completion_tokens", unknown),
}

// unknown refuses what belongs to the chat format: it would not do what the
// client means.
func unknown(path string, _ gjson.Result) *apierror.Error { return apierror.UnknownParameter(path) }

// DecodeRequest reads the body of a text completion request. As in the chat
// format, a parameter that OpenAI's API does not have is left to the model
// server. The request keeps pieces of body, which must therefore not change.
func DecodeRequest(body []byte, defaults Defaults) (*Request, *apierror.Error) {
	m, e := param.Parse(body)
	if e != nil {
		return nil, e
	}
	if e := m.Check(parameters); e != nil {
		return nil, e
	}
	if e := checkCombinations(m); e != nil {
		return nil, e
	}
	prompt, e := decodePrompt(m)
	if e != nil {
		return nil, e
	}
	maxTokens := defaultMaxTokens
	req := &Request{Request: &completion.Request{
		Model:        defaults.Model,
		Stream:       m.Get("stream").Bool(),
		Choices:      1,
		MaxTokens:    &maxTokens,
		IncludeUsage: m.Get("stream_options").Get("include_usage").Bool(),
		Logprobs:     m.Get("logprobs").Exists(),
		Messages:     []completion.Message{{Role: "user", Text: prompt.Str}},
		Stop:         m.StopSequences("stop"),
		Body:         upstream(m, prompt),
	}}
	if model := m.Get("model"); model.Exists() {
		req.Model = model.Str
	}
	if limit := m.Int("max_tokens"); limit != nil {
		req.MaxTokens = limit
	}
	if n := m.Int("n"); n != nil {
		req.Choices = *n
	}
	if m.Get("echo").Bool() {
		req.Echo = []byte(prompt.Raw)
	}
	return req, nil
}

// checkCombinations checks what depends on more than one parameter.
func checkCombinations(m param.Members) *apierror.Error {
	if m.Get("stream_options").Exists() && !m.Get("stream").Bool() {
		return apierror.OnlyWhen("stream_options", "'stream' is enabled")
	}
	if m.Get("echo").Bool() && m.Get("logprobs").Exists() {
		return apierror.UnsupportedParameter("logprobs", "with 'echo', the logprobs of the prompt would be needed, and model servers do not tell them")
	}
	n := 1
	if asked := m.Int("n"); asked != nil {
		n = *asked
	}
	if best := m.Int("best_of"); best != nil && *best != n {
		return apierror.UnsupportedParameter("best_of", "it may only have the value of 'n', as every completion is returned")
	}
	return nil
}

// decodePrompt reads the prompt: a string, or an array of one string.
func decodePrompt(m param.Members) (gjson.Result, *apierror.Error) {
	const path = "prompt"
	raw, ok := m[path]
	if !ok {
		return gjson.Result{}, apierror.Missing(path)
	}
	v := gjson.ParseBytes(raw)
	if v.Type == gjson.String {
		return v, param.NonEmptyText(path, v)
	}
	if !v.IsArray() {
		return v, apierror.InvalidType(path, "one of a string or an array of one string", param.Describe(v))
	}
	var prompts []gjson.Result
	e := param.Array(path, v, func(path string, v gjson.Result) *apierror.Error {
		prompts = append(prompts, v)
		if v.Type == gjson.Number || v.IsArray() {
			return apierror.InvalidValue(path, "this gateway takes prompts as text, not as token ids")
		}
		return param.NonEmptyText(path, v)
	})
	switch {
	case e != nil:
		return v, e
	case len(prompts) > 1:
		return v, apierror.ArrayTooLong(path, 1, len(prompts))
	}
	return prompts[0], nil
}

// upstream is the chat completion request that says the same.
func upstream(m param.Members, prompt gjson.Result) map[string]json.RawMessage {
	body := maps.Clone(m)
	for _, name := range ownParameters {
		delete(body, name)
	}
	if top := m.Get("logprobs"); top.Exists() {
		body["logprobs"] = json.RawMessage("true")
		body["top_logprobs"] = json.RawMessage(top.Raw)
	}
	body["messages"] = append(append(json.RawMessage(`[{"role":"user","content":`), prompt.Raw...), `}]`...)
	return body
}
