// Package conversation writes the chat conversation that a request in another
// format describes, as the messages of the request to a model server.
package conversation

import (
	"encoding/json"
	"strings"

	"github.com/tidwall/gjson"

	"plumbline.dev/plumbline/reference/completion"
	"plumbline.dev/plumbline/reference/format"
)

// Conversation collects turns in their order. The texts that it is given are
// strings of the client's JSON; it copies them as they were escaped.
type Conversation struct {
	json     []byte // the finished messages, with a comma behind each
	messages []completion.Message
	calls    map[string]bool // ids of the calls that were made
	// turn is the assistant's message under way: chat wants what it says and the
	// calls that it makes in one.
	turn *turn
}

type turn struct {
	text  *Text  // nil if it says nothing
	calls []byte // with a comma behind each
}

// Text is text that may come in several parts, each a line of its own.
type Text struct {
	inside []byte
	plain  strings.Builder
	parts  int
}

// Add adds a part, a JSON string.
func (t *Text) Add(part gjson.Result) {
	if t.parts++; t.parts > 1 {
		t.inside = append(t.inside, `\n`...)
		t.plain.WriteByte('\n')
	}
	t.inside = append(t.inside, part.Raw[1:len(part.Raw)-1]...)
	t.plain.WriteString(part.Str)
}

// Empty tells whether no part was added.
func (t *Text) Empty() bool { return t.parts == 0 }

// Say adds what a system or a user says.
func (c *Conversation) Say(role string, t *Text) {
	c.endTurn()
	c.json = append(append(c.json, `{"role":"`...), role...)
	c.json = format.AppendInside(append(c.json, `","content":`...), t.inside)
	c.json = append(c.json, "},"...)
	c.messages = append(c.messages, completion.Message{Role: role, Text: t.plain.String()})
}

// Answer sets what the assistant says in the message under way.
func (c *Conversation) Answer(t *Text) {
	turn := c.begin()
	if !t.Empty() {
		turn.text = t
	}
}

// Call adds a call that the assistant makes. The arguments are a JSON string
// literal.
func (c *Conversation) Call(id, name gjson.Result, arguments []byte) {
	turn := c.begin()
	turn.calls = append(append(turn.calls, `{"id":`...), id.Raw...)
	turn.calls = append(append(turn.calls, `,"type":"function","function":{"name":`...), name.Raw...)
	turn.calls = append(append(turn.calls, `,"arguments":`...), arguments...)
	turn.calls = append(turn.calls, "}},"...)
	if c.calls == nil {
		c.calls = make(map[string]bool)
	}
	c.calls[id.Str] = true
}

// Called tells whether a call with this id has been made.
func (c *Conversation) Called(id string) bool { return c.calls[id] }

// Result adds what a call gave.
func (c *Conversation) Result(id gjson.Result, t *Text) {
	c.endTurn()
	c.json = append(append(c.json, `{"role":"tool","tool_call_id":`...), id.Raw...)
	c.json = format.AppendInside(append(c.json, `,"content":`...), t.inside)
	c.json = append(c.json, "},"...)
	c.messages = append(c.messages, completion.Message{Role: "tool", Text: t.plain.String()})
}

// NewTurn ends the assistant's message under way, so that what the assistant
// says next is a message of its own.
func (c *Conversation) NewTurn() { c.endTurn() }

// Empty tells whether nothing has been said.
func (c *Conversation) Empty() bool { return len(c.messages) == 0 && c.turn == nil }

// Messages returns the conversation, for counting.
func (c *Conversation) Messages() []completion.Message {
	c.endTurn()
	return c.messages
}

// JSON returns the messages of a chat completion request.
func (c *Conversation) JSON() json.RawMessage {
	c.endTurn()
	return array(c.json)
}

func (c *Conversation) begin() *turn {
	if c.turn == nil {
		c.turn = new(turn)
	}
	return c.turn
}

func (c *Conversation) endTurn() {
	t := c.turn
	if t == nil {
		return
	}
	c.turn = nil
	c.json = append(c.json, `{"role":"assistant","content":`...)
	text := t.text
	if text == nil {
		text = new(Text)
	}
	if text.Empty() && t.calls != nil {
		c.json = append(c.json, "null"...)
	} else {
		c.json = format.AppendInside(c.json, text.inside)
	}
	if t.calls != nil {
		c.json = append(append(c.json, `,"tool_calls":`...), array(t.calls)...)
	}
	c.json = append(c.json, "},"...)
	c.messages = append(c.messages, completion.Message{Role: "assistant", Text: text.plain.String()})
}

// array makes an array of elements that have a comma behind each.
func array(elements []byte) []byte {
	out := append(make([]byte, 0, len(elements)+2), '[')
	if n := len(elements); n > 0 {
		out = append(out, elements[:n-1]...)
	}
	return append(out, ']')
}
