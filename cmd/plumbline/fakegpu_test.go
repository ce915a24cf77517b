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
	"time"

	"github.com/spf13/pflag"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plumbline.dev/plumbline/fakegpu/server"
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

// What the flags leave open is the card's to say.
func TestFakeGPUSettings(t *testing.T) {
	for name, tc := range map[string]struct {
		args []string
		want server.Options
	}{
		"nothing": {nil, server.Options{
			Dialect: "vllm", TTFT: 50 * time.Millisecond, ITL: 10 * time.Millisecond, MaxNumSeqs: 256,
			BlockSize: 16, HostBlocks: 65_536, StorageBlocks: 262_144,
		}},
		"a card": {[]string{"--card", "l4", "--max-num-seqs", "8"}, server.Options{
			Dialect: "vllm", Card: "l4", MaxNumSeqs: 8, BlockSize: 16, HostBlocks: 65_536, StorageBlocks: 262_144,
		}},
		"a card with another pace": {[]string{"--card", "l4", "--itl", "1ms", "--context-window", "100"}, server.Options{
			Dialect: "vllm", Card: "l4", ITL: time.Millisecond, ContextWindow: 100, MaxNumSeqs: 256,
			BlockSize: 16, HostBlocks: 65_536, StorageBlocks: 262_144,
		}},
		"one tier": {[]string{"--kv-blocks", "9", "--block-size", "8", "--host-blocks", "0", "--storage-blocks", "0"}, server.Options{
			Dialect: "vllm", TTFT: 50 * time.Millisecond, ITL: 10 * time.Millisecond, MaxNumSeqs: 256,
			BlockSize: 8, KVBlocks: 9, HostBlocks: -1, StorageBlocks: -1,
		}},
	} {
		t.Run(name, func(t *testing.T) {
			var config fakeGPUConfig
			flags := pflag.NewFlagSet("fakegpu", pflag.ContinueOnError)
			config.addFlags(flags)
			require.NoError(t, flags.Parse(tc.args))
			config.settle(flags)
			assert.Equal(t, tc.want, config.Options)
		})
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
		"unknown card":    {"card: h20\n", []string{"--listen", "127.0.0.1:0"}, []string{`card "h20" is unknown`, `did you mean "h200"?`}},
		"a small card":    {"", []string{"--listen", "127.0.0.1:0", "--card", "l4", "--kv-blocks", "4", "--context-window", "100"}, []string{"hold 64 tokens, want room for the context window of 100"}},
		"a card by file":  {"card: l4\nkvBlocks: 4\ncontextWindow: 100\n", []string{"--listen", "127.0.0.1:0"}, []string{"hold 64 tokens"}},
		"negative blocks": {"", []string{"--listen", "127.0.0.1:0", "--host-blocks", "-5"}, []string{"host memory has -5 KV blocks, want 0 or more"}},
		"an argument":     {"", []string{"serve"}, []string{"unknown command"}},
	} {
		t.Run(name, func(t *testing.T) {
			args := tc.args
			if tc.file != "" {
				file := filepath.Join(t.TempDir(), "fakegpu.yaml")
				require.NoError(t, os.WriteFile(file, []byte(tc.file), 0o600))
				args = append(args, "--config", file)
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
