// Package refusals tests the decoders of all formats in the same ways: which
// error a body gets, that the work grows with the body, that no body breaks them.
package refusals

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plumbline.dev/plumbline/reference/apierror"
	"plumbline.dev/plumbline/reference/completion"
)

// Decode is a decoder under test.
type Decode func(body string) (*completion.Request, *apierror.Error)

// Case is a body and the error that it gets; "" is null.
type Case struct{ Body, Code, Param string }

// Check checks the error of each case, and of the bodies that are wrong in every
// format.
func Check(t *testing.T, decode Decode, cases []Case) {
	t.Helper()
	for name, body := range map[string]string{
		"nothing": "", "an array": "[]", "half of it": `{"model":[`, "duplicate names": `{"model":"a","model":"b"}`,
		"invalid UTF-8": "{\"model\":\"\xff\"}", "bottomless nesting": `{"a":` + strings.Repeat("[", 1<<20), "text after it": "{}{}",
	} {
		t.Run(name, func(t *testing.T) { refused(t, decode, Case{Body: body}) })
	}
	for _, c := range cases {
		t.Run(c.Body[:min(len(c.Body), 80)], func(t *testing.T) { refused(t, decode, c) })
	}
}

func refused(t *testing.T, decode Decode, c Case) {
	req, e := decode(c.Body)
	require.NotNil(t, e)
	require.Nil(t, req)
	assert.Equal(t, 400, e.Status)
	assert.Equal(t, apierror.TypeInvalidRequest, e.Type)
	assert.Equal(t, c.Code, valueOf(e.Code), "code")
	assert.Equal(t, c.Param, valueOf(e.Param), "param")
	assert.Contains(t, e.Message, c.Param)
	assert.NotEmpty(t, e.Message)
}

func valueOf(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// Linear checks that a body of four times the size takes about four times the
// allocations, not sixteen.
func Linear(t *testing.T, decode Decode, body func(n int) string) {
	t.Helper()
	allocations := func(n int) float64 {
		b := body(n)
		return testing.AllocsPerRun(1, func() {
			_, e := decode(b)
			require.Nil(t, e, "%v", e)
		})
	}
	assert.Less(t, allocations(40_000), 5*allocations(10_000)+20)
}

// Fuzz holds that every body gives a request that is safe to serve, or a
// complete error.
func Fuzz(f *testing.F, decode Decode, seeds ...string) {
	f.Helper()
	for _, seed := range append(seeds, `[]`, `{}`, `{"n":1e999}`, `{"a.b":1,"a":{"b|@this":2}}`, `{"model":null}`) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, body string) {
		req, e := decode(body)
		if e != nil {
			require.Nil(t, req)
			require.Equal(t, 400, e.Status)
			require.NotEmpty(t, e.Message)
			return
		}
		require.NotEmpty(t, req.Model)
		require.NotEmpty(t, req.Messages)
		require.True(t, 1 <= req.Choices && req.Choices <= 128)
		require.True(t, req.MaxTokens == nil || *req.MaxTokens >= 1)
		require.LessOrEqual(t, len(req.Stop), 4)
		for name, value := range req.Body {
			require.True(t, json.Valid(value), name)
		}
		var messages []struct{ Role string }
		require.NoError(t, json.Unmarshal(req.Body["messages"], &messages))
		require.Len(t, messages, len(req.Messages))
	})
}
