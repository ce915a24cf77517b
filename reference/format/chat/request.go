package chat

import (
	"plumbline.dev/plumbline/reference/apierror"
	"plumbline.dev/plumbline/reference/completion"
	"plumbline.dev/plumbline/reference/format/param"
)

// Defaults are what a request that leaves something out gets.
type Defaults struct {
	// Model is the name of the model of requests that name none: the documented
	// reader sends none ("Stream responses, Read the stream yourself").
	Model string
}

// DecodeRequest reads the body of a chat completion request (OpenAI chat,
// CreateChatCompletionRequest). It is strict about the parameters that the
// OpenAI API defines, and reports the first that is wrong. A parameter that it
// does not know is no error: model servers have their own, such as top_k, and
// it reaches them through Request.Body.
//
// The request keeps pieces of body, which must therefore not change.
func DecodeRequest(body []byte, defaults Defaults) (*completion.Request, *apierror.Error) {
	members, e := param.Parse(body)
	if e != nil {
		return nil, e
	}
	if e := members.Check(parameters); e != nil {
		return nil, e
	}
	d := decoder{members}
	if e := d.checkCombinations(); e != nil {
		return nil, e
	}
	raw, ok := members["messages"]
	if !ok {
		return nil, apierror.Missing("messages")
	}
	messages, e := decodeMessages(raw)
	if e != nil {
		return nil, e
	}
	req := &completion.Request{
		Model:        defaults.Model,
		Stream:       d.Get("stream").Bool(),
		Choices:      1,
		MaxTokens:    d.maxTokens(),
		IncludeUsage: d.Get("stream_options").Get("include_usage").Bool(),
		Logprobs:     d.Get("logprobs").Bool(),
		Messages:     messages,
		Stop:         d.StopSequences("stop"),
		Body:         members,
	}
	if model := d.Get("model"); model.Exists() {
		req.Model = model.Str
	}
	if n := d.Get("n"); n.Exists() {
		req.Choices = int(n.Int())
	}
	return req, nil
}

// decoder reads the parameters of one request.
type decoder struct{ param.Members }

// checkCombinations checks what depends on more than one parameter.
func (d decoder) checkCombinations() *apierror.Error {
	if d.Get("stream_options").Exists() && !d.Get("stream").Bool() {
		return apierror.OnlyWhen("stream_options", "'stream' is enabled")
	}
	if d.Get("top_logprobs").Exists() && !d.Get("logprobs").Bool() {
		return apierror.OnlyWhen("top_logprobs", "'logprobs' is enabled")
	}
	older, newer := d.Get("max_tokens"), d.Get("max_completion_tokens")
	if older.Exists() && newer.Exists() && older.Int() != newer.Int() {
		return apierror.Conflict("max_tokens", "max_completion_tokens")
	}
	if !d.Get("tools").Exists() {
		if choice := d.Get("tool_choice"); choice.Exists() && choice.Str != "none" {
			return apierror.OnlyWhen("tool_choice", "'tools' are specified")
		}
		if d.Get("parallel_tool_calls").Exists() {
			return apierror.OnlyWhen("parallel_tool_calls", "'tools' are specified")
		}
	}
	return nil
}

func (d decoder) maxTokens() *int {
	if n := d.Int("max_completion_tokens"); n != nil {
		return n
	}
	return d.Int("max_tokens")
}
