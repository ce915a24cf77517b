package check

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"plumbline.dev/plumbline/conformance/wire"
)

// Completion is a chat completion that was not streamed.
type Completion struct {
	document
	Ask Ask
}

// ParseCompletion reads an answer that is to be a chat completion. It never
// fails: what it cannot read is for the rules to judge.
func ParseCompletion(t *wire.Transcript, ask Ask) *Completion {
	return &Completion{document: parseDocument(t, ask.Keys), Ask: ask}
}

// choice returns the choice with this index, empty if there is none.
func (c *Completion) choice(index int) (choice, message object) {
	for _, v := range list(c.body.get("choices")) {
		o, _ := asObject(v)
		if i, ok := integer(o.get("index")); ok && int(i) == index {
			message, _ := asObject(o.get("message"))
			return o, message
		}
	}
	return object{}, object{}
}

// ID returns the id of the completion.
func (c *Completion) ID() string { return text(c.body.get("id")) }

// Text returns the text of a choice.
func (c *Completion) Text(choice int) string {
	_, message := c.choice(choice)
	return text(message.get("content"))
}

// Finish returns the finish reason of a choice.
func (c *Completion) Finish(choice int) string {
	o, _ := c.choice(choice)
	return text(o.get("finish_reason"))
}

// Usage returns the usage, nil if it has none that can be read.
func (c *Completion) Usage() *Usage { return readUsage(c.body.get("usage")) }

// ToolCalls returns the tool calls of a choice. Their Index is their place.
func (c *Completion) ToolCalls(choice int) []ToolCall {
	_, message := c.choice(choice)
	var calls []ToolCall
	for i, v := range list(message.get("tool_calls")) {
		o, _ := asObject(v)
		f, _ := asObject(o.get("function"))
		calls = append(calls, ToolCall{
			Index: int64(i), ID: text(o.get("id")), Type: text(o.get("type")),
			Name: text(f.get("name")), Arguments: text(f.get("arguments")),
		})
	}
	return calls
}

// CompletionJSON: the answer is 200 with one JSON object as application/json.
func (c *Completion) CompletionJSON() []Finding {
	n := c.notes("CompletionJSON")
	c.status(n, http.StatusOK)
	c.json(n)
	return n.found
}

// CompletionShape: the object has the documented fields and types, and one
// choice for each that was asked for.
func (c *Completion) CompletionShape() []Finding {
	n := c.notes("CompletionShape")
	if !c.ok {
		return nil
	}
	breaks(c.body, []field{
		{"id", aString, true}, {"object", aString, true}, {"created", anInt, true}, {"model", aString, true},
		{"choices", anArray, true}, {"usage", anObject, true},
	}, n.body)
	if v := c.body.get("object"); v.Type == gjson.String && text(v) != "chat.completion" {
		n.body("object chat.completion", "object "+seen(v))
	}
	for _, key := range []string{"id", "model"} {
		if v := c.body.get(key); v.Type == gjson.String && text(v) == "" {
			n.body(key+" that is not empty", key+" "+seen(v))
		}
	}
	choices := list(c.body.get("choices"))
	if len(choices) != c.Ask.choices() {
		n.body(fmt.Sprintf("%d choices", c.Ask.choices()), fmt.Sprint(len(choices)))
	}
	for i, v := range choices {
		if index := v.Get("index"); v.IsObject() {
			if place, ok := integer(index); !ok || place != int64(i) {
				n.body(fmt.Sprintf("index %d of choices[%d]", i, i), "index "+seen(index))
			}
		}
		c.shapeOfChoice(n, v)
	}
	return n.found
}

func (c *Completion) shapeOfChoice(n *notes, v gjson.Result) {
	o, _ := asObject(v)
	message, ok := asObject(o.get("message"))
	if !ok {
		n.body("a choice with an object message", seen(v))
		return
	}
	if text(message.get("role")) != "assistant" {
		n.body("a message with the role assistant", "role "+seen(message.get("role")))
	}
	calls := list(message.get("tool_calls"))
	content := message.get("content")
	if content.Type != gjson.String && (!isNull(content) || len(calls) == 0 && text(message.get("refusal")) == "") {
		n.body("a message with a text as content", "content "+seen(content))
	}
	if finish := o.get("finish_reason"); !slices.Contains(finishReasons, text(finish)) {
		n.body("finish_reason as one of the documented words", "finish_reason "+seen(finish))
	}
	for _, call := range calls {
		t, _ := asObject(call)
		f, _ := asObject(t.get("function"))
		if text(t.get("id")) == "" || text(t.get("type")) != "function" || text(f.get("name")) == "" || f.get("arguments").Type != gjson.String {
			n.body("id, type function, name and arguments of a tool call", call.Raw)
		}
	}
}

// CompletionUsage: the counts of usage are right, as UsageSums has it for a
// stream.
func (c *Completion) CompletionUsage() []Finding {
	n := c.notes("CompletionUsage")
	if u, ok := asObject(c.body.get("usage")); ok {
		usageSums(u, n.body)
	}
	return n.found
}

// CompletionVendor: the object holds the fields of OpenAI alone.
func (c *Completion) CompletionVendor() []Finding {
	n := c.notes("CompletionVendor")
	if c.ok {
		completionSchema.strangers(gjson.ParseBytes(c.Transcript.Body), "", func(path string, v gjson.Result) {
			n.body("no field but those of OpenAI", path+": "+v.Raw)
		})
	}
	return n.found
}

// CompletionRule is a rule for a completion that was not streamed.
type CompletionRule struct {
	Name  string
	Rows  []string
	Judge func(*Completion) []Finding
}

// CompletionRules lists them.
func CompletionRules() []CompletionRule {
	return []CompletionRule{
		{"CompletionJSON", []string{"mortar-stream-32", "openai-chat-21"}, (*Completion).CompletionJSON},
		{"CompletionShape", []string{"mortar-stream-32", "openai-chat-21"}, (*Completion).CompletionShape},
		{"CompletionUsage", []string{"openai-chat-14"}, (*Completion).CompletionUsage},
		{"CompletionVendor", []string{"mortar-stream-30"}, (*Completion).CompletionVendor},
	}
}

// Agreement judges a streamed and a non-streamed answer to the same request:
// every choice has the same text, finish reason and tool calls, and usage, if
// the stream has it, counts the same. It judges mortar-stream-32 and
// openai-chat-22.
func Agreement(streamed *Chat, whole *Completion) []Finding {
	n := streamed.notes("Agreement")
	for i := range min(streamed.Ask.choices(), maxChoices) {
		if want, got := whole.Text(i), streamed.Text(i); got != want {
			n.found = append(n.found, streamed.compare(n.rule, i, want, got)...)
		}
		if want, got := whole.Finish(i), streamed.Finish(i); got != want {
			n.finish(fmt.Sprintf("finish_reason %q of choice %d as without stream", want, i), fmt.Sprintf("finish_reason %q", got))
		}
		if want, got := callsText(whole.ToolCalls(i)), callsText(streamed.ToolCalls(i)); got != want {
			n.finish("the tool calls as without stream: "+want, got)
		}
	}
	usage, want := streamed.Usage(), whole.Usage()
	if usage != nil && want != nil {
		// The second request may find the first one's prefix.
		usage.CachedTokens, want.CachedTokens = 0, 0
		usage.WrittenTokens, want.WrittenTokens = 0, 0
		if *usage != *want {
			n.finish(fmt.Sprintf("usage as without stream: %d + %d = %d", want.PromptTokens, want.CompletionTokens, want.TotalTokens),
				fmt.Sprintf("%d + %d = %d", usage.PromptTokens, usage.CompletionTokens, usage.TotalTokens))
		}
	}
	return n.found
}

// callsText writes what must agree of tool calls; their ids are fresh each time.
func callsText(calls []ToolCall) string {
	var b strings.Builder
	for _, c := range calls {
		arguments := &bytes.Buffer{}
		if json.Compact(arguments, []byte(c.Arguments)) != nil { // cut in their middle, they are no JSON
			arguments = bytes.NewBufferString(c.Arguments)
		}
		fmt.Fprintf(&b, "%s(%s) ", c.Name, arguments)
	}
	return b.String()
}
