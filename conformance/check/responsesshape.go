package check

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tidwall/gjson"
)

// itemOf are the fields of every event about an item.
var itemOf = []field{{"item_id", aString, true}, {"output_index", anInt, true}}

func responseEvent(fields ...field) []field {
	return append([]field{{"type", aString, true}, {"sequence_number", anInt, true}}, fields...)
}

func contentEvent(fields ...field) []field {
	return responseEvent(slices.Concat(itemOf, []field{{"content_index", anInt, true}}, fields)...)
}

func summaryEvent(fields ...field) []field {
	return responseEvent(slices.Concat(itemOf, []field{{"summary_index", anInt, true}}, fields)...)
}

// responseEvents are the fields of each event. Those of hosted tools, and any
// that are newer, are not judged.
var responseEvents = map[string][]field{
	"response.created":                       responseEvent(field{"response", anObject, true}),
	"response.queued":                        responseEvent(field{"response", anObject, true}),
	"response.in_progress":                   responseEvent(field{"response", anObject, true}),
	"response.completed":                     responseEvent(field{"response", anObject, true}),
	"response.incomplete":                    responseEvent(field{"response", anObject, true}),
	"response.failed":                        responseEvent(field{"response", anObject, true}),
	"response.output_item.added":             responseEvent(field{"output_index", anInt, true}, field{"item", anObject, true}),
	"response.output_item.done":              responseEvent(field{"output_index", anInt, true}, field{"item", anObject, true}),
	"response.content_part.added":            contentEvent(field{"part", anObject, true}),
	"response.content_part.done":             contentEvent(field{"part", anObject, true}),
	"response.output_text.delta":             contentEvent(field{"delta", aString, true}, field{"logprobs", anArray, false}),
	"response.output_text.done":              contentEvent(field{"text", aString, true}, field{"logprobs", anArray, false}),
	"response.refusal.delta":                 contentEvent(field{"delta", aString, true}),
	"response.refusal.done":                  contentEvent(field{"refusal", aString, true}),
	"response.reasoning_text.delta":          contentEvent(field{"delta", aString, true}),
	"response.reasoning_text.done":           contentEvent(field{"text", aString, true}),
	"response.reasoning_summary_part.added":  summaryEvent(field{"part", anObject, true}),
	"response.reasoning_summary_part.done":   summaryEvent(field{"part", anObject, true}),
	"response.reasoning_summary_text.delta":  summaryEvent(field{"delta", aString, true}),
	"response.reasoning_summary_text.done":   summaryEvent(field{"text", aString, true}),
	"response.function_call_arguments.delta": responseEvent(append(slices.Clone(itemOf), field{"delta", aString, true})...),
	"response.function_call_arguments.done":  responseEvent(append(slices.Clone(itemOf), field{"arguments", aString, true})...),
}

// ResponseEventFields: each event has the fields of its type.
func (r *Responses) ResponseEventFields() []Finding {
	n := r.notes("ResponseEventFields")
	r.fieldsOf(n, responseEvents)
	return n.found
}

// SequenceNumbers: sequence_number counts every event, from 0 on.
func (r *Responses) SequenceNumbers() []Finding {
	n := r.notes("SequenceNumbers")
	for i, e := range r.Events {
		v := e.object.get("sequence_number")
		if number, ok := integer(v); !ok || number != int64(i) {
			n.event(e.Event, fmt.Sprintf("sequence_number %d", i), "sequence_number "+seen(v))
		}
	}
	return n.found
}

var responseFields = []field{
	{"id", aString, true},
	{"object", aString, true},
	{"created_at", aNumber, true},
	{"model", aString, true},
	{"status", aString, true},
	{"error", anObject.orNull(), true},
	{"incomplete_details", anObject.orNull(), true},
	{"output", anArray, true},
	{"parallel_tool_calls", kind{"true or false", func(v gjson.Result) bool { return v.IsBool() }}, true},
	{"instructions", kind{"a string, a list or null", func(v gjson.Result) bool { return isNull(v) || v.Type == gjson.String || v.IsArray() }}, true},
	{"usage", anObject.orNull(), false},
}

// responseShape judges a response object.
func responseShape(o object, bad func(expected, seen string)) {
	breaks(o, responseFields, func(expected, seen string) { bad("a response with "+expected, seen) })
	if v := o.get("object"); v.Type == gjson.String && text(v) != "response" {
		bad("object response", "object "+seen(v))
	}
	for _, key := range []string{"id", "model"} {
		if v := o.get(key); v.Type == gjson.String && text(v) == "" {
			bad("a response with "+key+" that is not empty", key+" "+seen(v))
		}
	}
	for i, v := range list(o.get("output")) {
		item, _ := asObject(v)
		itemShape(item, true, func(expected, seen string) { bad(fmt.Sprintf("output[%d] %s", i, expected), seen) })
	}
}

var itemStatuses = []string{"in_progress", "completed", "incomplete"}

// itemFields are the fields of an item by its type. Others are not judged.
var itemFields = map[string][]field{
	"message":       {{"id", aString, true}, {"role", aString, true}, {"status", aString, true}, {"content", anArray, true}},
	"function_call": {{"call_id", aString, true}, {"name", aString, true}, {"arguments", aString, true}, {"status", aString, false}},
	"reasoning":     {{"id", aString, true}, {"summary", anArray, true}, {"content", anArray.orNull(), false}},
}

// itemShape judges an item: one that is over, or one that begins.
func itemShape(o object, over bool, bad func(expected, seen string)) {
	kind := text(o.get("type"))
	if kind == "" {
		bad("with a type", "type "+seen(o.get("type")))
	}
	breaks(o, itemFields[kind], func(expected, seen string) { bad("of type "+kind+" with "+expected, seen) })
	if v := o.get("status"); v.Type == gjson.String && !slices.Contains(itemStatuses, text(v)) {
		bad("with status "+strings.Join(itemStatuses, ", "), "status "+seen(v))
	} else if over && text(v) == "in_progress" {
		bad("that is completed or incomplete", "status in_progress")
	}
	switch kind {
	case "message":
		if v := o.get("role"); v.Type == gjson.String && text(v) != "assistant" {
			bad("with the role assistant", "role "+seen(v))
		}
		for _, part := range list(o.get("content")) {
			p, _ := asObject(part)
			partShape(p, bad)
		}
	case "function_call":
		for _, key := range []string{"call_id", "name"} {
			if v := o.get(key); v.Type == gjson.String && text(v) == "" {
				bad("with "+key+" that is not empty", key+" "+seen(v))
			}
		}
	}
}

// partShape judges a part of a message.
func partShape(o object, bad func(expected, seen string)) {
	switch v := o.get("type"); text(v) {
	case "output_text":
		breaks(o, []field{{"text", aString, true}, {"annotations", anArray, true}}, func(expected, seen string) { bad("with an output_text with "+expected, seen) })
	case "refusal":
		breaks(o, []field{{"refusal", aString, true}}, func(expected, seen string) { bad("with a refusal with "+expected, seen) })
	default:
		bad("with parts output_text and refusal", "type "+seen(v))
	}
}

// ResponseShape: every response object, item and part has the documented fields.
func (r *Responses) ResponseShape() []Finding {
	n := r.notes("ResponseShape")
	for _, e := range r.States {
		if o := e.response(); e.object.get("response").IsObject() {
			responseShape(o, func(expected, seen string) { n.event(e.Event, expected, seen) })
		}
	}
	for _, e := range r.Events {
		bad := func(expected, seen string) { n.event(e.Event, expected, seen) }
		switch item, isItem := asObject(e.object.get("item")); {
		case e.Type == "response.output_item.added" && isItem:
			itemShape(item, false, func(expected, seen string) { bad("an item "+expected, seen) })
		case e.Type == "response.output_item.done" && isItem:
			itemShape(item, true, func(expected, seen string) { bad("an item "+expected, seen) })
		}
		if part, ok := asObject(e.object.get("part")); ok && strings.HasPrefix(e.Type, "response.content_part.") && text(part.get("type")) != "reasoning_text" {
			partShape(part, func(expected, seen string) { bad("a part "+expected, seen) })
		}
	}
	return n.found
}

// SameResponse: every event that holds the response holds the same id, created_at
// and model.
func (r *Responses) SameResponse() []Finding {
	n := r.notes("SameResponse")
	for _, key := range []string{"id", "created_at", "model"} {
		first := ""
		for i, e := range r.States {
			switch got := seen(e.response().get(key)); {
			case i == 0:
				first = got
			case got != first:
				n.event(e.Event, key+" "+first+" as in the events before", got)
			}
		}
	}
	return n.found
}
