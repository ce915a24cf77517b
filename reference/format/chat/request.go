package chat

import (
	"encoding/json"
	"strings"

	"github.com/tidwall/gjson"

	"plumbline.dev/plumbline/reference/apierror"
	"plumbline.dev/plumbline/reference/completion"
	"plumbline.dev/plumbline/reference/strictjson"
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
	members, err := strictjson.Object(body)
	if err != nil {
		return nil, apierror.InvalidJSON(err.Error())
	}
	d := decoder{members: members}
	if e := d.checkParameters(); e != nil {
		return nil, e
	}
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
		Stream:       d.get("stream").Bool(),
		Choices:      1,
		MaxTokens:    d.maxTokens(),
		IncludeUsage: d.get("stream_options").Get("include_usage").Bool(),
		Logprobs:     d.get("logprobs").Bool(),
		Messages:     messages,
		Stop:         d.stop(),
		Body:         members,
	}
	if model := d.get("model"); model.Exists() {
		req.Model = model.Str
	}
	if n := d.get("n"); n.Exists() {
		req.Choices = int(n.Int())
	}
	return req, nil
}

// decoder reads the parameters of one request.
type decoder struct {
	members map[string]json.RawMessage
}

// get returns a parameter; null is the same as absent.
func (d decoder) get(name string) gjson.Result {
	raw, ok := d.members[name]
	if !ok {
		return gjson.Result{}
	}
	v := gjson.ParseBytes(raw)
	if v.Type == gjson.Null {
		return gjson.Result{}
	}
	return v
}

func (d decoder) checkParameters() *apierror.Error {
	for _, p := range parameters {
		raw, ok := d.members[p.name]
		if !ok {
			continue
		}
		v := gjson.ParseBytes(raw)
		if v.Type == gjson.Null && p.nullable {
			continue
		}
		if e := p.check(p.name, v); e != nil {
			return e
		}
	}
	return nil
}

// checkCombinations checks what depends on more than one parameter.
func (d decoder) checkCombinations() *apierror.Error {
	if d.get("stream_options").Exists() && !d.get("stream").Bool() {
		return apierror.OnlyWhen("stream_options", "'stream' is enabled")
	}
	if d.get("top_logprobs").Exists() && !d.get("logprobs").Bool() {
		return apierror.OnlyWhen("top_logprobs", "'logprobs' is enabled")
	}
	older, newer := d.get("max_tokens"), d.get("max_completion_tokens")
	if older.Exists() && newer.Exists() && older.Int() != newer.Int() {
		return apierror.Conflict("max_tokens", "max_completion_tokens")
	}
	if !d.get("tools").Exists() {
		if choice := d.get("tool_choice"); choice.Exists() && choice.Str != "none" {
			return apierror.OnlyWhen("tool_choice", "'tools' are specified")
		}
		if d.get("parallel_tool_calls").Exists() {
			return apierror.OnlyWhen("parallel_tool_calls", "'tools' are specified")
		}
	}
	return nil
}

func (d decoder) maxTokens() *int {
	for _, name := range []string{"max_completion_tokens", "max_tokens"} {
		if v := d.get(name); v.Exists() {
			n := int(v.Int())
			return &n
		}
	}
	return nil
}

func (d decoder) stop() []string {
	v := d.get("stop")
	if v.Type == gjson.String {
		return []string{strings.Clone(v.Str)}
	}
	var stop []string
	for _, s := range v.Array() {
		stop = append(stop, strings.Clone(s.Str))
	}
	return stop
}
