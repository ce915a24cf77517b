package main

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// startFakeGPU runs the command and returns its first line of output, its
// further output when it has ended, and what ends it.
func startFakeGPU(t *testing.T, warnings io.Writer, args ...string) (first string, stop func() (rest string, err error)) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(cancel)
	cmd := newFakeGPUCommand()
	cmd.SetArgs(args)
	read, write := io.Pipe()
	cmd.SetOut(write)
	cmd.SetErr(warnings)
	ended := make(chan error, 1)
	go func() {
		err := cmd.ExecuteContext(ctx)
		_ = write.CloseWithError(err)
		ended <- err
	}()
	lines := bufio.NewReader(read)
	first, err := lines.ReadString('\n')
	require.NoError(t, err)
	return first, func() (string, error) {
		cancel()
		rest, _ := io.ReadAll(lines)
		return string(rest), <-ended
	}
}

func TestFakeGPUServesUntilStopped(t *testing.T) {
	var warnings bytes.Buffer
	first, stop := startFakeGPU(t, &warnings, "--listen", "127.0.0.1:0", "--dialect", "sglang", "--ttft", "0s")
	assert.True(t, strings.HasPrefix(first, "fake GPU (sglang) at http://127.0.0.1:"), first)
	_, url, _ := strings.Cut(strings.TrimSpace(first), " at ")
	res, err := http.Get(url + "/health")
	require.NoError(t, err)
	require.NoError(t, res.Body.Close())
	assert.Equal(t, http.StatusOK, res.StatusCode)
	rest, err := stop()
	require.NoError(t, err)
	assert.Contains(t, rest, "stopping")
	assert.Empty(t, warnings.String())
	_, err = http.Get(url + "/health")
	assert.Error(t, err, "it has stopped")
}

func TestFakeGPUWarnsOfAnOpenControlAPI(t *testing.T) {
	var warnings bytes.Buffer
	_, stop := startFakeGPU(t, &warnings, "--listen", "0.0.0.0:0")
	_, err := stop()
	require.NoError(t, err)
	assert.Contains(t, warnings.String(), "no loopback address")
}

func TestFakeGPUPrecedence(t *testing.T) {
	file := filepath.Join(t.TempDir(), "fakegpu.yaml")
	require.NoError(t, os.WriteFile(file, []byte("model: from-file\ndialect: sglang\ncontextWindow: 100\nttft: 3s\n"), 0o600))
	environment := map[string]string{"PLUMBLINE_FAKEGPU_DIALECT": "llamacpp", "PLUMBLINE_FAKEGPU_CONTEXT_WINDOW": "200"}
	flags := newFakeGPUCommand().Flags()
	require.NoError(t, flags.Parse([]string{"--context-window", "300"}))
	require.NoError(t, completeFakeGPUFlags(flags, file, func(name string) (string, bool) {
		value, ok := environment[name]
		return value, ok
	}))
	for name, want := range map[string]string{
		"model": "from-file", "dialect": "llamacpp", "context-window": "300", "ttft": "3s", "itl": "10ms",
	} {
		assert.Equal(t, want, flags.Lookup(name).Value.String(), name)
	}
}

func TestFakeGPUBadInput(t *testing.T) {
	occupied, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer occupied.Close()
	for name, tc := range map[string]struct {
		file string
		args []string
		want []string
	}{
		"unknown key":     {"listen: 127.0.0.1:0\n# x\ncontext_window: 5\n", nil, []string{"line 3", `unknown setting "context_window"`, `did you mean "contextWindow"?`}},
		"a bad value":     {"ttft: soon\n", nil, []string{"line 1", `ttft is "soon"`, "--ttft"}},
		"a key twice":     {"seed: 1\nseed: 2\n", nil, []string{"seed"}},
		"a list":          {"- a\n", nil, []string{"line 1", "want settings such as"}},
		"a nested value":  {"model:\n  name: x\n", nil, []string{"line 2", "model is no single value"}},
		"no YAML":         {"a: [\n", nil, []string{"reading the configuration"}},
		"unknown dialect": {"", []string{"--listen", "127.0.0.1:0", "--dialect", "lamacpp"}, []string{`dialect "lamacpp" is unknown`, `did you mean "llamacpp"?`}},
		"address in use":  {"", []string{"--listen", occupied.Addr().String()}, []string{"another process uses this address"}},
		"negative window": {"", []string{"--listen", "127.0.0.1:0", "--context-window", "-1"}, []string{"context window is -1"}},
		"an argument":     {"", []string{"serve"}, []string{"unknown command"}},
	} {
		t.Run(name, func(t *testing.T) {
			args := tc.args
			if tc.file != "" {
				file := filepath.Join(t.TempDir(), "fakegpu.yaml")
				require.NoError(t, os.WriteFile(file, []byte(tc.file), 0o600))
				args = []string{"--config", file}
			}
			cmd := newFakeGPUCommand()
			cmd.SetArgs(args)
			cmd.SetOut(io.Discard)
			cmd.SetErr(io.Discard)
			err := cmd.Execute()
			require.Error(t, err)
			for _, want := range tc.want {
				assert.ErrorContains(t, err, want)
			}
		})
	}
}

func TestFakeGPUMissingFile(t *testing.T) {
	cmd := newFakeGPUCommand()
	cmd.SetArgs([]string{"--config", filepath.Join(t.TempDir(), "none.yaml")})
	cmd.SetOut(io.Discard)
	cmd.SetErr(io.Discard)
	assert.ErrorContains(t, cmd.Execute(), "reading the configuration")
}
