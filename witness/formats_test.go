package witness

import (
	"strings"
	"testing"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/responses"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plumbline.dev/plumbline/fakegpu/control"
)

// prompt is what the fake GPU finds the script by.
func prompt(nonce string) string { return "Say it. " + control.Marker(nonce) }

func TestTextCompletion(t *testing.T) {
	p := start(t)
	nonce, _ := p.script(t, func(s control.Script) control.Script { return s.Tokens("Hé", "llo") })
	client := p.client(key)
	stream := client.Completions.NewStreaming(t.Context(), openai.CompletionNewParams{
		Model: model, Prompt: openai.CompletionNewParamsPromptUnion{OfString: openai.String(prompt(nonce))},
		StreamOptions: openai.ChatCompletionStreamOptionsParam{IncludeUsage: openai.Bool(true)},
	})
	var text strings.Builder
	reason, tokens := "", int64(0)
	for stream.Next() {
		chunk := stream.Current()
		assert.Equal(t, "text_completion", string(chunk.Object))
		for _, choice := range chunk.Choices {
			text.WriteString(choice.Text)
			reason += string(choice.FinishReason)
		}
		tokens += chunk.Usage.CompletionTokens
	}
	require.NoError(t, stream.Err())
	assert.Equal(t, "Héllo", text.String())
	assert.Equal(t, "stop", reason)
	assert.EqualValues(t, 2, tokens)
}

func TestResponse(t *testing.T) {
	p := start(t)
	client := p.client(key)
	nonce, _ := p.script(t, func(s control.Script) control.Script { return s.Tokens("Hé", "llo") })
	params := responses.ResponseNewParams{Model: model, Input: responses.ResponseNewParamsInputUnion{OfString: openai.String(prompt(nonce))}}
	stream := client.Responses.NewStreaming(t.Context(), params)
	var text strings.Builder
	var last responses.ResponseStreamEventUnion
	for next := int64(0); stream.Next(); next++ {
		last = stream.Current()
		assert.Equal(t, next, last.SequenceNumber)
		if last.Type == "response.output_text.delta" {
			text.WriteString(last.Delta)
		}
	}
	require.NoError(t, stream.Err())
	assert.Equal(t, "Héllo", text.String())
	require.Equal(t, "response.completed", last.Type)
	assert.Equal(t, "Héllo", last.Response.OutputText())
	assert.EqualValues(t, 2, last.Response.Usage.OutputTokens)

	nonce, _ = p.script(t, func(s control.Script) control.Script { return s.Tokens("Hé", "llo") })
	params.Input.OfString = openai.String(prompt(nonce))
	whole, err := client.Responses.New(t.Context(), params)
	require.NoError(t, err)
	assert.Equal(t, "Héllo", whole.OutputText())
	assert.Equal(t, responses.ResponseStatusCompleted, whole.Status)
}

func TestResponseWithToolCall(t *testing.T) {
	p := start(t)
	client := p.client(key)
	delta := func(json string) control.Step { return control.Step{Delta: &control.Delta{JSON: []byte(json)}} }
	nonce, _ := p.script(t, func(s control.Script) control.Script {
		return s.Then(
			delta(`{"tool_calls":[{"index":0,"id":"call_1","type":"function","function":{"name":"look","arguments":""}}]}`),
			delta(`{"tool_calls":[{"index":0,"function":{"arguments":"{\"q\":1}"}}]}`),
			control.Step{Finish: "tool_calls"},
		)
	})
	stream := client.Responses.NewStreaming(t.Context(), responses.ResponseNewParams{
		Model: model, Input: responses.ResponseNewParamsInputUnion{OfString: openai.String(prompt(nonce))},
		Tools: []responses.ToolUnionParam{responses.ToolParamOfFunction("look", map[string]any{"type": "object"}, false)},
	})
	var done responses.ResponseFunctionToolCall
	for stream.Next() {
		if e := stream.Current(); e.Type == "response.output_item.done" {
			done = e.Item.AsFunctionCall()
		}
	}
	require.NoError(t, stream.Err())
	assert.Equal(t, "look", done.Name)
	assert.Equal(t, "call_1", done.CallID)
	assert.Equal(t, `{"q":1}`, done.Arguments)
}

func TestResponseThatFails(t *testing.T) {
	p := start(t)
	client := p.client(key)
	nonce, _ := p.script(t, func(s control.Script) control.Script { return s.Tokens("a").Then(control.Step{Reset: true}) })
	stream := client.Responses.NewStreaming(t.Context(), responses.ResponseNewParams{
		Model: model, Input: responses.ResponseNewParamsInputUnion{OfString: openai.String(prompt(nonce))},
	})
	var last responses.ResponseStreamEventUnion
	for stream.Next() {
		last = stream.Current()
	}
	// The SDK takes response.failed for an event like any other.
	require.NoError(t, stream.Err())
	assert.Equal(t, "response.failed", last.Type)
	assert.Equal(t, responses.ResponseStatusFailed, last.Response.Status)
	assert.NotEmpty(t, last.Response.Error.Message)
}
