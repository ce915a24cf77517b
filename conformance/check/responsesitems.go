package check

import (
	"fmt"
	"strings"
)

// partEvents are the events that build up a part of an item: what part they are
// about, and in which field its text stands.
var partEvents = map[string]struct{ kind, index, text string }{
	"response.output_text":             {"output_text", "content_index", "text"},
	"response.refusal":                 {"refusal", "content_index", "refusal"},
	"response.reasoning_text":          {"reasoning_text", "content_index", "text"},
	"response.reasoning":               {"reasoning_text", "content_index", "text"}, // as Open Responses calls it
	"response.reasoning_summary_text":  {"summary_text", "summary_index", "text"},
	"response.function_call_arguments": {"arguments", "", "arguments"},
}

// misplace notes that the state of the reply did not allow an event.
func (r *Responses) misplace(e NamedEvent, expected, seenFormat string, args ...any) {
	r.disorder = append(r.disorder, misplaced{e.Event, expected, fmt.Sprintf(seenFormat, args...)})
}

// step takes one event of an item.
func (r *Responses) step(e NamedEvent) {
	subject, verb := e.Type, ""
	if i := strings.LastIndexByte(e.Type, '.'); i >= 0 {
		subject, verb = e.Type[:i], e.Type[i+1:]
	}
	_, isText := partEvents[subject]
	isPart := subject == "response.content_part" || subject == "response.reasoning_summary_part"
	switch {
	case e.Type == "response.output_item.added":
		r.add(e)
		return
	case e.Type != "response.output_item.done" && !isPart && !(isText && (verb == "delta" || verb == "done")):
		return // of a tool that the gateway hosts, or newer than this reader
	}
	item := r.open(e)
	if item == nil {
		return
	}
	switch {
	case isPart && verb == "added":
		r.addPart(e, item)
	case isPart:
		r.endPart(e, item)
	case isText:
		r.text(e, item, subject, verb)
	default:
		r.end(e, item)
	}
}

// add opens an item.
func (r *Responses) add(e NamedEvent) {
	item := &OutputItem{added: e}
	item.item, _ = asObject(e.object.get("item"))
	item.Type = text(item.item.get("type"))
	index, ok := integer(e.object.get("output_index"))
	if want := int64(len(r.Items)); !ok || index != want {
		r.misplace(e, fmt.Sprintf("output_index %d of the next item", want), "output_index %s", seen(e.object.get("output_index")))
		index = want
	}
	item.Index = index
	if item.Type == "function_call" {
		item.Arguments = &ItemPart{kind: "arguments", added: true}
	}
	r.Items = append(r.Items, item)
}

// open returns the item that an event is about, nil if it is not open.
func (r *Responses) open(e NamedEvent) *OutputItem {
	index, ok := integer(e.object.get("output_index"))
	switch {
	case !ok || index < 0 || index >= int64(len(r.Items)):
		r.misplace(e, "an item that was added", "%s of output_index %s", e.Type, seen(e.object.get("output_index")))
		return nil
	case r.Items[index].Done != nil:
		r.misplace(e, "an item that is not done", "%s of the item %d, which is", e.Type, index)
		return nil
	}
	return r.Items[index]
}

// end closes an item.
func (r *Responses) end(e NamedEvent, item *OutputItem) {
	for i, part := range item.Parts {
		if part.added && !part.partDone {
			r.misplace(e, "every part done before its item", "part %d is not", i)
		}
	}
	if a := item.Arguments; a != nil && !a.textDone {
		r.misplace(e, "response.function_call_arguments.done before the end of the call", "none")
	}
	item.Done = &e
}

// addPart opens a part.
func (r *Responses) addPart(e NamedEvent, item *OutputItem) {
	o, _ := asObject(e.object.get("part"))
	key := "content_index"
	if e.Type == "response.reasoning_summary_part.added" {
		key = "summary_index"
	}
	if index, ok := integer(e.object.get(key)); !ok || index != int64(len(item.Parts)) {
		r.misplace(e, fmt.Sprintf("%s %d of the next part", key, len(item.Parts)), "%s %s", key, seen(e.object.get(key)))
	}
	if item.Type == "function_call" {
		r.misplace(e, "no part in a function call", "%s", e.Type)
	}
	item.Parts = append(item.Parts, &ItemPart{kind: text(o.get("type")), added: true})
}

// part returns the part that an event is about, nil if it is not open. Reasoning
// may come without parts of its own.
func (r *Responses) part(e NamedEvent, item *OutputItem, key, kind string) *ItemPart {
	index, ok := integer(e.object.get(key))
	if kind == "reasoning_text" && ok && index == int64(len(item.Parts)) {
		item.Parts = append(item.Parts, &ItemPart{kind: kind})
	}
	switch {
	case !ok || index < 0 || index >= int64(len(item.Parts)):
		r.misplace(e, "a part that was added", "%s of %s %s", e.Type, key, seen(e.object.get(key)))
		return nil
	case item.Parts[index].partDone:
		r.misplace(e, "a part that is not done", "%s of the part %d, which is", e.Type, index)
		return nil
	case kind != "" && item.Parts[index].kind != kind:
		r.misplace(e, "a part of type "+kind, "%s of a part of type %s", e.Type, item.Parts[index].kind)
		return nil
	}
	return item.Parts[index]
}

// endPart closes a part.
func (r *Responses) endPart(e NamedEvent, item *OutputItem) {
	key := "content_index"
	if strings.HasPrefix(e.Type, "response.reasoning_summary_part") {
		key = "summary_index"
	}
	part := r.part(e, item, key, "")
	if part == nil {
		return
	}
	if !part.textDone {
		r.misplace(e, "the whole text before the end of its part", "%s first", e.Type)
	}
	part.partDone = true
	if o, ok := asObject(e.object.get("part")); ok {
		part.told = append(part.told, told{e.Event, partText(o)})
	}
}

// partText returns the text of a part, whatever its type calls it.
func partText(o object) string {
	if text(o.get("type")) == "refusal" {
		return text(o.get("refusal"))
	}
	return text(o.get("text"))
}

// text takes a delta of a part, or its whole text.
func (r *Responses) text(e NamedEvent, item *OutputItem, subject, verb string) {
	kind := partEvents[subject]
	part := item.Arguments
	if kind.index != "" {
		part = r.part(e, item, kind.index, kind.kind)
	} else if part == nil {
		r.misplace(e, "arguments of a function call", "%s of an item of type %s", e.Type, item.Type)
	}
	switch {
	case part == nil:
	case part.textDone:
		r.misplace(e, "nothing of a text that is done", "%s", e.Type)
	case verb == "delta":
		part.Deltas = append(part.Deltas, Delta{Text: text(e.object.get("delta")), Event: e.Event, At: e.At})
	default:
		part.textDone = true
		part.told = append(part.told, told{e.Event, text(e.object.get(kind.text))})
	}
}
