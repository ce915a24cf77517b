package chat

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"plumbline.dev/plumbline/reference/apierror"
)

func TestWriteError(t *testing.T) {
	outOfMoney := &apierror.Error{Status: 429, Type: apierror.TypeInsufficientQuota, Message: "m"}
	for name, c := range map[string]struct {
		err     *apierror.Error
		body    string
		headers map[string]string
	}{
		"with code and param": {
			apierror.EmptyArray("messages"),
			`{"error":{"message":"Invalid 'messages': empty array. Expected an array with minimum length 1, but got an empty array instead.","type":"invalid_request_error","param":"messages","code":"empty_array"}}`,
			map[string]string{"Retry-After": "", "X-Should-Retry": "", "WWW-Authenticate": "", "Content-Type": "application/json"},
		},
		"without": {
			apierror.UpstreamError("a \"quoted\"\n<text>"),
			`{"error":{"message":"a \"quoted\"\n\u003ctext\u003e","type":"upstream_error","param":null,"code":null}}`,
			nil,
		},
		"a limit": {
			apierror.RateLimited(apierror.TypeRateLimitTokens, 1200*time.Millisecond),
			`{"error":{"message":"Rate limit reached for tokens. Please try again later.","type":"tokens","param":null,"code":"rate_limit_exceeded"}}`,
			map[string]string{"Retry-After": "2", "X-Should-Retry": ""},
		},
		"out of money": {
			outOfMoney,
			`{"error":{"message":"m","type":"insufficient_quota","param":null,"code":null}}`,
			map[string]string{"X-Should-Retry": "false"},
		},
		"no key": {
			apierror.InvalidKey("Who are you?"),
			`{"error":{"message":"Who are you?","type":"invalid_request_error","param":null,"code":"invalid_api_key"}}`,
			map[string]string{"WWW-Authenticate": "Bearer"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := httptest.NewRecorder()
			WriteError(w, c.err)
			assert.Equal(t, c.err.Status, w.Code)
			assert.Equal(t, c.body+"\n", w.Body.String())
			for header, want := range c.headers {
				assert.Equal(t, want, w.Header().Get(header), header)
			}
			assert.NotEqual(t, http.StatusOK, w.Code)
		})
	}
}
