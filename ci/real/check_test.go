package main

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plumbline.dev/plumbline/ci/real/tinymodel"
)

func TestReadText(t *testing.T) {
	tests := []struct {
		name, stream, want, wantErr string
	}{
		{
			name: "chunks, a comment, usage without choices, the end",
			stream: `data: {"choices":[{"delta":{"role":"assistant","content":""}}]}` + "\n\n: ping\n\n" +
				`data: {"choices":[{"delta":{"content":"caf"}}]}` + "\n\n" +
				`data: {"choices":[{"delta":{"content":"é \"x\""}}]}` + "\n\n" +
				`data: {"choices":[],"usage":{"total_tokens":3}}` + "\n\ndata: [DONE]\n\n",
			want: `café "x"`,
		},
		{name: "nothing", stream: "", want: ""},
		{name: "no JSON", stream: "data: <html>\n\n", wantErr: "reading a chunk"},
		{name: "an endless line", stream: "data: " + strings.Repeat("x", maxLine), wantErr: "too long"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			text, err := readText(strings.NewReader(test.stream))
			if test.wantErr != "" {
				require.ErrorContains(t, err, test.wantErr)
				return
			}
			require.NoError(t, err)
			assert.Equal(t, test.want, text)
		})
	}
}

func TestSaysKnownText(t *testing.T) {
	tests := []struct {
		name    string
		handler http.HandlerFunc
		wantErr string
	}{
		{"the known text", reply(t, tinymodel.Text()), ""},
		{"another text", reply(t, "A tiny alpaca"), "not the tiny model's"},
		{"an error", func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "busy", http.StatusServiceUnavailable) }, "503 Service Unavailable: busy"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			server := httptest.NewServer(test.handler)
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

// reply is a server that streams text as one chunk to whoever brings the key k.
func reply(t *testing.T, text string) http.HandlerFunc {
	quoted := strings.NewReplacer(`"`, `\"`, "\n", `\n`).Replace(text)
	return func(w http.ResponseWriter, r *http.Request) {
		assert.Equal(t, "Bearer k", r.Header.Get("Authorization"))
		_, err := w.Write([]byte(`data: {"choices":[{"delta":{"content":"` + quoted + `"}}]}` + "\n\ndata: [DONE]\n\n"))
		assert.NoError(t, err)
	}
}
