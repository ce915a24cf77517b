package check

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/tidwall/gjson"
)

// CreatedFirst: the stream begins with response.created, which comes once;
// response.queued and response.in_progress come at most once each, before any
// item.
func (r *Responses) CreatedFirst() []Finding {
	n := r.notes("CreatedFirst")
	if len(r.Events) > 0 && r.Events[0].Type != "response.created" {
		n.event(r.Events[0].Event, "response.created as the first event", r.Events[0].Type)
	}
	times := map[string]int{}
	for i, e := range r.Events {
		if !slices.Contains(states[:3], e.Type) {
			continue
		}
		if times[e.Type]++; times[e.Type] > 1 {
			n.event(e.Event, e.Type+" once", "another one")
		} else if i > len(times)-1 {
			n.event(e.Event, e.Type+" before any item", "it is event "+fmt.Sprint(i+1))
		}
	}
	return n.found
}

// StatusAgrees: the name of an event that holds the response, and the status in
// it, say the same.
func (r *Responses) StatusAgrees() []Finding {
	n := r.notes("StatusAgrees")
	for _, e := range r.States {
		allowed := []string{"in_progress", "queued"}
		if status, ends := terminals[e.Type]; ends {
			allowed = []string{status}
		}
		if v := e.response().get("status"); !slices.Contains(allowed, text(v)) {
			n.event(e.Event, fmt.Sprintf("status %s in %s", allowed[0], e.Type), "status "+seen(v))
		}
	}
	return n.found
}

// ItemOrder: items are added in the order of their indexes, parts likewise; every
// other event is about an item and a part that are open; each text is done before
// its part, each part before its item, and each item before the response is.
func (r *Responses) ItemOrder() []Finding {
	n := r.notes("ItemOrder")
	for _, m := range r.disorder {
		n.event(m.event, m.expected, m.seen)
	}
	if t := r.terminal(); t != nil && t.Type != "response.failed" {
		for _, item := range r.Items {
			if item.Done == nil || item.Done.Event > t.Event {
				n.event(t.Event, fmt.Sprintf("response.output_item.done of item %d before", item.Index), "none")
			}
		}
	}
	return n.found
}

// ItemIDs: an item has one id, when it is added, in every event about it, when it
// is done, and in the output; no two items share one.
func (r *Responses) ItemIDs() []Finding {
	n := r.notes("ItemIDs")
	ids, owner := map[int64]string{}, map[string]int64{}
	see := func(e NamedEvent, index int64, v gjson.Result) {
		id := text(v)
		if id == "" {
			return // for the shape
		}
		first, known := ids[index]
		if !known {
			ids[index] = id
			if other, taken := owner[id]; taken {
				n.event(e.Event, fmt.Sprintf("an id for item %d that no other has", index), fmt.Sprintf("%s, which is item %d", id, other))
			}
			owner[id] = index
		} else if id != first {
			n.event(e.Event, fmt.Sprintf("the id %s of item %d", first, index), id)
		}
	}
	for _, e := range r.Events {
		index, ok := integer(e.object.get("output_index"))
		if !ok {
			continue
		}
		see(e, index, e.object.get("item_id"))
		see(e, index, e.object.get("item").Get("id"))
	}
	if t := r.terminal(); t != nil {
		for i, v := range list(t.response().get("output")) {
			see(*t, int64(i), v.Get("id"))
		}
	}
	return n.found
}

// TextAgrees: the deltas of a part make up the text that the events at its end
// tell, and those of a call its arguments.
func (r *Responses) TextAgrees() []Finding {
	n := r.notes("TextAgrees")
	for _, item := range r.Items {
		for _, part := range item.pieces() {
			whole := joined(part.Deltas)
			for _, t := range part.told {
				if t.text != whole {
					n.event(t.event, fmt.Sprintf("the %s of the deltas: %q", part.kind, whole), fmt.Sprintf("%q", t.text))
				}
			}
		}
	}
	return n.found
}

func (i *OutputItem) pieces() []*ItemPart {
	if i.Arguments != nil {
		return append(slices.Clone(i.Parts), i.Arguments)
	}
	return i.Parts
}

// OutputAgrees: the items of the output, in the response and in each
// response.output_item.done, are the items that the events told, with the same
// text.
func (r *Responses) OutputAgrees() []Finding {
	n := r.notes("OutputAgrees")
	for _, item := range r.Items {
		if item.Done != nil {
			o, _ := asObject(item.Done.object.get("item"))
			item.agrees(o, func(expected, seen string) { n.event(item.Done.Event, expected, seen) })
		}
	}
	t := r.terminal()
	if t == nil || t.Type == "response.failed" {
		return n.found
	}
	output := list(t.response().get("output"))
	if len(output) != len(r.Items) {
		n.event(t.Event, fmt.Sprintf("an output of the %d items that were added", len(r.Items)), fmt.Sprintf("%d items", len(output)))
		return n.found
	}
	for i, item := range r.Items {
		o, _ := asObject(output[i])
		item.agrees(o, func(expected, seen string) { n.event(t.Event, fmt.Sprintf("output[%d] %s", i, expected), seen) })
		if item.Done == nil {
			continue
		}
		if done, last := text(item.Done.object.get("item").Get("status")), text(o.get("status")); done != last {
			n.event(t.Event, fmt.Sprintf("output[%d] with the status %q of its end", i, done), fmt.Sprintf("status %q", last))
		}
	}
	return n.found
}

// agrees judges that an item object holds what the events told.
func (i *OutputItem) agrees(o object, bad func(expected, seen string)) {
	if got := text(o.get("type")); got != i.Type {
		bad("an item of type "+i.Type, "type "+got)
		return
	}
	if i.Arguments != nil {
		if want, got := joined(i.Arguments.Deltas), text(o.get("arguments")); got != want {
			bad(fmt.Sprintf("the arguments of the deltas: %q", want), fmt.Sprintf("%q", got))
		}
		for _, key := range []string{"call_id", "name"} {
			if want, got := text(i.item.get(key)), text(o.get(key)); got != want {
				bad(key+" "+want+" as it was added", got)
			}
		}
	}
	content := "content"
	if len(i.Parts) > 0 && i.Parts[0].kind == "summary_text" {
		content = "summary"
	}
	parts := list(o.get(content))
	if i.Type == "reasoning" && len(parts) == 0 {
		return // what a model thinks may be kept back
	}
	if len(parts) != len(i.Parts) {
		bad(fmt.Sprintf("an item with the %d parts that were added", len(i.Parts)), fmt.Sprintf("%d parts", len(parts)))
		return
	}
	for j, part := range i.Parts {
		p, _ := asObject(parts[j])
		if want, got := joined(part.Deltas), partText(p); got != want {
			bad(fmt.Sprintf("the %s of the deltas: %q", part.kind, want), fmt.Sprintf("%q", got))
		}
	}
}

// CallsBegin: a call is added with call_id and name and without arguments, and
// its whole arguments are JSON.
func (r *Responses) CallsBegin() []Finding {
	n := r.notes("CallsBegin")
	for _, item := range r.Items {
		if item.Arguments == nil {
			continue
		}
		if got := text(item.item.get("arguments")); got != "" {
			n.event(item.added.Event, "a call that is added without arguments", fmt.Sprintf("arguments %q", got))
		}
		if whole := joined(item.Arguments.Deltas); item.Done != nil && r.Status() == "completed" && !json.Valid([]byte(whole)) {
			n.event(item.Done.Event, "whole arguments that are JSON", whole)
		}
	}
	return n.found
}
