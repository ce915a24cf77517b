package mutant

import (
	"fmt"
	"strings"
)

// Types of events of a response that mutants name more than once.
const (
	itemAdded = "response.output_item.added"
	itemDone  = "response.output_item.done"
	partAdded = "response.content_part.added"
	partDone  = "response.content_part.done"
	textDelta = "response.output_text.delta"
	textDone  = "response.output_text.done"
	argsDelta = "response.function_call_arguments.delta"
	argsDone  = "response.function_call_arguments.done"
)

// numbered is the stream of a response, whose events are numbered anew as they
// are told, so that one that is left out leaves no gap.
type numbered struct {
	*stream
	next int
}

// tell sends an event under the name of its type.
func (n *numbered) tell(o object) {
	o["sequence_number"] = n.next
	n.next++
	n.stream.tell(o.word("type"), o)
}

// onResponse is a mutant that handles the events of each response. Comments and
// the end pass by.
func onResponse(begin func(x *exchange, out *numbered) func(o object)) wrap {
	return onStreamAt(pathResponses, func(x *exchange, s *stream) func(event) {
		handle := begin(x, &numbered{stream: s})
		return func(e event) {
			if e.end || e.json() == nil {
				s.send(e)
				return
			}
			handle(e.json())
		}
	})
}

// onResponseIf is a mutant that does f with each event of a response that
// matches, and its number from 1 on, and tells the others.
func onResponseIf(match func(o object) bool, f func(out *numbered, o object, n int)) wrap {
	return onResponse(func(_ *exchange, out *numbered) func(object) {
		n := 0
		return func(o object) {
			if !match(o) {
				out.tell(o)
				return
			}
			n++
			f(out, o, n)
		}
	})
}

// changedResponse is a mutant that changes the events of a response that match.
func changedResponse(match func(o object) bool, change func(o object)) wrap {
	return onResponseIf(match, func(out *numbered, o object, _ int) {
		change(o)
		out.tell(o)
	})
}

// lostResponse is a mutant that loses the events of a response that match.
func lostResponse(match func(o object) bool) wrap {
	return onResponseIf(match, func(*numbered, object, int) {})
}

// hasResponse tells the events that hold the whole response.
func hasResponse(o object) bool { return o["response"] != nil }

// isTerminal tells the events that end a response which did not fail.
func isTerminal(o object) bool { return typed("response.completed", "response.incomplete")(o) }

// isIncomplete tells the end of a response at its limit.
func isIncomplete(o object) bool { return typed("response.incomplete")(o) }

// changedEnd is a mutant that changes the response object of the end.
func changedEnd(change func(r object)) wrap {
	return changedResponse(isTerminal, func(o object) { change(o.inner("response")) })
}

// responseAll are the rows that most faults of a response break beside their own,
// as their scenarios judge it whole or read its text.
func responseAll() []string {
	return []string{"openai-responses-*", "notholy-stream-*", "notholy-billing-0[12]"}
}

func responses() []Mutant {
	return notholy(responseEvents(), responseItems(), responseCalls(), responseTexts(), responseEnds(), responseUsages(), responseFailures(), responseWholes(),
		refusalsAt("responses", pathResponses, []string{"openai-responses-20", "openai-responses-21", "openai-responses-22", "openai-responses-23"}))
}

func responseEvents() []Mutant {
	names := []string{"openai-responses-02", "notholy-stream-09"}
	numbers := []string{"openai-responses-03", "notholy-stream-09"}
	end := []string{"openai-responses-10", "notholy-stream-05"} // they compare the name of the end
	return []Mutant{
		{Name: "responses-content-type-json", Summary: "a streamed response is sent as application/json",
			Breaks: []string{"openai-responses-01", "notholy-stream-01", "notholy-stream-09"},
			Wrap:   onHeadAt(pathResponses, func(_ *exchange, r *reply) { r.Header.Set("Content-Type", "application/json") })},
		{Name: "responses-answered-whole", Summary: "a streamed response is answered whole",
			Breaks: []string{"openai-responses-01", "openai-responses-02", "notholy-stream-01", "notholy-stream-02", "notholy-stream-05"},
			May:    append(responseAll(), "notholy-errors-05"), Wrap: answeredWhole(pathResponses)},
		{Name: "responses-events-unnamed", Summary: "events of a response have no name",
			Breaks: names, May: end, Wrap: onStreamAt(pathResponses, nth(holds(anything), func(s *stream, e event, _ int) { s.sendChunk(e.json()) }))},
		{Name: "responses-names-without-prefix", Summary: "names of events lack the response. of their types",
			Breaks: names, May: end, Wrap: onStreamAt(pathResponses, nth(holds(anything), func(s *stream, e event, _ int) {
				s.tell(strings.TrimPrefix(e.name, "response."), e.json())
			}))},
		{Name: "responses-type-missing", Summary: "events of a response have no type",
			Breaks: append(names, "openai-responses-04"), May: append(responseAll(), "notholy-errors-05"), Wrap: onStreamAt(pathResponses, rewritten(without("type")))},
		{Name: "responses-numbers-from-one", Summary: "sequence_number begins with 1",
			Breaks: numbers, Wrap: onStreamAt(pathResponses, rewritten(func(o object) { o.add("sequence_number", 1) }))},
		{Name: "responses-number-constant", Summary: "sequence_number of response.output_item.done is 1", Report: "BerriAI/litellm#28899",
			Breaks: numbers, Wrap: onStreamAt(pathResponses, rewrittenIf(typed(itemDone), func(o object) { o["sequence_number"] = 1 }))},
		{Name: "responses-numbers-gap", Summary: "events that a filter merged leave a gap in the numbers", Report: "ENTERPILOT/GoModel#953",
			Breaks: numbers, Wrap: onStreamAt(pathResponses, rewrittenIf(func(o object) bool { return o.number("sequence_number") > 4 }, func(o object) { o.add("sequence_number", 20) }))},
		{Name: "responses-numbers-missing", Summary: "deltas have no sequence_number",
			Breaks: append(numbers, "openai-responses-08"), Wrap: onStreamAt(pathResponses, rewrittenIf(typed(textDelta, argsDelta), without("sequence_number")))},
		{Name: "responses-created-missing", Summary: "a response begins without response.created",
			Breaks: []string{"openai-responses-04", "notholy-stream-09"}, Wrap: lostResponse(typed("response.created"))},
		{Name: "responses-in-progress-twice", Summary: "response.in_progress comes again with each item",
			Breaks: []string{"openai-responses-04", "notholy-stream-09"}, Wrap: onResponse(func(_ *exchange, out *numbered) func(object) {
				var progress object
				return func(o object) {
					if typed("response.in_progress")(o) {
						progress = o.clone()
					}
					if typed(itemAdded)(o) && progress != nil {
						out.tell(progress.clone())
					}
					out.tell(o)
				}
			})},
		{Name: "responses-created-with-first-item", Summary: "response.created comes behind response.in_progress",
			Breaks: []string{"openai-responses-04", "notholy-stream-09"}, Wrap: onResponse(func(_ *exchange, out *numbered) func(object) {
				var created object
				return func(o object) {
					if typed("response.created")(o) {
						created = o
						return
					}
					if out.tell(o); created != nil {
						out.tell(created)
						created = nil
					}
				}
			})},
		{Name: "responses-delta-without-item", Summary: "deltas of text have no item_id",
			Breaks: []string{"openai-responses-08", "notholy-stream-09"}, Wrap: changedResponse(typed(textDelta), without("item_id"))},
		{Name: "responses-text-done-without-text", Summary: "response.output_text.done has no text",
			Breaks: []string{"openai-responses-08", "openai-responses-07", "notholy-stream-09"}, Wrap: changedResponse(typed(textDone), without("text"))},
		{Name: "responses-in-progress-thin", Summary: "the response in response.in_progress is an id alone", Report: "diegosouzapw/OmniRoute#13964",
			Breaks: []string{"openai-responses-09", "notholy-stream-09"}, May: []string{"openai-responses-10", "notholy-stream-05"},
			Wrap: changedResponse(typed("response.in_progress"), func(o object) { o["response"] = object{"id": o.inner("response")["id"]} })},
		{Name: "responses-item-without-status", Summary: "messages have no status", Report: "diegosouzapw/OmniRoute#13964",
			Breaks: []string{"openai-responses-09", "notholy-stream-09"}, Wrap: changedResponse(typed(itemAdded, itemDone), func(o object) { delete(o.inner("item"), "status") }),
			May: []string{"openai-responses-07", "openai-responses-12"}},
		{Name: "responses-part-without-annotations", Summary: "parts have no annotations",
			Breaks: []string{"openai-responses-09", "notholy-stream-09"}, Wrap: changedResponse(typed(partAdded, partDone), func(o object) { delete(o.inner("part"), "annotations") })},
		{Name: "responses-id-changes", Summary: "the response has another id at its end",
			Breaks: []string{"openai-responses-09", "notholy-stream-09"}, Wrap: changedEnd(func(r object) { r["id"] = "resp_other" })},
		{Name: "responses-id-shared", Summary: "every response has the same id",
			Breaks: []string{"openai-responses-24"}, May: []string{"notholy-billing-*"}, Wrap: changedResponse(hasResponse, func(o object) { o.inner("response")["id"] = "resp_1" })},
		{Name: "responses-id-by-request", Summary: "the id of a response is made of its request",
			Breaks: []string{"openai-responses-24"}, May: []string{"notholy-billing-*"}, Wrap: onResponse(func(x *exchange, out *numbered) func(object) {
				id := fmt.Sprintf("resp_%024x", len(x.body))
				return func(o object) {
					if hasResponse(o) {
						o.inner("response")["id"] = id
					}
					out.tell(o)
				}
			})},
		{Name: "responses-error-null", Summary: "every event of a response has error null",
			Breaks: []string{"openai-responses-15", "notholy-stream-09"}, Wrap: changedResponse(anything, func(o object) { o["error"] = nil })},
		{Name: "responses-error-on-the-way", Summary: "an error event says that the reply came from a cache",
			Breaks: []string{"openai-responses-15", "notholy-stream-09"}, May: []string{"notholy-billing-*"}, Wrap: onResponseIf(isTerminal, func(out *numbered, o object, _ int) {
				out.tell(object{"type": "error", "code": "cache_hit", "message": "cache hit", "param": nil})
				out.tell(o)
			})},
	}
}
