package text

import (
	"strconv"
	"unicode/utf8"

	"github.com/tidwall/gjson"

	"plumbline.dev/plumbline/reference/format"
)

// logprobs turns the logprobs of the chat format, a list of tokens, into those
// of this format, four lists side by side (OpenAI text completions).
type logprobs struct {
	tokens, values, top, offsets []byte // elements with a comma behind each
	offset                       int    // characters of text before the next token
}

func newLogprobs(offset int) *logprobs { return &logprobs{offset: offset} }

// add takes the logprobs of one event of the reply.
func (l *logprobs) add(chat []byte) {
	lists := gjson.ParseBytes(chat)
	for _, name := range []string{"content", "refusal"} {
		for _, token := range lists.Get(name).Array() {
			if token.IsObject() { // null is a list of none
				l.token(token)
			}
		}
	}
}

func (l *logprobs) token(token gjson.Result) {
	text := token.Get("token")
	l.tokens = append(append(l.tokens, text.Raw...), ',')
	l.values = append(append(l.values, token.Get("logprob").Raw...), ',')
	l.offsets = append(strconv.AppendInt(l.offsets, int64(l.offset), 10), ',')
	l.offset += utf8.RuneCountInString(text.Str)
	l.top = append(l.top, '{')
	seen := make(map[string]bool) // an object cannot hold two alternatives of one text
	for _, alternative := range token.Get("top_logprobs").Array() {
		name := alternative.Get("token")
		if seen[name.Str] {
			continue
		}
		if len(seen) > 0 {
			l.top = append(l.top, ',')
		}
		seen[name.Str] = true
		l.top = format.AppendString(l.top, name.Str)
		l.top = append(append(l.top, ':'), alternative.Get("logprob").Raw...)
	}
	l.top = append(l.top, "},"...)
}

func (l *logprobs) append(buf []byte) []byte {
	for _, list := range []struct {
		name     string
		elements []byte
	}{
		{`{"tokens":[`, l.tokens}, {`],"token_logprobs":[`, l.values},
		{`],"top_logprobs":[`, l.top}, {`],"text_offset":[`, l.offsets},
	} {
		buf = append(buf, list.name...)
		if n := len(list.elements); n > 0 {
			buf = append(buf, list.elements[:n-1]...)
		}
	}
	return append(buf, "]}"...)
}
