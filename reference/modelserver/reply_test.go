package modelserver

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestReplyFailures(t *testing.T) {
	hello := textChunk(`"hello"`)
	tests := []struct {
		name  string
		body  string
		end   string
		words string
		kind  Kind
	}{
		{"reset in the middle", hello, "reset", `0:"hello"`, KindReset},
		{"connection closed in the middle", hello, "cut", `0:"hello"`, KindCut},
		{"clean end before the finish", hello, "", `0:"hello"`, KindEndedEarly},
		{"nothing at all", "", "", "", KindEndedEarly},
		{"[DONE] before the finish", hello + doneEvent, "", `0:"hello"`, KindDoneEarly},
		{"reset after the finish", hello + finishChunk("stop"), "reset", `0:"hello" finish0=stop`, KindReset},
		{"cut after the finish", finishChunk("stop"), "cut", `finish0=stop`, KindCut},
		{"half an event, then a clean end", hello + `data: {"choices":[{"ind`, "", `0:"hello"`, KindEndedEarly},
		{"broken JSON", hello + event(`{"choices":[`), "", `0:"hello"`, KindMalformed},
		{"null instead of an object", event(`null`), "", "", KindMalformed},
		{"an array instead of an object", event(`[]`), "", "", KindMalformed},
		{"choices of the wrong type", event(`{"choices":{}}`), "", "", KindMalformed},
		{"a choice nobody asked for", event(`{"choices":[{"index":1,"delta":{}}]}`), "", "", KindMalformed},
		{"text that is no string", event(`{"choices":[{"index":0,"delta":{"content":5}}]}`), "", "", KindMalformed},
		{"an unknown finish reason", finishChunk("insufficient_system_resource"), "", "", KindMalformed},
		{"aborted by the server", hello + finishChunk("abort"), "", `0:"hello"`, KindAborted},
		{"torn UTF-8", hello + "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"\xe2\x82\"}}]}\n\n", "", `0:"hello"`, KindInvalidUTF8},
		{"error event", hello + event(`{"error":{"message":"CUDA at 10.0.0.1"}}`), "", `0:"hello"`, KindErrorEvent},
		{"error event with [DONE]", hello + event(`{"error":"boom"}`) + doneEvent, "", `0:"hello"`, KindErrorEvent},
		{"error by its event name", "event: error\n" + event(`{"message":"boom"}`), "", "", KindErrorEvent},
		{"error after the finish", finishChunk("stop") + event(`{"error":{"message":"late"}}`) + doneEvent, "", `finish0=stop`, KindErrorEvent},
		{"a line beyond the limit", hello + textChunk(`"`+strings.Repeat("a", 20<<10)+`"`), "", `0:"hello"`, KindTooLong},
		{"an endless line", hello + "data: " + strings.Repeat("a", 20<<10), "hang", `0:"hello"`, KindTooLong},
		{"a runner that died (Ollama 0.24)", hello + event(`{"model":"","choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}]}`), "", `0:"hello" role0`, KindEndedEarly},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			u := newUpstream(t, plays(tt.body, tt.end))
			p := newTestPool(t, Options{MaxLine: 16 << 10}, Server{Name: "a", URL: u.url()})
			words, _, err := play(t, p, oneChoice())
			var failure *Error
			require.ErrorAs(t, err, &failure)
			assert.Equal(t, tt.kind, failure.Kind, "%v", err)
			assert.Equal(t, "a", failure.Server)
			assert.Equal(t, tt.words, words, "what came before the failure")
			assert.Equal(t, "upstream_error", failure.API().Type)
			assert.NotContains(t, failure.API().Message+failure.Error(), "10.0.0.1")
		})
	}
}

func TestReplyFraming(t *testing.T) {
	const want = `role0 0:"hé\n" 0:"llo" finish0=stop usage=3+2(0) end`
	role := `{"choices":[{"index":0,"delta":{"role":"assistant","content":""}}]}`
	hel := `{"choices":[{"index":0,"delta":{"content":"hé\n"}}]}`
	lo := `{"choices":[{"index":0,"delta":{"content":"llo"},"finish_reason":null}],"usage":null}`
	fin := `{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`
	use := `{"choices":[],"usage":{"prompt_tokens":3,"completion_tokens":2,"total_tokens":5}}`
	chunks := []string{role, hel, lo, fin, use}
	joined := func(line func(string) string, done string) string {
		var b strings.Builder
		for _, c := range chunks {
			b.WriteString(line(c))
		}
		return b.String() + done
	}
	tests := []struct{ name, body string }{
		{"as usual", joined(event, doneEvent)},
		{"no [DONE] but a clean end", joined(event, "")},
		{"CR LF", joined(func(s string) string { return "data: " + s + "\r\n\r\n" }, "data: [DONE]\r\n\r\n")},
		{"CR alone", joined(func(s string) string { return "data: " + s + "\r\r" }, "data: [DONE]\r\r")},
		{"no space", joined(func(s string) string { return "data:" + s + "\n\n" }, "data:[DONE]\n\n")},
		{"byte order mark", "\xEF\xBB\xBF" + joined(event, doneEvent)},
		{"comments, names, ids, retry", ": hi\n\nretry: 5\n\n" + joined(func(s string) string { return ":c\nevent: chunk\nid: 7\n" + event(s) }, doneEvent)},
		{"data over two lines", joined(func(s string) string { return "data: " + strings.Replace(s, ",", "\ndata: ,", 1) + "\n\n" }, doneEvent)},
		{"empty data and foreign chunks", event("") + event(`{"timings":{}}`) + joined(event, doneEvent)},
		{"things after [DONE]", joined(event, doneEvent+event("garbage")+doneEvent)},
	}
	for _, tt := range tests {
		for _, size := range []int{0, 1, 7} {
			t.Run(tt.name+"/"+map[int]string{0: "whole", 1: "bytewise", 7: "sevens"}[size], func(t *testing.T) {
				u := newUpstream(t, func(c *net.TCPConn, _ string) {
					_, _ = io.WriteString(c, streamHead)
					for rest := tt.body; rest != ""; {
						n := len(rest)
						if size > 0 {
							n = min(size, n)
						}
						_, _ = io.WriteString(c, chunked(rest[:n]))
						rest = rest[n:]
					}
					_, _ = io.WriteString(c, "0\r\n\r\n")
				})
				p := newTestPool(t, Options{}, Server{URL: u.url()})
				words, _, err := play(t, p, oneChoice())
				require.NoError(t, err)
				assert.Equal(t, want, words)
			})
		}
	}
}

func TestReplyUsage(t *testing.T) {
	usage := func(s string) string { return event(`{"choices":[],"usage":` + s + `}`) }
	const good = `{"prompt_tokens":9,"completion_tokens":4,"total_tokens":13,"prompt_tokens_details":{"cached_tokens":8}}`
	tests := []struct {
		name, body, words string
		dialect           Dialect
	}{
		{name: "own chunk", body: finishChunk("stop") + usage(good), words: "finish0=stop usage=9+4(8) end"},
		{name: "on the finish chunk", body: event(`{"usage":` + good + `,"choices":[{"index":0,"delta":{},"finish_reason":"length"}]}`), words: "finish0=length usage=9+4(8) end"},
		{name: "twice", body: finishChunk("stop") + usage(good) + usage(good), words: "finish0=stop usage=9+4(8) usage=9+4(8) end"},
		{name: "negative", body: finishChunk("stop") + usage(`{"prompt_tokens":9,"completion_tokens":-1,"total_tokens":8}`), words: "finish0=stop usage=refused end"},
		{name: "fraction", body: finishChunk("stop") + usage(`{"prompt_tokens":9,"completion_tokens":2.5,"total_tokens":11.5}`), words: "finish0=stop usage=refused end"},
		{name: "huge", body: finishChunk("stop") + usage(`{"prompt_tokens":9,"completion_tokens":99999999999999999999,"total_tokens":1}`), words: "finish0=stop usage=refused end"},
		{name: "contradictory", body: finishChunk("stop") + usage(`{"prompt_tokens":9,"completion_tokens":4,"total_tokens":99}`), words: "finish0=stop usage=refused end"},
		{name: "more cached than there were", body: finishChunk("stop") + usage(`{"prompt_tokens":9,"completion_tokens":4,"prompt_tokens_details":{"cached_tokens":10}}`), words: "finish0=stop usage=refused end"},
		{name: "zeros", body: finishChunk("stop") + usage(`{"prompt_tokens":0,"completion_tokens":0,"total_tokens":0}`), words: "finish0=stop usage=refused end"},
		{name: "a string", body: finishChunk("stop") + usage(`{"prompt_tokens":"9","completion_tokens":4}`), words: "finish0=stop usage=refused end"},
		{name: "completion from the total", body: finishChunk("stop") + usage(`{"prompt_tokens":9,"total_tokens":13}`), words: "finish0=stop usage=9+4(0) end"},
		{name: "cached beside", dialect: Dialect{CachedBeside: true, CachedField: "cache_read"}, body: finishChunk("stop") + usage(`{"prompt_tokens":1,"completion_tokens":4,"cache_read":8}`), words: "finish0=stop usage=9+4(8) end"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			u := newUpstream(t, plays(tt.body+doneEvent, ""))
			p := newTestPool(t, Options{}, Server{URL: u.url(), Dialect: tt.dialect})
			words, _, err := play(t, p, oneChoice())
			require.NoError(t, err)
			assert.Equal(t, tt.words, words)
		})
	}
}

func TestReplyNormalises(t *testing.T) {
	delta := func(s string) string { return event(`{"choices":[{"index":0,"delta":` + s + `}]}`) }
	tests := []struct{ name, body, words string }{
		{"role on every delta", delta(`{"role":"assistant","content":"a"}`) + delta(`{"role":"assistant","content":"b"}`), `role0 0:"a" 0:"b"`},
		{"null and empty deltas", delta(`null`) + delta(`{"content":null}`) + delta(`{"content":""}`), ``},
		{"reasoning under either name", delta(`{"reasoning":"x"}`) + delta(`{"reasoning_content":"y"}`), `0:reasoning:"x" 0:reasoning:"y"`},
		{"refusal", delta(`{"refusal":"no"}`), `0:refusal:"no"`},
		{"call without index and type", delta(`{"tool_calls":[{"id":"c1","function":{"name":"f","arguments":""}}]}`) + delta(`{"tool_calls":[{"function":{"arguments":"{}"}}]}`) + delta(`{"tool_calls":[{"id":"c2","function":{"name":"g"}}]}`),
			`0:calls:[{"index":0,"id":"c1","type":"function","function":{"name":"f","arguments":""}}] 0:calls:[{"index":0,"function":{"arguments":"{}"}}] 0:calls:[{"index":1,"id":"c2","type":"function","function":{"name":"g","arguments":""}}]`},
		{"call that repeats id and name", delta(`{"tool_calls":[{"index":0,"id":"c1","type":"function","function":{"name":"f","arguments":"{"}}]}`) + delta(`{"tool_calls":[{"index":0,"id":"c1","type":"function","function":{"name":"f","arguments":"}"}}]}`),
			`0:calls:[{"index":0,"id":"c1","type":"function","function":{"name":"f","arguments":"{"}}] 0:calls:[{"index":0,"function":{"arguments":"}"}}]`},
		{"arguments as an object, foreign fields", delta(`{"tool_calls":[{"index":0,"id":"c1","x":1,"function":{"name":"f","arguments":{"a":"b"},"y":2}}]}`),
			`0:calls:[{"index":0,"id":"c1","type":"function","function":{"name":"f","arguments":"{\"a\":\"b\"}"}}]`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			u := newUpstream(t, plays(tt.body+finishChunk("eos")+finishChunk("length")+doneEvent, ""))
			p := newTestPool(t, Options{}, Server{URL: u.url()})
			words, _, err := play(t, p, oneChoice())
			require.NoError(t, err)
			assert.Equal(t, strings.TrimSpace(tt.words+" finish0=stop end"), words)
		})
	}
}

func TestReplyLogprobs(t *testing.T) {
	body := event(`{"choices":[{"index":0,"delta":{"content":"ab"},"logprobs":{"content":[{"token":"a","logprob":-0.5,"bytes":[97],"rank":1,"top_logprobs":[{"token":"a","logprob":-0.5,"bytes":[97],"z":0}]},{"token":"b","logprob":-1}]}}]}`)
	u := newUpstream(t, plays(body+finishChunk("stop")+doneEvent, ""))
	p := newTestPool(t, Options{}, Server{URL: u.url()})
	_, events, err := play(t, p, oneChoice())
	require.NoError(t, err)
	assert.Equal(t, 2, events[0].Tokens, "each token of the logprobs is counted")
	assert.JSONEq(t, `{"content":[{"token":"a","logprob":-0.5,"bytes":[97],"top_logprobs":[{"token":"a","logprob":-0.5,"bytes":[97]}]},{"token":"b","logprob":-1,"bytes":null,"top_logprobs":[]}],"refusal":null}`, string(events[0].Logprobs))
}

func TestReplyGzip(t *testing.T) {
	var zipped bytes.Buffer
	z := gzip.NewWriter(&zipped)
	_, _ = io.WriteString(z, textChunk(`"a"`)+finishChunk("stop")+doneEvent)
	require.NoError(t, z.Close())
	head := strings.Replace(streamHead, "\r\n\r\n", "\r\nContent-Encoding: gzip\r\n\r\n", 1)
	tests := []struct {
		name, response string
		kind           Kind
	}{
		{"whole", head + chunked(zipped.String()) + "0\r\n\r\n", 0},
		{"no gzip at all", head + chunked("data: {}\n\n      ") + "0\r\n\r\n", KindEncoding},
		{"cut", head + chunked(zipped.String()[:20]) + "0\r\n\r\n", KindCut},
		{"another encoding", strings.Replace(head, "gzip", "br", 1) + "0\r\n\r\n", KindEncoding},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			u := newUpstream(t, answers(tt.response))
			p := newTestPool(t, Options{}, Server{URL: u.url()})
			words, _, err := play(t, p, oneChoice())
			if tt.kind == 0 {
				require.NoError(t, err)
				assert.Equal(t, `0:"a" finish0=stop end`, words)
				return
			}
			var failure *Error
			require.ErrorAs(t, err, &failure)
			assert.Equal(t, tt.kind, failure.Kind)
		})
	}
}

func TestReplyAbort(t *testing.T) {
	left := make(chan struct{})
	u := newUpstream(t, func(c *net.TCPConn, _ string) {
		plays(textChunk(`"a"`), "hang")(c, "")
		close(left)
	})
	p := newTestPool(t, Options{}, Server{URL: u.url()})
	why := errors.New("why")
	ctx, cancel := context.WithCancelCause(t.Context())
	reply, err := p.Open(ctx, oneChoice())
	require.NoError(t, err)
	defer reply.Close()
	cancel(why)
	words, _, err := drain(reply)
	require.ErrorIs(t, err, why)
	assert.Empty(t, words)
	<-left // the model server sees its connection closed although nothing flows
}

func TestReplyIdleTimeout(t *testing.T) {
	for name, serve := range map[string]func(*net.TCPConn, string){
		"in the middle":      plays(textChunk(`"a"`), "hang"),
		"before the headers": func(c *net.TCPConn, _ string) { _, _ = io.Copy(io.Discard, c) },
	} {
		t.Run(name, func(t *testing.T) {
			u := newUpstream(t, serve)
			p := newTestPool(t, Options{}, Server{URL: u.url(), IdleTimeout: 50 * time.Millisecond})
			_, _, err := play(t, p, oneChoice())
			var failure *Error
			require.ErrorAs(t, err, &failure)
			assert.Equal(t, KindIdle, failure.Kind)
			assert.Equal(t, 504, failure.API().Status)
		})
	}
}
