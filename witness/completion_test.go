package witness

import (
	"encoding/json"
	"testing"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/shared"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plumbline.dev/plumbline/fakegpu/control"
)

func TestStreamToTheEnd(t *testing.T) {
	p := start(t)
	_, params := p.script(t, func(s control.Script) control.Script {
		s.PromptTokens = 12
		return s.Tokens("Light", " falls", " \U0001F999", " \"quoted\"\n")
	})
	client := p.client(key)
	stream := client.Chat.Completions.NewStreaming(t.Context(), withUsage(params))

	var chunks []openai.ChatCompletionChunk
	var reply openai.ChatCompletionAccumulator
	for stream.Next() {
		chunks = append(chunks, stream.Current())
		require.True(t, reply.AddChunk(stream.Current()), "the accumulator refuses %s", stream.Current().RawJSON())
	}
	require.NoError(t, stream.Err())

	require.Len(t, reply.Choices, 1)
	assert.Equal(t, "Light falls \U0001F999 \"quoted\"\n", reply.Choices[0].Message.Content)
	assert.Equal(t, "stop", reply.Choices[0].FinishReason)
	assert.EqualValues(t, 12, reply.Usage.PromptTokens)
	assert.EqualValues(t, 4, reply.Usage.CompletionTokens)
	assert.EqualValues(t, 16, reply.Usage.TotalTokens)

	last := chunks[len(chunks)-1]
	assert.Empty(t, last.Choices, "the last chunk carries usage and no choices")
	assert.True(t, last.JSON.Usage.Valid())
	for _, chunk := range chunks {
		assert.Equal(t, chunks[0].ID, chunk.ID)
		assert.Equal(t, model, chunk.Model)
		assert.Equal(t, chunks[0].Created, chunk.Created)
	}
}

func TestUsageIsAbsentUnlessAsked(t *testing.T) {
	p := start(t)
	_, params := p.script(t, func(s control.Script) control.Script { return s.Tokens("one", " two") })
	client := p.client(key)
	stream := client.Chat.Completions.NewStreaming(t.Context(), params)
	for stream.Next() {
		chunk := stream.Current()
		assert.False(t, chunk.JSON.Usage.Valid(), "usage in %s", chunk.RawJSON())
		assert.NotEmpty(t, chunk.Choices)
	}
	require.NoError(t, stream.Err())
}

func TestReplyInOnePiece(t *testing.T) {
	p := start(t)
	_, params := p.script(t, func(s control.Script) control.Script {
		s.PromptTokens = 5
		return s.Tokens("one", " two").Finish("length")
	})
	client := p.client(key)
	reply, err := client.Chat.Completions.New(t.Context(), params)
	require.NoError(t, err)
	require.Len(t, reply.Choices, 1)
	assert.Equal(t, "one two", reply.Choices[0].Message.Content)
	assert.Equal(t, "length", reply.Choices[0].FinishReason)
	assert.Equal(t, model, reply.Model)
	assert.EqualValues(t, 7, reply.Usage.TotalTokens)
}

func TestSeveralChoices(t *testing.T) {
	p := start(t)
	_, params := p.script(t, func(s control.Script) control.Script {
		return s.Then(
			delta(0, `{"content":"left"}`),
			delta(1, `{"content":"right"}`),
			delta(0, `{"content":" hand"}`),
			delta(1, `{"content":" side"}`),
		).Finish("stop")
	})
	params.N = openai.Int(2)
	client := p.client(key)
	reply := accumulate(t, client, withUsage(params))
	require.Len(t, reply.Choices, 2)
	assert.Equal(t, "left hand", reply.Choices[0].Message.Content)
	assert.Equal(t, "right side", reply.Choices[1].Message.Content)
	for _, choice := range reply.Choices {
		assert.Equal(t, "stop", choice.FinishReason)
	}
	assert.EqualValues(t, 4, reply.Usage.CompletionTokens)
}

func TestToolCalls(t *testing.T) {
	p := start(t)
	_, params := p.script(t, func(s control.Script) control.Script {
		return s.Then(
			delta(0, `{"tool_calls":[{"index":0,"id":"call_paris","type":"function","function":{"name":"get_weather","arguments":""}}]}`),
			delta(0, `{"tool_calls":[{"index":0,"function":{"arguments":"{\"city\":"}}]}`),
			delta(0, `{"tool_calls":[{"index":0,"function":{"arguments":"\"Paris\"}"}}]}`),
			delta(0, `{"tool_calls":[{"index":1,"id":"call_rome","type":"function","function":{"name":"get_weather","arguments":"{\"city\":\"Rome\"}"}}]}`),
		).Finish("tool_calls")
	})
	params.Tools = []openai.ChatCompletionToolUnionParam{openai.ChatCompletionFunctionTool(shared.FunctionDefinitionParam{
		Name:       "get_weather",
		Parameters: shared.FunctionParameters{"type": "object", "properties": map[string]any{"city": map[string]string{"type": "string"}}},
	})}
	client := p.client(key)
	reply := accumulate(t, client, params)
	require.Len(t, reply.Choices, 1)
	assert.Equal(t, "tool_calls", reply.Choices[0].FinishReason)
	calls := reply.Choices[0].Message.ToolCalls
	require.Len(t, calls, 2)
	assert.Equal(t, "call_paris", calls[0].ID)
	assert.Equal(t, "get_weather", calls[0].Function.Name)
	assert.JSONEq(t, `{"city":"Paris"}`, calls[0].Function.Arguments)
	assert.Equal(t, "call_rome", calls[1].ID)
	assert.JSONEq(t, `{"city":"Rome"}`, calls[1].Function.Arguments)
}

func TestModelsAreListed(t *testing.T) {
	client := start(t).client(key)
	page, err := client.Models.List(t.Context())
	require.NoError(t, err)
	require.NotEmpty(t, page.Data)
	assert.Equal(t, model, page.Data[0].ID)
	assert.True(t, page.Data[0].JSON.Created.Valid(), "created is missing")
	assert.NotEmpty(t, page.Data[0].OwnedBy)
}

func delta(choice int, object string) control.Step {
	return control.Step{Delta: &control.Delta{Choice: choice, JSON: json.RawMessage(object)}}
}

// accumulate streams one reply to its end as the SDK's accumulator builds it up.
func accumulate(t *testing.T, client openai.Client, params openai.ChatCompletionNewParams) openai.ChatCompletionAccumulator {
	t.Helper()
	stream := client.Chat.Completions.NewStreaming(t.Context(), params)
	var reply openai.ChatCompletionAccumulator
	for stream.Next() {
		require.True(t, reply.AddChunk(stream.Current()), "the accumulator refuses %s", stream.Current().RawJSON())
	}
	require.NoError(t, stream.Err())
	return reply
}
