package check

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tidwall/gjson"
)

// TerminalLast: exactly one event ends the response, response.completed or
// response.incomplete, and nothing but the end of the body follows.
func (r *Responses) TerminalLast() []Finding {
	n := r.notes("TerminalLast")
	t := r.terminal()
	switch {
	case t == nil:
		n.end("response.completed or response.incomplete", "the body ended without it")
		return n.found
	case t.Type == "response.failed":
		n.event(t.Event, "response.completed or response.incomplete", t.Type)
	}
	r.nothingAfter(n, t.Event, t.Type)
	return n.found
}

// EndDetails: a completed response has neither error nor incomplete_details, and
// its items are completed; an incomplete one says why, and so does the last of
// its items.
func (r *Responses) EndDetails() []Finding {
	n := r.notes("EndDetails")
	t := r.terminal()
	if t == nil {
		return nil
	}
	o := t.response()
	output := list(o.get("output"))
	switch t.Type {
	case "response.completed":
		for _, key := range []string{"error", "incomplete_details"} {
			if v := o.get(key); v.Exists() && !isNull(v) {
				n.event(t.Event, key+" null in a completed response", key+" "+v.Raw)
			}
		}
		for i, item := range output {
			if s := item.Get("status"); s.Exists() && text(s) != "completed" {
				n.event(t.Event, fmt.Sprintf("output[%d] completed in a completed response", i), "status "+seen(s))
			}
		}
	case "response.incomplete":
		if reason := r.IncompleteReason(); !slices.Contains([]string{"max_output_tokens", "content_filter"}, reason) {
			n.event(t.Event, "incomplete_details.reason max_output_tokens or content_filter", "incomplete_details "+seen(o.get("incomplete_details")))
		}
		if len(output) > 0 {
			if s := output[len(output)-1].Get("status"); s.Exists() && text(s) != "incomplete" {
				n.event(t.Event, "the last item incomplete in an incomplete response", "status "+seen(s))
			}
		}
	}
	return n.found
}

// ResponseUsage: the end carries usage with every count, and they add up.
func (r *Responses) ResponseUsage() []Finding {
	n := r.notes("ResponseUsage")
	t := r.terminal()
	if t == nil || t.Type == "response.failed" {
		return nil
	}
	responseUsage(t.response().get("usage"), func(expected, seen string) { n.event(t.Event, expected, seen) })
	return n.found
}

func responseUsage(v gjson.Result, bad func(expected, seen string)) {
	u, ok := asObject(v)
	if !ok {
		bad("usage with the token counts", "usage "+seen(v))
		return
	}
	count := func(o object, key string) (int64, bool) {
		i, ok := integer(o.get(key))
		if !ok || i < 0 {
			bad(key+" as an integer of 0 or more", key+" "+seen(o.get(key)))
		}
		return i, ok && i >= 0
	}
	input, okInput := count(u, "input_tokens")
	output, okOutput := count(u, "output_tokens")
	total, okTotal := count(u, "total_tokens")
	if okInput && okOutput && okTotal && total-input != output {
		bad(fmt.Sprintf("total_tokens as the sum of %d and %d", input, output), fmt.Sprintf("total_tokens %d", total))
	}
	for _, d := range []struct {
		key, part string
		whole     int64
		known     bool
	}{
		{"input_tokens_details", "cached_tokens", input, okInput},
		{"output_tokens_details", "reasoning_tokens", output, okOutput},
	} {
		details, ok := asObject(u.get(d.key))
		if !ok {
			bad(d.key+" as an object", d.key+" "+seen(u.get(d.key)))
			continue
		}
		if part, ok := count(details, d.part); ok && d.known && part > d.whole {
			bad(fmt.Sprintf("%s of at most %d", d.part, d.whole), fmt.Sprintf("%s %d", d.part, part))
		}
	}
}

// OutputCounted: the end counts no less than one token behind generated text, and
// no more than max_output_tokens.
func (r *Responses) OutputCounted() []Finding {
	n := r.notes("OutputCounted")
	u := r.Usage()
	if u == nil {
		return nil
	}
	generated := slices.ContainsFunc(r.Items, func(i *OutputItem) bool {
		return slices.ContainsFunc(i.pieces(), func(p *ItemPart) bool { return joined(p.Deltas) != "" })
	})
	if generated && u.CompletionTokens == 0 {
		n.event(r.terminal().Event, "output_tokens above 0 behind generated text", "output_tokens 0")
	}
	if limit := int64(r.Ask.MaxTokens); limit > 0 && u.CompletionTokens > limit {
		n.event(r.terminal().Event, fmt.Sprintf("at most %d output_tokens", limit), fmt.Sprintf("output_tokens %d", u.CompletionTokens))
	}
	return n.found
}

// NoErrorInResponse: no event of a good reply is an error or has an error key,
// which every SDK takes for a failure.
func (r *Responses) NoErrorInResponse() []Finding {
	n := r.notes("NoErrorInResponse")
	for _, e := range r.Events {
		if v := e.object.get("error"); v.Exists() {
			n.event(e.Event, "no error key in an event of a good reply", "error "+seen(v))
		} else if e.Type == "error" || e.Name == "error" {
			n.event(e.Event, "no error in a good reply", show(e.Raw))
		}
	}
	return n.found
}

// FailedLast: a failure is told by exactly one response.failed, with status
// failed; an event of type error may come before it, and nothing after it.
func (r *Responses) FailedLast() []Finding {
	n := r.notes("FailedLast")
	t := r.terminal()
	if t == nil || t.Type != "response.failed" {
		got := "the body ended without it"
		if t != nil {
			got = t.Type
		}
		r.last(n, "response.failed", got)
		return n.found
	}
	if v := t.response().get("status"); text(v) != "failed" {
		n.event(t.Event, "status failed in response.failed", "status "+seen(v))
	}
	r.nothingAfter(n, t.Event, t.Type)
	if len(r.Errors) > 1 {
		n.event(r.Errors[1].Event, "at most one error event before response.failed", "another one")
	}
	return n.found
}

// FailedError: response.error has a code and a message, texts that are not empty,
// and what the message says tells nothing of the deployment.
func (r *Responses) FailedError() []Finding {
	n := r.notes("FailedError")
	t := r.terminal()
	if t == nil || t.Type != "response.failed" {
		return nil
	}
	e, ok := asObject(t.response().get("error"))
	if !ok {
		n.event(t.Event, "the error in response.error", "error "+seen(t.response().get("error")))
		return n.found
	}
	for _, key := range []string{"code", "message"} {
		if v := e.get(key); strings.TrimSpace(text(v)) == "" {
			n.event(t.Event, "response.error."+key+" as a text that is not empty", key+" "+seen(v))
		}
	}
	if what := leak(text(e.get("message")), r.Ask.Keys); what != "" {
		n.event(t.Event, "a message without any address, path, key or stack", what+" in: "+text(e.get("message")))
	}
	return n.found
}
