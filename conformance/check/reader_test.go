package check

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"plumbline.dev/plumbline/conformance/wire"
)

// What is expected here is what Node prints and throws for the same bytes.
func TestRead(t *testing.T) {
	data := func(s string) string { return "data: " + s + "\n\n" }
	tests := map[string]struct {
		body string
		want Reading
	}{
		"good":                     {role + hello + world + done, Reading{Printed: "Hello wörld", Finished: true}},
		"goes on after [DONE]":     {hello + done + world, Reading{Printed: "Hello wörld", Finished: true}},
		"comments":                 {": ping\n\n" + hello + ":\n" + done, Reading{Printed: "Hello", Finished: true}},
		"no choices":               {data(`{"choices":[]}`) + done, Reading{Finished: true}},
		"choices of null":          {data(`{"choices":[null]}`) + done, Reading{Finished: true}},
		"delta null":               {data(`{"choices":[{"delta":null}]}`) + done, Reading{Finished: true}},
		"content null":             {data(`{"choices":[{"delta":{"content":null}}]}`) + done, Reading{Finished: true}},
		"choices as an object":     {data(`{"choices":{"0":{"delta":{"content":"x"}}}}`) + done, Reading{Printed: "x", Finished: true}},
		"choices as a number":      {data(`{"choices":5}`) + done, Reading{Finished: true}},
		"error null":               {data(`{"error":null,"choices":[]}`) + done, Reading{Finished: true}},
		"error of nothing":         {data(`{"error":0,"choices":[]}`) + data(`{"error":"","choices":[]}`) + data(`{"error":false,"choices":[]}`) + done, Reading{Finished: true}},
		"a later key wins":         {data(`{"choices":7,"choices":[{"delta":{"content":"x"}}]}`) + done, Reading{Printed: "x", Finished: true}},
		"JSON with white space":    {data(` {"choices":[]} `) + done, Reading{Finished: true}},
		"a lone surrogate":         {data(`{"choices":[{"delta":{"content":"\ud83e!"}}]}`) + done, Reading{Printed: "\uFFFD!", Finished: true}},
		"a byte order mark":        {"\uFEFF" + hello + done, Reading{Printed: "Hello", Finished: true}},
		"two byte order marks":     {"\uFEFF\uFEFF" + hello + done, Reading{Finished: true}},
		"no space":                 {"data:[DONE]\n\n", Reading{Threw: "Error: The stream ended before [DONE], so the reply is incomplete."}},
		"half an event":            {hello + "data: [DONE]\n", Reading{Printed: "Hello", Threw: "Error: The stream ended before [DONE], so the reply is incomplete."}},
		"CRLF":                     {strings.ReplaceAll(hello+done, "\n", "\r\n"), Reading{Threw: "Error: The stream ended before [DONE], so the reply is incomplete."}},
		"an error":                 {hello + failed + done, Reading{Printed: "Hello", Threw: "Error: The model server failed."}},
		"an error as a text":       {data(`{"error":"boom"}`), Reading{Threw: "Error: "}},
		"no JSON":                  {data("oops"), Reading{Threw: "SyntaxError: oops"}},
		"nothing":                  {data(""), Reading{Threw: "SyntaxError: "}},
		"null":                     {data("null"), Reading{Threw: "TypeError: Cannot read properties of null (reading 'error')"}},
		"a number":                 {data("7"), Reading{Threw: "TypeError: Cannot read properties of undefined (reading '0')"}},
		"choices missing":          {data("{}"), Reading{Threw: "TypeError: Cannot read properties of undefined (reading '0')"}},
		"choices null":             {data(`{"choices":null}`), Reading{Threw: "TypeError: Cannot read properties of undefined (reading '0')"}},
		"content as a number":      {data(`{"choices":[{"delta":{"content":5}}]}`), Reading{Threw: "TypeError [ERR_INVALID_ARG_TYPE]: content 5"}},
		"one LF between":           {strings.TrimSuffix(hello, "\n") + done, Reading{Printed: "Hello", Finished: true}},
		"a torn character":         {data("{\"choices\":[{\"delta\":{\"content\":\"a\xe2\x82b\xf0\x9f\x98\"}}]}") + done, Reading{Printed: "a\uFFFDb\uFFFD", Finished: true}},
		"the body tears the last":  {done + "\xe2\x82", Reading{Finished: true}},
		"more than one data line":  {"data: {\"choices\":[]}\n" + hello + done, Reading{Printed: "Hello", Finished: true}},
		"[DONE] with more":         {data("[DONE]x"), Reading{Threw: "SyntaxError: [DONE]x"}},
		"a text for choices":       {data(`{"choices":"abc"}`) + done, Reading{Finished: true}},
		"content in another place": {data(`{"choices":[{"delta":["content"]}]}`) + done, Reading{Finished: true}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, tt.want, ParseChat(transcript(tt.body), unasked).Read())
		})
	}

	cut := answer(hello, done)
	cut.End = wire.EndCut
	assert.Equal(t, Reading{Printed: "Hello", Finished: true, Threw: "TypeError: terminated"}, ParseChat(cut, unasked).Read())
	refused := answer(hello, done)
	refused.Status = 503
	assert.Equal(t, Reading{Threw: "Error: status 503"}, ParseChat(refused, unasked).Read())
	bare := answer(hello, done)
	bare.Status = 0
	assert.True(t, ParseChat(bare, unasked).Read().Finished, "a captured body has no status")
}

func TestExcerpt(t *testing.T) {
	tests := map[string]struct{ give, want string }{
		"plain":            {"Hello wörld", "Hello wörld"},
		"line ends":        {"a\r\nb\tc", `a\r\nb\tc`},
		"no UTF-8":         {"a\xc3z", `a\xc3z`},
		"a real U+FFFD":    {"\uFFFD", "\uFFFD"},
		"a mark":           {"\uFEFF", `\ufeff`},
		"a key of ours":    {"key geheim!", "key [redacted]!"},
		"a key like ones":  {`{"k":"sk-abcdefgh1234"}`, `{"k":"[redacted]"}`},
		"a bearer":         {"Authorization: Bearer abc.def", "Authorization: [redacted]"},
		"long":             {strings.Repeat("a", 400), strings.Repeat("a", 297) + "…"},
		"just long enough": {strings.Repeat("a", 297), strings.Repeat("a", 297)},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) { assert.Equal(t, tt.want, excerpt(tt.give, []string{"", "geheim"})) })
	}
	for at := range 320 {
		got := excerpt(strings.Repeat("a", at)+"geheim"+strings.Repeat("b", 2000), []string{"geheim"})
		assert.LessOrEqual(t, len(got), 300)
		assert.NotContains(t, got, "gehei", "a key at %d", at)
	}
}
