package param

import (
	"strconv"
	"strings"

	"github.com/tidwall/gjson"

	"plumbline.dev/plumbline/reference/apierror"
)

// Object checks that a value is an object and hands out its members, until one
// is refused.
func Object(path string, v gjson.Result, member func(name string, v gjson.Result) *apierror.Error) *apierror.Error {
	if !v.IsObject() {
		return apierror.InvalidType(path, "an object", Describe(v))
	}
	var refusal *apierror.Error
	v.ForEach(func(name, value gjson.Result) bool {
		refusal = member(name.Str, value)
		return refusal == nil
	})
	return refusal
}

// PlainObject checks that a value is an object, whatever it holds.
func PlainObject(path string, v gjson.Result) *apierror.Error {
	return Object(path, v, func(string, gjson.Result) *apierror.Error { return nil })
}

// Array checks that a value is an array with at least one element and hands out
// the elements with their paths, until one is refused.
func Array(path string, v gjson.Result, element Check) *apierror.Error {
	n, e := elements(path, v, element)
	if e == nil && n == 0 {
		return apierror.EmptyArray(path)
	}
	return e
}

// List is Array for an array that may be empty.
func List(path string, v gjson.Result, element Check) *apierror.Error {
	_, e := elements(path, v, element)
	return e
}

func elements(path string, v gjson.Result, element Check) (int, *apierror.Error) {
	if !v.IsArray() {
		return 0, apierror.InvalidType(path, "an array", Describe(v))
	}
	var refusal *apierror.Error
	n := 0
	v.ForEach(func(_, value gjson.Result) bool {
		refusal = element(path+"["+strconv.Itoa(n)+"]", value)
		n++
		return refusal == nil
	})
	return n, refusal
}

// ArrayUpTo checks for an array of one to so many elements.
func ArrayUpTo(maximum int, element Check) Check {
	return func(path string, v gjson.Result) *apierror.Error {
		if e := Array(path, v, element); e != nil {
			return e
		}
		if n := len(v.Array()); n > maximum {
			return apierror.ArrayTooLong(path, maximum, n)
		}
		return nil
	}
}

// Required checks a member that has to be there.
func Required(path string, v gjson.Result, c Check) *apierror.Error {
	if !v.Exists() {
		return apierror.Missing(path)
	}
	return c(path, v)
}

// Optional checks a member that may be absent or null.
func Optional(path string, v gjson.Result, c Check) *apierror.Error {
	if v.Type == gjson.Null {
		return nil
	}
	return c(path, v)
}

// maxIdentifier is how many bytes the name of a function or a schema may have.
const maxIdentifier = 64

// Identifier checks the name of a function or a schema.
func Identifier(path string, v gjson.Result) *apierror.Error {
	if e := NonEmptyText(path, v); e != nil {
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
