package messages

import (
	"encoding/json"
	"math"

	"github.com/tidwall/gjson"

	"plumbline.dev/plumbline/reference/apierror"
	"plumbline.dev/plumbline/reference/completion"
	"plumbline.dev/plumbline/reference/format/conversation"
	"plumbline.dev/plumbline/reference/format/param"
)

// parameters are judged in this order, and are all there are: another one is
// refused, as Anthropic's API does. Those with param.Anything or a check of
// their type alone have no effect on models that are asked for chat completions.
var parameters = []param.Rule{
	param.Strict("model", param.NonEmptyText),
	param.Strict("max_tokens", param.Integer(1, math.MaxInt32)),
	param.Strict("messages", param.Anything), // read by decodeMessages
	param.Strict("system", param.Anything),   // read by decodeSystem
	param.Nullable("stream", param.Boolean),
	param.Nullable("stop_sequences", stopSequences),
	param.Nullable("temperature", param.Decimal(0, 1)),
	param.Nullable("top_p", param.Decimal(0, 1)),
	param.Nullable("top_k", param.Integer(0, math.MaxInt32)),
	param.Nullable("tools", tools),
	param.Nullable("tool_choice", toolChoice),
	param.Nullable("thinking", thinking),
	param.Nullable("metadata", metadata),
	param.Nullable("service_tier", param.OneOf("auto", "standard_only")),
	param.Nullable("cache_control", param.PlainObject),
	param.Nullable("context_management", param.PlainObject),
	param.Nullable("output_config", outputConfig),
	param.Nullable("output_format", param.Unsupported("its newer name is output_config.format")),
	param.Nullable("inference_geo", param.Text),
	param.Nullable("speed", param.Text),
	param.Nullable("container", param.Unsupported("there are no server tools here")),
	param.Nullable("mcp_servers", param.Unsupported("there are no server tools here")),
}

// maxStops is how many stop sequences chat model servers take.
const maxStops = 4

func stopSequences(path string, v gjson.Result) *apierror.Error {
	if e := param.List(path, v, param.NonEmptyText); e != nil {
		return e
	}
	if n := len(v.Array()); n > maxStops {
		return apierror.ArrayTooLong(path, maxStops, n)
	}
	return nil
}

func thinking(path string, v gjson.Result) *apierror.Error {
	if e := param.PlainObject(path, v); e != nil {
		return e
	}
	kind := v.Get("type")
	if e := param.Required(path+".type", kind, param.OneOf("enabled", "disabled", "adaptive", "between_tools")); e != nil {
		return e
	}
	if kind.Str != "enabled" {
		return nil
	}
	return param.Required(path+".budget_tokens", v.Get("budget_tokens"), param.Integer(1024, math.MaxInt32))
}

func metadata(path string, v gjson.Result) *apierror.Error {
	if e := param.PlainObject(path, v); e != nil {
		return e
	}
	return param.Optional(path+".user_id", v.Get("user_id"), param.Text)
}

// outputConfig may ask for a reply that follows a schema.
func outputConfig(path string, v gjson.Result) *apierror.Error {
	if e := param.PlainObject(path, v); e != nil {
		return e
	}
	return param.Optional(path+".format", v.Get("format"), func(path string, v gjson.Result) *apierror.Error {
		if e := param.PlainObject(path, v); e != nil {
			return e
		}
		if e := param.Required(path+".type", v.Get("type"), param.OneOf("json_schema")); e != nil {
			return e
		}
		return param.Required(path+".schema", v.Get("schema"), param.PlainObject)
	})
}

// DecodeRequest reads the body of a Messages request. The model server is asked
// for the chat completion that says the same. The request keeps pieces of body,
// which must therefore not change.
func DecodeRequest(body []byte) (*completion.Request, *apierror.Error) {
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
	for _, name := range []string{"model", "max_tokens", "messages"} {
		if _, ok := m[name]; !ok {
			return nil, apierror.Missing(name)
		}
	}
	if m.Get("tool_choice").Exists() && !m.Get("tools").Exists() {
		return nil, apierror.OnlyWhen("tool_choice", "'tools' are specified")
	}
	talk := new(conversation.Conversation)
	if e := decodeSystem(talk, m.Get("system")); e != nil {
		return nil, e
	}
	if e := decodeMessages(talk, gjson.ParseBytes(m["messages"])); e != nil {
		return nil, e
	}
	return &completion.Request{
		Model:     m.Get("model").Str,
		Stream:    m.Get("stream").Bool(),
		Choices:   1,
		MaxTokens: m.Int("max_tokens"),
		// Every message tells its usage ("Streaming, What to expect").
		IncludeUsage: true,
		Messages:     talk.Messages(),
		Stop:         m.StopSequences("stop_sequences"),
		Body:         upstream(m, talk),
		Native:       &completion.Native{Format: completion.FormatMessages, Body: m},
	}, nil
}

// upstream is the chat completion request that says the same.
func upstream(m param.Members, talk *conversation.Conversation) map[string]json.RawMessage {
	body := map[string]json.RawMessage{"messages": talk.JSON()}
	for _, name := range []string{"temperature", "top_p", "top_k"} {
		if v := m.Get(name); v.Exists() {
			body[name] = json.RawMessage(v.Raw)
		}
	}
	if stop := m.Get("stop_sequences"); len(stop.Array()) > 0 {
		body["stop"] = json.RawMessage(stop.Raw)
	}
	if user := m.Get("metadata").Get("user_id"); user.Type == gjson.String {
		body["user"] = json.RawMessage(user.Raw)
	}
	if schema := m.Get("output_config").Get("format.schema"); schema.Exists() {
		body["response_format"] = json.RawMessage(`{"type":"json_schema","json_schema":{"name":"output","schema":` + schema.Raw + `,"strict":true}}`)
	}
	if definitions := m.Get("tools"); len(definitions.Array()) > 0 {
		body["tools"] = chatTools(definitions)
		chatToolChoice(body, m.Get("tool_choice"))
	}
	return body
}
