package check

import (
	"fmt"
	"strings"
)

// Logprobs: if they were asked for, each delta of content carries its tokens
// with logprob, bytes and top_logprobs, and the tokens of a choice make up its
// text; otherwise there are none.
func (c *Chat) Logprobs() []Finding {
	n := c.notes("Logprobs")
	if !c.Ask.Logprobs {
		for _, k := range c.Chunks {
			for _, ch := range k.Choices {
				if v := ch.object.get("logprobs"); v.Exists() && !isNull(v) {
					n.event(k.Event, "no logprobs, as none were asked for", "logprobs "+v.Raw)
				}
			}
		}
		return n.found
	}
	tokens := map[int]*strings.Builder{}
	for _, k := range c.Chunks {
		for _, ch := range k.Choices {
			if tokens[ch.Index] == nil {
				tokens[ch.Index] = &strings.Builder{}
			}
			tokens[ch.Index].WriteString(n.logprobs(k, ch))
		}
	}
	for i := range min(c.Ask.choices(), maxChoices) {
		if len(n.found) > 0 || tokens[i] == nil {
			continue
		}
		if want, got := c.Text(i), tokens[i].String(); got != want {
			n.finish("tokens that make up the text of their choice", got+", where the text is "+want)
		}
	}
	return n.found
}

// logprobs judges the tokens of one choice in one chunk and returns their text.
func (n *chatNotes) logprobs(k Chunk, ch Choice) string {
	lp, _ := asObject(ch.object.get("logprobs"))
	items := list(lp.get("content"))
	if ch.Content != "" && len(items) == 0 {
		n.event(k.Event, "logprobs.content with the tokens of the delta", "logprobs "+seen(ch.object.get("logprobs")))
	}
	var b strings.Builder
	for _, v := range items {
		o, ok := asObject(v)
		if !ok {
			n.event(k.Event, "a token as an object", v.Raw)
			continue
		}
		bad := func(expected, _ string) { n.event(k.Event, "a token with "+expected, v.Raw) }
		breaks(o, append(tokenFields, field{"top_logprobs", anArray, true}), bad)
		top := list(o.get("top_logprobs"))
		if len(top) > n.c.Ask.TopLogprobs {
			n.event(k.Event, fmt.Sprintf("at most %d top_logprobs", n.c.Ask.TopLogprobs), fmt.Sprint(len(top)))
		}
		for _, t := range top {
			entry, _ := asObject(t)
			breaks(entry, tokenFields, func(expected, _ string) { n.event(k.Event, "a top logprob with "+expected, t.Raw) })
		}
		b.WriteString(tokenText(o))
	}
	return b.String()
}

var tokenFields = []field{
	{"token", aString, true},
	{"logprob", aNumber, true},
	{"bytes", anArray.orNull(), true},
}

// tokenText returns the bytes of a token, which may be part of a character, or
// without them its text.
func tokenText(o object) string {
	raw := o.get("bytes")
	if !raw.IsArray() {
		return text(o.get("token"))
	}
	var b []byte
	for _, v := range list(raw) {
		if i, ok := integer(v); ok {
			b = append(b, byte(i))
		}
	}
	return string(b)
}
