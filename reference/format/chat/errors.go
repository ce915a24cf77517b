package chat

import (
	"net/http"
	"strconv"
	"time"

	"plumbline.dev/plumbline/reference/apierror"
	"plumbline.dev/plumbline/reference/format"
)

// WriteError answers a request with an error, as the status and the JSON
// envelope of the OpenAI API. Nothing of the reply may have been written yet.
func WriteError(w http.ResponseWriter, e *apierror.Error) {
	body := append(AppendErrorObject(nil, e), '\n')
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Content-Length", strconv.Itoa(len(body)))
	h.Set("Cache-Control", "no-store")
	if e.Status == http.StatusUnauthorized {
		h.Set("WWW-Authenticate", "Bearer")
	}
	if e.RetryAfter > 0 {
		seconds := (e.RetryAfter + time.Second - 1) / time.Second
		h.Set("Retry-After", strconv.FormatInt(int64(seconds), 10))
	}
	if e.RetryPointless() {
		h.Set("X-Should-Retry", "false")
	}
	w.WriteHeader(e.Status)
	// The client may be gone; there is nobody else to tell.
	_, _ = w.Write(body)
}

// AppendErrorObject appends the envelope {"error":{…}} as one line of JSON: the
// body of a refusal, and the data of the event that ends a failed stream
// ("Stream responses, Know when a reply is complete"). All four keys of the
// OpenAI API are always there.
func AppendErrorObject(buf []byte, e *apierror.Error) []byte {
	buf = append(buf, `{"error":{"message":`...)
	buf = format.AppendString(buf, e.Message)
	buf = append(buf, `,"type":`...)
	buf = format.AppendString(buf, e.Type)
	buf = append(buf, `,"param":`...)
	buf = appendOptional(buf, e.Param)
	buf = append(buf, `,"code":`...)
	buf = appendOptional(buf, e.Code)
	return append(buf, `}}`...)
}

func appendOptional(buf []byte, s *string) []byte {
	if s == nil {
		return append(buf, "null"...)
	}
	return format.AppendString(buf, *s)
}
