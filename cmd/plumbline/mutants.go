package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"plumbline.dev/plumbline/conformance"
	"plumbline.dev/plumbline/conformance/mutant"
	"plumbline.dev/plumbline/conformance/nearest"
	"plumbline.dev/plumbline/conformance/target"
	referenceconfig "plumbline.dev/plumbline/reference/config"
)

// mutantProfiles are the profiles whose rows need mutants: all rows are in one of
// them.
func mutantProfiles() []string { return []string{"mortar", "notholy", "openai"} }

// Waits of the run on mutants: as short as its timers can still tell apart.
const (
	mutantPing     = 1200 * time.Millisecond
	mutantSilence  = 4 * time.Second
	mutantPatience = 4 * time.Second
	mutantBeat     = 1200 * time.Millisecond // of telemetry
	mutantTick     = 1 * time.Second         // of the fleet's metrics
)

// mutantsRequest is what the command was asked for.
type mutantsRequest struct {
	only    []string
	list    bool
	allRows bool
	workers int
	reports []string
}

func newMutantsCommand() *cobra.Command {
	var request mutantsRequest
	cmd := &cobra.Command{
		Use:   "mutants",
		Short: "Prove that the checks can fail",
		Long: `Judge gateways that are broken on purpose, each in one way, in front of the reference
gateway and the fake GPU, all in this process. Every row that a mutant breaks must
fail, and no other row may.

A survivor tells of a hole in a check. A mutant that dies for the wrong reason tells of a
check that judges more than its row says.

Exit status: 0 every mutant was killed, 1 a mutant survived or died for the wrong reason,
or a row has fewer than two mutants, 2 the command was not understood, 3 the harness failed.`,
		Example: `  plumbline mutants
  plumbline mutants --only 'done-*'
  plumbline mutants --list
  plumbline mutants --report pretty --report json:out/mutants.json`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return mutants(cmd.Context(), request, cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	cmd.Flags().StringArrayVar(&request.only, "only", nil, "only the mutants whose name matches this pattern; can be given again")
	cmd.Flags().BoolVar(&request.list, "list", false, "list the mutants and judge none")
	cmd.Flags().BoolVar(&request.allRows, "all-rows", false, "judge each mutant by every row, which takes longer")
	cmd.Flags().IntVar(&request.workers, "concurrency", 0, "mutants judged side by side (default 12)")
	cmd.Flags().StringArrayVar(&request.reports, "report", []string{"pretty"}, "a report as FORMAT or FORMAT:PATH: pretty, json")
	return cmd
}

func mutants(ctx context.Context, request mutantsRequest, stdout, stderr io.Writer) error {
	selected, err := mutant.Select(request.only...)
	if err != nil {
		return err
	}
	if request.list {
		return mutant.WriteList(stdout, selected)
	}
	outputs, err := mutantReports(request.reports)
	if err != nil {
		return err
	}
	options := mutant.Options{Only: request.only, AllRows: request.allRows, Concurrency: request.workers,
		Judged: func(done, all int, result mutant.Result) {
			fmt.Fprintf(stderr, "%3d/%d  %-12s  %s\n", done, all, result.Outcome, result.Name)
		}}
	intervals := target.Intervals{Ping: mutantPing, TelemetryPing: mutantBeat, Tick: mutantTick}
	for _, profile := range mutantProfiles() {
		// The model is named, so that a mutant of the list of models does not choose it.
		right := conformance.Target{Profile: profile, Model: referenceconfig.DefaultModel(listenerOf(profile)).ID,
			Intervals: conformance.Intervals{Ping: mutantPing, Silence: mutantSilence, Patience: mutantPatience, TelemetryPing: mutantBeat, Tick: mutantTick}}
		stop, err := startReference(ctx, target.Config{Intervals: intervals}, &right)
		if err != nil {
			return harnessError{err}
		}
		defer stop()
		options.Targets = append(options.Targets, right)
	}
	options.Gateway = func(ctx context.Context, profile, modelServer string) (string, func(), error) {
		urls, stop, err := startGateway(ctx, modelServer, intervals)
		return urls[listenerOf(profile)], stop, err
	}
	report, err := mutant.Run(ctx, options)
	var usage *conformance.UsageError
	switch {
	case errors.As(err, &usage):
		return err
	case err != nil:
		return harnessError{err}
	}
	for _, output := range outputs {
		if err := output.write(report, stdout); err != nil {
			return harnessError{err}
		}
	}
	if !report.Proven() {
		return exitStatus(conformance.ExitViolation)
	}
	return nil
}

// mutantReport is one report that was asked for.
type mutantReport struct {
	write func(*mutant.Report, io.Writer) error
}

func mutantReports(texts []string) ([]mutantReport, error) {
	formats := map[string]func(*mutant.Report, io.Writer) error{
		"pretty": (*mutant.Report).WritePretty,
		"json":   (*mutant.Report).WriteJSON,
	}
	var reports []mutantReport
	for _, text := range texts {
		name, path, hasPath := strings.Cut(text, ":")
		encode, ok := formats[name]
		switch {
		case !ok:
			return nil, fmt.Errorf("unknown report format %q: %s", name, nearest.Hint(name, []string{"pretty", "json"}))
		case hasPath && path == "":
			return nil, fmt.Errorf("report %q names no file: write %s for standard output or %s:PATH", text, name, name)
		case hasPath:
			encode = intoFile(path, encode)
		}
		reports = append(reports, mutantReport{encode})
	}
	return reports, nil
}

// intoFile makes a report go into a file, whose folders are made.
func intoFile(path string, encode func(*mutant.Report, io.Writer) error) func(*mutant.Report, io.Writer) error {
	return func(report *mutant.Report, _ io.Writer) error {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return fmt.Errorf("make the folder of the report: %w", err)
		}
		file, err := os.Create(path)
		if err != nil {
			return fmt.Errorf("create the report: %w", err)
		}
		if err := encode(report, file); err != nil {
			return errors.Join(err, file.Close())
		}
		return file.Close()
	}
}
