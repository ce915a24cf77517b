package control

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestClientNamesWhatIsWrong(t *testing.T) {
	ctx := context.Background()
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodDelete {
			w.WriteHeader(http.StatusBadGateway)
		}
		_, _ = w.Write([]byte("<html>not here</html>"))
	}))
	defer web.Close()
	c := NewClient(web.URL+"/", web.Client())

	_, err := c.Journal(ctx, nonce)
	assert.ErrorContains(t, err, "is a fake GPU at this address?")
	err = c.Forget(ctx, nonce)
	assert.ErrorContains(t, err, "HTTP 502 that is no control API's answer")
	assert.False(t, IsUnknownNonce(err))
	err = c.Register(ctx, Script{Nonce: "short"})
	assert.ErrorContains(t, err, "want 16 to 64", "refused before anything is sent")
	_, _, err = c.ClockOffset(ctx)
	assert.ErrorContains(t, err, "reading the fake GPU's clock")

	web.Close()
	_, err = c.Await(ctx, nonce, Condition{Ended: true})
	require.Error(t, err)
	assert.ErrorContains(t, err, "awaiting the end of "+nonce)
}
