package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plumbline.dev/plumbline/ci/real/tinymodel"
)

func TestReadReply(t *testing.T) {
	tests := []struct {
		name, stream string
		want         reply
		wantErr      string
	}{
		{
			name: "chunks, a comment, usage without choices, the end",
			stream: `data: {"choices":[{"delta":{"role":"assistant","content":""}}]}` + "\n\n: ping\n\n" +
				`data: {"choices":[{"delta":{"content":"caf"}}]}` + "\n\n" +
				`data: {"choices":[{"delta":{"content":"é \"x\""}}]}` + "\n\n" +
				`data: {"choices":[{"delta":{},"finish_reason":"stop"}]}` + "\n\n" +
				`data: {"id":"c","choices":[],"usage":{"completion_tokens":3}}` + "\n\ndata: [DONE]\n\n",
			want: reply{id: "c", text: `café "x"`, finish: "stop", completionTokens: 3, done: true},
		},
		{name: "nothing", stream: "", want: reply{completionTokens: -1}},
		{name: "a failure", stream: "data: {\"error\":{\"message\":\"boom\"}}\n\n", wantErr: "the reply failed: {\"message\":\"boom\"}"},
		{name: "no JSON", stream: "data: <html>\n\n", wantErr: "reading a chunk"},
		{name: "an endless line", stream: "data: " + strings.Repeat("x", maxLine), wantErr: "too long"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, err := readReply(strings.NewReader(test.stream), nil)
			if test.wantErr != "" {
				require.ErrorContains(t, err, test.wantErr)
				return
			}
			require.NoError(t, err)
			assert.Equal(t, test.want, got)
		})
	}
}

// known is the tiny model's reply as a server streams it in whole.
func known(t *testing.T) string {
	t.Helper()
	text, err := json.Marshal(tinymodel.Text())
	require.NoError(t, err)
	return fmt.Sprintf(`data: {"choices":[{"delta":{"content":%s},"finish_reason":"stop"}]}
data: {"choices":[],"usage":{"completion_tokens":%d}}
data: [DONE]
`, text, tinymodel.Tokens())
}

func TestSaysKnownText(t *testing.T) {
	tests := []struct {
		name, stream, wantErr string
		status                int
	}{
		{name: "the known text", stream: known(t), status: http.StatusOK},
		{"another text", strings.Replace(known(t), "llama", "alpaca", 1), "not the tiny model's", http.StatusOK},
		{"another finish", strings.Replace(known(t), "stop", "length", 1), `finish_reason "length"`, http.StatusOK},
		{"no end", strings.Replace(known(t), "data: [DONE]", "", 1), "[DONE] false", http.StatusOK},
		{"fewer tokens", strings.Replace(known(t), fmt.Sprint(tinymodel.Tokens()), "3", 1), "completion_tokens is 3", http.StatusOK},
		{"an error", "busy", "503 Service Unavailable: busy", http.StatusServiceUnavailable},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				assert.Equal(t, "Bearer k", r.Header.Get("Authorization"))
				w.WriteHeader(test.status)
				_, err := w.Write([]byte(test.stream))
				assert.NoError(t, err)
			}))
			t.Cleanup(server.Close)
			err := saysKnownText(t.Context(), server.URL, "k")
			if test.wantErr == "" {
				assert.NoError(t, err)
				return
			}
			assert.ErrorContains(t, err, test.wantErr)
		})
	}
}

func TestStopsByID(t *testing.T) {
	const begin = `data: {"id":"c","choices":[{"delta":{"content":"A tiny llama 🦙 in a café says \"count\":\n 001 002 003 004 005"}}]}` + "\n"
	const usage = `data: {"choices":[],"usage":{"completion_tokens":20}}` + "\n"
	tests := []struct{ name, afterStop, wantErr string }{
		{name: "stopped", afterStop: usage + "data: [DONE]\n"},
		{"goes on to a finish", `data: {"choices":[{"delta":{},"finish_reason":"stop"}]}` + "\n" + usage + "data: [DONE]\n", `finish_reason "stop"`},
		{"other words follow", `data: {"choices":[{"delta":{"content":" x"}}]}` + "\n" + usage + "data: [DONE]\n", "the stopped reply is"},
		{"no end", usage, "[DONE] false"},
		{"no usage", "data: [DONE]\n", "completion_tokens is -1"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			stop := make(chan struct{})
			mux := http.NewServeMux()
			mux.HandleFunc("POST /v1/generations/c/stop", func(_ http.ResponseWriter, r *http.Request) {
				assert.Equal(t, "Bearer second", r.Header.Get("Authorization"))
				close(stop)
			})
			mux.HandleFunc("POST /v1/chat/completions", func(w http.ResponseWriter, _ *http.Request) {
				_, err := w.Write([]byte(begin))
				assert.NoError(t, err)
				assert.NoError(t, http.NewResponseController(w).Flush())
				<-stop
				_, err = w.Write([]byte(test.afterStop))
				assert.NoError(t, err)
			})
			server := httptest.NewServer(mux)
			t.Cleanup(server.Close)
			err := stopsByID(t.Context(), server.URL, keys{key: "first", key2: "second"})
			if test.wantErr == "" {
				assert.NoError(t, err)
				return
			}
			assert.ErrorContains(t, err, test.wantErr)
		})
	}
}
