package responses

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

// tool is the definition of a function of the client's own.
func tool(path string, v gjson.Result) *apierror.Error {
	if e := param.PlainObject(path, v); e != nil {
		return e
	}
	kind := v.Get("type")
	if e := param.Required(path+".type", kind, param.Text); e != nil {
		return e
	}
	if kind.Str != "function" {
		return apierror.InvalidValue(path+".type", "only tools of the type 'function', which the client runs, are supported here")
	}
	if e := param.Required(path+".name", v.Get("name"), param.Identifier); e != nil {
		return e
	}
	if e := param.Optional(path+".description", v.Get("description"), param.Text); e != nil {
		return e
	}
	if e := param.Optional(path+".strict", v.Get("strict"), param.Boolean); e != nil {
		return e
	}
	return param.Optional(path+".parameters", v.Get("parameters"), param.PlainObject)
}

// toolChoice is a mode, or one function by name.
func toolChoice(path string, v gjson.Result) *apierror.Error {
	if v.Type == gjson.String {
		return param.OneOf("none", "auto", "required")(path, v)
	}
	if !v.IsObject() {
		return apierror.InvalidType(path, "one of 'none', 'auto', 'required' or an object", param.Describe(v))
	}
	if e := param.Required(path+".type", v.Get("type"), param.OneOf("function")); e != nil {
		return e
	}
	return param.Required(path+".name", v.Get("name"), param.Identifier)
}

// chatTools writes the definitions as the chat format has them.
func chatTools(definitions gjson.Result) json.RawMessage {
	out := []byte{'['}
	definitions.ForEach(func(_, tool gjson.Result) bool {
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(append(out, `{"type":"function","function":{"name":`...), tool.Get("name").Raw...)
		for _, name := range []string{"description", "parameters", "strict"} {
			if member := tool.Get(name); member.Type != gjson.Null {
				out = append(append(append(out, `,"`...), name...), `":`...)
				out = append(out, member.Raw...)
			}
		}
		out = append(out, "}}"...)
		return true
	})
	return append(out, ']')
}

// chatToolChoice writes the choice as the chat format has it, nil for none.
func chatToolChoice(v gjson.Result) json.RawMessage {
	switch {
	case v.Type == gjson.String:
		return json.RawMessage(v.Raw)
	case v.IsObject():
		return json.RawMessage(`{"type":"function","function":{"name":` + v.Get("name").Raw + `}}`)
	}
	return nil
}
