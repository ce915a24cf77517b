package main

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestWatchReloadsAModelServerThatFails(t *testing.T) {
	var wedged atomic.Bool
	wedged.Store(true)
	answered := make(chan struct{}, 1)
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/chat/completions", func(w http.ResponseWriter, _ *http.Request) {
		if wedged.Load() {
			http.Error(w, "wedged", http.StatusServiceUnavailable)
			return
		}
		_, err := io.WriteString(w, "data: [DONE]\n\n")
		assert.NoError(t, err)
		select {
		case answered <- struct{}{}:
		default:
		}
	})
	mux.HandleFunc("POST /api/generate", func(_ http.ResponseWriter, r *http.Request) {
		var unload struct {
			Model     string
			KeepAlive *int `json:"keep_alive"`
		}
		assert.NoError(t, json.NewDecoder(r.Body).Decode(&unload))
		assert.Equal(t, modelName, unload.Model)
		if assert.NotNil(t, unload.KeepAlive) {
			assert.Zero(t, *unload.KeepAlive)
		}
		wedged.Store(false)
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)

	o := &ollama{url: server.URL}
	stop := o.watch(t.Context(), time.Millisecond)
	<-answered // after the reload, so the watch went on
	require.Equal(t, 1, stop())
}
