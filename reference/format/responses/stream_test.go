package responses

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plumbline.dev/plumbline/reference/format"
	"plumbline.dev/plumbline/reference/format/internal/replies"
)

var testHead = format.Head{ID: "resp_0123456789abcdef01234567", Model: `a "model"`, Created: 7}

func now() time.Time { return time.Unix(9, 0) }

func asked(t testing.TB) *Request {
	t.Helper()
	req, e := DecodeRequest([]byte(`{"model":"m","input":"hi"}`), testDefaults)
	require.Nil(t, e)
	return req
}

func TestGolden(t *testing.T) {
	for _, r := range replies.All() {
		if r.Choices > 1 {
			continue // this format has one
		}
		t.Run(r.Name, func(t *testing.T) {
			replies.Golden(t, r.Name, ".sse", r.Play(NewStream(testHead, asked(t), now)))
			replies.Golden(t, r.Name, ".json", r.Play(NewReply(testHead, asked(t), now)))
		})
	}
}

type event struct {
	Type           string
	SequenceNumber int64 `json:"sequence_number"`
	Response       map[string]any
	OutputIndex    int `json:"output_index"`
	ContentIndex   int `json:"content_index"`
	Item           map[string]any
	ItemID         string `json:"item_id"`
	Part           map[string]any
	Delta          string
	Text           string
	Refusal        string
	Arguments      string
	Name           string
}

// reader is a strict client: it accepts each event only where it may stand, and
// puts the output together from the deltas alone.
type reader struct {
	testing.TB
	output   []any
	item     map[string]any // the one that is open
	partOpen bool
	terminal string
	last     map[string]any
}

func read(t testing.TB, stream []byte) *reader {
	t.Helper()
	r := &reader{TB: t}
	for i, f := range replies.Frames(t, stream) {
		var e event
		require.NoError(t, json.Unmarshal([]byte(f.Data), &e))
		require.Equal(t, f.Event, e.Type)
		require.EqualValues(t, i, e.SequenceNumber)
		require.Empty(t, r.terminal, "nothing after the end")
		require.Equal(t, i == 0, e.Type == "response.created")
		require.Equal(t, i == 1, e.Type == "response.in_progress")
		r.take(e)
	}
	require.NotEmpty(t, r.terminal)
	return r
}

func (r *reader) take(e event) {
	switch e.Type {
	case "response.created", "response.in_progress":
		require.Equal(r, "in_progress", e.Response["status"])
		require.Empty(r, e.Response["output"])
		require.Nil(r, e.Response["usage"])
		return
	case "response.completed", "response.incomplete", "response.failed":
		require.Equal(r, e.Type, "response."+e.Response["status"].(string))
		require.True(r, r.item == nil || e.Type == "response.failed", "an item is open at the end")
		r.terminal, r.last = e.Type, e.Response
		return
	case "response.output_item.added":
		require.Nil(r, r.item)
		require.Equal(r, len(r.output), e.OutputIndex)
		require.Equal(r, "in_progress", e.Item["status"])
		r.item = e.Item
		r.output = append(r.output, e.Item)
		return
	}
	require.NotNil(r, r.item, e.Type)
	require.Equal(r, len(r.output)-1, e.OutputIndex)
	if e.Type == "response.output_item.done" {
		require.False(r, r.partOpen)
		r.item["status"] = e.Item["status"]
		require.Equal(r, r.item, e.Item)
		r.item = nil
		return
	}
	require.Equal(r, r.item["id"], e.ItemID)
	r.takePart(e)
}

func (r *reader) takePart(e event) {
	if r.item["type"] == "function_call" {
		switch e.Type {
		case "response.function_call_arguments.delta":
			r.item["arguments"] = r.item["arguments"].(string) + e.Delta
		case "response.function_call_arguments.done":
			require.Equal(r, r.item["arguments"], e.Arguments)
			require.Equal(r, r.item["name"], e.Name)
		default:
			r.Fatalf("%s inside a call", e.Type)
		}
		return
	}
	parts := r.item["content"].([]any)
	if e.Type == "response.content_part.added" {
		require.False(r, r.partOpen)
		require.Equal(r, len(parts), e.ContentIndex)
		r.item["content"] = append(parts, e.Part)
		r.partOpen = true
		return
	}
	require.True(r, r.partOpen)
	require.Equal(r, len(parts)-1, e.ContentIndex)
	part := parts[e.ContentIndex].(map[string]any)
	switch e.Type + " " + part["type"].(string) {
	case "response.output_text.delta output_text", "response.reasoning_text.delta reasoning_text":
		part["text"] = part["text"].(string) + e.Delta
	case "response.refusal.delta refusal":
		part["refusal"] = part["refusal"].(string) + e.Delta
	case "response.output_text.done output_text", "response.reasoning_text.done reasoning_text":
		require.Equal(r, part["text"], e.Text)
	case "response.refusal.done refusal":
		require.Equal(r, part["refusal"], e.Refusal)
	case "response.content_part.done output_text", "response.content_part.done refusal", "response.content_part.done reasoning_text":
		delete(e.Part, "logprobs")
		delete(part, "logprobs")
		require.Equal(r, part, e.Part)
		part["logprobs"] = []any{}
		if part["type"] != "output_text" {
			delete(part, "logprobs")
		}
		r.partOpen = false
	default:
		r.Fatalf("%s in a part of type %v", e.Type, part["type"])
	}
}

func TestStreamAndReplyAgree(t *testing.T) {
	check := func(stream, whole replies.Reply) {
		got := read(t, stream.Play(NewStream(testHead, asked(t), now)))
		if stream.Failure != nil {
			require.Equal(t, "response.failed", got.terminal)
			require.NotNil(t, got.last["error"])
			require.Nil(t, got.last["usage"])
			require.Len(t, got.last["output"], len(got.output))
			return
		}
		require.Nil(t, got.last["error"])
		require.Equal(t, got.last["output"], append([]any{}, got.output...), stream.Name)
		var want map[string]any
		require.NoError(t, json.Unmarshal(whole.Play(NewReply(testHead, asked(t), now)), &want))
		require.Equal(t, want, got.last, stream.Name)
	}
	for _, r := range replies.All() {
		if r.Choices <= 1 && r.Name != "logprobs" { // that one is on file
			check(r, r)
		}
	}
	for seed := range uint64(1000) {
		check(replies.Random(seed), replies.Random(seed))
	}
}

// Every key that OpenAI's or Open Responses' schema has is in every response.
func TestResponseHasEveryKey(t *testing.T) {
	req, e := DecodeRequest([]byte(`{"model":"m","input":"hi","instructions":"be\nbrief","tools":[{"type":"function","name":"f"}],
		"text":{"format":{"type":"json_object"}},"reasoning":{"effort":"low"},"metadata":{
		"a":"b"},"temperature":0.5,"max_output_tokens":20,"store":true}`), testDefaults)
	require.Nil(t, e)
	got := read(t, replies.All()[0].Play(NewStream(testHead, req, now))).last
	for _, key := range []string{
		"id", "object", "created_at", "completed_at", "status", "incomplete_details", "model", "previous_response_id", "instructions",
		"output", "error", "tools", "tool_choice", "truncation", "parallel_tool_calls", "text", "top_p", "presence_penalty",
		"frequency_penalty", "top_logprobs", "temperature", "reasoning", "usage", "max_output_tokens", "max_tool_calls", "store",
		"background", "service_tier", "metadata", "safety_identifier", "prompt_cache_key", "user",
	} {
		assert.Contains(t, got, key)
	}
	assert.Equal(t, "be\nbrief", got["instructions"])
	assert.Equal(t, []any{map[string]any{"type": "function", "name": "f", "description": nil, "parameters": nil, "strict": false}}, got["tools"])
	assert.Equal(t, map[string]any{"a": "b"}, got["metadata"])
	assert.Equal(t, false, got["store"], "nothing is stored")
	assert.EqualValues(t, 20, got["max_output_tokens"])
	assert.EqualValues(t, 9, got["completed_at"])
}

func TestStreamOfTokensHardlyAllocates(t *testing.T) {
	s := NewStream(testHead, asked(t), now)
	buf := make([]byte, 0, 4096)
	e := replies.Text(0, `"token"`)
	buf = s.Event(buf, &e)
	assert.Zero(t, testing.AllocsPerRun(1000, func() { buf = s.Event(buf[:0], &e) }), "the text that is kept grows in big steps")
}

func FuzzStream(f *testing.F) {
	f.Add(uint64(1))
	f.Fuzz(func(t *testing.T, seed uint64) {
		read(t, replies.Random(seed).Play(NewStream(testHead, asked(t), now)))
	})
}
