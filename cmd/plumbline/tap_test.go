package main

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"

	"plumbline.dev/plumbline/conformance"
)

func TestTapCommand(t *testing.T) {
	for name, tt := range map[string]struct {
		args []string
		says string
	}{
		"no upstream":   {nil, "--upstream"},
		"half a URL":    {[]string{"--upstream", "localhost:80"}, "base URL"},
		"no such row":   {[]string{"--upstream", "http://127.0.0.1:1", "--profile", "motar"}, `did you mean "mortar"`},
		"a busy port":   {[]string{"--upstream", "http://127.0.0.1:1", "--listen", "256.0.0.1:1"}, "listen for clients"},
		"a wrong form":  {[]string{"--upstream", "http://127.0.0.1:1", "--report", "jason"}, `did you mean "json"`},
		"busy metrics":  {[]string{"--upstream", "http://127.0.0.1:1", "--listen", "127.0.0.1:0", "--metrics", "256.0.0.1:1"}, "listen for Prometheus"},
		"a bad keeping": {[]string{"--upstream", "http://127.0.0.1:1", "--keep", "1", "--keep-dir", "/dev/null/x"}, "folder of kept streams"},
	} {
		t.Run(name, func(t *testing.T) {
			code, _, stderr := plumbline(t, t.Context(), append([]string{"tap"}, tt.args...)...)
			assert.NotEqual(t, conformance.ExitPass, code)
			assert.Contains(t, stderr, tt.says)
		})
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	code, _, stderr := plumbline(t, ctx, "tap", "--upstream", "http://127.0.0.1:1", "--listen", "127.0.0.1:0", "--metrics", "127.0.0.1:0")
	assert.Equal(t, conformance.ExitPass, code, "it ends when it is told to")
	assert.Contains(t, stderr, "tapping http://127.0.0.1:1 at http://127.0.0.1:")
}
