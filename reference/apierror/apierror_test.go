package apierror

import (
	"errors"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestCatalogue(t *testing.T) {
	for name, c := range map[string]struct {
		err               *Error
		status            int
		kind, code, param string
	}{
		"JSON":            {InvalidJSON("unexpected end at byte 7"), 400, TypeInvalidRequest, "", ""},
		"missing":         {Missing("messages[2].content[0].type"), 400, TypeInvalidRequest, "missing_required_parameter", "messages[2].content[0].type"},
		"type":            {InvalidType("n", "an integer", "a string"), 400, TypeInvalidRequest, "invalid_type", "n"},
		"value":           {InvalidValue("messages[0].role", "no"), 400, TypeInvalidRequest, "invalid_value", "messages[0].role"},
		"below":           {BelowMin("n", "1"), 400, TypeInvalidRequest, "integer_below_min_value", "n"},
		"above":           {AboveMax("n", "128"), 400, TypeInvalidRequest, "integer_above_max_value", "n"},
		"decimal below":   {DecimalBelowMin("top_p", "0"), 400, TypeInvalidRequest, "decimal_below_min_value", "top_p"},
		"decimal above":   {DecimalAboveMax("top_p", "1"), 400, TypeInvalidRequest, "decimal_above_max_value", "top_p"},
		"empty array":     {EmptyArray("messages"), 400, TypeInvalidRequest, "empty_array", "messages"},
		"long array":      {ArrayTooLong("stop", 4, 5), 400, TypeInvalidRequest, "array_above_max_length", "stop"},
		"empty string":    {EmptyString("model"), 400, TypeInvalidRequest, "empty_string", "model"},
		"long string":     {StringTooLong("user", 64), 400, TypeInvalidRequest, "string_above_max_length", "user"},
		"condition":       {OnlyWhen("stream_options", "'stream' is enabled"), 400, TypeInvalidRequest, "", "stream_options"},
		"conflict":        {Conflict("max_tokens", "max_completion_tokens"), 400, TypeInvalidRequest, "invalid_value", "max_tokens"},
		"context":         {ContextLengthExceeded(10, 11), 400, TypeInvalidRequest, "context_length_exceeded", "messages"},
		"model":           {ModelNotFound("x"), 404, TypeInvalidRequest, "model_not_found", ""},
		"key":             {InvalidKey("No."), 401, TypeInvalidRequest, "invalid_api_key", ""},
		"address":         {NotFound("GET", "/x"), 404, TypeInvalidRequest, "", ""},
		"generation":      {GenerationNotFound(), 404, TypeInvalidRequest, "generation_not_found", ""},
		"method":          {MethodNotAllowed("GET", "POST"), 405, TypeInvalidRequest, "method_not_allowed", ""},
		"body":            {TooLarge(7), 413, TypeInvalidRequest, "request_too_large", ""},
		"media":           {UnsupportedMedia("text/plain"), 415, TypeInvalidRequest, "unsupported_media_type", ""},
		"rate":            {RateLimited(TypeRateLimitRequests, time.Second), 429, "requests", "rate_limit_exceeded", ""},
		"credits":         {InsufficientQuota(), 402, TypeInsufficientQuota, "insufficient_quota", ""},
		"other request":   {RetryMismatch(), 422, TypeInvalidRequest, "idempotency_key_reused", ""},
		"reply gone":      {RetryGone(), 422, TypeInvalidRequest, "idempotent_reply_gone", ""},
		"upstream":        {UpstreamError("The model server failed."), 502, "upstream_error", "", ""},
		"internal":        {Internal(), 500, TypeServer, "", ""},
		"overload":        {Overloaded(time.Second), 503, TypeServiceUnavailable, "server_is_overloaded", ""},
		"being shut down": {ShuttingDown(), 503, TypeServiceUnavailable, "shutting_down", ""},
	} {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, c.status, c.err.Status)
			assert.Equal(t, c.kind, c.err.Type)
			for _, optional := range []struct {
				want string
				got  *string
			}{{c.code, c.err.Code}, {c.param, c.err.Param}} {
				if optional.want == "" {
					assert.Nil(t, optional.got)
				} else {
					require.NotNil(t, optional.got)
					assert.Equal(t, optional.want, *optional.got)
				}
			}
			assert.NotEmpty(t, c.err.Message)
			assert.NotContains(t, c.err.Message, "%!")
			assert.Contains(t, c.err.Error(), c.err.Message)
			var target *Error
			assert.True(t, errors.As(error(c.err), &target))
		})
	}
}

func TestMessagesRepeatLittleOfTheRequest(t *testing.T) {
	for name, text := range map[string]string{
		"a long one":         strings.Repeat("x", 1<<20),
		"one of characters":  strings.Repeat("é", 1<<10),
		"control characters": "a\r\nSet-Cookie: b\x00\u0085",
		"invalid UTF-8":      "\xff\xfe",
	} {
		t.Run(name, func(t *testing.T) {
			message := ModelNotFound(text).Message
			assert.Less(t, len(message), 300)
			assert.True(t, utf8.ValidString(message))
			assert.NotContains(t, message, "\n")
		})
	}
}

func TestRetryPointless(t *testing.T) {
	assert.True(t, (&Error{Status: 429, Type: TypeInsufficientQuota}).RetryPointless())
	assert.False(t, RateLimited(TypeRateLimitTokens, 0).RetryPointless())
	assert.False(t, Internal().RetryPointless())
}
