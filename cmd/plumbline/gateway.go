package main

import (
	"fmt"
	"log/slog"
	"os"

	"github.com/spf13/cobra"

	"plumbline.dev/plumbline/reference/config"
	"plumbline.dev/plumbline/reference/gateway"
)

const gatewayHelp = `Serve the reference gateway: OpenAI-compatible chat completions, streamed and not,
in front of model servers such as vLLM, SGLang, llama.cpp or Ollama.

With no setting at all it answers from a built-in sample model on 127.0.0.1:8080,
so the documents' examples can be tried at once with the key ` + config.DevelopmentKey + `. That key
works on loopback addresses alone, and only while no other key is configured.

Every flag can also be given as an environment variable (--ping-interval is
PLUMBLINE_GATEWAY_PING_INTERVAL) or, together with what has no flag (several
models, organizations, listeners), in a YAML file. A flag wins over the
environment, the environment over the file.

The log, one JSON line a request, goes to standard error. It holds no key and
no text of a prompt or a reply. SIGTERM and Ctrl-C drain: no new request is taken
and running replies go on to their end or the drain limit.`

const gatewayExample = `  # try it without a model server
  plumbline gateway
  curl -N http://127.0.0.1:8080/v1/chat/completions -H "Authorization: Bearer ` + config.DevelopmentKey + `" \
    -H "Content-Type: application/json" \
    -d '{"messages": [{"role": "user", "content": "Write a haiku about GPUs."}], "stream": true}'

  # stop a reply by its id, which its header X-Mortar-Request-Id and every chunk hold
  curl -X POST http://127.0.0.1:8080/v1/generations/chatcmpl-…/stop -H "Authorization: Bearer ` + config.DevelopmentKey + `"

  # in front of a model server, with a key of your own
  PLUMBLINE_GATEWAY_KEY=my-key plumbline gateway --model-server http://127.0.0.1:8000 --model-server-model qwen2.5-7b

  # with keys, credits and a ledger that survives a restart
  plumbline gateway orgs add acme --data ./data --credits 10.00
  plumbline gateway keys add acme web --data ./data
  plumbline gateway --data ./data --profile notholy

  # everything else: print the settings, change them, use them
  plumbline gateway --print-config > gateway.yaml
  plumbline gateway --config gateway.yaml`

func newGatewayCommand() *cobra.Command {
	var printConfig bool
	cmd := &cobra.Command{
		Use:     "gateway",
		Short:   "Serve the reference gateway",
		Long:    gatewayHelp,
		Example: gatewayExample,
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if printConfig {
				_, err := cmd.OutOrStdout().Write(config.Example())
				return err
			}
			cfg, err := config.Load(config.Source{Flags: cmd.Flags(), Environ: os.Environ()})
			if err != nil {
				return fmt.Errorf("the settings of the gateway are not right:\n%w", err)
			}
			return serveGateway(cmd, cfg)
		},
	}
	config.BindFlags(cmd.Flags())
	addAdminCommands(cmd)
	cmd.Flags().BoolVar(&printConfig, "print-config", false, "print a settings file with all defaults, explained, and exit")
	return cmd
}

// serveGateway serves until the command's context ends.
func serveGateway(cmd *cobra.Command, cfg *config.Config) error {
	log := slog.New(slog.NewJSONHandler(cmd.ErrOrStderr(), nil))
	g, err := gateway.New(cfg, gateway.Deps{Log: log})
	if err != nil {
		return err
	}
	if err := g.Listen(); err != nil {
		return harnessError{err}
	}
	out := cmd.OutOrStdout()
	for i, l := range cfg.Listeners {
		fmt.Fprintf(out, "gateway (profile %s) at %s, models: %v\n", l.Profile, g.URL(i), l.Models)
	}
	if url := g.MetricsURL(); url != "" {
		fmt.Fprintf(out, "metrics at %s\n", url)
	}
	if cfg.DevelopmentKey {
		fmt.Fprintf(cmd.ErrOrStderr(), "warning: no key is configured, so everybody on this machine can use the key %s\n", config.DevelopmentKey)
	}
	if err := g.Serve(cmd.Context()); err != nil {
		return harnessError{err}
	}
	return nil
}
