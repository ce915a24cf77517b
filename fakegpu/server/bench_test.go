package server_test

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"runtime"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"plumbline.dev/plumbline/fakegpu/control"
	"plumbline.dev/plumbline/fakegpu/server"
)

// BenchmarkTokens measures how many tokens a second 64 streams get together,
// the reading client on the same machine included.
func BenchmarkTokens(b *testing.B) {
	const streams = 64
	r := newRig(b, server.Options{ContextWindow: 1 << 30})
	each := max(1, b.N/streams)
	body := fmt.Sprintf(`{"stream":true,"ignore_eos":true,"max_tokens":%d,"messages":[{"role":"user","content":"x"}]}`, each)
	conns := make([]net.Conn, streams)
	b.ResetTimer()
	var done sync.WaitGroup
	for i := range conns {
		conns[i] = r.open("/v1/chat/completions", body)
		done.Go(func() { drain(b, conns[i]) })
	}
	done.Wait()
	b.ReportMetric(float64(each*streams)/b.Elapsed().Seconds(), "tokens/s")
}

// drain reads a stream until the final HTTP chunk.
func drain(b *testing.B, conn net.Conn) {
	end := []byte("[DONE]\n\n\r\n0\r\n\r\n")
	buf := make([]byte, 64<<10)
	kept := 0
	for {
		n, err := conn.Read(buf[kept:])
		if err != nil {
			b.Errorf("a stream broke: %v", err)
			return
		}
		n += kept
		if bytes.HasSuffix(buf[:n], end) {
			return
		}
		kept = copy(buf, buf[max(0, n-len(end)):n])
	}
}

// BenchmarkOpenStreams measures the memory of a stream that is open and idle:
// b.N streams wait at a gate.
func BenchmarkOpenStreams(b *testing.B) {
	r := newRig(b, server.Options{})
	nonce := r.register(control.Script{}.Tokens("a").Gate("g"))
	body := chat(nonce, streamed)
	before := inUse()
	b.ResetTimer()
	for range b.N {
		conn := r.open("/v1/chat/completions", body)
		_, err := io.ReadFull(conn, make([]byte, 15))
		require.NoError(b, err)
	}
	_, err := r.control.Await(r.ctx, nonce, control.Condition{Requests: b.N})
	require.NoError(b, err)
	b.StopTimer()
	b.ReportMetric(float64(inUse()-before)/float64(b.N)/1024, "KB/stream")
}

// inUse is the memory of heap and stacks, in bytes.
func inUse() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapInuse + m.StackInuse
}
