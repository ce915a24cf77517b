package wire

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plumbline.dev/plumbline/fakegpu/control"
)

func TestAppendString(t *testing.T) {
	for name, tc := range map[string]struct {
		text  string
		ascii bool
		want  string
	}{
		"plain":           {"abc", false, `"abc"`},
		"escapes":         {"\"\\\n\r\t\x01", false, `"\"\\\n\r\t\u0001"`},
		"beyond ASCII":    {"é🦙", false, `"é🦙"`},
		"as escapes":      {"é🦙x", true, `"\u00e9\ud83e\udd99x"`},
		"no UTF-8":        {"a\xffb", false, `"a�b"`},
		"no UTF-8, ASCII": {"a\xff", true, `"a\ufffd"`},
	} {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, tc.want, string(appendString(nil, tc.text, tc.ascii)))
		})
	}
}

func FuzzAppendString(f *testing.F) {
	f.Add("é\xff\u2028🦙\x00", true)
	f.Fuzz(func(t *testing.T, text string, ascii bool) {
		literal := appendString(nil, text, ascii)
		var got string
		require.NoError(t, json.Unmarshal(literal, &got), "%s", literal)
		if utf8.ValidString(text) {
			assert.Equal(t, text, got)
		}
		if ascii {
			assert.Equal(t, len(literal), utf8.RuneCount(literal), "ASCII only")
		}
	})
}

// Whatever bytes come, a request is understood within its limits or refused
// with a status, a message and valid JSON.
func FuzzDecodeRequest(f *testing.F) {
	f.Add([]byte(`{"model":"m","messages":[{"role":"user","content":[{"type":"text","text":"x"}]}],"stream":true,"stop":["a"],"n":2}`), true, uint8(0))
	f.Add([]byte(`{"prompt":[1,2,3],"logprobs":3,"max_tokens":null}`), false, uint8(1))
	f.Add([]byte(`{"prompt":["a"],"max_tokens":-1,"stop":"x"}`), false, uint8(2))
	f.Fuzz(func(t *testing.T, body []byte, chat bool, dialect uint8) {
		d := Dialect(dialect % 3)
		r, refusal := DecodeRequest(body, chat, d)
		if refusal != nil {
			assert.GreaterOrEqual(t, refusal.Status, 400)
			assert.NotEmpty(t, refusal.Message)
			assert.True(t, json.Valid(refusal.JSON(d)))
			return
		}
		assert.GreaterOrEqual(t, r.Choices, 1)
		assert.LessOrEqual(t, r.Choices, control.MaxChoices)
		assert.GreaterOrEqual(t, r.MaxTokens, 0)
		assert.LessOrEqual(t, len(r.Stop), maxStops)
		assert.NotContains(t, r.Stop, "")
	})
}

// Every chunk of every dialect is one line of valid JSON.
func FuzzChunk(f *testing.F) {
	f.Add("é\n", "stop", uint8(0), true, true)
	f.Fuzz(func(t *testing.T, text, finish string, dialect uint8, chat, escape bool) {
		r := &Request{Chat: chat, Logprobs: true, TopLogprobs: 1}
		e := NewEncoder(Dialect(dialect%3), r, "id", text, 1, &control.Script{})
		usage := AppendUsage(nil, Usage{PromptTokens: 1, CompletionTokens: 2}, control.UsageFraction)
		event := e.Chunk(nil, &Chunk{
			HasText: true, Text: text, Finish: finish, Escape: escape, Usage: usage, Timings: &Usage{},
			Logprobs: AppendLogprobs(nil, r, text, 0), Pad: 3,
		})
		data, ok := strings.CutPrefix(string(event), "data: ")
		require.True(t, ok)
		data, ok = strings.CutSuffix(data, "\n\n")
		require.True(t, ok)
		assert.NotContains(t, data, "\n")
		assert.True(t, json.Valid([]byte(data)), data)
	})
}

func TestChunkAllocatesNothing(t *testing.T) {
	e := NewEncoder(VLLM, &Request{Chat: true}, "id", "m", 1, &control.Script{})
	buf := make([]byte, 0, 1024)
	assert.Zero(t, testing.AllocsPerRun(100, func() {
		buf = e.Chunk(buf[:0], &Chunk{HasText: true, Text: " word"})
	}))
}
