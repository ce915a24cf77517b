package witness

import (
	"net/http"
	"testing"

	"github.com/anthropics/anthropic-sdk-go/v2"
	"github.com/anthropics/anthropic-sdk-go/v2/option"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plumbline.dev/plumbline/fakegpu/control"
)

// anthropicClient is Anthropic's SDK as a user sets it up, but for the retries.
func (p peers) anthropicClient(key string) anthropic.Client {
	return anthropic.NewClient(
		option.WithBaseURL(p.base[:len(p.base)-len("/v1")]),
		option.WithAPIKey(key),
		option.WithMaxRetries(0),
	)
}

func (p peers) message(t *testing.T, build func(control.Script) control.Script) anthropic.MessageNewParams {
	t.Helper()
	nonce, _ := p.script(t, build)
	return anthropic.MessageNewParams{
		Model: model, MaxTokens: 100,
		Messages: []anthropic.MessageParam{anthropic.NewUserMessage(anthropic.NewTextBlock(prompt(nonce)))},
	}
}

// readMessage reads a stream to its end, as the SDK's documentation shows.
func readMessage(t *testing.T, p peers, params anthropic.MessageNewParams) (anthropic.Message, error) {
	t.Helper()
	client := p.anthropicClient(key)
	stream := client.Messages.NewStreaming(t.Context(), params)
	var message anthropic.Message
	for stream.Next() {
		require.NoError(t, message.Accumulate(stream.Current()))
	}
	return message, stream.Err()
}

func TestMessage(t *testing.T) {
	p := start(t)
	hello := func(s control.Script) control.Script { return s.Tokens("Hé", "llo") }
	client := p.anthropicClient(key)
	whole, err := client.Messages.New(t.Context(), p.message(t, hello))
	require.NoError(t, err)
	streamed, err := readMessage(t, p, p.message(t, hello))
	require.NoError(t, err)
	for _, message := range []anthropic.Message{*whole, streamed} {
		require.Len(t, message.Content, 1)
		assert.Equal(t, "Héllo", message.Content[0].Text)
		assert.Equal(t, anthropic.StopReasonEndTurn, message.StopReason)
		assert.EqualValues(t, 2, message.Usage.OutputTokens)
		assert.Positive(t, promptTokens(message.Usage))
	}
	assert.Equal(t, promptTokens(whole.Usage), promptTokens(streamed.Usage))
}

// promptTokens is the whole prompt: input_tokens leaves out what was read from
// the prefix cache and what was written to it.
func promptTokens(u anthropic.Usage) int64 {
	return u.InputTokens + u.CacheReadInputTokens + u.CacheCreationInputTokens
}

func TestMessageWithThinkingAndTwoTools(t *testing.T) {
	p := start(t)
	delta := func(json string) control.Step { return control.Step{Delta: &control.Delta{JSON: []byte(json)}} }
	message, err := readMessage(t, p, p.message(t, func(s control.Script) control.Script {
		return s.Then(
			delta(`{"reasoning_content":"Hm."}`),
			delta(`{"tool_calls":[{"index":0,"id":"call_1","type":"function","function":{"name":"look","arguments":""}}]}`),
			delta(`{"tool_calls":[{"index":0,"function":{"arguments":"{\"q\":1}"}}]}`),
			delta(`{"tool_calls":[{"index":1,"id":"call_2","type":"function","function":{"name":"find","arguments":"{}"}}]}`),
			control.Step{Finish: "tool_calls"},
		)
	}))
	require.NoError(t, err)
	require.Len(t, message.Content, 3)
	assert.Equal(t, "Hm.", message.Content[0].Thinking)
	assert.Equal(t, "look", message.Content[1].Name)
	assert.JSONEq(t, `{"q":1}`, string(message.Content[1].Input))
	assert.Equal(t, "call_2", message.Content[2].ID)
	assert.Equal(t, anthropic.StopReasonToolUse, message.StopReason)
}

func TestMessageThatFails(t *testing.T) {
	p := start(t)
	message, err := readMessage(t, p, p.message(t, func(s control.Script) control.Script {
		return s.Tokens("a").Then(control.Step{Reset: true})
	}))
	var failure *anthropic.Error
	require.ErrorAs(t, err, &failure, "the SDK's own error")
	assert.EqualValues(t, "api_error", failure.Type())
	assert.Empty(t, message.StopReason)

	client := p.anthropicClient("wrong")
	_, err = client.Messages.New(t.Context(), p.message(t, func(s control.Script) control.Script { return s }))
	require.ErrorAs(t, err, &failure)
	assert.Equal(t, http.StatusUnauthorized, failure.StatusCode)
	assert.EqualValues(t, "authentication_error", failure.Type())
	assert.NotEmpty(t, failure.RequestID)
}

func TestModelsByAnthropicsSDK(t *testing.T) {
	p := start(t)
	client := p.anthropicClient(key)
	page, err := client.Models.List(t.Context(), anthropic.ModelListParams{})
	require.NoError(t, err)
	require.Len(t, page.Data, 1)
	assert.Equal(t, model, page.Data[0].ID)
}
