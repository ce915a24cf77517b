package wire_test

import (
	"net/http"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plumbline.dev/plumbline/conformance/wire"
)

func TestCurl(t *testing.T) {
	tests := map[string]struct {
		request wire.Request
		want    string
	}{
		"a chat request": {
			wire.Request{Method: "POST", URL: "http://x/v1/chat/completions", Header: http.Header{
				"Content-Type": {"application/json"}, "Authorization": {"Bearer sk-canary"}, "Content-Length": {"15"}, "User-Agent": {"Go"},
			}, Body: []byte(`{"stream":true}`)},
			`curl -iN 'http://x/v1/chat/completions' -H "Authorization: Bearer $PLUMBLINE_KEY" -H 'Content-Type: application/json' --data-raw '{"stream":true}'`,
		},
		"get":             {wire.Request{Method: "GET", URL: "http://x/v1/models"}, `curl -iN 'http://x/v1/models'`},
		"post of nothing": {wire.Request{Method: "POST", URL: "http://x/stop"}, `curl -iN -X 'POST' 'http://x/stop'`},
		"no content type": {wire.Request{Method: "POST", URL: "http://x", Body: []byte("{}")}, `curl -iN 'http://x' -H 'Content-Type:' --data-raw '{}'`},
		"braces":          {wire.Request{Method: "GET", URL: "http://x/{a}"}, `curl -iN -g 'http://x/{a}'`},
		"other keys": {
			wire.Request{Method: "GET", URL: "http://x", Header: http.Header{"X-Api-Key": {"sk-canary"}, "Cookie": {"canary"}, "Authorization": {"Basic canary"}}},
			`curl -iN 'http://x' -H 'Authorization: [redacted]' -H 'Cookie: [redacted]' -H "X-Api-Key: $PLUMBLINE_KEY"`,
		},
		"quotes": {wire.Request{Method: "GET", URL: "http://x", Header: http.Header{"X-A": {"it's"}, "X-Empty": {""}}}, `curl -iN 'http://x' -H 'X-A: it'\''s' -H 'X-Empty;'`},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, tt.want, tt.request.Curl())
			assert.NotContains(t, tt.request.Curl(), "canary")
		})
	}
}

func TestCurlCutsBodies(t *testing.T) {
	long := wire.Request{Method: "POST", URL: "http://x", Body: []byte(strings.Repeat("a", 5000))}
	assert.Contains(t, long.Curl(), "# the body is cut here: it has 5000 bytes")
	assert.Less(t, len(long.Curl()), 2200)
	nul := wire.Request{Method: "POST", URL: "http://x", Body: []byte("a\x00b")}
	assert.Contains(t, nul.Curl(), "'a'  # the body goes on with a NUL byte")
}

// A shell reads back the very bytes of the body, on one line.
func TestCurlInAShell(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("no bash to read the line")
	}
	for _, body := range []string{`{"a":"it's $HOME \n"}`, "two\nlines\r\n", "\xff\xfe \x1b[31m", "ünï 漢 \u202e\ufffd", `back\slash 'and' "quotes" ` + "`id` $(id) !x", "\t\x7f1"} {
		line := wire.Request{Method: "POST", URL: "http://x", Header: http.Header{"Content-Type": {"text/plain"}}, Body: []byte(body)}.Curl()
		require.NotContains(t, line, "\n")
		out, err := exec.Command(bash, "-c", `curl() { printf %s "${@: -1}"; }; `+line).Output()
		require.NoError(t, err, line)
		assert.Equal(t, body, string(out), line)
	}
}
