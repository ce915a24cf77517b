package messages

import (
	"net/http"
	"strconv"
	"time"

	"plumbline.dev/plumbline/reference/apierror"
	"plumbline.dev/plumbline/reference/format"
)

// RequestIDHeader names the request on every answer, as Anthropic's API does.
const RequestIDHeader = "Request-Id"

// statusOverloaded is Anthropic's own status for a service that is too busy.
const statusOverloaded = 529

// WriteError answers a request with an error, before anything of the reply has
// been written (Anthropic Messages, errors). The request's id is taken from the
// [RequestIDHeader] that the answer has already.
func WriteError(w http.ResponseWriter, e *apierror.Error) {
	h := w.Header()
	body := append(appendError(nil, e, h.Get(RequestIDHeader)), '\n')
	h.Set("Content-Type", "application/json")
	h.Set("Content-Length", strconv.Itoa(len(body)))
	h.Set("Cache-Control", "no-store")
	if e.RetryAfter > 0 {
		seconds := (e.RetryAfter + time.Second - 1) / time.Second
		h.Set("Retry-After", strconv.FormatInt(int64(seconds), 10))
	}
	w.WriteHeader(statusOf(e))
	// The client may be gone; there is nobody else to tell.
	_, _ = w.Write(body)
}

// appendError appends {"type":"error",…} as one line of JSON; without an id the
// request_id is null.
func appendError(buf []byte, e *apierror.Error, id string) []byte {
	buf = append(buf, `{"type":"error","error":{"type":"`...)
	buf = append(buf, typeOf(e)...)
	buf = append(buf, `","message":`...)
	buf = format.AppendString(buf, e.Message)
	buf = append(buf, `},"request_id":`...)
	if id == "" {
		return append(buf, "null}"...)
	}
	return append(format.AppendString(buf, id), '}')
}

// statusOf is the HTTP status of an error: Anthropic's, where it differs from
// OpenAI's.
func statusOf(e *apierror.Error) int {
	switch {
	case e.Type == apierror.TypeInsufficientQuota:
		return http.StatusPaymentRequired
	case e.Status == http.StatusServiceUnavailable:
		return statusOverloaded
	case e.Status == http.StatusBadGateway: // Anthropic's API is no gateway
		return http.StatusInternalServerError
	}
	return e.Status
}

// typeOf is the type of an error by its status.
func typeOf(e *apierror.Error) string {
	switch status := statusOf(e); {
	case status == http.StatusUnauthorized:
		return "authentication_error"
	case status == http.StatusPaymentRequired:
		return "billing_error"
	case status == http.StatusForbidden:
		return "permission_error"
	case status == http.StatusNotFound:
		return "not_found_error"
	case status == http.StatusConflict:
		return "conflict_error"
	case status == http.StatusRequestEntityTooLarge:
		return "request_too_large"
	case status == http.StatusTooManyRequests:
		return "rate_limit_error"
	case status == http.StatusGatewayTimeout:
		return "timeout_error"
	case status == statusOverloaded:
		return "overloaded_error"
	case status >= http.StatusInternalServerError:
		return "api_error"
	}
	return "invalid_request_error"
}
