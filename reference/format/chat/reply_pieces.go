package chat

import (
	"slices"

	"github.com/tidwall/gjson"

	"plumbline.dev/plumbline/reference/format"
)

// addCalls puts the pieces of one delta to the calls that they belong to.
func (c *replyChoice) addCalls(pieces []byte) {
	gjson.ParseBytes(pieces).ForEach(func(_, piece gjson.Result) bool {
		call := c.call(piece.Get("index").Int())
		call.id = append(call.id, format.Inside([]byte(piece.Get("id").Raw))...)
		call.name = append(call.name, format.Inside([]byte(piece.Get("function.name").Raw))...)
		call.arguments = append(call.arguments, format.Inside([]byte(piece.Get("function.arguments").Raw))...)
		return true
	})
}

// call returns the call with this index, a new one at its place if need be.
func (c *replyChoice) call(index int64) *replyCall {
	at, found := slices.BinarySearchFunc(c.calls, index, func(call replyCall, index int64) int {
		return int(call.index - index)
	})
	if !found {
		c.calls = slices.Insert(c.calls, at, replyCall{index: index})
	}
	return &c.calls[at]
}

// addLogprobs joins the lists of all chunks.
func (c *replyChoice) addLogprobs(logprobs []byte) {
	c.hasLogprobs = true
	join := func(list []byte, value gjson.Result) []byte {
		if !value.IsArray() {
			return list
		}
		if list == nil {
			list = []byte{}
		}
		value.ForEach(func(_, token gjson.Result) bool {
			list = append(append(list, token.Raw...), ',')
			return true
		})
		return list
	}
	parsed := gjson.ParseBytes(logprobs)
	c.tokens = join(c.tokens, parsed.Get("content"))
	c.refused = join(c.refused, parsed.Get("refusal"))
}
