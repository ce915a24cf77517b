package chat

import (
	"github.com/tidwall/gjson"

	"plumbline.dev/plumbline/reference/apierror"
	"plumbline.dev/plumbline/reference/format/param"
)

func responseFormat(path string, v gjson.Result) *apierror.Error {
	var kind, schema gjson.Result
	e := param.Object(path, v, func(name string, v gjson.Result) *apierror.Error {
		switch name {
		case "type":
			kind = v
		case "json_schema":
			schema = v
		}
		return nil
	})
	if e != nil {
		return e
	}
	e = param.Required(path+".type", kind, param.OneOf("text", "json_object", "json_schema"))
	if e != nil || kind.Str != "json_schema" {
		return e
	}
	return param.Required(path+".json_schema", schema, jsonSchema)
}

func jsonSchema(path string, v gjson.Result) *apierror.Error {
	var title gjson.Result
	e := param.Object(path, v, func(name string, v gjson.Result) *apierror.Error {
		switch name {
		case "name":
			title = v
		case "schema":
			return param.PlainObject(path+"."+name, v)
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
