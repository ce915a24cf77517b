package chat

import (
	"strconv"

	"github.com/tidwall/gjson"

	"plumbline.dev/plumbline/reference/apierror"
)

const (
	maxStops         = 4
	maxTokenID       = 10 // digits
	maxMetadata      = 16
	maxMetadataName  = 64
	maxMetadataValue = 512
)

func streamOptions(path string, v gjson.Result) *apierror.Error {
	return object(path, v, func(name string, v gjson.Result) *apierror.Error {
		if (name == "include_usage" || name == "include_obfuscation") && v.Type != gjson.Null {
			return boolean(path+"."+name, v)
		}
		return nil
	})
}

func stop(path string, v gjson.Result) *apierror.Error {
	if v.Type == gjson.String {
		return nonEmptyText(path, v)
	}
	if !v.IsArray() {
		return apierror.InvalidType(path, "one of a string or an array of strings", describe(v))
	}
	if e := array(path, v, nonEmptyText); e != nil {
		return e
	}
	if n := len(v.Array()); n > maxStops {
		return apierror.ArrayTooLong(path, maxStops, n)
	}
	return nil
}

// logitBias is a map from token ids to biases of -100 to 100.
func logitBias(path string, v gjson.Result) *apierror.Error {
	bias := decimal(-100, 100)
	return object(path, v, func(name string, v gjson.Result) *apierror.Error {
		if _, err := strconv.ParseUint(name, 10, 32); err != nil || len(name) > maxTokenID {
			return apierror.InvalidValue(path, "every name must be the id of a token")
		}
		return bias(path+"."+name, v)
	})
}

func metadata(path string, v gjson.Result) *apierror.Error {
	n := 0
	value := textUpTo(maxMetadataValue)
	return object(path, v, func(name string, v gjson.Result) *apierror.Error {
		if n++; n > maxMetadata {
			return apierror.InvalidValue(path, "at most 16 pairs are possible")
		}
		if len(name) > maxMetadataName {
			return apierror.InvalidValue(path, "a name may have at most 64 characters")
		}
		return value(path+"."+name, v)
	})
}

func responseFormat(path string, v gjson.Result) *apierror.Error {
	var kind, schema gjson.Result
	e := object(path, v, func(name string, v gjson.Result) *apierror.Error {
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
	e = required(path+".type", kind, func(path string, v gjson.Result) *apierror.Error {
		return oneOf(path, v, "text", "json_object", "json_schema")
	})
	if e != nil || kind.Str != "json_schema" {
		return e
	}
	return required(path+".json_schema", schema, jsonSchema)
}

func jsonSchema(path string, v gjson.Result) *apierror.Error {
	var title gjson.Result
	e := object(path, v, func(name string, v gjson.Result) *apierror.Error {
		switch name {
		case "name":
			title = v
		case "schema":
			return plainObject(path+"."+name, v)
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

func plainObject(path string, v gjson.Result) *apierror.Error {
	return object(path, v, func(string, gjson.Result) *apierror.Error { return nil })
}

func nullOr(c check) check {
	return func(path string, v gjson.Result) *apierror.Error {
		if v.Type == gjson.Null {
			return nil
		}
		return c(path, v)
	}
}
