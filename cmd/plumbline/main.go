// Command plumbline is the conformance harness for streaming LLM gateways, with
// a reference gateway and a fake GPU.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"plumbline.dev/plumbline/conformance"
)

func main() {
	os.Exit(execute())
}

func execute() int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	// A second Ctrl-C ends the process at once.
	context.AfterFunc(ctx, stop)
	return exitCode(newRootCommand().ExecuteContext(ctx), os.Stderr)
}

// exitCode says on stderr what there is to say of an error, and returns the code
// with which the process ends.
func exitCode(err error, stderr io.Writer) int {
	var status exitStatus
	var failed harnessError
	switch {
	case err == nil:
		return conformance.ExitPass
	case errors.As(err, &status):
		return int(status)
	}
	fmt.Fprintln(stderr, "plumbline:", err)
	if errors.As(err, &failed) {
		return conformance.ExitHarness
	}
	return conformance.ExitUsage
}

// exitStatus ends the process with a code; what there is to say was said.
type exitStatus int

func (e exitStatus) Error() string { return fmt.Sprintf("exit status %d", int(e)) }

// harnessError is a failure of ours, not a mistake in what was asked for.
type harnessError struct{ error }

func (e harnessError) Unwrap() error { return e.error }

func newRootCommand() *cobra.Command {
	root := &cobra.Command{
		Use:   "plumbline",
		Short: "Judge a streaming LLM gateway, sentence by documented sentence",
		Long: `plumbline shows whether a streaming LLM gateway keeps what its documents say, and
the bytes that prove it.

  plumbline run                        judge our own reference gateway, here and now
  plumbline run --target URL --key K   judge any gateway
  plumbline requirements               list what is judged, and by which scenarios
  plumbline gateway                    serve the reference gateway
  plumbline lint FILE                  judge a captured stream, offline
  plumbline tap --upstream URL         judge live traffic as it passes
  plumbline mutants                    prove that the checks can fail
  plumbline watch --session S          watch a session's requests as they happen
  plumbline fakegpu                    serve the fake GPU model server`,
		Version:       conformance.Version,
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	root.AddCommand(newRunCommand(), newRequirementsCommand(), newGatewayCommand(), newWatchCommand(),
		newFakeGPUCommand(),
		newLintCommand(), newTapCommand(), newMutantsCommand())
	return root
}
