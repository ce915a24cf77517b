package check

import (
	"slices"

	"github.com/tidwall/gjson"

	"plumbline.dev/plumbline/conformance/wire"
)

// Responses is a streamed reply of the Responses API, taken apart but not
// judged.
type Responses struct {
	Named

	// Items are what the events told of the output, by the order in which they
	// were added.
	Items []*OutputItem
	// States are the events that hold the whole response.
	States []NamedEvent
	// Errors are the events of type error.
	Errors []NamedEvent

	disorder []misplaced
}

// OutputItem is one item of the output, as its events built it up.
type OutputItem struct {
	Index     int64
	Type      string
	Parts     []*ItemPart
	Arguments *ItemPart // of a function call
	Done      *NamedEvent

	added NamedEvent
	item  object // as it was added
}

// ItemPart is a piece of an item that comes in deltas: a part of its content, of
// its summary, or the arguments of its call.
type ItemPart struct {
	Deltas []Delta

	kind     string // output_text, refusal, reasoning_text, summary_text, arguments
	added    bool
	told     []told // each whole text that an event told
	textDone bool
	partDone bool
}

// told is a whole text that an event told.
type told struct {
	event int
	text  string
}

// misplaced is an event that the state of the reply did not allow.
type misplaced struct {
	event          int
	expected, seen string
}

// terminals are the events that end a response, each with its status.
var terminals = map[string]string{
	"response.completed": "completed", "response.incomplete": "incomplete", "response.failed": "failed",
}

var states = []string{"response.created", "response.queued", "response.in_progress", "response.completed", "response.incomplete", "response.failed"}

// ParseResponses takes a streamed response apart. It never fails: what it
// cannot read is for the rules to judge.
func ParseResponses(t *wire.Transcript, ask Ask) *Responses {
	r := &Responses{Named: parseNamed(t, ask)}
	for _, e := range r.Events {
		switch {
		case slices.Contains(states, e.Type):
			r.States = append(r.States, e)
		case e.Type == "error":
			r.Errors = append(r.Errors, e)
		default:
			r.step(e)
		}
	}
	return r
}

// terminal returns the first event that ends the response, nil if none does.
func (r *Responses) terminal() *NamedEvent {
	for i := range r.States {
		if _, ends := terminals[r.States[i].Type]; ends {
			return &r.States[i]
		}
	}
	return nil
}

// response returns the response object of a state.
func (e *NamedEvent) response() object {
	if e == nil {
		return object{}
	}
	o, _ := asObject(e.object.get("response"))
	return o
}

// Status returns how the response ended: completed, incomplete, failed, or ""
// if it did not say.
func (r *Responses) Status() string { return text(r.terminal().response().get("status")) }

// IncompleteReason returns why an incomplete response is.
func (r *Responses) IncompleteReason() string {
	details, _ := asObject(r.terminal().response().get("incomplete_details"))
	return text(details.get("reason"))
}

// Text returns the text of all messages, as the deltas made it up.
func (r *Responses) Text() string { return joined(r.Deltas()) }

// Deltas returns the pieces of text, in the order in which they came.
func (r *Responses) Deltas() []Delta {
	var out []Delta
	for _, item := range r.Items {
		for _, part := range item.Parts {
			if part.kind == "output_text" {
				out = append(out, part.Deltas...)
			}
		}
	}
	slices.SortStableFunc(out, func(a, b Delta) int { return a.Event - b.Event })
	return out
}

// Usage returns the usage of the end, nil if there is none that can be read.
func (r *Responses) Usage() *Usage { return readTokens(r.terminal().response().get("usage")) }

// readTokens reads the usage of a response.
func readTokens(v gjson.Result) *Usage {
	o, ok := asObject(v)
	if !ok {
		return nil
	}
	u := Usage{CachedTokens: -1, WrittenTokens: -1}
	for key, into := range map[string]*int64{
		"input_tokens": &u.PromptTokens, "output_tokens": &u.CompletionTokens, "total_tokens": &u.TotalTokens,
	} {
		count, ok := integer(o.get(key))
		if !ok {
			return nil
		}
		*into = count
	}
	if details, ok := asObject(o.get("input_tokens_details")); ok {
		if cached, ok := integer(details.get("cached_tokens")); ok {
			u.CachedTokens = cached
		}
		if written, ok := integer(details.get("cache_write_tokens")); ok {
			u.WrittenTokens = written
		}
	}
	return &u
}

// Saying returns what the reply says.
func (r *Responses) Saying() Saying {
	s := Saying{Text: r.Text(), Usage: r.Usage(), Deltas: r.Deltas(), Events: len(r.Events) - len(r.Errors)}
	for _, state := range r.States {
		if s.ID = text(state.response().get("id")); s.ID != "" {
			break
		}
	}
	for _, item := range r.Items {
		if item.Arguments != nil {
			s.Calls = append(s.Calls, ToolCall{Index: item.Index, ID: text(item.item.get("call_id")), Type: "function",
				Name: text(item.item.get("name")), Arguments: joined(item.Arguments.Deltas)})
		}
	}
	if t := r.terminal(); t != nil {
		s.Finish = finishOf(t.response(), len(s.Calls) > 0)
		s.Complete = t.Type != "response.failed"
		s.Failed = !s.Complete
	}
	s.Failed = s.Failed || len(r.Errors) > 0
	return s
}

// finishOf says why a response ended in the words of chat completions.
func finishOf(response object, calls bool) string {
	details, _ := asObject(response.get("incomplete_details"))
	switch status, reason := text(response.get("status")), text(details.get("reason")); {
	case status == "completed" && calls:
		return "tool_calls"
	case status == "completed":
		return "stop"
	case status == "incomplete" && reason == "max_output_tokens":
		return "length"
	case status == "incomplete":
		return reason
	}
	return ""
}
