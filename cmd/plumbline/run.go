package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"plumbline.dev/plumbline/conformance"
	"plumbline.dev/plumbline/conformance/report"
	"plumbline.dev/plumbline/conformance/target"
	"plumbline.dev/plumbline/fakegpu/server"
)

func newRunCommand() *cobra.Command {
	var sources target.Sources
	var folder string
	cmd := &cobra.Command{
		Use:   "run",
		Short: "Judge a gateway",
		Long: `Judge a gateway by its documents. Without --target the reference gateway and the
fake GPU are started in this process, and judged.

Many rows need to know what happens behind the gateway. Let the gateway under test forward
to a model server at an address of yours, and name it with --model-server: plumbline
serves a fake GPU there for the time of the run. Rows that need something which the
target does not offer are inconclusive, never a pass.

Every setting can also stand in plumbline.yaml or in a PLUMBLINE_ variable; a flag wins
over a variable, a variable over the file.

Exit status: 0 every row was judged and passed, 1 a row is broken, 2 the command was not
understood, 3 the harness failed or was interrupted, 4 nothing failed but rows could not
be judged (--allow-inconclusive makes that 0).`,
		Example: `  plumbline run
  plumbline run --tags '@mortar-cancel-01 or @mortar-cancel-03'
  plumbline run --target http://127.0.0.1:8080 --key dev-key --model-server 127.0.0.1:9000
  plumbline run --target https://api.example.com --profile openai --report junit:out/junit.xml --report pretty`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			sources.Environ = os.Environ()
			return run(cmd.Context(), sources, folder, cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	profiles, err := conformance.Profiles()
	if err != nil {
		panic(err) // the embedded catalogue is tested
	}
	sources.Profiles = profiles
	cmd.Flags().StringVar(&folder, "capture", "", "folder in which every stream of the run is kept, as a file for plumbline lint")
	cmd.Flags().StringVar(&sources.File, "config", "", "file of settings (default: plumbline.yaml here, if there is one)")
	for _, setting := range target.Settings() {
		usage := setting.Usage
		switch setting.Key {
		case "profile":
			usage += ": " + strings.Join(profiles, ", ")
		case "reports":
			usage += ": " + formats()
		}
		cmd.Flags().Var(sources.Flags.Flag(setting), setting.Flag, usage)
	}
	for _, setting := range target.Settings() {
		if setting.Kind == target.Bool {
			cmd.Flags().Lookup(setting.Flag).NoOptDefVal = "true"
		}
	}
	return cmd
}

func formats() string {
	var names []string
	for _, f := range report.Formats() {
		names = append(names, f.Name)
	}
	return strings.Join(names, ", ")
}

// run judges what the settings name, writes the reports, and keeps the streams in
// a folder if it has a name.
func run(ctx context.Context, sources target.Sources, folder string, stdout, stderr io.Writer) error {
	config, err := target.Load(sources)
	if err != nil {
		return err
	}
	specs, err := report.ParseSpecs(config.Reports)
	if err != nil {
		return err
	}
	options, err := optionsOf(config)
	if err != nil {
		return err
	}
	stop, err := peers(ctx, config, &options.Target)
	if err != nil {
		return harnessError{err}
	}
	defer stop()

	screen := report.ScreenOf(stderr, os.Getenv)
	secrets := append(config.Keys.All(), options.Target.Key, options.Target.Key2, options.Target.Org2Key, options.Target.PoorKey, options.Target.LimitedKey)
	redactor := report.NewRedactor(secrets...)
	progress := report.NewProgress(stderr, screen, redactor)
	options.Observer = progress
	captures, err := newCaptures(folder, redactor)
	if err != nil {
		return harnessError{err}
	}
	if captures != nil {
		options.Captured = captures.keep
	}
	result, err := conformance.Run(ctx, options)
	progress.Close()
	if err == nil {
		err = captures.close()
	}
	var usage *conformance.UsageError
	switch {
	case errors.As(err, &usage):
		return err
	case err != nil:
		return harnessError{err}
	}
	output := report.Output{Stdout: stdout, Screen: report.ScreenOf(stdout, os.Getenv), Redactor: redactor}
	if err := output.Write(result, specs); err != nil {
		return harnessError{err}
	}
	if result.ExitCode != conformance.ExitPass {
		return exitStatus(result.ExitCode)
	}
	return nil
}

// optionsOf turns settings into what the harness judges.
func optionsOf(config target.Config) (conformance.Options, error) {
	options := conformance.Options{
		Tags: config.Tags, Concurrency: config.Concurrency, AllowInconclusive: config.AllowInconclusive,
		Target: conformance.Target{
			BaseURL: config.URL, RootCAs: config.RootCAs, Profile: strings.Join(config.Profiles, ","), Model: config.Model,
			Key: config.Keys.Key.Reveal(), Key2: config.Keys.Key2.Reveal(), Org2Key: config.Keys.Org2.Reveal(),
			PoorKey: config.Keys.Poor.Reveal(), LimitedKey: config.Keys.Limited.Reveal(), Alias: config.Alias,
			CreditsPath: config.Credits.Path,
			Control:     config.Control,
			Intervals: conformance.Intervals{Ping: config.Intervals.Ping, Silence: config.Intervals.Silence,
				TelemetryPing: config.Intervals.TelemetryPing, Tick: config.Intervals.Tick},
			SessionHeader: config.Telemetry.SessionHeader,
			Events: conformance.EventNames{Route: config.Telemetry.RouteEvent, Cache: config.Telemetry.CacheEvent,
				Latency: config.Telemetry.LatencyEvent},
		},
	}
	for need, offered := range map[string]*bool{
		"stop": config.Offers.Stop, "models": config.Offers.Models, "telemetry": config.Offers.Telemetry,
		"fleet": config.Offers.Fleet, "credits": config.Offers.Credits,
		"chat": config.Offers.Chat, "text": config.Offers.Text, "responses": config.Offers.Responses, "messages": config.Offers.Messages,
	} {
		if offered != nil && !*offered {
			options.Target.Without = append(options.Target.Without, need)
		}
	}
	rows, err := conformance.RowIDs()
	if err != nil {
		return options, harnessError{err}
	}
	baseline, err := target.LoadBaseline(config.Baseline, rows)
	if err != nil {
		return options, err
	}
	options.Baseline = map[string]string{}
	for _, row := range baseline.Rows() {
		options.Baseline[row], _ = baseline.Excuses(row)
	}
	return options, nil
}

// peers starts what the run needs at the far end of the pipe: the fake GPU where
// --model-server asks for it, and the reference gateway where no target is named.
func peers(ctx context.Context, config target.Config, t *conformance.Target) (stop func(), err error) {
	if config.URL == "" {
		return startReference(ctx, config, t)
	}
	if config.ModelServer == "" {
		return func() {}, nil
	}
	gpu, err := server.Listen(ctx, config.ModelServer, server.Options{})
	if err != nil {
		return nil, fmt.Errorf("start the fake GPU: %w", err)
	}
	t.Control = gpu.URL()
	return gpu.Close, nil
}
