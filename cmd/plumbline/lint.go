package main

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"plumbline.dev/plumbline/conformance"
	"plumbline.dev/plumbline/conformance/lint"
	"plumbline.dev/plumbline/conformance/nearest"
)

// lintLimit is the longest file that is judged, in bytes.
const lintLimit = 1 << 30

// linting is the lint command at work.
type linting struct {
	options      lint.Options
	includeUsage bool
	report       string
	stdin        io.Reader
	stdout       io.Writer
	stderr       io.Writer
}

func newLintCommand() *cobra.Command {
	var l linting
	var ending string
	cmd := &cobra.Command{
		Use:   "lint FILE… | -",
		Short: "Judge captured streams, offline",
		Long: `Judge captured streams by the rules that need no more than the stream itself.

A capture is what is at hand: the body of a stream, the output of curl -iN, -v, --trace
or --trace-ascii (with or without --trace-time), or a transcript that plumbline run
--capture kept. With its head more rows can be judged. Prompts around it, lines that are
missing at its beginning, and carriage returns that a paste added are left out, and said.

The format, the profile and what the request asked for are guessed where no flag says them.

Exit status: 0 nothing found, 1 something found, 2 the command or a file was not
understood, 3 plumbline failed, 4 nothing could be judged.`,
		Example: `  curl -iN https://api.example.com/v1/chat/completions … > reply.txt; plumbline lint reply.txt
  plumbline lint --profile openai --report json captures/*.sse
  pbpaste | plumbline lint --partial -`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, files []string) error {
			l.stdin, l.stdout, l.stderr = cmd.InOrStdin(), cmd.OutOrStdout(), cmd.ErrOrStderr()
			l.options.Ending = lint.Ending(ending)
			if cmd.Flags().Changed("include-usage") {
				l.options.IncludeUsage = &l.includeUsage
			}
			return l.run(files)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&l.options.Format, "format", "", "of the stream: "+strings.Join(lint.Formats(), ", "))
	flags.StringVar(&l.options.Profile, "profile", "", "whose rows are judged, as for run")
	flags.StringVar(&ending, "ending", "", "how the reply was to end: complete, failed, stopped (by its id)")
	flags.BoolVar(&l.options.Partial, "partial", false, "the capture is cut: do not judge what is missing at its end")
	flags.BoolVar(&l.includeUsage, "include-usage", false, "the request asked for usage, or with =false it did not")
	flags.StringVar(&l.report, "report", "pretty", strings.Join(reportNames(), ", "))
	return cmd
}

func reportNames() []string { return slices.Sorted(maps.Keys(lint.Writers())) }

// run judges the files and ends with the worst of their exit codes. A file that
// is not understood keeps none of the others from being judged.
func (l *linting) run(files []string) error {
	write, ok := lint.Writers()[l.report]
	if !ok {
		return fmt.Errorf("there is no report %q: %s", l.report, nearest.Hint(l.report, reportNames()))
	}
	if _, err := lint.NewLinter(l.options); err != nil {
		return err
	}
	// From the worst.
	order := []int{conformance.ExitViolation, conformance.ExitUsage, conformance.ExitInconclusive, conformance.ExitPass}
	worst := len(order) - 1
	for _, name := range files {
		exit, err := l.file(name, write)
		if err != nil {
			return harnessError{err}
		}
		worst = min(worst, slices.Index(order, exit))
	}
	if order[worst] != conformance.ExitPass {
		return exitStatus(order[worst])
	}
	return nil
}

// file judges one file and returns its exit code.
func (l *linting) file(name string, write lint.Writer) (int, error) {
	file, err := l.read(name)
	if err != nil {
		fmt.Fprintln(l.stderr, "plumbline:", err)
		return conformance.ExitUsage, nil
	}
	if name == "-" {
		name = "standard input"
	}
	report, err := lint.Judge(name, file, l.options)
	var usage *lint.UsageError
	switch {
	case errors.As(err, &usage):
		fmt.Fprintln(l.stderr, "plumbline:", err)
		return conformance.ExitUsage, nil
	case err != nil:
		return 0, err
	}
	if err := write(l.stdout, report); err != nil {
		return 0, fmt.Errorf("write the report: %w", err)
	}
	return report.ExitCode, nil
}

// read returns the contents of a file, or of the standard input for "-".
func (l *linting) read(name string) ([]byte, error) {
	from := l.stdin
	if name != "-" {
		file, err := os.Open(name)
		if err != nil {
			return nil, fmt.Errorf("open the capture: %w", err)
		}
		defer file.Close()
		if info, err := file.Stat(); err == nil && info.Mode().IsRegular() && info.Size() <= lintLimit {
			data := make([]byte, info.Size())
			n, err := io.ReadFull(file, data)
			if err != nil {
				return nil, fmt.Errorf("read the capture %s: %w", name, err)
			}
			return data[:n], nil
		}
		from = file
	}
	data, err := io.ReadAll(io.LimitReader(from, lintLimit+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("read the capture %s: %w", name, err)
	case len(data) > lintLimit:
		return nil, fmt.Errorf("the capture %s is longer than %d MiB", name, lintLimit>>20)
	}
	return data, nil
}
