package witness

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/packages/ssestream"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plumbline.dev/plumbline/fakegpu/control"
)

func TestErrorsBeforeTheStream(t *testing.T) {
	p := start(t)
	tests := []struct {
		name   string
		key    string
		change func(*openai.ChatCompletionNewParams)
		status int
		code   string
	}{
		{"a wrong key", "no-such-key", func(*openai.ChatCompletionNewParams) {}, http.StatusUnauthorized, "invalid_api_key"},
		{"an unknown model", key, func(p *openai.ChatCompletionNewParams) { p.Model = "no-such-model" }, http.StatusNotFound, "model_not_found"},
		{"no messages", key, func(p *openai.ChatCompletionNewParams) { p.Messages = p.Messages[:0] }, http.StatusBadRequest, ""},
		{"a negative limit", key, func(p *openai.ChatCompletionNewParams) { p.MaxTokens = openai.Int(-1) }, http.StatusBadRequest, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			nonce, params := p.script(t, func(s control.Script) control.Script { return s.Tokens("never") })
			test.change(&params)
			client := p.client(test.key)
			stream := client.Chat.Completions.NewStreaming(t.Context(), params)
			assert.False(t, stream.Next())
			var apiError *openai.Error
			require.ErrorAs(t, stream.Err(), &apiError)
			assert.Equal(t, test.status, apiError.StatusCode)
			assert.NotEmpty(t, apiError.Message)
			assert.NotEmpty(t, apiError.Type)
			if test.code != "" {
				assert.Equal(t, test.code, apiError.Code)
			}
			journal, err := p.gpu.Journal(t.Context(), nonce)
			require.NoError(t, err)
			assert.Zero(t, len(journal.Requests), "requests that reached the model server")
		})
	}
}

// A model server can fail in many ways after it has begun; a client must learn
// of each, with the text so far in hand.
func TestFailureInTheMiddle(t *testing.T) {
	tests := []struct {
		name string
		fail control.Step
	}{
		{"an error event", control.Step{Error: &control.ErrorObject{Message: "CUDA out of memory", Type: "server_error"}}},
		{"a clean end without a finish", control.Step{Close: true}},
		{"a cut connection", control.Step{Cut: true}},
		{"a reset", control.Step{Reset: true}},
		{"garbage", control.Step{Raw: []byte("data: {\"choices\":[{\n\n")}},
	}
	p := start(t)
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, params := p.script(t, func(s control.Script) control.Script {
				// Each token is read before the fault comes, whatever the network does.
				return s.Tokens("half", " a", " reply").Gate("read").Then(test.fail)
			})
			client := p.client(key)
			stream := client.Chat.Completions.NewStreaming(t.Context(), withUsage(params))
			var text strings.Builder
			for stream.Next() {
				for _, choice := range stream.Current().Choices {
					text.WriteString(choice.Delta.Content)
					assert.Empty(t, choice.FinishReason)
				}
				if text.String() == "half a reply" {
					require.NoError(t, p.gpu.Release(t.Context(), nonceOf(params), "read"))
				}
			}
			assert.Equal(t, "half a reply", text.String())

			var failure *ssestream.StreamError
			require.ErrorAs(t, stream.Err(), &failure)
			var event struct {
				Error struct{ Type, Message string }
			}
			require.NoError(t, json.Unmarshal(failure.Event.Data, &event))
			assert.Equal(t, "upstream_error", event.Error.Type)
			assert.NotEmpty(t, event.Error.Message)
		})
	}
}

// nonceOf is the nonce in the prompt of a scripted request.
func nonceOf(params openai.ChatCompletionNewParams) string {
	prompt := params.Messages[0].OfUser.Content.OfString.Value
	_, nonce, _ := strings.Cut(prompt, strings.TrimSuffix(control.Marker(""), "]"))
	return strings.TrimSuffix(nonce, "]")
}

func TestModelServerRefuses(t *testing.T) {
	p := start(t)
	_, params := p.script(t, func(s control.Script) control.Script {
		s.HTTP = &control.HTTPAnswer{Status: http.StatusServiceUnavailable, Body: `{"error":{"message":"loading","type":"unavailable"}}`}
		return s
	})
	client := p.client(key)
	stream := client.Chat.Completions.NewStreaming(t.Context(), params)
	assert.False(t, stream.Next())
	var apiError *openai.Error
	require.ErrorAs(t, stream.Err(), &apiError)
	assert.GreaterOrEqual(t, apiError.StatusCode, 500)
	assert.NotEmpty(t, apiError.Message)
}
