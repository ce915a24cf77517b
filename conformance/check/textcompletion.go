package check

import (
	"fmt"
	"net/http"
	"slices"

	"github.com/tidwall/gjson"

	"plumbline.dev/plumbline/conformance/wire"
)

// Text is a streamed text completion. Its chunks are those of a chat completion,
// but that each choice holds its piece of text itself, so that most rules of
// [Chat] hold for it too.
type Text struct{ Chat }

// ParseText takes a streamed text completion apart. It never fails.
func ParseText(t *wire.Transcript, ask Ask) *Text {
	return &Text{*parseChunks(t, ask, func(c *Choice) { c.Content = text(c.object.get("text")) })}
}

// TextObject: object is text_completion.
func (t *Text) TextObject() []Finding {
	n := t.notes("TextObject")
	for _, k := range t.Chunks {
		if v := k.object.get("object"); text(v) != "text_completion" {
			n.event(k.Event, "object text_completion", "object "+seen(v))
		}
	}
	return n.found
}

var textChoiceFields = []field{
	{"text", aString, true},
	{"index", anInt, true},
	{"logprobs", anObject.orNull(), false},
	{"finish_reason", aString.orNull(), true},
}

// TextShape: every chunk has the documented fields with the documented types.
func (t *Text) TextShape() []Finding {
	n := t.notes("TextShape")
	for _, k := range t.Chunks {
		bad := func(expected, seen string) { n.event(k.Event, expected, seen) }
		breaks(k.object, chunkFields, bad)
		for i, v := range list(k.object.get("choices")) {
			choice, ok := asObject(v)
			if !ok {
				bad(fmt.Sprintf("choices[%d] as an object", i), v.Raw)
				continue
			}
			breaks(choice, textChoiceFields, func(expected, seen string) { bad(fmt.Sprintf("choices[%d].%s", i, expected), seen) })
		}
	}
	return n.found
}

// TextAlone: a choice has no delta, message, role or tool call, which belong to
// chat completions.
func (t *Text) TextAlone() []Finding {
	n := t.notes("TextAlone")
	for _, k := range t.Chunks {
		for _, ch := range k.Choices {
			for _, key := range []string{"delta", "message", "role", "tool_calls"} {
				if v := ch.object.get(key); v.Exists() {
					n.event(k.Event, "text alone in a choice", key+" "+seen(v))
				}
			}
		}
	}
	return n.found
}

var textReasons = []string{"stop", "length", "content_filter"}

// TextReasons: finish_reason is null, or one of the words that text completions
// have.
func (t *Text) TextReasons() []Finding {
	n := t.notes("TextReasons")
	for _, k := range t.Chunks {
		for _, ch := range k.Choices {
			if v := ch.object.get("finish_reason"); !isNull(v) && !slices.Contains(textReasons, ch.Finish) {
				n.event(k.Event, "finish_reason null, stop, length or content_filter", "finish_reason "+seen(v))
			}
		}
	}
	return n.found
}

// TextLogprobs: if they were asked for, each piece of text has tokens,
// token_logprobs, top_logprobs and text_offset, lists of one length, and the
// tokens make up the text; otherwise there are none.
func (t *Text) TextLogprobs() []Finding {
	n := t.notes("TextLogprobs")
	for _, k := range t.Chunks {
		for _, ch := range k.Choices {
			v := ch.object.get("logprobs")
			switch {
			case !t.Ask.Logprobs && v.IsObject():
				n.event(k.Event, "no logprobs, as none were asked for", "logprobs "+v.Raw)
			case t.Ask.Logprobs && ch.Content != "" && !v.IsObject():
				n.event(k.Event, "logprobs with the tokens of the text", "logprobs "+seen(v))
			case t.Ask.Logprobs && v.IsObject():
				textLogprobs(v, ch.Content, func(expected, seen string) { n.event(k.Event, expected, seen) })
			}
		}
	}
	return n.found
}

func textLogprobs(v gjson.Result, content string, bad func(expected, seen string)) {
	o, _ := asObject(v)
	tokens := list(o.get("tokens"))
	whole := ""
	for _, token := range tokens {
		whole += text(token)
	}
	if whole != content {
		bad(fmt.Sprintf("tokens that make up the text %q", content), seen(o.get("tokens")))
	}
	for _, key := range []string{"token_logprobs", "text_offset"} {
		if l := o.get(key); !l.IsArray() || len(list(l)) != len(tokens) {
			bad(fmt.Sprintf("%s for each of %d tokens", key, len(tokens)), key+" "+seen(l))
		}
	}
	if top := o.get("top_logprobs"); !isNull(top) && len(list(top)) != len(tokens) {
		bad(fmt.Sprintf("top_logprobs null, or for each of %d tokens", len(tokens)), "top_logprobs "+seen(top))
	}
}

// TextCompletion is a text completion that was not streamed.
type TextCompletion struct {
	document
	Ask Ask
}

// ParseTextCompletion reads an answer that is to be a text completion. It never
// fails.
func ParseTextCompletion(t *wire.Transcript, ask Ask) *TextCompletion {
	return &TextCompletion{document: parseDocument(t, ask.Keys), Ask: ask}
}

// Saying returns what the first choice says.
func (c *TextCompletion) Saying() Saying {
	s := Saying{ID: text(c.body.get("id")), Usage: readUsage(c.body.get("usage"))}
	if choices := list(c.body.get("choices")); len(choices) > 0 {
		first, _ := asObject(choices[0])
		s.Text, s.Finish = text(first.get("text")), text(first.get("finish_reason"))
	}
	s.Complete = s.Finish != ""
	return s
}

// TextCompletionShape: the answer is 200 with one text_completion object of the
// documented shape, with a choice for each that was asked for.
func (c *TextCompletion) TextCompletionShape() []Finding {
	n := c.notes("TextCompletionShape")
	c.status(n, http.StatusOK)
	c.json(n)
	if !c.ok {
		return n.found
	}
	breaks(c.body, append(slices.Clone(chunkFields), field{"usage", anObject, true}), n.body)
	if v := c.body.get("object"); text(v) != "text_completion" {
		n.body("object text_completion", "object "+seen(v))
	}
	choices := list(c.body.get("choices"))
	if len(choices) != c.Ask.choices() {
		n.body(fmt.Sprintf("%d choices", c.Ask.choices()), fmt.Sprint(len(choices)))
	}
	for i, v := range choices {
		o, _ := asObject(v)
		breaks(o, textChoiceFields, func(expected, seen string) { n.body(fmt.Sprintf("choices[%d].%s", i, expected), seen) })
		if index, ok := integer(o.get("index")); ok && index != int64(i) {
			n.body(fmt.Sprintf("index %d of choices[%d]", i, i), "index "+seen(o.get("index")))
		}
		if finish := o.get("finish_reason"); !slices.Contains(textReasons, text(finish)) {
			n.body("finish_reason stop, length or content_filter", "finish_reason "+seen(finish))
		}
	}
	if u, ok := asObject(c.body.get("usage")); ok {
		usageSums(u, n.body)
	}
	return n.found
}
