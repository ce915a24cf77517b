package witness

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/openai/openai-go/v3"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plumbline.dev/plumbline/fakegpu/control"
)

// endless is a reply that goes on after its first words only when it is let to,
// so that whatever happens next happens in the middle of it.
func endless(s control.Script) control.Script {
	return s.Tokens("once", " upon").Gate("never").Tokens(" a", " time")
}

func TestCancelReachesTheModelServer(t *testing.T) {
	tests := []struct {
		name  string
		leave func(cancel context.CancelFunc, closeStream func() error) error
	}{
		{"by the context", func(cancel context.CancelFunc, _ func() error) error { cancel(); return nil }},
		{"by closing the stream", func(_ context.CancelFunc, closeStream func() error) error { return closeStream() }},
	}
	p := start(t)
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			nonce, params := p.script(t, endless)
			ctx, cancel := context.WithCancel(t.Context())
			t.Cleanup(cancel)
			client := p.client(key)
			stream := client.Chat.Completions.NewStreaming(ctx, params)
			readText(t, stream, "once upon")
			require.NoError(t, test.leave(cancel, stream.Close))

			journal, err := p.gpu.Await(t.Context(), nonce, control.Condition{Ended: true})
			require.NoError(t, err)
			require.Len(t, journal.Requests, 1)
			assert.Equal(t, control.EndingAborted, journal.Requests[0].Ending)
			assert.Equal(t, 2, journal.Requests[0].Generated, "nothing is generated for a client that left")
		})
	}
}

func TestStopByID(t *testing.T) {
	p := start(t)
	nonce, params := p.script(t, endless)
	reader := p.client(key)
	stream := reader.Chat.Completions.NewStreaming(t.Context(), withUsage(params))
	id := readText(t, stream, "once upon")

	button := p.client(key2)
	require.NoError(t, button.Post(t.Context(), "generations/"+id+"/stop", nil, nil))

	var usage openai.CompletionUsage
	for stream.Next() {
		for _, choice := range stream.Current().Choices {
			assert.Empty(t, choice.FinishReason, "a stopped stream has no finish chunk")
			assert.Empty(t, choice.Delta.Content)
		}
		usage = stream.Current().Usage
	}
	require.NoError(t, stream.Err())
	assert.EqualValues(t, 2, usage.CompletionTokens, "tokens before the stop are counted")

	journal, err := p.gpu.Await(t.Context(), nonce, control.Condition{Ended: true})
	require.NoError(t, err)
	assert.Equal(t, control.EndingAborted, journal.Requests[0].Ending)
}

func TestStopOfAnotherOrganization(t *testing.T) {
	p := start(t)
	nonce, params := p.script(t, endless)
	reader := p.client(key)
	stream := reader.Chat.Completions.NewStreaming(t.Context(), params)
	id := readText(t, stream, "once upon")

	stranger := p.client(otherKey)
	err := stranger.Post(t.Context(), "generations/"+id+"/stop", nil, nil)
	var apiError *openai.Error
	require.ErrorAs(t, err, &apiError)
	assert.Equal(t, http.StatusNotFound, apiError.StatusCode)

	require.NoError(t, p.gpu.Release(t.Context(), nonce, "never"))
	var rest strings.Builder
	for stream.Next() {
		for _, choice := range stream.Current().Choices {
			rest.WriteString(choice.Delta.Content)
		}
	}
	require.NoError(t, stream.Err())
	assert.Equal(t, " a time", rest.String())
}

// chunks is the part of the SDK's stream that a reader needs.
type chunks interface {
	Next() bool
	Current() openai.ChatCompletionChunk
	Err() error
}

// readText reads until the stream has said want and returns the completion's id.
func readText(t *testing.T, stream chunks, want string) (id string) {
	t.Helper()
	var text strings.Builder
	for text.String() != want {
		require.True(t, stream.Next(), "the stream ended after %q: %v", text.String(), stream.Err())
		for _, choice := range stream.Current().Choices {
			text.WriteString(choice.Delta.Content)
		}
		require.True(t, strings.HasPrefix(want, text.String()), "%q is not how %q begins", text.String(), want)
		id = stream.Current().ID
	}
	return id
}
