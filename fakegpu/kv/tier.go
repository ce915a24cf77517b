package kv

import "fmt"

// Tier is where a block lies.
type Tier uint8

// Tiers, the fastest first.
const (
	Miss    Tier = iota // nowhere
	GPU                 // the memory of the GPU
	Host                // the memory of its host
	Storage             // a disk
)

// Tiers is the number of values of Tier: arrays by tier have this length.
const Tiers = 4

// String is the tier's name: gpu-hbm, host-memory, storage, and "" for a miss.
func (t Tier) String() string {
	return [Tiers]string{"", "gpu-hbm", "host-memory", "storage"}[t]
}

// Config is the size of a cache.
type Config struct {
	BlockSize int // tokens of one block
	// Capacities in blocks. The lower tiers may have none.
	GPUBlocks, HostBlocks, StorageBlocks int
}

// Validate tells what is wrong with the sizes, and what would be right.
func (c Config) Validate() error {
	switch {
	case c.BlockSize < 1:
		return fmt.Errorf("block size is %d tokens, want 1 or more", c.BlockSize)
	case c.GPUBlocks < 1:
		return fmt.Errorf("GPU memory has %d KV blocks, want 1 or more", c.GPUBlocks)
	case c.HostBlocks < 0:
		return fmt.Errorf("host memory has %d KV blocks, want 0 or more", c.HostBlocks)
	case c.StorageBlocks < 0:
		return fmt.Errorf("storage has %d KV blocks, want 0 or more", c.StorageBlocks)
	}
	return nil
}

func (c Config) capacities() [Tiers]int {
	return [Tiers]int{GPU: c.GPUBlocks, Host: c.HostBlocks, Storage: c.StorageBlocks}
}

// blocks is how many blocks so many tokens need.
func (c Config) blocks(tokens int) int { return (tokens + c.BlockSize - 1) / c.BlockSize }
