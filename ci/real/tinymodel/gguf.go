package tinymodel

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
)

// GGUF's version and the type codes of its values that this model uses.
const (
	ggufMagic   = "GGUF"
	ggufVersion = uint32(3)
	alignment   = 32

	valueUint32  = uint32(4)
	valueInt32   = uint32(5)
	valueFloat32 = uint32(6)
	valueBool    = uint32(7)
	valueString  = uint32(8)
	valueArray   = uint32(9)

	tensorFloat32 = uint32(0)
	tensorFloat16 = uint32(1)

	fileTypeMostlyFloat16 = uint32(1)
)

// Write writes the model as a GGUF file to w. The bytes are always the same.
func Write(w io.Writer) error {
	v, err := newVocabulary()
	if err != nil {
		return fmt.Errorf("building the vocabulary: %w", err)
	}
	tensors, err := weights(v)
	if err != nil {
		return fmt.Errorf("building the weights: %w", err)
	}
	var meta metadata
	meta.describe(v)

	var infos, data section
	for _, t := range tensors {
		typ := tensorFloat16
		if len(t.dims) == 1 {
			typ = tensorFloat32 // engines expect norms in full precision
		}
		data.pad()
		infos.text(t.name)
		infos.put(uint32(len(t.dims)), t.dims, typ, uint64(data.Len()))
		if typ == tensorFloat32 {
			data.put(t.weights)
			continue
		}
		data.put(halves(t.weights))
	}

	var file section
	file.WriteString(ggufMagic)
	file.put(ggufVersion, uint64(len(tensors)), meta.count)
	file.Write(meta.Bytes())
	file.Write(infos.Bytes())
	file.pad()
	file.Write(data.Bytes())
	if _, err := w.Write(file.Bytes()); err != nil {
		return fmt.Errorf("writing the model: %w", err)
	}
	return nil
}

// section is a part of the file. Writing to memory cannot fail.
type section struct{ bytes.Buffer }

func (s *section) put(values ...any) {
	for _, v := range values {
		b, err := binary.Append(s.AvailableBuffer(), binary.LittleEndian, v)
		if err != nil {
			panic(err) // a value without a fixed size: a fault of this package
		}
		s.Write(b)
	}
}

func (s *section) text(t string) {
	s.put(uint64(len(t)))
	s.WriteString(t)
}

func (s *section) pad() {
	for s.Len()%alignment != 0 {
		s.WriteByte(0)
	}
}

// metadata is the list of keys and values before the tensors.
type metadata struct {
	section
	count uint64
}

func (m *metadata) describe(v *vocabulary) {
	m.str("general.architecture", "llama")
	m.str("general.name", "tiny")
	m.value("general.file_type", valueUint32, fileTypeMostlyFloat16)
	m.value("llama.block_count", valueUint32, uint32(layers))
	m.value("llama.context_length", valueUint32, uint32(contextSize))
	m.value("llama.embedding_length", valueUint32, uint32(width))
	m.value("llama.feed_forward_length", valueUint32, uint32(feedForward))
	m.value("llama.attention.head_count", valueUint32, uint32(heads))
	m.value("llama.attention.head_count_kv", valueUint32, uint32(heads))
	m.value("llama.attention.layer_norm_rms_epsilon", valueFloat32, float32(1e-5))
	m.value("llama.attention.key_length", valueUint32, uint32(headSize))
	m.value("llama.attention.value_length", valueUint32, uint32(headSize))
	m.value("llama.rope.dimension_count", valueUint32, uint32(headSize))
	m.value("llama.rope.freq_base", valueFloat32, float32(10000))
	m.value("llama.vocab_size", valueUint32, uint32(len(v.tokens)))

	m.str("tokenizer.ggml.model", "llama")
	m.str("tokenizer.ggml.pre", "default")
	m.array("tokenizer.ggml.tokens", valueString, len(v.tokens))
	for _, t := range v.tokens {
		m.text(t.text)
	}
	m.array("tokenizer.ggml.scores", valueFloat32, len(v.tokens))
	for id := range v.tokens {
		m.put(float32(-id)) // earlier tokens win a tie
	}
	m.array("tokenizer.ggml.token_type", valueInt32, len(v.tokens))
	for _, t := range v.tokens {
		m.put(t.typ)
	}
	m.value("tokenizer.ggml.bos_token_id", valueUint32, uint32(bosID))
	m.value("tokenizer.ggml.eos_token_id", valueUint32, uint32(v.ids[tokenEnd]))
	m.value("tokenizer.ggml.unknown_token_id", valueUint32, uint32(unknownID))
	m.value("tokenizer.ggml.add_bos_token", valueBool, true)
	m.value("tokenizer.ggml.add_eos_token", valueBool, false)
	m.value("tokenizer.ggml.add_space_prefix", valueBool, false)
}

func (m *metadata) key(name string, typ uint32) {
	m.text(name)
	m.put(typ)
	m.count++
}

func (m *metadata) value(name string, typ uint32, v any) {
	m.key(name, typ)
	m.put(v)
}

func (m *metadata) str(name, v string) {
	m.key(name, valueString)
	m.text(v)
}

func (m *metadata) array(name string, elements uint32, n int) {
	m.key(name, valueArray)
	m.put(elements, uint64(n))
}
