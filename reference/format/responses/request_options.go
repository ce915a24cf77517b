package responses

import (
	"encoding/json"

	"github.com/tidwall/gjson"

	"plumbline.dev/plumbline/reference/apierror"
	"plumbline.dev/plumbline/reference/format/param"
)

func streamOptions(path string, v gjson.Result) *apierror.Error {
	return param.Object(path, v, func(name string, v gjson.Result) *apierror.Error {
		if name == "include_obfuscation" {
			return param.Optional(path+"."+name, v, param.Boolean)
		}
		return apierror.UnknownParameter(path + "." + name)
	})
}

func background(path string, v gjson.Result) *apierror.Error {
	if e := param.Boolean(path, v); e != nil {
		return e
	}
	if v.Bool() {
		return apierror.UnsupportedParameter(path, nothingStored)
	}
	return nil
}

func truncation(path string, v gjson.Result) *apierror.Error {
	if e := param.OneOf("auto", "disabled")(path, v); e != nil {
		return e
	}
	if v.Str == "auto" {
		return apierror.UnsupportedParameter(path, "a conversation that is too long is refused, not shortened")
	}
	return nil
}

func include(path string, v gjson.Result) *apierror.Error { return param.List(path, v, param.Text) }

func reasoning(path string, v gjson.Result) *apierror.Error {
	return param.Object(path, v, func(name string, v gjson.Result) *apierror.Error {
		switch name {
		case "effort", "summary", "generate_summary":
			return param.Optional(path+"."+name, v, param.Text)
		}
		return nil
	})
}

// text is the shape of the reply.
func text(path string, v gjson.Result) *apierror.Error {
	if e := param.PlainObject(path, v); e != nil {
		return e
	}
	if e := param.Optional(path+".verbosity", v.Get("verbosity"), param.OneOf("low", "medium", "high")); e != nil {
		return e
	}
	return param.Optional(path+".format", v.Get("format"), textFormat)
}

func textFormat(path string, v gjson.Result) *apierror.Error {
	if e := param.PlainObject(path, v); e != nil {
		return e
	}
	kind := v.Get("type")
	if e := param.Required(path+".type", kind, param.OneOf("text", "json_object", "json_schema")); e != nil || kind.Str != "json_schema" {
		return e
	}
	if e := param.Required(path+".name", v.Get("name"), param.Identifier); e != nil {
		return e
	}
	if e := param.Optional(path+".strict", v.Get("strict"), param.Boolean); e != nil {
		return e
	}
	return param.Required(path+".schema", v.Get("schema"), param.PlainObject)
}

// chatResponseFormat writes a text format as the chat format has it, nil for
// plain text.
func chatResponseFormat(v gjson.Result) json.RawMessage {
	switch v.Get("type").Str {
	case "json_object":
		return json.RawMessage(`{"type":"json_object"}`)
	case "json_schema":
		out := append(json.RawMessage(`{"type":"json_schema","json_schema":{"name":`), v.Get("name").Raw...)
		for _, name := range []string{"description", "schema", "strict"} {
			if member := v.Get(name); member.Type != gjson.Null {
				out = append(append(append(out, `,"`...), name...), `":`...)
				out = append(out, member.Raw...)
			}
		}
		return append(out, "}}"...)
	}
	return nil
}
