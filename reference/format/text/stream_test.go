package text

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plumbline.dev/plumbline/reference/completion"
	"plumbline.dev/plumbline/reference/format"
	"plumbline.dev/plumbline/reference/format/internal/replies"
)

var testHead = format.Head{ID: "cmpl-0123456789abcdef01234567", Model: `a "model"`, Created: 7}

func asked(choices int) *Request {
	return &Request{Request: &completion.Request{Choices: choices, IncludeUsage: true}}
}

func TestGolden(t *testing.T) {
	for _, r := range replies.All() {
		t.Run(r.Name, func(t *testing.T) {
			replies.Golden(t, r.Name, ".sse", r.Play(NewStream(testHead, asked(r.Choices))))
			replies.Golden(t, r.Name, ".json", r.Play(NewReply(testHead, asked(r.Choices))))
		})
	}
}

// object is the part of the reply that the tests read, of a chunk and of a whole.
type object struct {
	Choices []struct {
		Text         string
		FinishReason *string `json:"finish_reason"`
	}
	Usage json.RawMessage
}

func TestStreamAndReplyAgree(t *testing.T) {
	for seed := range uint64(300) {
		r := replies.Random(seed)
		if r.Failure != nil {
			continue
		}
		var whole object
		require.NoError(t, json.Unmarshal(replies.Random(seed).Play(NewReply(testHead, asked(1))), &whole))
		var text strings.Builder
		var reason *string
		frames := replies.Frames(t, r.Play(NewStream(testHead, asked(1))))
		require.Equal(t, "[DONE]", frames[len(frames)-1].Data, r.Name)
		for i, f := range frames[:len(frames)-1] {
			var chunk object
			require.NoError(t, json.Unmarshal([]byte(f.Data), &chunk), f.Data)
			if i == len(frames)-2 {
				require.Empty(t, chunk.Choices, r.Name)
				require.JSONEq(t, string(whole.Usage), string(chunk.Usage))
				continue
			}
			require.Nil(t, reason, "nothing after the finish")
			require.Equal(t, "null", string(chunk.Usage))
			text.WriteString(chunk.Choices[0].Text)
			reason = chunk.Choices[0].FinishReason
		}
		assert.Equal(t, whole.Choices[0].Text, text.String(), r.Name)
		assert.Equal(t, whole.Choices[0].FinishReason, reason, r.Name)
	}
}

func TestEchoBeginsTheReply(t *testing.T) {
	req := asked(2)
	req.Echo = []byte(`"once \u00fc"`)
	text := replies.All()[0]
	text.Choices = 2
	text.Events = append(text.Events, replies.Role(1), replies.Text(1, `"x"`))
	stream := string(text.Play(NewStream(testHead, req)))
	assert.Contains(t, stream, `{"index":0,"text":"once \u00fc"`)
	assert.Contains(t, stream, `{"index":1,"text":"once \u00fc"`)
	var whole object
	require.NoError(t, json.Unmarshal(text.Play(NewReply(testHead, req)), &whole))
	assert.Equal(t, "once üx", whole.Choices[1].Text)
}

func TestStreamOfTokensDoesNotAllocate(t *testing.T) {
	s := NewStream(testHead, asked(1))
	buf := make([]byte, 0, 4096)
	e := replies.Text(0, `"token"`)
	assert.Zero(t, testing.AllocsPerRun(100, func() { buf = s.Event(buf[:0], &e) }))
}
