package messages

import (
	"encoding/json"

	"github.com/tidwall/gjson"

	"plumbline.dev/plumbline/reference/apierror"
	"plumbline.dev/plumbline/reference/format/param"
)

const maxTools = 128

func tools(path string, v gjson.Result) *apierror.Error {
	if e := param.List(path, v, tool); e != nil {
		return e
	}
	if n := len(v.Array()); n > maxTools {
		return apierror.ArrayTooLong(path, maxTools, n)
	}
	return nil
}

// tool is the definition of a tool of the client's own.
func tool(path string, v gjson.Result) *apierror.Error {
	if e := param.PlainObject(path, v); e != nil {
		return e
	}
	if kind := v.Get("type"); kind.Type != gjson.Null && kind.Str != "custom" {
		return apierror.InvalidValue(path+".type", "only tools of the type 'custom', which the client runs, are supported here")
	}
	if e := param.Required(path+".name", v.Get("name"), param.Identifier); e != nil {
		return e
	}
	if e := param.Optional(path+".description", v.Get("description"), param.Text); e != nil {
		return e
	}
	schema := v.Get("input_schema")
	if e := param.Required(path+".input_schema", schema, param.PlainObject); e != nil {
		return e
	}
	return param.Required(path+".input_schema.type", schema.Get("type"), param.OneOf("object"))
}

func toolChoice(path string, v gjson.Result) *apierror.Error {
	if e := param.PlainObject(path, v); e != nil {
		return e
	}
	if e := param.Required(path+".type", v.Get("type"), param.OneOf("auto", "any", "tool", "none")); e != nil {
		return e
	}
	if v.Get("type").Str == "tool" {
		if e := param.Required(path+".name", v.Get("name"), param.Identifier); e != nil {
			return e
		}
	}
	return param.Optional(path+".disable_parallel_tool_use", v.Get("disable_parallel_tool_use"), param.Boolean)
}

// chatTools writes the definitions as the chat format has them.
func chatTools(definitions gjson.Result) json.RawMessage {
	out := []byte{'['}
	definitions.ForEach(func(_, tool gjson.Result) bool {
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(append(out, `{"type":"function","function":{"name":`...), tool.Get("name").Raw...)
		if description := tool.Get("description"); description.Type == gjson.String {
			out = append(append(out, `,"description":`...), description.Raw...)
		}
		out = append(append(out, `,"parameters":`...), tool.Get("input_schema").Raw...)
		out = append(out, "}}"...)
		return true
	})
	return append(out, ']')
}

// chatToolChoice sets the tool_choice of the chat format, and whether several
// tools may be called at once.
func chatToolChoice(body map[string]json.RawMessage, choice gjson.Result) {
	switch choice.Get("type").Str {
	case "auto":
		body["tool_choice"] = json.RawMessage(`"auto"`)
	case "any":
		body["tool_choice"] = json.RawMessage(`"required"`)
	case "none":
		body["tool_choice"] = json.RawMessage(`"none"`)
	case "tool":
		body["tool_choice"] = json.RawMessage(`{"type":"function","function":{"name":` + choice.Get("name").Raw + `}}`)
	}
	if choice.Get("disable_parallel_tool_use").Bool() {
		body["parallel_tool_calls"] = json.RawMessage("false")
	}
}
