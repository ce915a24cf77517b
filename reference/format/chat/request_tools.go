package chat

import (
	"strings"

	"github.com/tidwall/gjson"

	"plumbline.dev/plumbline/reference/apierror"
)

const (
	maxTools      = 128
	maxIdentifier = 64
)

func tools(path string, v gjson.Result) *apierror.Error {
	if e := array(path, v, tool); e != nil {
		return e
	}
	if n := len(v.Array()); n > maxTools {
		return apierror.ArrayTooLong(path, maxTools, n)
	}
	return nil
}

// tool is {type: function, function: {name, …}}, or the same with custom.
func tool(path string, v gjson.Result) *apierror.Error {
	kind, definition, e := typed(path, v)
	if e != nil {
		return e
	}
	return required(path+"."+kind, definition, toolDefinition)
}

func toolDefinition(path string, v gjson.Result) *apierror.Error {
	var title gjson.Result
	e := object(path, v, func(name string, v gjson.Result) *apierror.Error {
		switch name {
		case "name":
			title = v
		case "description":
			return nullOr(text)(path+"."+name, v)
		case "parameters":
			return nullOr(plainObject)(path+"."+name, v)
		case "strict":
			return nullOr(boolean)(path+"."+name, v)
		}
		return nil
	})
	if e != nil {
		return e
	}
	return required(path+".name", title, identifier)
}

// toolChoice is a mode, or one tool by name. Of allowed_tools, the type alone
// is judged: few model servers know it, and those that do judge the rest.
func toolChoice(path string, v gjson.Result) *apierror.Error {
	if v.Type == gjson.String {
		return oneOf(path, v, "none", "auto", "required")
	}
	if !v.IsObject() {
		return apierror.InvalidType(path, "one of 'none', 'auto', 'required' or an object", describe(v))
	}
	if v.Get("type").Str == "allowed_tools" {
		return nil
	}
	kind, chosen, e := typed(path, v)
	if e != nil {
		return e
	}
	return required(path+"."+kind, chosen, func(path string, v gjson.Result) *apierror.Error {
		if e := plainObject(path, v); e != nil {
			return e
		}
		return required(path+".name", v.Get("name"), identifier)
	})
}

// toolCall is a call that an assistant made earlier in the conversation.
func toolCall(path string, v gjson.Result) *apierror.Error {
	kind, call, e := typed(path, v)
	if e != nil {
		return e
	}
	if e := required(path+".id", v.Get("id"), nonEmptyText); e != nil {
		return e
	}
	return required(path+"."+kind, call, func(path string, v gjson.Result) *apierror.Error {
		if e := plainObject(path, v); e != nil {
			return e
		}
		if e := required(path+".name", v.Get("name"), nonEmptyText); e != nil {
			return e
		}
		if kind == "custom" {
			return required(path+".input", v.Get("input"), text)
		}
		return required(path+".arguments", v.Get("arguments"), text)
	})
}

// typed reads an object whose type says under which name its content stands.
func typed(path string, v gjson.Result) (kind string, content gjson.Result, e *apierror.Error) {
	if e := plainObject(path, v); e != nil {
		return "", content, e
	}
	e = required(path+".type", v.Get("type"), func(path string, v gjson.Result) *apierror.Error {
		return oneOf(path, v, "function", "custom")
	})
	if e != nil {
		return "", content, e
	}
	kind = v.Get("type").Str
	return kind, v.Get(kind), nil
}

// identifier is the name of a function or a schema.
func identifier(path string, v gjson.Result) *apierror.Error {
	if e := nonEmptyText(path, v); e != nil {
		return e
	}
	if len(v.Str) > maxIdentifier {
		return apierror.StringTooLong(path, maxIdentifier)
	}
	odd := func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '_' && r != '-'
	}
	if strings.ContainsFunc(v.Str, odd) {
		return apierror.InvalidValue(path, "it may hold letters of a to z, digits, underscores and dashes only")
	}
	return nil
}
