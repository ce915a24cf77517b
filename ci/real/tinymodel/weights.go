package tinymodel

import (
	"fmt"
	"math"
	"math/rand/v2"
)

// The size of the model: next to nothing, and no bottleneck where a prompt fills
// the context, which would hold up every other reply for seconds. Ollama's module
// is built without vector instructions, so that attention is what costs most.
const (
	width       = 256
	layers      = 2
	heads       = 2
	headSize    = 32
	feedForward = 256
	contextSize = 2048
)

// Weights are zero or a power of two, so that half precision holds them exactly.
const (
	embeddingWeight = 16 // the root of width, so that the norm is 1 before any scaling
	outputWeight    = 2  // × embeddingWeight gives the winner its logit of 32
	idleWeight      = 1.0 / 16
)

type tensor struct {
	name    string
	dims    []uint64 // the fastest-varying first
	weights []float32
}

// weights builds every tensor of the model for v.
func weights(v *vocabulary) ([]tensor, error) {
	n := len(v.tokens)
	embedding := make([]float32, n*width)
	output := make([]float32, n*width)

	// Tokens outside the replies share dimension 0 and lead into Text.
	output[v.next[v.ids[tokenReply]]*width] = outputWeight
	used := 1
	for id := range n {
		next, inReply := v.next[id]
		if !inReply {
			embedding[id*width] = embeddingWeight
			continue
		}
		if used == width {
			return nil, fmt.Errorf("the replies have more than %d tokens that something follows", width-1)
		}
		embedding[id*width+used] = embeddingWeight
		output[next*width+used] = outputWeight
		used++
	}

	idle := rand.New(rand.NewPCG(1, 1))
	matrix := func(name string, in, out int) tensor {
		t := tensor{name, []uint64{uint64(in), uint64(out)}, make([]float32, in*out)}
		for i := range t.weights {
			t.weights[i] = float32(math.Copysign(idleWeight, idle.Float64()-0.5))
		}
		return t
	}
	zero := func(name string, in, out int) tensor {
		return tensor{name, []uint64{uint64(in), uint64(out)}, make([]float32, in*out)}
	}

	all := []tensor{{"token_embd.weight", []uint64{width, uint64(n)}, embedding}}
	for l := range layers {
		block := func(s string) string { return fmt.Sprintf("blk.%d.%s.weight", l, s) }
		all = append(all,
			ones(block("attn_norm")),
			matrix(block("attn_q"), width, heads*headSize),
			matrix(block("attn_k"), width, heads*headSize),
			matrix(block("attn_v"), width, heads*headSize),
			zero(block("attn_output"), heads*headSize, width),
			ones(block("ffn_norm")),
			matrix(block("ffn_gate"), width, feedForward),
			matrix(block("ffn_up"), width, feedForward),
			zero(block("ffn_down"), feedForward, width),
		)
	}
	return append(all,
		ones("output_norm.weight"),
		tensor{"output.weight", []uint64{width, uint64(n)}, output},
	), nil
}

func ones(name string) tensor {
	t := tensor{name, []uint64{width}, make([]float32, width)}
	for i := range t.weights {
		t.weights[i] = 1
	}
	return t
}

func halves(weights []float32) []uint16 {
	h := make([]uint16, len(weights))
	for i, f := range weights {
		h[i] = half(f)
	}
	return h
}

// half is f in half precision. f has to be zero or a power of two from 2⁻¹⁴ to
// 2¹⁵, of either sign.
func half(f float32) uint16 {
	const bias = 15
	var sign uint16
	if math.Signbit(float64(f)) {
		sign = 1 << 15
	}
	if f == 0 {
		return sign
	}
	_, exponent := math.Frexp(float64(f)) // |f| = ½ · 2^exponent
	return sign | uint16(exponent-1+bias)<<10
}
