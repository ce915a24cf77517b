package param

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/tidwall/gjson"

	"plumbline.dev/plumbline/reference/apierror"
)

// Check judges a value that stands at a path.
type Check func(path string, v gjson.Result) *apierror.Error

// Boolean checks that a value is true or false.
func Boolean(path string, v gjson.Result) *apierror.Error {
	if !v.IsBool() {
		return apierror.InvalidType(path, "a boolean", Describe(v))
	}
	return nil
}

// Text checks that a value is a string.
func Text(path string, v gjson.Result) *apierror.Error {
	if v.Type != gjson.String {
		return apierror.InvalidType(path, "a string", Describe(v))
	}
	return nil
}

// NonEmptyText checks that a value is a string with something in it.
func NonEmptyText(path string, v gjson.Result) *apierror.Error {
	if e := Text(path, v); e != nil {
		return e
	}
	if v.Str == "" {
		return apierror.EmptyString(path)
	}
	return nil
}

// TextUpTo checks for a string of at most so many characters.
func TextUpTo(maximum int) Check {
	return func(path string, v gjson.Result) *apierror.Error {
		if e := Text(path, v); e != nil {
			return e
		}
		if utf8.RuneCountInString(v.Str) > maximum {
			return apierror.StringTooLong(path, maximum)
		}
		return nil
	}
}

// Integer checks for a whole number, written as one, within bounds.
func Integer(minimum, maximum int64) Check {
	return func(path string, v gjson.Result) *apierror.Error {
		if v.Type != gjson.Number || strings.ContainsAny(v.Raw, ".eE") {
			return apierror.InvalidType(path, "an integer", Describe(v))
		}
		n, err := strconv.ParseInt(v.Raw, 10, 64)
		negative := strings.HasPrefix(v.Raw, "-")
		switch {
		case n < minimum, err != nil && negative:
			return apierror.BelowMin(path, strconv.FormatInt(minimum, 10))
		case n > maximum, err != nil:
			return apierror.AboveMax(path, strconv.FormatInt(maximum, 10))
		}
		return nil
	}
}

// Decimal checks for a number within bounds.
func Decimal(minimum, maximum float64) Check {
	return func(path string, v gjson.Result) *apierror.Error {
		switch {
		case v.Type != gjson.Number:
			return apierror.InvalidType(path, "a decimal", Describe(v))
		case v.Num < minimum:
			return apierror.DecimalBelowMin(path, fmt.Sprint(minimum))
		case v.Num > maximum:
			return apierror.DecimalAboveMax(path, fmt.Sprint(maximum))
		}
		return nil
	}
}

// OneOf checks for one of several strings.
func OneOf(allowed ...string) Check {
	return func(path string, v gjson.Result) *apierror.Error {
		if e := Text(path, v); e != nil {
			return e
		}
		for _, a := range allowed {
			if v.Str == a {
				return nil
			}
		}
		return apierror.InvalidValue(path, "supported values are: '"+strings.Join(allowed, "', '")+"'")
	}
}

// NullOr lets null pass as well.
func NullOr(c Check) Check {
	return func(path string, v gjson.Result) *apierror.Error {
		if v.Type == gjson.Null {
			return nil
		}
		return c(path, v)
	}
}

// Unsupported refuses every value, for a parameter that the gateway knows but
// cannot serve; the reason is a clause such as "this gateway stores no responses".
func Unsupported(reason string) Check {
	return func(path string, _ gjson.Result) *apierror.Error {
		return apierror.UnsupportedParameter(path, reason)
	}
}

// Anything lets every value pass, for a parameter that is known and has no
// effect here.
func Anything(string, gjson.Result) *apierror.Error { return nil }

// Describe names the JSON type of a value, with its article.
func Describe(v gjson.Result) string {
	switch {
	case v.IsBool():
		return "a boolean"
	case v.IsObject():
		return "an object"
	case v.IsArray():
		return "an array"
	case v.Type == gjson.String:
		return "a string"
	case v.Type == gjson.Number && strings.ContainsAny(v.Raw, ".eE"):
		return "a decimal number"
	case v.Type == gjson.Number:
		return "an integer"
	}
	return "null"
}
