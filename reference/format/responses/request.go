package responses

import (
	"encoding/json"
	"math"

	"github.com/tidwall/gjson"

	"plumbline.dev/plumbline/reference/apierror"
	"plumbline.dev/plumbline/reference/completion"
	"plumbline.dev/plumbline/reference/format/conversation"
	"plumbline.dev/plumbline/reference/format/param"
)

// Defaults are what a request that leaves something out gets.
type Defaults struct {
	Model string // of requests that name none
}

// Request is a Responses request.
type Request struct {
	*completion.Request
	// settings are the members of the Response object that repeat the request.
	settings []byte
}

const nothingStored = "this gateway stores no responses, send the whole conversation as 'input'"

// parameters are judged in this order, and are all there are: another one is
// refused, as OpenAI's API does (OpenAI Responses, CreateResponse).
var parameters = []param.Rule{
	param.Strict("model", param.NonEmptyText),
	param.Strict("input", param.Anything), // read by decodeInput
	param.Nullable("instructions", param.Text),
	param.Nullable("stream", param.Boolean),
	param.Nullable("stream_options", streamOptions),
	param.Nullable("max_output_tokens", param.Integer(16, math.MaxInt32)),
	param.Nullable("temperature", param.Decimal(0, 2)),
	param.Nullable("top_p", param.Decimal(0, 1)),
	param.Nullable("presence_penalty", param.Decimal(-2, 2)),
	param.Nullable("frequency_penalty", param.Decimal(-2, 2)),
	param.Nullable("top_logprobs", param.Integer(0, 20)),
	param.Nullable("tools", tools),
	param.Nullable("tool_choice", toolChoice),
	param.Nullable("parallel_tool_calls", param.Boolean),
	param.Nullable("max_tool_calls", param.Integer(1, math.MaxInt32)),
	param.Nullable("text", text),
	param.Nullable("reasoning", reasoning),
	param.Nullable("include", include),
	param.Nullable("metadata", param.Metadata),
	param.Nullable("store", param.Boolean),
	param.Nullable("truncation", truncation),
	param.Nullable("service_tier", param.Text),
	param.Nullable("user", param.Text),
	param.Nullable("safety_identifier", param.TextUpTo(64)),
	param.Nullable("prompt_cache_key", param.Text),
	param.Nullable("prompt_cache_retention", param.Text),
	param.Nullable("background", background),
	param.Nullable("previous_response_id", param.Unsupported(nothingStored)),
	param.Nullable("conversation", param.Unsupported(nothingStored)),
	param.Nullable("prompt", param.Unsupported("this gateway stores no prompts")),
}

// DecodeRequest reads the body of a Responses request. The model server is asked
// for the chat completion that says the same. The request keeps pieces of body,
// which must therefore not change.
func DecodeRequest(body []byte, defaults Defaults) (*Request, *apierror.Error) {
	m, e := param.Parse(body)
	if e != nil {
		return nil, e
	}
	if e := m.Check(parameters); e != nil {
		return nil, e
	}
	if e := m.CheckNames(parameters); e != nil {
		return nil, e
	}
	if e := checkCombinations(m); e != nil {
		return nil, e
	}
	talk := new(conversation.Conversation)
	if instructions := m.Get("instructions"); instructions.Str != "" {
		words := new(conversation.Text)
		words.Add(instructions)
		talk.Say("system", words)
	}
	if e := decodeInput(talk, m); e != nil {
		return nil, e
	}
	req := &Request{settings: settingsOf(m), Request: &completion.Request{
		Model:     defaults.Model,
		Stream:    m.Get("stream").Bool(),
		Choices:   1,
		MaxTokens: m.Int("max_output_tokens"),
		// Every response tells its usage ("Streaming, What to expect").
		IncludeUsage: true,
		Logprobs:     wantsLogprobs(m),
		Messages:     talk.Messages(),
		Body:         upstream(m, talk),
		Native:       &completion.Native{Format: completion.FormatResponses, Body: m},
	}}
	if model := m.Get("model"); model.Exists() {
		req.Model = model.Str
	}
	return req, nil
}

// checkCombinations checks what depends on more than one parameter.
func checkCombinations(m param.Members) *apierror.Error {
	if m.Get("stream_options").Exists() && !m.Get("stream").Bool() {
		return apierror.OnlyWhen("stream_options", "'stream' is enabled")
	}
	choice := m.Get("tool_choice")
	asksForTool := choice.IsObject() || choice.Str == "required"
	if asksForTool && len(m.Get("tools").Array()) == 0 {
		return apierror.OnlyWhen("tool_choice", "'tools' are specified")
	}
	return nil
}

// upstream is the chat completion request that says the same.
func upstream(m param.Members, talk *conversation.Conversation) map[string]json.RawMessage {
	body := map[string]json.RawMessage{"messages": talk.JSON()}
	for _, name := range []string{"temperature", "top_p", "presence_penalty", "frequency_penalty", "user"} {
		if v := m.Get(name); v.Exists() {
			body[name] = json.RawMessage(v.Raw)
		}
	}
	if wantsLogprobs(m) {
		body["logprobs"] = json.RawMessage("true")
		if top := m.Get("top_logprobs"); top.Exists() {
			body["top_logprobs"] = json.RawMessage(top.Raw)
		}
	}
	if effort := m.Get("reasoning").Get("effort"); effort.Type == gjson.String {
		body["reasoning_effort"] = json.RawMessage(effort.Raw)
	}
	if verbosity := m.Get("text").Get("verbosity"); verbosity.Type == gjson.String {
		body["verbosity"] = json.RawMessage(verbosity.Raw)
	}
	if shape := chatResponseFormat(m.Get("text").Get("format")); shape != nil {
		body["response_format"] = shape
	}
	if definitions := m.Get("tools"); len(definitions.Array()) > 0 {
		body["tools"] = chatTools(definitions)
		if choice := chatToolChoice(m.Get("tool_choice")); choice != nil {
			body["tool_choice"] = choice
		}
		if parallel := m.Get("parallel_tool_calls"); parallel.Exists() {
			body["parallel_tool_calls"] = json.RawMessage(parallel.Raw)
		}
	}
	return body
}

// wantsLogprobs tells whether the client asked for logprobs, in either way.
func wantsLogprobs(m param.Members) bool {
	if m.Get("top_logprobs").Int() > 0 {
		return true
	}
	for _, v := range m.Get("include").Array() {
		if v.Str == "message.output_text.logprobs" {
			return true
		}
	}
	return false
}
