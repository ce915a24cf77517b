package modelserver

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"

	"plumbline.dev/plumbline/reference/completion"
)

// readAll reads a body as a reply of two choices.
func readAll(body io.Reader) (string, []completion.Event, error) {
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	r := &Reply{
		server: &poolServer{}, ctx: ctx, cancel: cancel, body: io.NopCloser(body),
		scan: scanner{r: body, max: 1 << 16}, decode: newDecoder(2, Dialect{}),
	}
	return drain(r)
}

// FuzzReply feeds the reader any bytes, whole and byte by byte: both must
// understand the same, and nothing that could break a client's stream gets
// through.
func FuzzReply(f *testing.F) {
	f.Add([]byte(textChunk(`"a"`) + finishChunk("stop") + doneEvent))
	f.Add([]byte("\xEF\xBB\xBFdata:" + `{"choices":[{"index":1,"delta":{"role":"assistant","tool_calls":[{"id":"c","function":{"name":"f","arguments":{}}}]},"logprobs":{"content":[{"token":"x","top_logprobs":[]}]}}]}` + "\r\r"))
	f.Add([]byte("event: error\r\ndata: {}\r\n\r\n: c\n\n" + event(`{"usage":{"prompt_tokens":1,"completion_tokens":-1}}`)))
	f.Add([]byte(event(strings.Repeat("[", 1000)) + event(`{"choices":[{"index":0,"delta":{"content":"\ud800"},"finish_reason":"length"}]}`)))
	f.Add([]byte("data: {\"choices\"\ndata::[{\"index\" : 0 , \"delta\" : {\"content\":\"é\\n\"} } ] }\n\n"))
	f.Fuzz(func(t *testing.T, body []byte) {
		words, events, err := readAll(bytes.NewReader(body))
		bytewise, _, errBytewise := readAll(iotest.OneByteReader(bytes.NewReader(body)))
		require.Equal(t, words, bytewise)
		require.Equal(t, kindOf(err), kindOf(errBytewise))
		for _, e := range events {
			for _, raw := range [][]byte{e.Text, e.ToolCalls, e.Logprobs} {
				if raw == nil {
					continue
				}
				require.True(t, gjson.ValidBytes(raw), "%q", raw)
				require.True(t, utf8.Valid(raw), "%q", raw)
				require.NotContains(t, string(raw), "\n")
				require.NotContains(t, string(raw), "\r")
			}
			if e.Kind == completion.KindUsage {
				u := e.Usage
				require.True(t, u.Estimated || u.PromptTokens > 0 && u.CompletionTokens >= 0 && u.CachedTokens <= u.PromptTokens, "%+v", u)
			}
		}
	})
}

func kindOf(err error) Kind {
	var failure *Error
	if errors.As(err, &failure) {
		return failure.Kind
	}
	return 0
}

// TestDeepJSON would overflow the stack of a validator that recurses.
func TestDeepJSON(t *testing.T) {
	deep := strings.Repeat("[", 4<<20)
	for _, chunk := range []string{deep, `{"x":` + deep, `{"x":"` + strings.Repeat(`\"[`, 100<<10) + `",` + deep} {
		require.Equal(t, KindMalformed, newDecoder(1, Dialect{}).chunk(new(completion.Batch), []byte(chunk), false).Kind)
	}
}

// chunks is an endless body of one chunk; reading it must not allocate.
type chunks struct{ chunk []byte }

func (c chunks) Read(p []byte) (int, error) { return copy(p, c.chunk), nil }

func BenchmarkReply(b *testing.B) {
	chunk := []byte(event(`{"id":"chatcmpl-6p4CcbocaMNZfUrXC420G1to2zDcO3yH","object":"chat.completion.chunk","created":1796029202,"model":"Qwen/Qwen2.5-7B-Instruct","choices":[{"index":0,"delta":{"content":" token"},"logprobs":null,"finish_reason":null,"token_ids":null}],"system_fingerprint":"b4748-c392e5094"}`))
	r := &Reply{
		server: &poolServer{}, ctx: context.Background(),
		scan: scanner{r: chunks{chunk}, max: 1 << 20}, decode: newDecoder(1, Dialect{}),
	}
	var batch completion.Batch
	b.ReportAllocs()
	for n := 0; n < b.N; n += len(batch.Events) {
		if err := r.Next(&batch); err != nil {
			b.Fatal(err)
		}
	}
}
