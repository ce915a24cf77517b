package telemetry

import (
	"bytes"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A subscriber on a real connection that reads nothing: the write that it
// blocks is broken off, and requests go on all the while.
func TestStuckConnectionIsClosed(t *testing.T) {
	r := newRig(t, Limits{Behind: 2000})
	over := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		defer close(over)
		r.handler.Telemetry(w, req)
	}))
	t.Cleanup(server.Close)
	conn, err := net.Dial("tcp", server.Listener.Addr().String())
	require.NoError(t, err)
	defer conn.Close()
	_, err = io.WriteString(conn, "GET /v1/telemetry/stream?session=s HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer acme\r\n\r\n")
	require.NoError(t, err)
	head := make([]byte, 16) // the stream is open
	_, err = io.ReadFull(conn, head)
	require.NoError(t, err)
	const plenty = 100_000 // far more than all buffers on the way hold
	for i := range plenty {
		select {
		case <-over:
			_ = conn.SetReadDeadline(time.Now().Add(10 * time.Second))
			all, _ := io.ReadAll(conn)
			assert.False(t, bytes.HasSuffix(all, []byte("\r\n0\r\n\r\n")), "it must not look like an end")
			t.Logf("closed after %d requests", i)
			return
		default:
			r.request("acme", "s")
		}
	}
	t.Fatal("a subscriber that never reads is still connected")
}
