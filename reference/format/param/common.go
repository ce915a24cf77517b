package param

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

// Stop checks stop sequences: a string, or one to four of them.
func Stop(path string, v gjson.Result) *apierror.Error {
	switch {
	case v.Type == gjson.String:
		return NonEmptyText(path, v)
	case !v.IsArray():
		return apierror.InvalidType(path, "one of a string or an array of strings", Describe(v))
	}
	return ArrayUpTo(maxStops, NonEmptyText)(path, v)
}

// StreamOptions checks OpenAI's stream_options.
func StreamOptions(path string, v gjson.Result) *apierror.Error {
	return Object(path, v, func(name string, v gjson.Result) *apierror.Error {
		if name == "include_usage" || name == "include_obfuscation" {
			return Optional(path+"."+name, v, Boolean)
		}
		return nil
	})
}

// LogitBias checks a map from token ids to biases of -100 to 100.
func LogitBias(path string, v gjson.Result) *apierror.Error {
	bias := Decimal(-100, 100)
	return Object(path, v, func(name string, v gjson.Result) *apierror.Error {
		if _, err := strconv.ParseUint(name, 10, 32); err != nil || len(name) > maxTokenID {
			return apierror.InvalidValue(path, "every name must be the id of a token")
		}
		return bias(path+"."+name, v)
	})
}

// Metadata checks OpenAI's metadata: at most 16 pairs of short strings.
func Metadata(path string, v gjson.Result) *apierror.Error {
	n := 0
	value := TextUpTo(maxMetadataValue)
	return Object(path, v, func(name string, v gjson.Result) *apierror.Error {
		if n++; n > maxMetadata {
			return apierror.InvalidValue(path, "at most 16 pairs are possible")
		}
		if len(name) > maxMetadataName {
			return apierror.InvalidValue(path, "a name may have at most 64 characters")
		}
		return value(path+"."+name, v)
	})
}
