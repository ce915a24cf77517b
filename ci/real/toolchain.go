package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
)

// unable is the reason why the lane cannot run on this machine. That is not a
// failure of plumbline.
type unable struct{ reason string }

func (u unable) Error() string { return u.reason }

// headers are the two C++ headers that Ollama's module archive lacks: it keeps
// them in a folder named vendor, and such folders are left out of every archive.
const headers = "#include <nlohmann/json_fwd.hpp>\n#include <stb/stb_image.h>\n"

var headerPackages = []string{"nlohmann-json3-dev", "libstb-dev"}

// prepare makes sure that Ollama can be compiled here, or returns an unable.
func prepare(ctx context.Context, log io.Writer) error {
	if _, err := exec.LookPath("g++"); err != nil {
		return unable{"no C++ compiler: install g++"}
	}
	cgo, err := exec.CommandContext(ctx, "go", "env", "CGO_ENABLED").Output()
	if err != nil {
		return fmt.Errorf("asking Go whether cgo is on: %w", err)
	}
	if strings.TrimSpace(string(cgo)) != "1" {
		return unable{"cgo is off: set CGO_ENABLED=1"}
	}
	if compiles(ctx, headers) {
		return nil
	}
	install := "apt-get install " + strings.Join(headerPackages, " ")
	if _, err := exec.LookPath("apt-get"); err != nil || os.Geteuid() != 0 {
		return unable{"two C++ headers are missing: " + install + ", or the same of your system"}
	}
	for _, args := range [][]string{{"update"}, append([]string{"install", "-y", "--no-install-recommends"}, headerPackages...)} {
		cmd := command(ctx, "apt-get", args...)
		cmd.Env = append(os.Environ(), "DEBIAN_FRONTEND=noninteractive")
		if err := run(cmd, log); err != nil {
			return unable{fmt.Sprintf("%s failed: %v", install, err)}
		}
	}
	if !compiles(ctx, headers) {
		return unable{"g++ does not find the headers that " + install + " installed"}
	}
	return nil
}

func compiles(ctx context.Context, source string) bool {
	cmd := command(ctx, "g++", "-fsyntax-only", "-x", "c++", "-")
	cmd.Stdin = strings.NewReader(source)
	return run(cmd, io.Discard) == nil
}
