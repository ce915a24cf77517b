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
			l.stdin, l.stdout = cmd.InOrStdin(), cmd.OutOrStdout()
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

// run judges the files and ends with the worst of their exit codes.
func (l *linting) run(files []string) error {
	write, ok := lint.Writers()[l.report]
	if !ok {
		return fmt.Errorf("there is no report %q: %s", l.report, nearest.Hint(l.report, reportNames()))
	}
	worst := conformance.ExitPass
	for _, name := range files {
		file, err := l.read(name)
		if err != nil {
			return err
		}
		if name == "-" {
			name = "standard input"
		}
		report, err := lint.Judge(name, file, l.options)
		var usage *lint.UsageError
		switch {
		case errors.As(err, &usage):
			return err
		case err != nil:
			return harnessError{err}
		}
		if err := write(l.stdout, report); err != nil {
			return harnessError{fmt.Errorf("write the report: %w", err)}
		}
		if worst != conformance.ExitViolation && report.ExitCode != conformance.ExitPass {
			worst = report.ExitCode
		}
	}
	if worst != conformance.ExitPass {
		return exitStatus(worst)
	}
	return nil
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
