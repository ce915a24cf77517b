package engine

import (
	"fmt"
	"time"

	"plumbline.dev/plumbline/fakegpu/internal/batch"
	"plumbline.dev/plumbline/fakegpu/kv"
	"plumbline.dev/plumbline/fakegpu/names"
)

// bytesPerToken is the keys and values of Qwen2.5-7B in 16 bits: 28 layers, 4 KV
// heads of 128 numbers, for keys and for values.
const bytesPerToken = 28 * 4 * 128 * 2 * 2

// card is what a GPU does with that model served in 16 bits: the decode rate
// is its memory bandwidth over the bytes of the weights, at three quarters of
// the data sheet's figure; the prefill rate its arithmetic over two operations
// for each weight, at half of it; the KV memory what the weights leave of nine
// tenths of its memory.
type card struct {
	name     string
	prefill  int     // prompt tokens a second
	decode   int     // tokens a second of one sequence alone
	kvBytes  int64   // memory for blocks
	hostRate float64 // bytes a second from and to the host's memory
}

// storageRate is what an NVMe disk reads, in bytes a second.
const storageRate = 6e9

// furtherShare is what each further sequence adds to a decoding step, as a
// share of the step of one: its own keys and values have to be read.
const furtherShare = 100

func allCards() []card {
	return []card{
		{"h200", 32_500, 236, 109e9, 50e9},
		{"h100", 32_500, 165, 55e9, 50e9},
		{"a100", 11_000, 100, 55e9, 25e9},
		{"l4", 4_000, 15, 4.6e9, 20e9},
	}
}

// Cards lists the names of the cards, the fastest first.
func Cards() []string {
	var all []string
	for _, c := range allCards() {
		all = append(all, c.name)
	}
	return all
}

func findCard(name string) (card, error) {
	for _, c := range allCards() {
		if c.name == name {
			return c, nil
		}
	}
	return card{}, fmt.Errorf("card %q is unknown, want one of %v%s", name, Cards(), names.Hint(name, Cards()))
}

// blocks is how many blocks of that many tokens the card has room for.
func (c card) blocks(blockSize int) int { return int(c.kvBytes / int64(blockSize*bytesPerToken)) }

// pace is how fast the card works; times above 0 replace its own.
func (c card) pace(blockSize int, ttft, itl time.Duration) batch.Pace {
	decode := time.Second / time.Duration(c.decode)
	p := batch.Pace{
		Prefill: time.Second / time.Duration(c.prefill), Decode: decode, Further: decode / furtherShare, FirstToken: ttft,
	}
	if itl > 0 {
		p.Decode, p.Further = itl, 0
	}
	block := float64(blockSize * bytesPerToken)
	p.Transfer[kv.Host] = time.Duration(block / c.hostRate * float64(time.Second))
	p.Transfer[kv.Storage] = time.Duration(block / storageRate * float64(time.Second))
	return p
}
