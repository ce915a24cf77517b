package messages

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"plumbline.dev/plumbline/reference/apierror"
)

func TestWriteError(t *testing.T) {
	quota := apierror.RateLimited(apierror.TypeRateLimitRequests, 0)
	quota.Type = apierror.TypeInsufficientQuota
	late := apierror.UpstreamError("late")
	late.Status = http.StatusGatewayTimeout
	forbidden, conflict := apierror.Internal(), apierror.Internal()
	forbidden.Status, conflict.Status = http.StatusForbidden, http.StatusConflict
	for name, c := range map[string]struct {
		err    *apierror.Error
		status int
		kind   string
	}{
		"wrong request": {apierror.Missing("model"), 400, "invalid_request_error"},
		"wrong key":     {apierror.InvalidKey("no"), 401, "authentication_error"},
		"no money":      {quota, 402, "billing_error"},
		"forbidden":     {forbidden, 403, "permission_error"},
		"unknown model": {apierror.ModelNotFound("m"), 404, "not_found_error"},
		"wrong method":  {apierror.MethodNotAllowed("GET", "POST"), 405, "invalid_request_error"},
		"conflict":      {conflict, 409, "conflict_error"},
		"too large":     {apierror.TooLarge(5), 413, "request_too_large"},
		"limited":       {apierror.RateLimited(apierror.TypeRateLimitTokens, 1500*time.Millisecond), 429, "rate_limit_error"},
		"internal":      {apierror.Internal(), 500, "api_error"},
		"model server":  {apierror.UpstreamError("no"), 500, "api_error"},
		"late":          {late, 504, "timeout_error"},
		"overloaded":    {apierror.Overloaded(time.Second), 529, "overloaded_error"},
		"shutting down": {apierror.ShuttingDown(), 529, "overloaded_error"},
	} {
		t.Run(name, func(t *testing.T) {
			w := httptest.NewRecorder()
			w.Header().Set(RequestIDHeader, "msg_1")
			WriteError(w, c.err)
			assert.Equal(t, c.status, w.Code)
			assert.Equal(t, "application/json", w.Header().Get("Content-Type"))
			assert.Contains(t, w.Body.String(), `{"type":"error","error":{"type":"`+c.kind+`","message":`)
			assert.Contains(t, w.Body.String(), `"request_id":"msg_1"}`)
		})
	}
	w := httptest.NewRecorder()
	WriteError(w, apierror.RateLimited(apierror.TypeRateLimitTokens, 1500*time.Millisecond))
	assert.Equal(t, "2", w.Header().Get("Retry-After"))
	assert.Contains(t, w.Body.String(), `"request_id":null}`)
}
