package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// runLimit bounds one run of plumbline, several times what it takes.
const runLimit = 5 * time.Minute

// keys are what plumbline run presents to a target.
type keys struct{ key, key2, org2, poor, limited string }

// gatewayKeys are those that gatewayConfig knows.
var gatewayKeys = keys{"real-key", "real-key-2", "real-key-other", "real-key-poor", "real-key-limited"}

// gatewayConfig is the gateway's configuration: the tiny model, served by the
// Ollama at a URL, under both profiles. The prices are there because a model has
// to have some.
const gatewayConfig = `listeners:
  - {address: %s, profile: mortar}
  - {address: %s, profile: notholy}
models:
  - id: %s
    contextWindow: 2048
    prices: {input: "0.0313", cacheRead: "0.00313", cacheWrite: "0.039125", output: "0.2373"}
    modelServers:
      - url: %s/v1
organizations:
  - id: one
    credits: "1000"
    keys:
      - {id: first, key: %s}
      - {id: second, key: %s}
      - {id: limited, key: %s, limits: {requestsPerMinute: 0}}
  - id: two
    credits: "1000"
    keys: [{id: first, key: %s}]
  - id: poor
    credits: "0"
    keys: [{id: first, key: %s}]
`

// judgement runs plumbline on servers.
type judgement struct {
	workplace
	plumbline string // the program
	ollama    *ollama
	every     time.Duration // how often it is watched during a run
	log       io.Writer
}

// gateway is a running plumbline gateway.
type gateway struct {
	*server
	mortar, notholy string // where it serves each profile
}

func (j judgement) startGateway(ctx context.Context) (*gateway, error) {
	mortar, err := freeAddress(ctx)
	if err != nil {
		return nil, err
	}
	notholy, err := freeAddress(ctx)
	if err != nil {
		return nil, err
	}
	config := filepath.Join(j.cache, "gateway.yaml")
	k := gatewayKeys
	text := fmt.Sprintf(gatewayConfig, mortar, notholy, modelName, j.ollama.url, k.key, k.key2, k.limited, k.org2, k.poor)
	if err := os.WriteFile(config, []byte(text), 0o644); err != nil {
		return nil, fmt.Errorf("writing the gateway's configuration: %w", err)
	}
	process, err := serve(ctx, filepath.Join(j.out, "gateway.log"), nil, j.plumbline, "gateway", "--config", config)
	if err != nil {
		return nil, err
	}
	g := &gateway{server: process, mortar: "http://" + mortar, notholy: "http://" + notholy}
	if err := awaitOK(ctx, process, g.mortar+"/healthz"); err != nil {
		g.stop()
		return nil, err
	}
	return g, nil
}

// run judges the target and compares what fails with the known findings. A run
// during which Ollama had to be reloaded says little of the target: it is
// repeated, once.
func (j judgement) run(ctx context.Context, name, profile, target string, k keys, known []finding) error {
	r, reloads, err := j.once(ctx, name, profile, target, k)
	if reloads > 0 {
		fmt.Fprintf(j.log, "      Ollama stopped answering and was reloaded %d times: that run is repeated\n", reloads)
		r, reloads, err = j.once(ctx, name, profile, target, k)
	}
	if reloads > 0 {
		fmt.Fprintf(j.log, "      Ollama was reloaded %d times once more: findings of this run may stem from that\n", reloads)
	}
	if err != nil {
		return err
	}
	fmt.Fprintf(j.log, "      %s.txt: %d rows pass, %d fail, %d not judged\n", filepath.Join(j.out, name),
		r.Totals["pass"], r.Totals["fail"], r.Totals["inconclusive"])
	return r.compare(known, j.log)
}

// once judges the target, keeps the reports under name, and tells how often
// Ollama was reloaded meanwhile.
func (j judgement) once(ctx context.Context, name, profile, target string, k keys) (r report, reloads int, err error) {
	ctx, cancel := context.WithTimeoutCause(ctx, runLimit, fmt.Errorf("it did not end within %s", runLimit))
	defer cancel()
	pretty, err := os.Create(filepath.Join(j.out, name+".txt"))
	if err != nil {
		return report{}, 0, fmt.Errorf("keeping the report: %w", err)
	}
	asJSON := filepath.Join(j.out, name+".json")
	cmd := command(ctx, j.plumbline, "run",
		"--target", target, "--model", modelName, "--profile", profile,
		"--allow-inconclusive", "--concurrency", "4",
		"--report", "pretty", "--report", "json:"+asJSON)
	cmd.Env = append(os.Environ(), "PLUMBLINE_KEY="+k.key, "PLUMBLINE_KEY2="+k.key2, "PLUMBLINE_ORG2_KEY="+k.org2,
		"PLUMBLINE_POOR_KEY="+k.poor, "PLUMBLINE_LIMITED_KEY="+k.limited)
	stop := j.ollama.watch(ctx, j.every)
	err = errors.Join(run(cmd, pretty), pretty.Close())
	reloads = stop()
	if ctx.Err() != nil {
		return report{}, reloads, fmt.Errorf("running plumbline run: %w", context.Cause(ctx))
	}
	var exit *exec.ExitError
	broken := errors.As(err, &exit) && exit.ExitCode() == 1 // some row fails: the report tells which
	if err != nil && !broken {
		return report{}, reloads, fmt.Errorf("running plumbline run, see %s: %w", pretty.Name(), err)
	}
	r, err = readReport(asJSON)
	return r, reloads, err
}
