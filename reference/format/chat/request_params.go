package chat

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/tidwall/gjson"

	"plumbline.dev/plumbline/reference/apierror"
)

// check judges a value that stands at a path.
type check func(path string, v gjson.Result) *apierror.Error

// parameter is a top-level parameter whose value can be judged alone.
type parameter struct {
	name     string
	nullable bool // null says the same as leaving it out
	check    check
}

// parameters are judged in this order. Their bounds are those of OpenAI chat,
// CreateChatCompletionRequest.
var parameters = []parameter{
	{"model", false, nonEmptyText},
	{"stream", true, boolean},
	{"stream_options", true, streamOptions},
	{"max_tokens", true, integer(1, math.MaxInt32)},
	{"max_completion_tokens", true, integer(1, math.MaxInt32)},
	{"n", true, integer(1, 128)},
	{"stop", true, stop},
	{"temperature", true, decimal(0, 2)},
	{"top_p", true, decimal(0, 1)},
	{"frequency_penalty", true, decimal(-2, 2)},
	{"presence_penalty", true, decimal(-2, 2)},
	{"logprobs", true, boolean},
	{"top_logprobs", true, integer(0, 20)},
	{"seed", true, integer(math.MinInt64, math.MaxInt64)},
	{"logit_bias", true, logitBias},
	{"tools", false, tools},
	{"tool_choice", false, toolChoice},
	{"parallel_tool_calls", false, boolean},
	{"response_format", false, responseFormat},
	{"metadata", true, metadata},
	{"store", true, boolean},
	{"service_tier", true, text},
	{"reasoning_effort", true, text},
	{"verbosity", true, text},
	{"user", false, text},
	{"safety_identifier", false, textUpTo(64)},
	{"prompt_cache_key", false, text},
}

func boolean(path string, v gjson.Result) *apierror.Error {
	if !v.IsBool() {
		return apierror.InvalidType(path, "a boolean", describe(v))
	}
	return nil
}

func text(path string, v gjson.Result) *apierror.Error {
	if v.Type != gjson.String {
		return apierror.InvalidType(path, "a string", describe(v))
	}
	return nil
}

func nonEmptyText(path string, v gjson.Result) *apierror.Error {
	if e := text(path, v); e != nil {
		return e
	}
	if v.Str == "" {
		return apierror.EmptyString(path)
	}
	return nil
}

func textUpTo(maximum int) check {
	return func(path string, v gjson.Result) *apierror.Error {
		if e := text(path, v); e != nil {
			return e
		}
		if utf8.RuneCountInString(v.Str) > maximum {
			return apierror.StringTooLong(path, maximum)
		}
		return nil
	}
}

func integer(minimum, maximum int64) check {
	return func(path string, v gjson.Result) *apierror.Error {
		if v.Type != gjson.Number {
			return apierror.InvalidType(path, "an integer", describe(v))
		}
		if strings.ContainsAny(v.Raw, ".eE") {
			return apierror.InvalidType(path, "an integer", "a decimal number")
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

func decimal(minimum, maximum float64) check {
	return func(path string, v gjson.Result) *apierror.Error {
		switch {
		case v.Type != gjson.Number:
			return apierror.InvalidType(path, "a decimal", describe(v))
		case v.Num < minimum:
			return apierror.DecimalBelowMin(path, fmt.Sprint(minimum))
		case v.Num > maximum:
			return apierror.DecimalAboveMax(path, fmt.Sprint(maximum))
		}
		return nil
	}
}

// object checks that a value is an object and hands out its members, until one
// is refused.
func object(path string, v gjson.Result, member func(name string, v gjson.Result) *apierror.Error) *apierror.Error {
	if !v.IsObject() {
		return apierror.InvalidType(path, "an object", describe(v))
	}
	var refusal *apierror.Error
	v.ForEach(func(name, value gjson.Result) bool {
		refusal = member(name.Str, value)
		return refusal == nil
	})
	return refusal
}

// array checks that a value is an array with at least one element and hands out
// the elements with their paths, until one is refused.
func array(path string, v gjson.Result, element check) *apierror.Error {
	if !v.IsArray() {
		return apierror.InvalidType(path, "an array", describe(v))
	}
	var refusal *apierror.Error
	n := 0
	v.ForEach(func(_, value gjson.Result) bool {
		refusal = element(path+"["+strconv.Itoa(n)+"]", value)
		n++
		return refusal == nil
	})
	if refusal == nil && n == 0 {
		return apierror.EmptyArray(path)
	}
	return refusal
}

// required checks a member that has to be there.
func required(path string, v gjson.Result, c check) *apierror.Error {
	if !v.Exists() {
		return apierror.Missing(path)
	}
	return c(path, v)
}

// oneOf checks a string that has to be one of these.
func oneOf(path string, v gjson.Result, allowed ...string) *apierror.Error {
	if e := text(path, v); e != nil {
		return e
	}
	for _, a := range allowed {
		if v.Str == a {
			return nil
		}
	}
	return apierror.InvalidValue(path, "supported values are: '"+strings.Join(allowed, "', '")+"'")
}

// describe names the JSON type of a value, with its article.
func describe(v gjson.Result) string {
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
