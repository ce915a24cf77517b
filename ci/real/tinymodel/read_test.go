package tinymodel

import (
	"bytes"
	"encoding/binary"
	"io"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

// model is a GGUF file as read back, by a reader that shares nothing with the
// writer but the type codes.
type model struct {
	values  map[string]any
	tensors map[string]tensor
}

func (m *model) strings(key string) []string {
	var s []string
	for _, v := range m.values[key].([]any) {
		s = append(s, v.(string))
	}
	return s
}

func written(t *testing.T) *model {
	t.Helper()
	var file bytes.Buffer
	require.NoError(t, Write(&file))
	r := &reader{t: t, Reader: bytes.NewReader(file.Bytes())}

	require.Equal(t, []byte("GGUF"), r.bytes(4))
	require.Equal(t, uint32(3), get[uint32](r))
	tensors, keys := get[uint64](r), get[uint64](r)
	m := &model{values: map[string]any{}, tensors: map[string]tensor{}}
	for range keys {
		key := r.text()
		require.NotContains(t, m.values, key, "a key twice")
		m.values[key] = r.value(get[uint32](r))
	}

	type info struct {
		tensor
		typ    uint32
		offset int64
	}
	var infos []info
	for range tensors {
		i := info{tensor: tensor{name: r.text()}}
		for range get[uint32](r) {
			i.dims = append(i.dims, get[uint64](r))
		}
		i.typ, i.offset = get[uint32](r), int64(get[uint64](r))
		infos = append(infos, i)
	}

	data := (r.offset() + 31) / 32 * 32
	for _, i := range infos {
		require.Zero(t, i.offset%32, "%s is not aligned", i.name)
		_, err := r.Seek(data+i.offset, io.SeekStart)
		require.NoError(t, err)
		n := uint64(1)
		for _, d := range i.dims {
			n *= d
		}
		i.weights = r.weights(i.typ, int(n))
		m.tensors[i.name] = i.tensor
	}
	require.Zero(t, r.Len(), "bytes behind the last tensor")
	return m
}

type reader struct {
	t *testing.T
	*bytes.Reader
}

func get[T any](r *reader) T {
	r.t.Helper()
	var v T
	require.NoError(r.t, binary.Read(r, binary.LittleEndian, &v))
	return v
}

func (r *reader) offset() int64 { return r.Size() - int64(r.Len()) }

func (r *reader) bytes(n int) []byte {
	r.t.Helper()
	require.LessOrEqual(r.t, n, r.Len())
	b := make([]byte, n)
	_, err := io.ReadFull(r, b)
	require.NoError(r.t, err)
	return b
}

func (r *reader) text() string { return string(r.bytes(int(get[uint64](r)))) }

func (r *reader) value(typ uint32) any {
	switch typ {
	case valueUint32:
		return get[uint32](r)
	case valueInt32:
		return get[int32](r)
	case valueFloat32:
		return get[float32](r)
	case valueBool:
		return get[bool](r)
	case valueString:
		return r.text()
	case valueArray:
		elements, n := get[uint32](r), get[uint64](r)
		list := make([]any, n)
		for i := range list {
			list[i] = r.value(elements)
		}
		return list
	}
	require.Fail(r.t, "unknown value type", "%d", typ)
	return nil
}

func (r *reader) weights(typ uint32, n int) []float32 {
	w := make([]float32, n)
	if typ == tensorFloat32 {
		require.NoError(r.t, binary.Read(r, binary.LittleEndian, w))
		return w
	}
	halves := make([]uint16, n)
	require.NoError(r.t, binary.Read(r, binary.LittleEndian, halves))
	for i, h := range halves {
		w[i] = fromHalf(h)
	}
	return w
}

// fromHalf reads a normal number or zero of IEEE 754 binary16.
func fromHalf(h uint16) float32 {
	sign := float32(1 - 2*int(h>>15))
	exponent, fraction := int(h>>10&0x1F), h&0x3FF
	if exponent == 0 {
		return 0 * sign
	}
	return sign * float32(math.Ldexp(1+float64(fraction)/1024, exponent-15))
}
