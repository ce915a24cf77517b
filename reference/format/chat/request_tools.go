package chat

import (
	"github.com/tidwall/gjson"

	"plumbline.dev/plumbline/reference/apierror"
	"plumbline.dev/plumbline/reference/format/param"
)

const maxTools = 128

// tool is {type: function, function: {name, …}}, or the same with custom.
func tool(path string, v gjson.Result) *apierror.Error {
	kind, definition, e := typed(path, v)
	if e != nil {
		return e
	}
	return param.Required(path+"."+kind, definition, toolDefinition)
}

func toolDefinition(path string, v gjson.Result) *apierror.Error {
	var title gjson.Result
	e := param.Object(path, v, func(name string, v gjson.Result) *apierror.Error {
		switch name {
		case "name":
			title = v
		case "description":
			return param.NullOr(param.Text)(path+"."+name, v)
		case "parameters":
			return param.NullOr(param.PlainObject)(path+"."+name, v)
		case "strict":
			return param.NullOr(param.Boolean)(path+"."+name, v)
		}
		return nil
	})
	if e != nil {
		return e
	}
	return param.Required(path+".name", title, param.Identifier)
}

// toolChoice is a mode, or one tool by name. Of allowed_tools, the type alone
// is judged: few model servers know it, and those that do judge the rest.
func toolChoice(path string, v gjson.Result) *apierror.Error {
	if v.Type == gjson.String {
		return param.OneOf("none", "auto", "required")(path, v)
	}
	if !v.IsObject() {
		return apierror.InvalidType(path, "one of 'none', 'auto', 'required' or an object", param.Describe(v))
	}
	if v.Get("type").Str == "allowed_tools" {
		return nil
	}
	kind, chosen, e := typed(path, v)
	if e != nil {
		return e
	}
	return param.Required(path+"."+kind, chosen, func(path string, v gjson.Result) *apierror.Error {
		if e := param.PlainObject(path, v); e != nil {
			return e
		}
		return param.Required(path+".name", v.Get("name"), param.Identifier)
	})
}

// toolCall is a call that an assistant made earlier in the conversation.
func toolCall(path string, v gjson.Result) *apierror.Error {
	kind, call, e := typed(path, v)
	if e != nil {
		return e
	}
	if e := param.Required(path+".id", v.Get("id"), param.NonEmptyText); e != nil {
		return e
	}
	return param.Required(path+"."+kind, call, func(path string, v gjson.Result) *apierror.Error {
		if e := param.PlainObject(path, v); e != nil {
			return e
		}
		if e := param.Required(path+".name", v.Get("name"), param.NonEmptyText); e != nil {
			return e
		}
		if kind == "custom" {
			return param.Required(path+".input", v.Get("input"), param.Text)
		}
		return param.Required(path+".arguments", v.Get("arguments"), param.Text)
	})
}

// typed reads an object whose type says under which name its content stands.
func typed(path string, v gjson.Result) (kind string, content gjson.Result, e *apierror.Error) {
	if e := param.PlainObject(path, v); e != nil {
		return "", content, e
	}
	e = param.Required(path+".type", v.Get("type"), param.OneOf("function", "custom"))
	if e != nil {
		return "", content, e
	}
	kind = v.Get("type").Str
	return kind, v.Get(kind), nil
}
