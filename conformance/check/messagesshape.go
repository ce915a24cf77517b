package check

import (
	"fmt"
	"strings"

	"github.com/tidwall/gjson"
)

func messageEvent(fields ...field) []field {
	return append([]field{{"type", aString, true}}, fields...)
}

// messageEvents are the fields of each event. Types that are newer are not
// judged: clients are told to expect them.
var messageEvents = map[string][]field{
	"message_start":       messageEvent(field{"message", anObject, true}),
	"content_block_start": messageEvent(field{"index", anInt, true}, field{"content_block", anObject, true}),
	"content_block_delta": messageEvent(field{"index", anInt, true}, field{"delta", anObject, true}),
	"content_block_stop":  messageEvent(field{"index", anInt, true}),
	"message_delta":       messageEvent(field{"delta", anObject, true}, field{"usage", anObject, true}),
	"message_stop":        messageEvent(),
	"ping":                messageEvent(),
}

// blockFields and deltaShapes are the fields of blocks and deltas by their types.
var (
	blockFields = map[string][]field{
		"text":              {{"text", aString, true}},
		"tool_use":          {{"id", aString, true}, {"name", aString, true}, {"input", anObject, true}},
		"thinking":          {{"thinking", aString, true}, {"signature", aString, true}},
		"redacted_thinking": {{"data", aString, true}},
	}
	deltaShapes = map[string][]field{
		"text_delta":       {{"text", aString, true}},
		"input_json_delta": {{"partial_json", aString, true}},
		"thinking_delta":   {{"thinking", aString, true}},
		"signature_delta":  {{"signature", aString, true}},
	}
	stopFields = []field{{"stop_reason", aString.orNull(), true}, {"stop_sequence", aString.orNull(), true}}
)

// MessageEventFields: each event, block and delta has the fields of its type.
func (m *Messages) MessageEventFields() []Finding {
	n := m.notes("MessageEventFields")
	m.fieldsOf(n, messageEvents)
	for _, e := range m.Events {
		inner := func(key string, fields []field) {
			if o, ok := asObject(e.object.get(key)); ok {
				breaks(o, fields, func(expected, seen string) { n.event(e.Event, key+" with "+expected, seen) })
			}
		}
		switch e.Type {
		case "content_block_start":
			inner("content_block", append(messageEvent(), blockFields[text(e.object.get("content_block").Get("type"))]...))
		case "content_block_delta":
			inner("delta", append(messageEvent(), deltaShapes[text(e.object.get("delta").Get("type"))]...))
		case "message_delta":
			inner("delta", stopFields)
		}
	}
	return n.found
}

var messageFields = []field{
	{"id", aString, true}, {"type", aString, true}, {"role", aString, true}, {"model", aString, true},
	{"content", anArray, true}, {"stop_reason", aString.orNull(), true}, {"stop_sequence", aString.orNull(), true},
	{"usage", anObject, true},
}

// messageShape judges a message object.
func messageShape(o object, bad func(expected, seen string)) {
	breaks(o, messageFields, func(expected, seen string) { bad("a message with "+expected, seen) })
	for key, want := range map[string]string{"type": "message", "role": "assistant"} {
		if v := o.get(key); v.Type == gjson.String && text(v) != want {
			bad(key+" "+want, key+" "+seen(v))
		}
	}
	for _, key := range []string{"id", "model"} {
		if v := o.get(key); v.Type == gjson.String && text(v) == "" {
			bad("a message with "+key+" that is not empty", key+" "+seen(v))
		}
	}
	if u, ok := asObject(o.get("usage")); ok {
		tokenCounters(u, []string{"input_tokens", "output_tokens"}, bad)
	}
}

// tokenCounters judges the counts of tokens: those that are required, and any
// other that is there.
func tokenCounters(u object, required []string, bad func(expected, seen string)) {
	for _, key := range required {
		if v := u.get(key); !v.Exists() {
			bad("usage with "+key, "no "+key)
		}
	}
	for _, m := range u.members {
		if !strings.HasSuffix(m.key, "_tokens") || isNull(m.value) {
			continue
		}
		if count, ok := integer(m.value); !ok || count < 0 {
			bad(m.key+" as an integer of 0 or more", m.key+" "+seen(m.value))
		}
	}
}

// StartShape: message_start holds a message of the documented shape, without
// content and without any reason to stop.
func (m *Messages) StartShape() []Finding {
	n := m.notes("StartShape")
	for _, e := range m.Starts {
		o, ok := asObject(e.object.get("message"))
		if !ok {
			continue // for the fields of the event
		}
		bad := func(expected, seen string) { n.event(e.Event, expected, seen) }
		messageShape(o, bad)
		if v := o.get("content"); len(list(v)) > 0 {
			bad("a message that begins without content", "content "+v.Raw)
		}
		for _, f := range stopFields {
			if v := o.get(f.key); v.Exists() && !isNull(v) {
				bad(f.key+" null when a message begins", f.key+" "+v.Raw)
			}
		}
	}
	return n.found
}

// MessageUsage: the counts are integers of 0 or more, and cumulative: those of a
// message_delta are never less than those before. Every message_delta counts the
// output.
func (m *Messages) MessageUsage() []Finding {
	n := m.notes("MessageUsage")
	before, _ := integer(m.startUsage().get("output_tokens"))
	for _, e := range m.Ends {
		u, ok := asObject(e.object.get("usage"))
		if !ok {
			continue // for the fields of the event
		}
		tokenCounters(u, []string{"output_tokens"}, func(expected, seen string) { n.event(e.Event, expected, seen) })
		if count, ok := integer(u.get("output_tokens")); ok {
			if count < before {
				n.event(e.Event, fmt.Sprintf("output_tokens that count on from %d", before), fmt.Sprintf("output_tokens %d", count))
			}
			before = count
		}
	}
	return n.found
}

// InputCounted: the prompt is counted, in message_start or in message_delta.
func (m *Messages) InputCounted() []Finding {
	n := m.notes("InputCounted")
	if u := m.Usage(); len(m.Stops) > 0 && (u == nil || u.PromptTokens <= 0) {
		n.event(m.Stops[0].Event, "the tokens of the prompt in message_start or message_delta", "input_tokens 0, and nothing cached")
	}
	return n.found
}

// MessageCounted: the end counts no less than one token behind generated text, and
// no more than max_tokens.
func (m *Messages) MessageCounted() []Finding {
	n := m.notes("MessageCounted")
	if len(m.Ends) == 0 {
		return nil
	}
	count, ok := integer(m.endUsage().get("output_tokens"))
	generated := false
	for _, b := range m.Blocks {
		generated = generated || joined(b.Deltas) != ""
	}
	last := m.Ends[len(m.Ends)-1].Event
	if ok && generated && count == 0 {
		n.event(last, "output_tokens above 0 behind generated text", "output_tokens 0")
	}
	if limit := int64(m.Ask.MaxTokens); ok && limit > 0 && count > limit {
		n.event(last, fmt.Sprintf("at most %d output_tokens", limit), fmt.Sprintf("output_tokens %d", count))
	}
	return n.found
}

// NoErrorEvent: no event of a good reply is an error.
func (m *Messages) NoErrorEvent() []Finding {
	n := m.notes("NoErrorEvent")
	for _, e := range m.Events {
		if e.Type == "error" || e.Name == "error" {
			n.event(e.Event, "no error in a good reply", show(e.Raw))
		}
	}
	return n.found
}
