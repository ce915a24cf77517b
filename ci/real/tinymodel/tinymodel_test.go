package tinymodel

import (
	"bytes"
	"encoding/hex"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestWriteIsDeterministic(t *testing.T) {
	var first, second bytes.Buffer
	require.NoError(t, Write(&first))
	require.NoError(t, Write(&second))
	assert.True(t, bytes.Equal(first.Bytes(), second.Bytes()), "two writes differ")
}

func TestWriteReportsAFullDisk(t *testing.T) {
	full := errors.New("no space left on device")
	err := Write(failingWriter{full})
	require.ErrorIs(t, err, full)
	assert.ErrorContains(t, err, "writing the model")
}

type failingWriter struct{ err error }

func (w failingWriter) Write([]byte) (int, error) { return 0, w.err }

func TestFileReadsBack(t *testing.T) {
	m := written(t)
	assert.Equal(t, "llama", m.values["general.architecture"])
	assert.Equal(t, uint32(width), m.values["llama.embedding_length"])
	assert.Equal(t, uint32(layers), m.values["llama.block_count"])
	assert.Equal(t, float32(1e-5), m.values["llama.attention.layer_norm_rms_epsilon"])
	assert.Equal(t, false, m.values["tokenizer.ggml.add_space_prefix"])

	tokens := m.strings("tokenizer.ggml.tokens")
	assert.Equal(t, uint32(len(tokens)), m.values["llama.vocab_size"])
	assert.Len(t, m.values["tokenizer.ggml.scores"], len(tokens))
	assert.Len(t, m.values["tokenizer.ggml.token_type"], len(tokens))
	assert.Equal(t, tokenEnd, tokens[m.values["tokenizer.ggml.eos_token_id"].(uint32)])
	assert.Equal(t, "<s>", tokens[m.values["tokenizer.ggml.bos_token_id"].(uint32)])

	assert.Len(t, m.tensors, 3+9*layers)
	assert.Equal(t, []uint64{width, uint64(len(tokens))}, m.tensors["output.weight"].dims)
	assert.Equal(t, []uint64{feedForward, width}, m.tensors["blk.1.ffn_down.weight"].dims)
	assert.Equal(t, []uint64{width, heads * headSize}, m.tensors["blk.1.attn_q.weight"].dims)
	assert.Equal(t, []uint64{heads * headSize, width}, m.tensors["blk.1.attn_output.weight"].dims)
}

// The residual stream is what an engine adds up; the two matrices that write to
// it are the only ones that could change the reply.
func TestBlocksWriteNothing(t *testing.T) {
	m := written(t)
	for name, tensor := range m.tensors {
		if !strings.HasSuffix(name, "attn_output.weight") && !strings.HasSuffix(name, "ffn_down.weight") {
			continue
		}
		for _, w := range tensor.weights {
			require.Zero(t, w, name)
		}
	}
}

func TestReplies(t *testing.T) {
	tests := []struct {
		name, start, want string
		tokens            int
	}{
		{"text", tokenReply, Text(), Tokens()},
		{"tool call", tokenCall, join(callPieces()), len(callPieces())},
		{"a prompt without a template leads into the text", "<0x41>", Text(), Tokens()},
	}
	m := written(t)
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			text, tokens := m.generate(t, test.start)
			assert.Equal(t, test.want, text)
			assert.Equal(t, test.tokens, tokens)
		})
	}
}

func TestTextHasWhatGatewaysGetWrong(t *testing.T) {
	for _, want := range []string{"\U0001F999", "é", `"`, "\n", " 160 done."} {
		assert.Contains(t, Text(), want)
	}
}

// A prompt of words has to fit the context, and must not lead into anything but
// the text.
func TestPromptWordsAreTokensOfNoReply(t *testing.T) {
	v, err := newVocabulary()
	require.NoError(t, err)
	words := promptWords()
	assert.Greater(t, len(words), 50)
	for _, word := range words {
		id, known := v.ids[word]
		require.True(t, known, word)
		assert.Equal(t, typeUser, v.tokens[id].typ, word)
		assert.NotContains(t, v.next, id, word)
	}
}

func TestChainRefusesASecondSuccessor(t *testing.T) {
	v, err := newVocabulary()
	require.NoError(t, err)
	err = v.chain(tokenReply, []piece{{text: "B"}})
	assert.EqualError(t, err, `token "<|assistant|>" cannot be followed by both "A" and "B"`)
}

func TestHalf(t *testing.T) {
	tests := []struct {
		name string
		f    float32
		want uint16
	}{
		{"zero", 0, 0x0000},
		{"minus zero", float32(math.Copysign(0, -1)), 0x8000},
		{"one", 1, 0x3C00},
		{"two", 2, 0x4000},
		{"sixteen", 16, 0x4C00},
		{"minus a sixteenth", -1.0 / 16, 0xAC00},
		{"smallest", 1.0 / (1 << 14), 0x0400},
		{"largest", 1 << 15, 0x7800},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) { assert.Equal(t, test.want, half(test.f)) })
	}
}

// generate runs the model as an engine does, without the blocks, which
// TestBlocksWriteNothing shows to add nothing.
func (m *model) generate(t *testing.T, start string) (text string, n int) {
	t.Helper()
	tokens := m.strings("tokenizer.ggml.tokens")
	at := -1
	for id, token := range tokens {
		if token == start {
			at = id
		}
	}
	require.GreaterOrEqual(t, at, 0, "no token %q", start)

	var b strings.Builder
	for range width {
		at = m.greedy(t, at)
		switch token := tokens[at]; {
		case token == tokenEnd:
			return b.String(), n
		case m.values["tokenizer.ggml.token_type"].([]any)[at] == typeByte:
			raw, err := hex.DecodeString(strings.TrimSuffix(strings.TrimPrefix(token, "<0x"), ">"))
			require.NoError(t, err)
			b.Write(raw)
		default:
			b.WriteString(token)
		}
		n++
	}
	require.Fail(t, "the reply does not end", "so far: %q", b.String())
	return "", 0
}

// greedy is the token with the highest logit after token at.
func (m *model) greedy(t *testing.T, at int) int {
	t.Helper()
	x := m.tensors["token_embd.weight"].weights[at*width : (at+1)*width]
	var sum float32
	for _, f := range x {
		sum += f * f
	}
	scale := 1 / float32(math.Sqrt(float64(sum/width+1e-5)))

	out := m.tensors["output.weight"].weights
	best, second, winner := float32(-1), float32(-1), -1
	for id := range len(out) / width {
		var logit float32
		for i, f := range x {
			logit += f * scale * out[id*width+i]
		}
		switch {
		case logit > best:
			best, second, winner = logit, best, id
		case logit > second:
			second = logit
		}
	}
	require.InDelta(t, 32, best, 0.01)
	require.Zero(t, second)
	return winner
}
