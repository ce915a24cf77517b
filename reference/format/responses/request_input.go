package responses

import (
	"github.com/tidwall/gjson"

	"plumbline.dev/plumbline/reference/apierror"
	"plumbline.dev/plumbline/reference/format/conversation"
	"plumbline.dev/plumbline/reference/format/param"
)

// decodeInput reads the conversation: a string, or items.
func decodeInput(talk *conversation.Conversation, m param.Members) *apierror.Error {
	const path = "input"
	raw, ok := m[path]
	if !ok {
		return apierror.Missing(path)
	}
	v := gjson.ParseBytes(raw)
	if v.Type == gjson.String {
		if e := param.NonEmptyText(path, v); e != nil {
			return e
		}
		words := new(conversation.Text)
		words.Add(v)
		talk.Say("user", words)
		return nil
	}
	if !v.IsArray() {
		return apierror.InvalidType(path, "one of a string or an array of input items", param.Describe(v))
	}
	e := param.Array(path, v, func(path string, v gjson.Result) *apierror.Error {
		return decodeItem(talk, path, v)
	})
	if e == nil && talk.Empty() {
		return apierror.InvalidValue(path, "there must be an item that says something, such as a message")
	}
	return e
}

// decodeItem reads one item. A message may leave its type out.
func decodeItem(talk *conversation.Conversation, path string, v gjson.Result) *apierror.Error {
	if e := param.PlainObject(path, v); e != nil {
		return e
	}
	kind := v.Get("type")
	if e := param.Optional(path+".type", kind, param.Text); e != nil {
		return e
	}
	switch kind.Str {
	case "", "message":
		return decodeMessage(talk, path, v)
	case "function_call":
		return decodeCall(talk, path, v)
	case "function_call_output":
		return decodeOutput(talk, path, v)
	case "reasoning":
		return nil
	case "item_reference":
		return apierror.InvalidValue(path+".type", "this gateway stores no items, send the item itself")
	}
	return apierror.InvalidValue(path+".type", "supported values are: 'message', 'function_call', 'function_call_output', 'reasoning'")
}

func decodeMessage(talk *conversation.Conversation, path string, v gjson.Result) *apierror.Error {
	role := v.Get("role")
	if e := param.Required(path+".role", role, param.OneOf("user", "assistant", "system", "developer")); e != nil {
		return e
	}
	content := v.Get("content")
	if !content.Exists() {
		return apierror.Missing(path + ".content")
	}
	words, e := decodeContent(path+".content", content)
	switch {
	case e != nil:
		return e
	case role.Str == "assistant":
		talk.NewTurn()
		talk.Answer(words)
	case role.Str == "developer": // chat model servers know it by its older name
		talk.Say("system", words)
	default:
		talk.Say(role.Str, words)
	}
	return nil
}

// decodeContent reads text: a string, or parts.
func decodeContent(path string, v gjson.Result) (*conversation.Text, *apierror.Error) {
	words := new(conversation.Text)
	if v.Type == gjson.String {
		words.Add(v)
		return words, nil
	}
	if !v.IsArray() {
		return nil, apierror.InvalidType(path, "one of a string or an array of objects", param.Describe(v))
	}
	return words, param.List(path, v, func(path string, v gjson.Result) *apierror.Error {
		if e := param.PlainObject(path, v); e != nil {
			return e
		}
		kind := v.Get("type")
		if e := param.Required(path+".type", kind, param.Text); e != nil {
			return e
		}
		member := "text"
		switch kind.Str {
		case "input_text", "output_text", "text":
		case "refusal":
			member = "refusal"
		case "input_image", "input_file", "input_audio":
			return apierror.InvalidValue(path+".type", "this model reads text only, it cannot take a part of type '"+kind.Str+"'")
		default:
			return apierror.InvalidValue(path+".type", "supported values are: 'input_text', 'output_text', 'refusal'")
		}
		part := v.Get(member)
		if e := param.Required(path+"."+member, part, param.Text); e != nil {
			return e
		}
		words.Add(part)
		return nil
	})
}

// decodeCall reads a call that the assistant made earlier.
func decodeCall(talk *conversation.Conversation, path string, v gjson.Result) *apierror.Error {
	id, name, arguments := v.Get("call_id"), v.Get("name"), v.Get("arguments")
	if e := param.Required(path+".call_id", id, param.NonEmptyText); e != nil {
		return e
	}
	if e := param.Required(path+".name", name, param.NonEmptyText); e != nil {
		return e
	}
	if e := param.Required(path+".arguments", arguments, param.Text); e != nil {
		return e
	}
	talk.Call(id, name, []byte(arguments.Raw))
	return nil
}

// decodeOutput reads what a call gave.
func decodeOutput(talk *conversation.Conversation, path string, v gjson.Result) *apierror.Error {
	id := v.Get("call_id")
	if e := param.Required(path+".call_id", id, param.NonEmptyText); e != nil {
		return e
	}
	if !talk.Called(id.Str) {
		return apierror.InvalidValue(path+".call_id", "no 'function_call' item before it has this id")
	}
	output := v.Get("output")
	if !output.Exists() {
		return apierror.Missing(path + ".output")
	}
	words, e := decodeContent(path+".output", output)
	if e != nil {
		return e
	}
	talk.Result(id, words)
	return nil
}
