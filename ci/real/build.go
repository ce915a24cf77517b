package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"plumbline.dev/plumbline/ci/real/tinymodel"
)

const ollamaModule = "github.com/ollama/ollama"

// buildOllama compiles Ollama into the cache, unless this version of it lies
// there already, and returns the program's path and version.
func buildOllama(ctx context.Context, w workplace, log io.Writer) (program, version string, err error) {
	module := filepath.Join(w.root, "ci", "real", "ollama")
	list := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Version}}", ollamaModule)
	list.Dir = module
	out, err := list.Output()
	if err != nil {
		return "", "", fmt.Errorf("asking which Ollama %s names: %w", module, err)
	}
	version = strings.TrimSpace(string(out))
	program = filepath.Join(w.cache, "ollama-"+version)
	if _, err := os.Stat(program); err == nil {
		return program, version, nil
	}
	if err := prepare(ctx, log); err != nil {
		return "", "", err
	}
	fmt.Fprintf(log, "building Ollama %s, once: five to ten minutes\n", version)
	// Built under another name: a build that is interrupted leaves no program.
	unfinished := program + ".unfinished"
	build := command(ctx, "go", "build", "-trimpath", "-ldflags=-s -w", "-o", unfinished, ollamaModule)
	build.Dir = module
	build.Env = append(os.Environ(),
		"CGO_CFLAGS=-O2 -g0",
		"CGO_CXXFLAGS=-O2 -g0 -I"+filepath.Join(module, "stubs"))
	if err := run(build, log); err != nil {
		return "", "", fmt.Errorf("building Ollama %s: %w", version, err)
	}
	if err := os.Rename(unfinished, program); err != nil {
		return "", "", fmt.Errorf("keeping the built Ollama: %w", err)
	}
	return program, version, nil
}

// buildPlumbline compiles the plumbline of this checkout.
func buildPlumbline(ctx context.Context, w workplace, log io.Writer) (program string, err error) {
	program = filepath.Join(w.cache, "plumbline")
	build := command(ctx, "go", "build", "-o", program, "./cmd/plumbline")
	build.Dir = w.root
	if err := run(build, log); err != nil {
		return "", fmt.Errorf("building plumbline: %w", err)
	}
	return program, nil
}

// writeModel writes the tiny model and the Modelfile that names it.
func writeModel(w workplace) (modelfile string, err error) {
	modelfile = filepath.Join(w.cache, "Modelfile")
	if err := os.WriteFile(modelfile, ollamaModelfile, 0o644); err != nil {
		return "", fmt.Errorf("writing the Modelfile: %w", err)
	}
	weights, err := os.Create(filepath.Join(w.cache, "tiny.gguf"))
	if err != nil {
		return "", fmt.Errorf("writing the tiny model: %w", err)
	}
	if err := errors.Join(tinymodel.Write(weights), weights.Close()); err != nil {
		return "", fmt.Errorf("writing the tiny model: %w", err)
	}
	return modelfile, nil
}
