package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestLaneRefusesAnotherFolder(t *testing.T) {
	t.Chdir(t.TempDir())
	var log strings.Builder
	assert.Equal(t, 1, lane(t.Context(), &log))
	assert.Contains(t, log.String(), "is not the root of plumbline's repository")
	assert.Contains(t, log.String(), "real model server: 0 passed, 1 failed, 0 skipped\n")
}

func TestTally(t *testing.T) {
	var log strings.Builder
	var checks tally
	checks.check(&log, "good", func() error { return nil })
	checks.check(&log, "bad", func() error { return errors.New("no such text") })
	assert.Equal(t, tally{passed: 1, failed: 1}, checks)
	assert.Regexp(t, `^PASS  good \(.+\)\nFAIL  bad \(.+\): no such text\n$`, log.String())
}

func TestPrepareWithoutCompiler(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	err := prepare(t.Context(), os.Stderr)
	assert.Equal(t, unable{"no C++ compiler: install g++"}, err)
}

// A server's children must not outlive it: Ollama's model runner is one.
func TestStopTakesChildrenAlong(t *testing.T) {
	folder := t.TempDir()
	fifo := filepath.Join(folder, "alive")
	require.NoError(t, syscall.Mkfifo(fifo, 0o600))
	// The child holds the pipe open for writing for as long as it lives.
	s, err := serve(t.Context(), filepath.Join(folder, "log"), nil, "sh", "-c", `(echo up; exec sleep 1000) >"$1" & wait`, "sh", fifo)
	require.NoError(t, err)
	alive, err := os.Open(fifo)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, alive.Close()) })
	up := make([]byte, 3)
	_, err = alive.Read(up)
	require.NoError(t, err)

	s.stop()
	n, err := alive.Read(up) // ends when no writer is left
	assert.Zero(t, n)
	assert.Error(t, err)
}

func TestAwaitOKNoticesADeadServer(t *testing.T) {
	address, err := freeAddress(t.Context())
	require.NoError(t, err)
	s, err := serve(t.Context(), filepath.Join(t.TempDir(), "log"), nil, "sh", "-c", "exit 3")
	require.NoError(t, err)
	err = awaitOK(t.Context(), s, "http://"+address+"/")
	assert.ErrorContains(t, err, "ended before it served: exit status 3")
	assert.NotErrorIs(t, err, context.DeadlineExceeded)
}
