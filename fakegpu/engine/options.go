package engine

import (
	"fmt"
	"time"

	"plumbline.dev/plumbline/fakegpu/kv"
)

// Defaults of options that are 0.
const (
	// DefaultContextWindow is in tokens.
	DefaultContextWindow = 32_768
	DefaultMaxRunning    = 256
	DefaultBlockSize     = 16 // tokens
	// DefaultKVBlocks is the GPU's KV memory when no card is named.
	DefaultKVBlocks      = 65_536
	DefaultHostBlocks    = 65_536
	DefaultStorageBlocks = 262_144
)

// maxTokens is how many tokens one step prefills and decodes at most.
const maxTokens = 8192

// Options configure an Engine.
type Options struct {
	// Card names the GPU whose pace and memory are simulated, one of [Cards].
	// Without one every reply has the steady pace of TTFT and ITL, whatever
	// else runs.
	Card string
	// TTFT is the time to first token, ITL the inter-token latency. With a
	// card, those above 0 replace the card's own time to prefill a prompt and
	// to make a decoding step.
	TTFT, ITL time.Duration
	// ContextWindow is in tokens. A card's KV memory must hold it; 0 means
	// DefaultContextWindow, or what the card's memory holds if that is less.
	ContextWindow int
	// MaxRunning is how many requests a card works on at the same time; the
	// others wait. 0 means DefaultMaxRunning.
	MaxRunning int
	// BlockSize is the tokens of one KV block. The capacities are in blocks; 0
	// means the card's own or the default, and -1 switches one of the lower two
	// tiers off.
	BlockSize, KVBlocks, HostBlocks, StorageBlocks int
	Seed                                           uint64
	Clock                                          Clock // of a card; nil means WallClock
}

// Validate tells what is wrong with the options, and what would be right.
func (o Options) Validate() error {
	_, err := o.complete()
	return err
}

// complete checks the options and puts the defaults in.
func (o Options) complete() (Options, error) {
	switch {
	case o.TTFT < 0:
		return o, fmt.Errorf("time to first token is %v, want 0 or more", o.TTFT)
	case o.ITL < 0:
		return o, fmt.Errorf("inter-token latency is %v, want 0 or more", o.ITL)
	case o.ContextWindow < 0:
		return o, fmt.Errorf("context window is %d tokens, want 1 or more, or 0 for %d", o.ContextWindow, DefaultContextWindow)
	case o.MaxRunning < 0 || o.MaxRunning > maxTokens:
		return o, fmt.Errorf("max num seqs is %d, want 1 to %d, or 0 for %d", o.MaxRunning, maxTokens, DefaultMaxRunning)
	case o.BlockSize < 0:
		return o, fmt.Errorf("block size is %d tokens, want 1 or more, or 0 for %d", o.BlockSize, DefaultBlockSize)
	case o.KVBlocks < 0:
		return o, fmt.Errorf("GPU memory has %d KV blocks, want 1 or more, or 0 for the card's own", o.KVBlocks)
	case o.HostBlocks < -1:
		return o, fmt.Errorf("host memory has %d KV blocks, want 0 or more", o.HostBlocks)
	case o.StorageBlocks < -1:
		return o, fmt.Errorf("storage has %d KV blocks, want 0 or more", o.StorageBlocks)
	}
	o.MaxRunning = standard(o.MaxRunning, DefaultMaxRunning)
	o.BlockSize = standard(o.BlockSize, DefaultBlockSize)
	o.HostBlocks = max(standard(o.HostBlocks, DefaultHostBlocks), 0)
	o.StorageBlocks = max(standard(o.StorageBlocks, DefaultStorageBlocks), 0)
	if o.Clock == nil {
		o.Clock = WallClock{}
	}
	if o.Card == "" {
		o.KVBlocks = standard(o.KVBlocks, DefaultKVBlocks)
		o.ContextWindow = standard(o.ContextWindow, DefaultContextWindow)
		return o, nil
	}
	c, err := findCard(o.Card)
	if err != nil {
		return o, err
	}
	o.KVBlocks = standard(o.KVBlocks, max(c.blocks(o.BlockSize), 1))
	room := o.KVBlocks * o.BlockSize
	o.ContextWindow = standard(o.ContextWindow, min(DefaultContextWindow, room))
	if o.ContextWindow > room {
		return o, fmt.Errorf("%d KV blocks of %d tokens hold %d tokens, want room for the context window of %d: more blocks or a smaller window",
			o.KVBlocks, o.BlockSize, room, o.ContextWindow)
	}
	return o, nil
}

// standard is value, or its default when it is 0.
func standard(value, otherwise int) int {
	if value == 0 {
		return otherwise
	}
	return value
}

func (o Options) cache() kv.Config {
	return kv.Config{BlockSize: o.BlockSize, GPUBlocks: o.KVBlocks, HostBlocks: o.HostBlocks, StorageBlocks: o.StorageBlocks}
}
