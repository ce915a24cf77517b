package apierror

import "strings"

// InvalidJSON says that the body could not be read as the JSON object that it
// has to be. The detail tells what is wrong and where.
func InvalidJSON(detail string) *Error {
	return invalid("", "", "We could not parse the JSON body of your request: %s.", strings.TrimSuffix(detail, "."))
}

// Missing says that a parameter is required.
func Missing(param string) *Error {
	return invalid("missing_required_parameter", param, "Missing required parameter: '%s'.", param)
}

// InvalidType says that a parameter has the wrong JSON type. Both want and got
// are in words with an article: "a string", "one of 'auto' or an object".
func InvalidType(param, want, got string) *Error {
	return invalid("invalid_type", param, "Invalid type for '%s': expected %s, but got %s instead.", param, want, got)
}

// InvalidValue says that a parameter has a value outside of those allowed.
// The reason is a clause such as "supported values are: 'auto', 'none'".
func InvalidValue(param, reason string) *Error {
	return invalid("invalid_value", param, "Invalid value for '%s': %s.", param, strings.TrimSuffix(reason, "."))
}

// BelowMin says that an integer is too small.
func BelowMin(param, minimum string) *Error {
	return invalid("integer_below_min_value", param, "Invalid '%s': integer below minimum value. Expected a value >= %s.", param, minimum)
}

// AboveMax says that an integer is too large.
func AboveMax(param, maximum string) *Error {
	return invalid("integer_above_max_value", param, "Invalid '%s': integer above maximum value. Expected a value <= %s.", param, maximum)
}

// DecimalBelowMin says that a number is too small.
func DecimalBelowMin(param, minimum string) *Error {
	return invalid("decimal_below_min_value", param, "Invalid '%s': decimal below minimum value. Expected a value >= %s.", param, minimum)
}

// DecimalAboveMax says that a number is too large.
func DecimalAboveMax(param, maximum string) *Error {
	return invalid("decimal_above_max_value", param, "Invalid '%s': decimal above maximum value. Expected a value <= %s.", param, maximum)
}

// EmptyArray says that an array needs at least one element.
func EmptyArray(param string) *Error {
	return invalid("empty_array", param, "Invalid '%s': empty array. Expected an array with minimum length 1, but got an empty array instead.", param)
}

// ArrayTooLong says that an array has more than maximum elements.
func ArrayTooLong(param string, maximum, got int) *Error {
	return invalid("array_above_max_length", param, "Invalid '%s': array too long. Expected an array with maximum length %d, but got an array with length %d instead.", param, maximum, got)
}

// EmptyString says that a string needs at least one character.
func EmptyString(param string) *Error {
	return invalid("empty_string", param, "Invalid '%s': empty string. Expected a string with minimum length 1.", param)
}

// StringTooLong says that a string has more than maximum characters.
func StringTooLong(param string, maximum int) *Error {
	return invalid("string_above_max_length", param, "Invalid '%s': string too long. Expected a string with maximum length %d.", param, maximum)
}

// OnlyWhen says that a parameter is allowed on a condition only, such as
// "'stream' is enabled". Its code is null, as OpenAI's is.
func OnlyWhen(param, condition string) *Error {
	return invalid("", param, "The '%s' parameter is only allowed when %s.", param, condition)
}

// Conflict says that two parameters contradict each other.
func Conflict(param, other string) *Error {
	return invalid("invalid_value", param, "'%s' and '%s' are two names of one setting, and differ. Send one of them.", param, other)
}

// ContextLengthExceeded says that a prompt leaves no room in the context
// window. Both counts are in tokens.
func ContextLengthExceeded(window, prompt int64) *Error {
	return invalid("context_length_exceeded", "messages",
		"This model's maximum context length is %d tokens. However, your messages resulted in %d tokens. Please reduce the length of the messages.", window, prompt)
}

// UnknownParameter says that a format has no such parameter.
func UnknownParameter(param string) *Error {
	return invalid("unknown_parameter", clip(param), "Unknown parameter: '%s'.", clip(param))
}

// UnsupportedParameter says that the gateway knows a parameter and cannot serve
// it. The reason is a clause such as "no responses are stored".
func UnsupportedParameter(param, reason string) *Error {
	return invalid("unsupported_parameter", param, "Unsupported parameter: '%s' is not supported: %s.", param, strings.TrimSuffix(reason, "."))
}

// MissingHeader says that a header of the request is required.
func MissingHeader(name string) *Error {
	return invalid("missing_required_header", name, "Missing required header: '%s'.", name)
}
