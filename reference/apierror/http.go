package apierror

import (
	"fmt"
	"net/http"
	"strings"
	"time"
	"unicode"
)

// maxNameBytes bounds what a message repeats of the client's own words.
const maxNameBytes = 100

// ModelNotFound says that no model has this name or alias.
func ModelNotFound(model string) *Error {
	e := invalid("model_not_found", "", "The model '%s' does not exist or you do not have access to it.", clip(model))
	e.Status = http.StatusNotFound
	return e
}

// InvalidKey says that the request has no key, or one that nobody was given.
// It does not repeat the key, not even masked.
func InvalidKey(detail string) *Error {
	e := invalid("invalid_api_key", "", "%s", detail)
	e.Status = http.StatusUnauthorized
	return e
}

// NotFound says that nothing has this address.
func NotFound(method, path string) *Error {
	e := invalid("", "", "Invalid URL (%s %s)", clip(method), clip(path))
	e.Status = http.StatusNotFound
	return e
}

// GenerationNotFound answers a stop of a completion that is unknown, already
// over or another organization's: the three are one to the caller.
func GenerationNotFound() *Error {
	e := invalid("generation_not_found", "", "No running generation has this id.")
	e.Status = http.StatusNotFound
	return e
}

// MethodNotAllowed says that the address exists, for other methods.
func MethodNotAllowed(method string, allowed ...string) *Error {
	e := invalid("method_not_allowed", "", "Not allowed to %s here. Use %s.", clip(method), strings.Join(allowed, " or "))
	e.Status = http.StatusMethodNotAllowed
	return e
}

// TooLarge says that the body has more than limit bytes.
func TooLarge(limit int64) *Error {
	e := invalid("request_too_large", "", "The body of your request is larger than the limit of %d bytes.", limit)
	e.Status = http.StatusRequestEntityTooLarge
	return e
}

// UnsupportedMedia says that the body is not declared as JSON.
func UnsupportedMedia(contentType string) *Error {
	e := invalid("unsupported_media_type", "", "Unsupported Content-Type '%s'. Send the body as application/json.", clip(contentType))
	e.Status = http.StatusUnsupportedMediaType
	return e
}

// RateLimited says that a limit of requests or tokens is reached; which is
// TypeRateLimitRequests or TypeRateLimitTokens.
func RateLimited(which string, retryAfter time.Duration) *Error {
	return &Error{
		Status:     http.StatusTooManyRequests,
		Type:       which,
		Message:    fmt.Sprintf("Rate limit reached for %s. Please try again later.", which),
		Code:       optional("rate_limit_exceeded"),
		RetryAfter: retryAfter,
	}
}

// InsufficientQuota says that the organization has no credits left. It is no
// 429, which SDKs would repeat.
func InsufficientQuota() *Error {
	return &Error{
		Status:  http.StatusPaymentRequired,
		Type:    TypeInsufficientQuota,
		Message: "You have no credits left. Add credits to your organization, then try again.",
		Code:    optional("insufficient_quota"),
	}
}

// RetryMismatch says that an idempotency key was sent before with another
// request. SDKs repeat a 409, which could never succeed here; a 422 they do not.
func RetryMismatch() *Error {
	e := invalid("idempotency_key_reused", "", "This Idempotency-Key was used with another request. Send a new key with a new request.")
	e.Status = http.StatusUnprocessableEntity
	return e
}

// RetryGone says that a request was made before, and that its reply is not kept
// any more. To answer it anew would charge it twice.
func RetryGone() *Error {
	e := invalid("idempotent_reply_gone", "", "A request with this Idempotency-Key was made before, and its reply is not kept any more. Send a new key to generate it anew.")
	e.Status = http.StatusUnprocessableEntity
	return e
}

// UpstreamError says that the model server failed. The message is the
// gateway's own: a model server's may hold addresses or prompts.
func UpstreamError(message string) *Error {
	return &Error{Status: http.StatusBadGateway, Type: TypeUpstream, Message: message}
}

// Internal says that the gateway itself failed.
func Internal() *Error {
	return &Error{Status: http.StatusInternalServerError, Type: TypeServer, Message: "The gateway had an error while processing your request."}
}

// Overloaded says that no model server can take the request now.
func Overloaded(retryAfter time.Duration) *Error {
	return &Error{
		Status:     http.StatusServiceUnavailable,
		Type:       TypeServiceUnavailable,
		Message:    "The model is overloaded. Please try again later.",
		Code:       optional("server_is_overloaded"),
		RetryAfter: retryAfter,
	}
}

// ShuttingDown says that this process takes no new requests.
func ShuttingDown() *Error {
	return &Error{
		Status:     http.StatusServiceUnavailable,
		Type:       TypeServiceUnavailable,
		Message:    "The gateway is shutting down. Please try again.",
		Code:       optional("shutting_down"),
		RetryAfter: time.Second,
	}
}

// clip bounds a piece of the request that a message repeats, and makes it
// valid UTF-8 without control characters.
func clip(s string) string {
	ending := ""
	if len(s) > maxNameBytes {
		s, ending = s[:maxNameBytes], "…"
	}
	s = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s, ""))
	return s + ending
}
