package engine

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func collect(t *testing.T, o Options, p Prompt, params Params) (tokens []Token) {
	t.Helper()
	e, err := New(o)
	require.NoError(t, err)
	g, err := e.Generate(context.Background(), p, params)
	require.NoError(t, err)
	defer g.Close()
	for token, err := range g.Tokens(context.Background()) {
		require.NoError(t, err)
		tokens = append(tokens, token)
	}
	return tokens
}

func generated(tokens []Token, choice int) (n int, finish Reason) {
	for _, t := range tokens {
		switch {
		case t.Choice != choice:
		case t.Finish == "":
			n++
		default:
			finish = t.Finish
		}
	}
	return n, finish
}

func TestNaturalLengths(t *testing.T) {
	lengths := map[int]bool{}
	for _, text := range []string{"", "a", "b", "hello", "what is a plumb line?", "x", "y", "z"} {
		n, finish := generated(collect(t, Options{}, Prompt{Text: text}, Params{}), 0)
		assert.GreaterOrEqual(t, n, shortest)
		assert.LessOrEqual(t, n, longest)
		assert.Equal(t, Stop, finish)
		lengths[n] = true
	}
	assert.Greater(t, len(lengths), 3, "they depend on the prompt")
}

func TestLimits(t *testing.T) {
	prompt := Prompt{Text: "0123456789abcdef"} // 4 tokens
	for name, tc := range map[string]struct {
		window int
		params Params
		n      int
		finish Reason
	}{
		"max_tokens":               {0, Params{MaxTokens: 3}, 3, Length},
		"the window":               {10, Params{}, 6, Length},
		"the window before max":    {10, Params{MaxTokens: 100, IgnoreEOS: true}, 6, Length},
		"past the natural end":     {0, Params{MaxTokens: 500, IgnoreEOS: true}, 500, Length},
		"one token left in window": {5, Params{}, 1, Length},
	} {
		t.Run(name, func(t *testing.T) {
			n, finish := generated(collect(t, Options{ContextWindow: tc.window}, prompt, tc.params), 0)
			assert.Equal(t, tc.n, n)
			assert.Equal(t, tc.finish, finish)
		})
	}
}

func TestPromptTooLong(t *testing.T) {
	e, err := New(Options{ContextWindow: 4})
	require.NoError(t, err)
	_, err = e.Generate(context.Background(), Prompt{Text: "0123456789abcdef"}, Params{})
	var tooLong *PromptTooLongError
	require.ErrorAs(t, err, &tooLong)
	assert.Equal(t, PromptTooLongError{PromptTokens: 4, ContextWindow: 4}, *tooLong)
}

func TestSeeds(t *testing.T) {
	p := Prompt{Text: "hello"}
	base := collect(t, Options{Seed: 1}, p, Params{})
	assert.Equal(t, base, collect(t, Options{Seed: 1}, p, Params{}))
	assert.NotEqual(t, base, collect(t, Options{Seed: 2}, p, Params{}))
	assert.NotEqual(t, base, collect(t, Options{Seed: 1}, p, Params{Seed: 3}))
}

func TestCancelEndsAWait(t *testing.T) {
	e, err := New(Options{TTFT: time.Hour})
	require.NoError(t, err)
	g, err := e.Generate(context.Background(), Prompt{}, Params{})
	require.NoError(t, err)
	defer g.Close()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, err := range g.Tokens(ctx) {
		assert.ErrorIs(t, err, context.Canceled)
	}
}

// Tokens come at their exact times, on a clock that stands still between them.
func TestPace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e, err := New(Options{TTFT: 20 * time.Second, ITL: 5 * time.Second})
		require.NoError(t, err)
		g, err := e.Generate(context.Background(), Prompt{}, Params{MaxTokens: 3})
		require.NoError(t, err)
		defer g.Close()
		started := time.Now()
		var times []time.Duration
		for token, err := range g.Tokens(context.Background()) {
			require.NoError(t, err)
			if token.Finish == "" {
				times = append(times, time.Since(started))
				time.Sleep(time.Second) // a slow reader delays no later token
			}
		}
		assert.Equal(t, []time.Duration{20 * time.Second, 25 * time.Second, 30 * time.Second}, times)
	})
}

func TestPromptTokens(t *testing.T) {
	for text, want := range map[string]int{"": 0, "a": 1, "abcd": 1, "abcde": 2, "🦙": 1} {
		assert.Equal(t, want, Prompt{Text: text}.Tokens(), text)
		assert.Len(t, tokenize(text), want, text)
	}
	assert.NotEqual(t, tokenize("ab"), tokenize("ab\x00\x00"), "a short token is another one")
}
