package modelserver

import (
	"encoding/json"
	"strconv"
)

// toolCall is what has been sent of one call.
type toolCall struct {
	index    int
	id, name string
}

const maxToolCalls = 1024

// toolCalls rewrites the pieces of tool calls in one delta: each gets its index
// and, the first time, its type; an id or a name that is repeated is left out,
// because SDKs concatenate what they get. It returns nil when nothing is left.
func (c *choiceState) toolCalls(calls []byte) ([]byte, *Error) {
	if !isArray(calls) {
		return nil, malformed("tool_calls is not an array")
	}
	out := []byte{'['}
	for piece := range elements(calls) {
		if !isObject(piece) {
			return nil, malformed("a tool call is not an object")
		}
		var err *Error
		if out, err = c.toolCall(out, piece); err != nil {
			return nil, err
		}
	}
	if len(out) == 1 {
		return nil, nil
	}
	return append(out, ']'), nil
}

func (c *choiceState) toolCall(out, piece []byte) ([]byte, *Error) {
	id, ok := text(member(piece, "id"))
	function := member(piece, "function")
	name, ok2 := text(member(function, "name"))
	if !ok || !ok2 || function != nil && !isObject(function) {
		return nil, malformed("a tool call has an id, name or function of the wrong type")
	}
	call, first, err := c.callOf(member(piece, "index"), id)
	if err != nil {
		return nil, err
	}
	arguments := member(function, "arguments")
	if arguments != nil && !isString(arguments) {
		// Some servers send the arguments as the object that the string should hold.
		literal, err := json.Marshal(string(arguments))
		if err != nil {
			return nil, malformed("the arguments of a tool call cannot be quoted")
		}
		arguments = literal
	}
	newID, newName := id != "" && call.id == "", name != "" && name != call.name
	if !first && !newID && !newName && (arguments == nil || isEmptyText(arguments)) {
		return out, nil
	}
	if len(out) > 1 {
		out = append(out, ',')
	}
	out = append(out, `{"index":`...)
	out = strconv.AppendInt(out, int64(call.index), 10)
	if newID {
		call.id = id
		out = append(out, `,"id":`...)
		out = append(out, member(piece, "id")...)
	}
	if first {
		out = append(out, `,"type":"function"`...)
	}
	out = append(out, `,"function":{`...)
	if newName {
		call.name += name
		out = append(out, `"name":`...)
		out = append(out, member(function, "name")...)
		out = append(out, ',')
	}
	out = append(out, `"arguments":`...)
	if arguments == nil {
		arguments = []byte(`""`)
	}
	out = append(out, arguments...)
	return append(out, '}', '}'), nil
}

// callOf finds the call to which a piece belongs: by its index, else by its id,
// else it goes on with the latest one.
func (c *choiceState) callOf(index []byte, id string) (*toolCall, bool, *Error) {
	want := len(c.calls) - 1
	switch {
	case index != nil:
		n, err := strconv.Atoi(string(index))
		if err != nil || n < 0 || n >= maxToolCalls {
			return nil, false, malformed("a tool call has an impossible index")
		}
		want = n
	case id != "":
		want = len(c.calls)
		for i := range c.calls {
			if c.calls[i].id == id {
				want = c.calls[i].index
			}
		}
	case want < 0:
		want = 0
	}
	for i := range c.calls {
		if c.calls[i].index == want {
			return &c.calls[i], false, nil
		}
	}
	if len(c.calls) >= maxToolCalls {
		return nil, false, malformed("there are too many tool calls")
	}
	c.calls = append(c.calls, toolCall{index: want})
	return &c.calls[len(c.calls)-1], true, nil
}

// text decodes a string literal; absent and null are "".
func text(literal []byte) (string, bool) {
	if literal == nil {
		return "", true
	}
	var s string
	if json.Unmarshal(literal, &s) != nil {
		return "", false
	}
	return s, true
}

// appendLogprobs rewrites a choice's logprobs with the fields that OpenAI's API
// has, and counts the tokens that they tell of. It returns nil for absent ones.
func appendLogprobs(out, logprobs []byte) ([]byte, int) {
	if !isObject(logprobs) {
		return nil, 0
	}
	tokens := 0
	out = append(out, `{"content":`...)
	out = appendTokens(out, member(logprobs, "content"), &tokens)
	out = append(out, `,"refusal":`...)
	out = appendTokens(out, member(logprobs, "refusal"), &tokens)
	return append(out, '}'), tokens
}

func appendTokens(out, list []byte, tokens *int) []byte {
	if !isArray(list) {
		return append(out, "null"...)
	}
	out = append(out, '[')
	for item := range elements(list) {
		if out[len(out)-1] != '[' {
			out = append(out, ',')
		}
		if tokens != nil {
			*tokens++
		}
		out = append(out, `{"token":`...)
		out = appendValue(out, member(item, "token"), `""`)
		out = append(out, `,"logprob":`...)
		out = appendValue(out, member(item, "logprob"), "-9999.0")
		out = append(out, `,"bytes":`...)
		out = appendBytes(out, member(item, "bytes"))
		if tokens != nil { // an alternative has none of its own
			out = append(out, `,"top_logprobs":`...)
			top := member(item, "top_logprobs")
			if top == nil {
				top = []byte("[]")
			}
			out = appendTokens(out, top, nil)
		}
		out = append(out, '}')
	}
	return append(out, ']')
}

// appendValue copies a scalar; anything else could hold foreign fields.
func appendValue(out, value []byte, absent string) []byte {
	if value == nil || isObject(value) || isArray(value) {
		return append(out, absent...)
	}
	return append(out, value...)
}

func appendBytes(out, list []byte) []byte {
	if !isArray(list) {
		return append(out, "null"...)
	}
	out = append(out, '[')
	for n := range elements(list) {
		if out[len(out)-1] != '[' {
			out = append(out, ',')
		}
		out = appendValue(out, n, "0")
	}
	return append(out, ']')
}
