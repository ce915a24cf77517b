package messages

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plumbline.dev/plumbline/reference/completion"
	"plumbline.dev/plumbline/reference/format"
	"plumbline.dev/plumbline/reference/format/internal/replies"
)

var testHead = format.Head{ID: "msg_0123456789abcdef01234567", Model: `a "model"`, Created: 7}

func TestGolden(t *testing.T) {
	for _, r := range replies.All() {
		if r.Choices > 1 {
			continue // this format has one
		}
		t.Run(r.Name, func(t *testing.T) {
			replies.Golden(t, r.Name, ".sse", r.Play(NewStream(testHead)))
			replies.Golden(t, r.Name, ".json", r.Play(NewReply(testHead)))
		})
	}
}

type event struct {
	Type         string
	Index        *int
	Message      map[string]any
	ContentBlock map[string]any `json:"content_block"`
	Delta        map[string]any
	Usage        map[string]any
	Error        map[string]any
}

// assemble puts a message together from its stream, as a strict client does.
func assemble(t testing.TB, stream []byte) (message map[string]any, failed bool) {
	t.Helper()
	blocks := []any{}
	open := false
	input := ""
	frames := replies.Frames(t, stream)
	for i, f := range frames {
		var e event
		require.NoError(t, json.Unmarshal([]byte(f.Data), &e))
		require.Equal(t, f.Event, e.Type)
		last := i == len(frames)-1
		require.Equal(t, last, e.Type == "message_stop" || e.Type == "error", "%s at %d", e.Type, i)
		require.Equal(t, i == 0, e.Type == "message_start")
		switch e.Type {
		case "message_start":
			message = e.Message
		case "content_block_start":
			require.False(t, open)
			require.Equal(t, len(blocks), *e.Index)
			open, input = true, ""
			blocks = append(blocks, e.ContentBlock)
		case "content_block_delta":
			require.True(t, open)
			require.Equal(t, len(blocks)-1, *e.Index)
			block := blocks[*e.Index].(map[string]any)
			switch e.Delta["type"] {
			case "text_delta":
				block["text"] = block["text"].(string) + e.Delta["text"].(string)
			case "thinking_delta":
				block["thinking"] = block["thinking"].(string) + e.Delta["thinking"].(string)
			case "input_json_delta":
				require.Equal(t, "tool_use", block["type"])
				input += e.Delta["partial_json"].(string)
			default:
				t.Fatalf("delta %v", e.Delta)
			}
		case "content_block_stop":
			require.True(t, open)
			require.Equal(t, len(blocks)-1, *e.Index)
			open = false
			if block := blocks[*e.Index].(map[string]any); block["type"] == "tool_use" && input != "" {
				parsed := make(map[string]any)
				if json.Unmarshal([]byte(input), &parsed) != nil {
					parsed = map[string]any{"INVALID_JSON": input}
				}
				block["input"] = parsed
			}
		case "message_delta":
			require.False(t, open)
			message["stop_reason"], message["stop_sequence"] = e.Delta["stop_reason"], e.Delta["stop_sequence"]
			message["usage"] = e.Usage
		case "error":
			return nil, true
		case "message_stop", "ping":
		default:
			t.Fatalf("event %s", e.Type)
		}
	}
	message["content"] = blocks
	return message, false
}

func TestStreamAndReplyAgree(t *testing.T) {
	check := func(stream, whole replies.Reply) {
		if len(stream.Events) == 0 && stream.Failure != nil {
			return
		}
		assembled, failed := assemble(t, stream.Play(NewStream(testHead)))
		require.Equal(t, stream.Failure != nil, failed)
		if failed {
			return
		}
		var want map[string]any
		require.NoError(t, json.Unmarshal(whole.Play(NewReply(testHead)), &want))
		require.Equal(t, want, assembled, stream.Name)
	}
	for _, r := range replies.All() {
		if r.Choices <= 1 {
			check(r, r)
		}
	}
	for seed := range uint64(1000) {
		check(replies.Random(seed), replies.Random(seed))
	}
}

// A call is said to be wanted if and only if there is one, whatever the model
// server calls its end.
func TestStopReason(t *testing.T) {
	call := replies.Calls(`{"index":0,"id":"c","type":"function","function":{"name":"f","arguments":"{}"}}`)
	sequence := completion.Event{Kind: completion.KindStopSequence, Text: []byte(`"END"`)}
	for name, c := range map[string]struct {
		events []completion.Event
		finish completion.FinishReason
		want   string
		stop   any
	}{
		"a call, stop":            {[]completion.Event{call}, completion.FinishStop, "tool_use", nil},
		"a call, function_call":   {[]completion.Event{call}, completion.FinishFunctionCall, "tool_use", nil},
		"a call, length":          {[]completion.Event{call}, completion.FinishLength, "max_tokens", nil},
		"no call, tool_calls":     {nil, completion.FinishToolCalls, "end_turn", nil},
		"stop sequence":           {[]completion.Event{sequence}, completion.FinishStop, "stop_sequence", "END"},
		"stop sequence, but long": {[]completion.Event{sequence}, completion.FinishLength, "max_tokens", nil},
		"filtered":                {nil, completion.FinishContentFilter, "refusal", nil},
		"stopped by its id":       {nil, "", "end_turn", nil},
	} {
		t.Run(name, func(t *testing.T) {
			var got map[string]any
			require.NoError(t, json.Unmarshal(replies.Reply{Events: c.events, Finish: c.finish}.Play(NewReply(testHead)), &got))
			assert.Equal(t, c.want, got["stop_reason"])
			assert.Equal(t, c.stop, got["stop_sequence"])
		})
	}
}

func TestStreamOfTokensDoesNotAllocate(t *testing.T) {
	s := NewStream(testHead)
	buf := make([]byte, 0, 4096)
	e := replies.Text(0, `"token"`)
	buf = s.Event(buf, &e)
	assert.Zero(t, testing.AllocsPerRun(100, func() { buf = s.Event(buf[:0], &e) }))
}

func FuzzStream(f *testing.F) {
	f.Add(uint64(1))
	f.Fuzz(func(t *testing.T, seed uint64) {
		assemble(t, replies.Random(seed).Play(NewStream(testHead)))
	})
}
