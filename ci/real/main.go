package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"
)

// laneLimit bounds everything, the first build included.
const laneLimit = 40 * time.Minute

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	ctx, cancel := context.WithTimeoutCause(ctx, laneLimit, fmt.Errorf("the lane did not end within %s", laneLimit))
	defer cancel()
	os.Exit(lane(ctx, os.Stdout))
}

// lane runs the whole lane and returns the exit code of the program.
func lane(ctx context.Context, log io.Writer) int {
	var t tally
	w, err := newWorkplace(".")
	if err == nil {
		err = judge(ctx, w, &t, log)
	}
	return t.conclude(err, log)
}

// judge brings up the servers and runs every check.
func judge(ctx context.Context, w workplace, t *tally, log io.Writer) error {
	program, version, err := buildOllama(ctx, w, log)
	if err != nil {
		return err
	}
	plumbline, err := buildPlumbline(ctx, w, log)
	if err != nil {
		return err
	}
	modelfile, err := writeModel(w)
	if err != nil {
		return err
	}
	server, err := startOllama(ctx, w, program, modelfile)
	if err != nil {
		return err
	}
	defer server.stop()
	fmt.Fprintf(log, "Ollama %s serves at %s\n", version, server.url)

	t.check(ctx, log, "Ollama streams the known text", func() error {
		return saysKnownText(ctx, server.url, "")
	})
	j := judgement{workplace: w, plumbline: plumbline, ollama: server, every: watchEvery, log: log}
	gateway, err := j.startGateway(ctx)
	if err != nil {
		return err
	}
	defer gateway.stop()
	t.check(ctx, log, "the gateway relays the known text", func() error {
		return saysKnownText(ctx, gateway.mortar, gatewayKeys.key)
	})
	t.check(ctx, log, "a stop by id ends a reply of the real model server", func() error {
		return stopsByID(ctx, gateway.mortar, gatewayKeys)
	})
	t.check(ctx, log, "the gateway in front of Ollama breaks of profile mortar what nobody could keep there", func() error {
		return j.run(ctx, "gateway", "mortar", gateway.mortar, gatewayKeys, mortarFindings)
	})
	t.check(ctx, log, "the gateway in front of Ollama conforms to profile notholy", func() error {
		return j.run(ctx, "gateway-notholy", "notholy", gateway.notholy, gatewayKeys, nil)
	})
	t.check(ctx, log, "Ollama itself breaks of profile openai what it is known to break", func() error {
		return j.run(ctx, "ollama", "openai", server.url, keys{}, ollamaFindings)
	})
	t.check(ctx, log, "Ollama itself breaks of profile anthropic what it is known to break", func() error {
		return j.run(ctx, "ollama-messages", "anthropic", server.url, keys{}, ollamaMessagesFindings)
	})
	return context.Cause(ctx)
}

// workplace is where the lane finds and leaves things.
type workplace struct {
	root  string // of the repository
	cache string // kept for the next time
	out   string // reports and logs of this time
}

func newWorkplace(root string) (workplace, error) {
	root, err := filepath.Abs(root)
	if err != nil {
		return workplace{}, err
	}
	if _, err := os.Stat(filepath.Join(root, "cmd", "plumbline")); err != nil {
		return workplace{}, fmt.Errorf("%s is not the root of plumbline's repository: start this with make real", root)
	}
	w := workplace{root: root, cache: filepath.Join(root, ".cache", "real"), out: filepath.Join(root, "out", "real")}
	return w, errors.Join(os.MkdirAll(w.cache, 0o755), os.MkdirAll(w.out, 0o755))
}

// tally counts checks.
type tally struct{ passed, failed, skipped int }

// conclude prints the counts, and err if the lane ended by one, and returns the
// exit code: 1 if anything failed.
func (t *tally) conclude(err error, log io.Writer) int {
	var because string
	var cannot unable
	switch {
	case errors.As(err, &cannot):
		t.skipped++
		because = " (" + cannot.reason + ")"
	case err != nil:
		t.failed++
		fmt.Fprintf(log, "FAIL  %v\n", err)
	}
	fmt.Fprintf(log, "real model server: %d passed, %d failed, %d skipped%s\n", t.passed, t.failed, t.skipped, because)
	if t.failed > 0 {
		return 1
	}
	return 0
}

// check runs one check, unless the lane has been interrupted.
func (t *tally) check(ctx context.Context, log io.Writer, name string, f func() error) {
	if ctx.Err() != nil {
		return
	}
	start := time.Now()
	err := f()
	took := time.Since(start).Round(time.Millisecond)
	if err != nil {
		t.failed++
		fmt.Fprintf(log, "FAIL  %s (%s): %v\n", name, took, err)
		return
	}
	t.passed++
	fmt.Fprintf(log, "PASS  %s (%s)\n", name, took)
}
