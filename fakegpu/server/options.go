package server

import (
	"fmt"
	"log/slog"
	"time"

	"plumbline.dev/plumbline/fakegpu/engine"
	"plumbline.dev/plumbline/fakegpu/internal/wire"
	"plumbline.dev/plumbline/fakegpu/names"
)

// DefaultModel is the name of the model when Options name none.
const DefaultModel = "plumbline-fake"

// Options configure a Server. The zero value is a vLLM-like server that
// accepts any model name and generates without any delay.
type Options struct {
	// Model is the served model's name. When it is empty the server accepts
	// every name, as llama.cpp does.
	Model string
	// Dialect is how the server speaks: vllm (also ""), sglang or llamacpp.
	Dialect string
	// TTFT is the time to first token, ITL the inter-token latency of prompts
	// that no script answers. With a card, those above 0 replace its own.
	TTFT, ITL time.Duration
	// Card is the GPU whose pace and memory are simulated, one of Cards(); ""
	// is a steady pace.
	Card string
	// MaxNumSeqs is how many requests a card works on at the same time; 0 means
	// engine.DefaultMaxRunning.
	MaxNumSeqs int
	// BlockSize is the tokens of one block of the prefix cache; the capacities
	// of its tiers are in blocks. 0 means the card's own or the engine's default;
	// with -1 the host's memory or storage holds none.
	BlockSize, KVBlocks, HostBlocks, StorageBlocks int
	// ContextWindow is how many tokens a prompt and its reply may have
	// together; 0 means engine.DefaultContextWindow, or what the card's memory
	// holds if that is less.
	ContextWindow int
	// Seed varies the text and the natural length of replies.
	Seed uint64
	// Log receives the server's own troubles, never prompts; nil drops them.
	Log *slog.Logger
}

// Cards lists the values of Options.Card.
func Cards() []string { return engine.Cards() }

// Dialects lists the values of Options.Dialect.
func Dialects() []string { return wire.Dialects() }

// Validate tells what is wrong with the options, and what would be right.
func (o Options) Validate() error {
	if _, err := wire.ParseDialect(o.Dialect); err != nil {
		return fmt.Errorf("dialect %q is unknown, want one of %v%s", o.Dialect, Dialects(), names.Hint(o.Dialect, Dialects()))
	}
	return o.engine().Validate()
}

func (o Options) engine() engine.Options {
	return engine.Options{
		Card: o.Card, TTFT: o.TTFT, ITL: o.ITL, ContextWindow: o.ContextWindow, MaxRunning: o.MaxNumSeqs, Seed: o.Seed,
		BlockSize: o.BlockSize, KVBlocks: o.KVBlocks, HostBlocks: o.HostBlocks, StorageBlocks: o.StorageBlocks,
	}
}
