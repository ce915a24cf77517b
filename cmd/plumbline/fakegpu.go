package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"go.yaml.in/yaml/v3"

	"plumbline.dev/plumbline/fakegpu/engine"
	"plumbline.dev/plumbline/fakegpu/names"
	"plumbline.dev/plumbline/fakegpu/server"
)

// fakeGPUGrace is how long running replies may go on after a signal.
const fakeGPUGrace = 5 * time.Second

const fakeGPUHelp = `Serve a simulated GPU model server.

It speaks as vLLM, SGLang or llama.cpp do, generates made-up text at a steady
pace or at that of a named GPU, and plays scripts: a test that registers a
script under a nonce gets exactly the tokens, pauses and failures it asked for,
through whatever gateway the prompt comes.

Every prompt goes through a prefix cache in three tiers (the memory of the GPU
and of its host, and a disk). What was found of a prompt is reported in its usage
as cached_tokens, and where it lay in the response header X-Cache-Tier, which is
this server's own: gpu-hbm, host-memory or storage.

Every flag can also be given as an environment variable (--context-window is
PLUMBLINE_FAKEGPU_CONTEXT_WINDOW) or in a YAML file (contextWindow: 4096). A flag
wins over the environment, the environment over the file.`

const fakeGPUExample = `  # a model server whose first token takes 200 ms, then 50 tokens a second
  plumbline fakegpu --ttft 200ms --itl 20ms

  # a model server that batches, queues and slows down as an L4 does, with a small cache
  plumbline fakegpu --card l4 --context-window 4096 --kv-blocks 512 --host-blocks 1024

  # ask it something
  curl -N http://127.0.0.1:9000/v1/chat/completions -H 'Content-Type: application/json' \
    -d '{"model":"any","stream":true,"messages":[{"role":"user","content":"Hello"}]}'

  # put a gateway in front of it
  plumbline gateway --model-server http://127.0.0.1:9000`

// fakeGPUConfig is the command's configuration.
type fakeGPUConfig struct {
	listen string
	server.Options
}

func newFakeGPUCommand() *cobra.Command {
	var file string
	config := fakeGPUConfig{}
	cmd := &cobra.Command{
		Use:     "fakegpu",
		Short:   "Serve a simulated GPU model server that tests can script",
		Long:    fakeGPUHelp,
		Example: fakeGPUExample,
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if !cmd.Flags().Changed("config") {
				file = os.Getenv(fakeGPUVariable("config"))
			}
			if err := completeFakeGPUFlags(cmd.Flags(), file, os.LookupEnv); err != nil {
				return err
			}
			config.settle(cmd.Flags())
			ctx, stop := signal.NotifyContext(cmd.Context(), os.Interrupt, syscall.SIGTERM)
			defer stop()
			return serveFakeGPU(ctx, config, cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	config.addFlags(cmd.Flags())
	cmd.Flags().StringVar(&file, "config", "", "YAML `file` with the same settings")
	return cmd
}

// addFlags adds a flag for each setting.
func (c *fakeGPUConfig) addFlags(f *pflag.FlagSet) {
	f.StringVar(&c.listen, "listen", "127.0.0.1:9000", "address to listen at; port 0 takes a free one")
	f.StringVar(&c.Model, "model", "", "name of the served model (default: every name is accepted)")
	f.StringVar(&c.Dialect, "dialect", "vllm", "how the server speaks: "+strings.Join(server.Dialects(), ", "))
	f.StringVar(&c.Card, "card", "", "GPU whose pace and memory are simulated: "+strings.Join(server.Cards(), ", ")+" (default: a steady pace)")
	f.DurationVar(&c.TTFT, "ttft", 50*time.Millisecond, "time to first token of prompts without a script; replaces a card's own")
	f.DurationVar(&c.ITL, "itl", 10*time.Millisecond, "inter-token latency of prompts without a script; replaces a card's own")
	f.IntVar(&c.ContextWindow, "context-window", engine.DefaultContextWindow, "tokens that a prompt and its reply may have together")
	f.IntVar(&c.MaxNumSeqs, "max-num-seqs", engine.DefaultMaxRunning, "requests that a card works on at the same time; others wait")
	f.IntVar(&c.BlockSize, "block-size", engine.DefaultBlockSize, "tokens of one block of the prefix cache")
	f.IntVar(&c.KVBlocks, "kv-blocks", 0, fmt.Sprintf("blocks in the GPU's memory (default: the card's own, %d without a card)", engine.DefaultKVBlocks))
	f.IntVar(&c.HostBlocks, "host-blocks", engine.DefaultHostBlocks, "blocks in the host's memory, 0 for none")
	f.IntVar(&c.StorageBlocks, "storage-blocks", engine.DefaultStorageBlocks, "blocks on the disk, 0 for none")
	f.Uint64Var(&c.Seed, "seed", 0, "varies the made-up text")
}

// settle makes options of the flags, once all of them have their values.
func (c *fakeGPUConfig) settle(flags *pflag.FlagSet) {
	// What nobody set is the card's to say.
	if !flags.Changed("context-window") {
		c.ContextWindow = 0
	}
	if c.Card != "" && !flags.Changed("ttft") {
		c.TTFT = 0
	}
	if c.Card != "" && !flags.Changed("itl") {
		c.ITL = 0
	}
	// A flag of 0 blocks is none; an option of 0 is the default.
	for _, blocks := range []*int{&c.HostBlocks, &c.StorageBlocks} {
		if *blocks == 0 {
			*blocks = -1
		}
	}
}

// completeFakeGPUFlags sets every flag that the command line left out from the
// environment or else from the file.
func completeFakeGPUFlags(flags *pflag.FlagSet, file string, lookup func(string) (string, bool)) error {
	fromFile, err := readFakeGPUFile(flags, file)
	if err != nil {
		return err
	}
	var problems []error
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Changed || !isFakeGPUSetting(f) {
			return
		}
		if value, ok := lookup(fakeGPUVariable(f.Name)); ok {
			if err := f.Value.Set(value); err != nil {
				problems = append(problems, fmt.Errorf("%s is %q, want a value as for --%s: %w", fakeGPUVariable(f.Name), value, f.Name, err))
			}
			f.Changed = true
			return
		}
		if node, ok := fromFile[f.Name]; ok {
			if err := f.Value.Set(node.Value); err != nil {
				problems = append(problems, fmt.Errorf("%s line %d: %s is %q, want a value as for --%s: %w",
					file, node.Line, fakeGPUKey(f.Name), node.Value, f.Name, err))
			}
			f.Changed = true
		}
	})
	return errors.Join(problems...)
}

// readFakeGPUFile reads the settings of a file, by flag name.
func readFakeGPUFile(flags *pflag.FlagSet, file string) (map[string]*yaml.Node, error) {
	if file == "" {
		return nil, nil
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("reading the configuration: %w", err)
	}
	var document yaml.Node
	if err := yaml.Unmarshal(data, &document); err != nil {
		return nil, fmt.Errorf("reading the configuration %s: %w", file, err)
	}
	if len(document.Content) == 0 {
		return nil, nil
	}
	root := document.Content[0]
	if root.Kind != yaml.MappingNode {
		return nil, fmt.Errorf("%s line %d: want settings such as \"listen: 127.0.0.1:9000\"", file, root.Line)
	}
	var known []string
	flagOf := map[string]string{}
	flags.VisitAll(func(f *pflag.Flag) {
		if isFakeGPUSetting(f) {
			known = append(known, fakeGPUKey(f.Name))
			flagOf[fakeGPUKey(f.Name)] = f.Name
		}
	})
	settings := map[string]*yaml.Node{}
	for i := 0; i+1 < len(root.Content); i += 2 {
		key, value := root.Content[i], root.Content[i+1]
		name, ok := flagOf[key.Value]
		switch {
		case !ok:
			return nil, fmt.Errorf("%s line %d: unknown setting %q%s (known: %s)",
				file, key.Line, key.Value, names.Hint(key.Value, known), strings.Join(known, ", "))
		case settings[name] != nil:
			return nil, fmt.Errorf("%s line %d: %s is set twice", file, key.Line, key.Value)
		case value.Kind != yaml.ScalarNode:
			return nil, fmt.Errorf("%s line %d: %s is no single value", file, value.Line, key.Value)
		}
		settings[name] = value
	}
	return settings, nil
}

func isFakeGPUSetting(f *pflag.Flag) bool { return f.Name != "config" && f.Name != "help" }

// fakeGPUVariable is the environment variable of a flag.
func fakeGPUVariable(flag string) string {
	return "PLUMBLINE_FAKEGPU_" + strings.ToUpper(strings.ReplaceAll(flag, "-", "_"))
}

// fakeGPUKey is the key of a flag in a file: context-window is contextWindow.
func fakeGPUKey(flag string) string {
	first, rest, ok := strings.Cut(flag, "-")
	if !ok {
		return flag
	}
	return first + strings.ToUpper(rest[:1]) + rest[1:]
}

// serveFakeGPU serves until ctx ends, then lets running replies end.
func serveFakeGPU(ctx context.Context, c fakeGPUConfig, out, warnings io.Writer) error {
	c.Log = slog.New(slog.NewTextHandler(warnings, nil))
	// The server outlives ctx by the grace of its running replies.
	running, err := server.Listen(context.WithoutCancel(ctx), c.listen, c.Options)
	if err != nil {
		return err
	}
	defer running.Close()
	if tcp, ok := running.Addr().(*net.TCPAddr); ok && !tcp.IP.IsLoopback() {
		fmt.Fprintln(warnings, "warning: "+strconv.Quote(c.listen)+" is no loopback address. The control API has no key: whoever "+
			"reaches this address can script the server and read the prompts of scripted requests.")
	}
	fmt.Fprintf(out, "fake GPU (%s) at %s\n", c.Dialect, running.URL())
	ended := make(chan error, 1)
	go func() { ended <- running.Wait() }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	fmt.Fprintf(out, "stopping; running replies have %v to end\n", fakeGPUGrace)
	grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), fakeGPUGrace)
	defer cancel()
	running.Shutdown(grace)
	return <-ended
}
