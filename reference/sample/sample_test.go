package sample

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plumbline.dev/plumbline/reference/apierror"
	"plumbline.dev/plumbline/reference/completion"
	"plumbline.dev/plumbline/reference/tokens"
)

// counter is shared: its vocabulary takes long to load under the race detector.
var counter = tokens.NewCounter()

func ask(text string) *completion.Request {
	return &completion.Request{Choices: 1, Messages: []completion.Message{{Role: "user", Text: text}}}
}

// collected is a reply, put together again.
type collected struct {
	text   map[int]string
	finish map[int]completion.FinishReason
	tokens int64 // counted on the events
	usage  completion.Usage
	kinds  []completion.Kind
}

func collect(t *testing.T, m Model, req *completion.Request) collected {
	t.Helper()
	c := collected{text: map[int]string{}, finish: map[int]completion.FinishReason{}}
	for event, err := range m.Generate(t.Context(), req) {
		require.NoError(t, err)
		c.kinds = append(c.kinds, event.Kind)
		c.tokens += int64(event.Tokens)
		switch event.Kind {
		case completion.KindText:
			var text string
			require.NoError(t, json.Unmarshal(event.Text, &text))
			c.text[event.Choice] += text
			require.Empty(t, c.finish[event.Choice], "no text follows the finish")
		case completion.KindFinish:
			require.Empty(t, c.finish[event.Choice])
			c.finish[event.Choice] = event.Finish
		case completion.KindUsage:
			c.usage = event.Usage
		}
	}
	require.Equal(t, completion.KindEnd, c.kinds[len(c.kinds)-1])
	require.Equal(t, c.tokens, c.usage.CompletionTokens, "every token stands on one event")
	return c
}

func TestGenerateStreamsAWholeReply(t *testing.T) {
	m := Model{Counter: counter, ContextWindow: 1000}
	got := collect(t, m, ask("Write a haiku about GPUs."))
	assert.Equal(t, completion.FinishStop, got.finish[0])
	assert.True(t, strings.HasPrefix(got.text[0], opening))
	assert.Equal(t, int64(counter.Count(got.text[0])), got.usage.CompletionTokens)
	assert.Greater(t, got.usage.PromptTokens, int64(7))
	assert.True(t, got.usage.Estimated)
	assert.EqualValues(t, -1, got.usage.CacheWriteTokens)
	assert.Equal(t, []completion.Kind{completion.KindRole, completion.KindText}, got.kinds[:2])
	assert.Equal(t, []completion.Kind{completion.KindFinish, completion.KindUsage, completion.KindEnd}, got.kinds[len(got.kinds)-3:])

	assert.Equal(t, got, collect(t, m, ask("Write a haiku about GPUs.")), "the same prompt gives the same reply")
	assert.NotEqual(t, got.text, collect(t, m, ask("Define XSS.")).text, "another gives another")
}

func TestGenerateEndsAtALimit(t *testing.T) {
	whole := collect(t, Model{Counter: counter, ContextWindow: 1000}, ask("x"))
	for name, c := range map[string]struct {
		window    int64
		maxTokens int
		want      int64
		finish    completion.FinishReason
	}{
		"max tokens 1":           {1000, 1, 1, completion.FinishLength},
		"max tokens 5":           {1000, 5, 5, completion.FinishLength},
		"exactly the reply":      {1000, int(whole.tokens), whole.tokens, completion.FinishStop},
		"more than the reply":    {1000, 900, whole.tokens, completion.FinishStop},
		"the context window":     {whole.usage.PromptTokens + 7, 900, 7, completion.FinishLength},
		"a huge max tokens":      {1000, 1 << 31, whole.tokens, completion.FinishStop},
		"a window of any length": {1 << 62, 900, whole.tokens, completion.FinishStop},
	} {
		t.Run(name, func(t *testing.T) {
			req := ask("x")
			req.MaxTokens = &c.maxTokens
			got := collect(t, Model{Counter: counter, ContextWindow: c.window}, req)
			assert.Equal(t, c.want, got.usage.CompletionTokens)
			assert.Equal(t, c.finish, got.finish[0])
			assert.True(t, strings.HasPrefix(whole.text[0], got.text[0]))
		})
	}
}

func TestGenerateRefusesAPromptWithoutRoom(t *testing.T) {
	var events int
	for event, err := range (Model{Counter: counter, ContextWindow: 8}).Generate(t.Context(), ask("eight tokens are not enough for this")) {
		events++
		var refusal *apierror.Error
		require.ErrorAs(t, err, &refusal)
		assert.Equal(t, "context_length_exceeded", *refusal.Code)
		assert.Zero(t, event)
	}
	assert.Equal(t, 1, events)
}

func TestGenerateStopsAtAStopSequence(t *testing.T) {
	m := Model{Counter: counter, ContextWindow: 1000}
	whole := collect(t, m, ask("x")).text[0]
	for name, stops := range map[string][]string{
		"one token":                 {" sample"},
		"inside a token":            {"ampl"},
		"across tokens":             {"le model of a plum"},
		"across many tokens":        {"no model server behind it, so it cannot answer"},
		"the first of several":      {"behind", "gateway", "streams"},
		"at the very beginning":     {"This"},
		"a beginning that misleads": {"is is not here", "question,"},
		"never":                     {"zebra"},
		"the end of the reply":      {whole[len(whole)-3:] + "never"},
	} {
		t.Run(name, func(t *testing.T) {
			req := ask("x")
			req.Stop = stops
			want := whole
			for _, s := range stops {
				if before, _, found := strings.Cut(whole, s); found && len(before) < len(want) {
					want = before
				}
			}
			got := collect(t, m, req)
			assert.Equal(t, want, got.text[0])
			assert.Equal(t, completion.FinishStop, got.finish[0])
		})
	}
}

func TestGenerateShowsWhatItHeldBackAtALimit(t *testing.T) {
	m := Model{Counter: counter, ContextWindow: 1000}
	five := 5
	plain := ask("x")
	plain.MaxTokens = &five
	held := ask("x")
	held.MaxTokens = &five
	want := collect(t, m, plain).text[0]
	held.Stop = []string{want[len(want)-4:] + "never"}
	got := collect(t, m, held)
	assert.Equal(t, want, got.text[0])
	assert.Equal(t, completion.FinishLength, got.finish[0])
}

func TestGenerateSeveralChoices(t *testing.T) {
	req := ask("x")
	req.Choices = 3
	got := collect(t, Model{Counter: counter, ContextWindow: 1000}, req)
	require.Len(t, got.text, 3)
	assert.Len(t, got.finish, 3)
	assert.NotEqual(t, got.text[0], got.text[1])
	sum := counter.Count(got.text[0]) + counter.Count(got.text[1]) + counter.Count(got.text[2])
	assert.EqualValues(t, sum, got.usage.CompletionTokens)
}

func TestGenerateEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	m := Model{Counter: counter, ContextWindow: 1000, InterToken: time.Hour}
	var last error
	texts := 0
	for event, err := range m.Generate(ctx, ask("x")) {
		last = err
		if event.Kind == completion.KindText {
			texts++
			time.AfterFunc(0, cancel) // while it waits for the second token
		}
	}
	assert.ErrorIs(t, last, context.Canceled)
	assert.Equal(t, 1, texts)
}

func TestGenerateCanBeLeft(t *testing.T) {
	for range (Model{Counter: counter, ContextWindow: 1000}).Generate(t.Context(), ask("x")) {
		break
	}
}
