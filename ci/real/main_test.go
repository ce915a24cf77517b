package main

import (
	"context"
	"errors"
	"fmt"
	"io"
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
	checks.check(t.Context(), &log, "good", func() error { return nil })
	checks.check(t.Context(), &log, "bad", func() error { return errors.New("no such text") })
	assert.Equal(t, tally{passed: 1, failed: 1}, checks)
	assert.Regexp(t, `^PASS  good \(.+\)\nFAIL  bad \(.+\): no such text\n$`, log.String())
}

func TestNothingIsCheckedAfterAnInterrupt(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var checks tally
	checks.check(ctx, io.Discard, "late", func() error { return nil })
	assert.Equal(t, tally{}, checks)
}

func TestConclude(t *testing.T) {
	tests := []struct {
		name string
		t    tally
		err  error
		code int
		want string
	}{
		{"all passed", tally{passed: 5}, nil, 0, "real model server: 5 passed, 0 failed, 0 skipped\n"},
		{"a check failed", tally{passed: 4, failed: 1}, nil, 1, "real model server: 4 passed, 1 failed, 0 skipped\n"},
		{"it cannot run here", tally{}, fmt.Errorf("building: %w", unable{"no C++ compiler"}), 0, "real model server: 0 passed, 0 failed, 1 skipped (no C++ compiler)\n"},
		{"it broke off", tally{passed: 1}, errors.New("the disk is full"), 1, "FAIL  the disk is full\nreal model server: 1 passed, 1 failed, 0 skipped\n"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var log strings.Builder
			assert.Equal(t, test.code, test.t.conclude(test.err, &log))
			assert.Equal(t, test.want, log.String())
		})
	}
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
