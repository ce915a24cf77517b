package chat

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plumbline.dev/plumbline/reference/completion"
	"plumbline.dev/plumbline/reference/format"
)

var testHead = format.Head{ID: "chatcmpl-0123456789abcdef01234567", Model: `a "model"`, Created: 7}

const headJSON = `{"id":"chatcmpl-0123456789abcdef01234567","object":"chat.completion.chunk","created":7,"model":"a \"model\"",`

func textEvent(choice int, literal string) *completion.Event {
	return &completion.Event{Kind: completion.KindText, Choice: choice, Text: []byte(literal), Tokens: 1}
}

func TestStreamChunks(t *testing.T) {
	s := NewStream(testHead, false)
	asked := NewStream(testHead, true)
	role := &completion.Event{Kind: completion.KindRole}
	usage := completion.Usage{PromptTokens: 9, CompletionTokens: 4, CachedTokens: 8, CacheWriteTokens: -1, ReasoningTokens: 1}
	written := usage
	written.CacheWriteTokens = 1
	tests := []struct{ name, got, want string }{
		{"role", string(s.Event(nil, role)), headJSON + `"choices":[{"index":0,"delta":{"role":"assistant","content":""},"logprobs":null,"finish_reason":null}]}`},
		{"usage is null before it comes", string(asked.Event(nil, role)), headJSON + `"choices":[{"index":0,"delta":{"role":"assistant","content":""},"logprobs":null,"finish_reason":null}],"usage":null}`},
		{"text as it was escaped", string(s.Event(nil, textEvent(2, `"\u00e9\/é"`))), headJSON + `"choices":[{"index":2,"delta":{"content":"\u00e9\/é"},"logprobs":null,"finish_reason":null}]}`},
		{"refusal", string(s.Event(nil, &completion.Event{Kind: completion.KindRefusal, Text: []byte(`"no"`)})), headJSON + `"choices":[{"index":0,"delta":{"refusal":"no"},"logprobs":null,"finish_reason":null}]}`},
		{"tool call", string(s.Event(nil, &completion.Event{Kind: completion.KindToolCall, ToolCalls: []byte(`[{"index":0}]`)})), headJSON + `"choices":[{"index":0,"delta":{"tool_calls":[{"index":0}]},"logprobs":null,"finish_reason":null}]}`},
		{"logprobs", string(s.Event(nil, &completion.Event{Kind: completion.KindText, Text: []byte(`"a"`), Logprobs: []byte(`{"content":[],"refusal":null}`)})), headJSON + `"choices":[{"index":0,"delta":{"content":"a"},"logprobs":{"content":[],"refusal":null},"finish_reason":null}]}`},
		{"finish", string(s.Finish(nil, 1, completion.FinishToolCalls)), headJSON + `"choices":[{"index":1,"delta":{},"logprobs":null,"finish_reason":"tool_calls"}]}`},
		{"usage", string(asked.Usage(nil, usage)), headJSON + `"choices":[],"usage":{"prompt_tokens":9,"completion_tokens":4,"total_tokens":13,"prompt_tokens_details":{"cached_tokens":8},"completion_tokens_details":{"reasoning_tokens":1}}}`},
		{"cache writes", string(asked.Usage(nil, written)), headJSON + `"choices":[],"usage":{"prompt_tokens":9,"completion_tokens":4,"total_tokens":13,"prompt_tokens_details":{"cached_tokens":8,"cache_write_tokens":1},"completion_tokens_details":{"reasoning_tokens":1}}}`},
		{"end", string(s.End(nil)), "[DONE]"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			assert.Equal(t, "data: "+tt.want+"\n\n", tt.got)
			if tt.want != "[DONE]" {
				assert.True(t, json.Valid([]byte(tt.want)))
			}
		})
	}
	assert.Equal(t, ": ping\n\n", string(s.Ping(nil)))
	assert.Empty(t, s.Event(nil, &completion.Event{Kind: completion.KindReasoning, Text: []byte(`"hm"`)}), "OpenAI's chat has no place for reasoning")
}

func TestReplyObject(t *testing.T) {
	r := NewReply(testHead, 2)
	var buf []byte
	call := func(pieces string) {
		buf = r.Event(buf, &completion.Event{Kind: completion.KindToolCall, Choice: 1, ToolCalls: []byte(pieces)})
	}
	buf = r.Event(buf, textEvent(0, `"a\""`))
	buf = r.Event(buf, textEvent(0, `"\u00e9"`))
	buf = r.Event(buf, &completion.Event{Kind: completion.KindText, Text: []byte(`"!"`), Logprobs: []byte(`{"content":[{"token":"!"}],"refusal":null}`)})
	buf = r.Event(buf, &completion.Event{Kind: completion.KindText, Text: []byte(`"?"`), Logprobs: []byte(`{"content":[{"token":"?"}],"refusal":null}`)})
	call(`[{"index":1,"id":"c2","type":"function","function":{"name":"g","arguments":"{}"}}]`)
	call(`[{"index":0,"id":"c1","type":"function","function":{"name":"f","arguments":"{\"a\""}}]`)
	call(`[{"index":0,"function":{"arguments":":1}"}}]`)
	buf = r.Ping(buf)
	buf = r.Finish(buf, 0, completion.FinishStop)
	buf = r.Finish(buf, 1, completion.FinishToolCalls)
	buf = r.Usage(buf, completion.Usage{PromptTokens: 1, CompletionTokens: 2, CacheWriteTokens: -1})
	require.Empty(t, buf, "nothing before the end")
	assert.JSONEq(t, `{"id":"chatcmpl-0123456789abcdef01234567","object":"chat.completion","created":7,"model":"a \"model\"","choices":[
		{"index":0,"message":{"role":"assistant","content":"a\"é!?","refusal":null},"logprobs":{"content":[{"token":"!"},{"token":"?"}],"refusal":null},"finish_reason":"stop"},
		{"index":1,"message":{"role":"assistant","content":null,"refusal":null,"tool_calls":[
			{"id":"c1","type":"function","function":{"name":"f","arguments":"{\"a\":1}"}},
			{"id":"c2","type":"function","function":{"name":"g","arguments":"{}"}}]},"logprobs":null,"finish_reason":"tool_calls"}],
		"usage":{"prompt_tokens":1,"completion_tokens":2,"total_tokens":3,"prompt_tokens_details":{"cached_tokens":0},"completion_tokens_details":{"reasoning_tokens":0}}}`,
		string(r.End(nil)))
}

func TestReplyWithoutText(t *testing.T) {
	empty := NewReply(testHead, 1)
	assert.Contains(t, string(empty.End(nil)), `"content":"","refusal":null},"logprobs":null,"finish_reason":null`)
	refused := NewReply(testHead, 1)
	refused.Event(nil, &completion.Event{Kind: completion.KindRefusal, Text: []byte(`"no"`)})
	assert.Contains(t, string(refused.End(nil)), `"content":null,"refusal":"no"`)
}

func BenchmarkStreamEvent(b *testing.B) {
	s := NewStream(testHead, true)
	e := textEvent(0, `" token"`)
	buf := make([]byte, 0, 4096)
	b.ReportAllocs()
	for b.Loop() {
		buf = s.Event(buf[:0], e)
	}
	if !strings.HasSuffix(string(buf), "\n\n") {
		b.Fatal("no event")
	}
}
