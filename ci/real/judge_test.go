package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// plumblineStandIn ends its first run, in which a row fails, when Ollama has been
// reloaded, and passes the second one.
const plumblineStandIn = `#!/bin/sh
for argument; do case $argument in json:*) report=${argument#json:};; esac; done
folder=$(dirname "$report")
if [ -e "$folder/second" ]; then
	echo '{"totals":{"pass":1},"requirements":[{"id":"a-01","verdict":"pass"}]}' >"$report"
	exit 0
fi
touch "$folder/second"
until [ -e "$folder/reloaded" ]; do sleep 0.01; done
echo '{"totals":{"pass":1},"requirements":[{"id":"a-01","verdict":"fail","reason":"no answer"}]}' >"$report"
exit 1
`

func TestARunWithAReloadIsRepeated(t *testing.T) {
	folder := t.TempDir()
	plumbline := filepath.Join(folder, "plumbline")
	require.NoError(t, os.WriteFile(plumbline, []byte(plumblineStandIn), 0o700))

	var reloaded atomic.Bool
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/chat/completions", func(w http.ResponseWriter, _ *http.Request) {
		if !reloaded.Load() {
			http.Error(w, "wedged", http.StatusServiceUnavailable)
			return
		}
		_, _ = io.WriteString(w, "data: [DONE]\n\n") // the watch may have left
	})
	mux.HandleFunc("POST /api/generate", func(http.ResponseWriter, *http.Request) {
		reloaded.Store(true)
		assert.NoError(t, os.WriteFile(filepath.Join(folder, "reloaded"), nil, 0o600))
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)

	var log strings.Builder
	j := judgement{workplace: workplace{out: folder}, plumbline: plumbline, ollama: &ollama{url: server.URL}, every: time.Millisecond, log: &log}
	require.NoError(t, j.run(t.Context(), "gateway", "mortar", server.URL, keys{}, nil))
	assert.Contains(t, log.String(), "reloaded 1 times: that run is repeated")
	assert.Contains(t, log.String(), "1 rows pass, 0 fail")
}
