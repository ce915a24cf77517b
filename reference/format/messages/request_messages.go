package messages

import (
	"github.com/tidwall/gjson"

	"plumbline.dev/plumbline/reference/apierror"
	"plumbline.dev/plumbline/reference/format"
	"plumbline.dev/plumbline/reference/format/conversation"
	"plumbline.dev/plumbline/reference/format/param"
)

// decodeSystem reads the system prompt: a string, or text blocks.
func decodeSystem(talk *conversation.Conversation, v gjson.Result) *apierror.Error {
	if !v.Exists() {
		return nil
	}
	text, e := decodeText("system", v)
	if e != nil || text.Empty() {
		return e
	}
	talk.Say("system", text)
	return nil
}

// decodeText reads what may hold text only: a string, or text blocks.
func decodeText(path string, v gjson.Result) (*conversation.Text, *apierror.Error) {
	text := new(conversation.Text)
	if v.Type == gjson.String {
		text.Add(v)
		return text, nil
	}
	if !v.IsArray() {
		return nil, apierror.InvalidType(path, "one of a string or an array of objects", param.Describe(v))
	}
	return text, param.List(path, v, func(path string, v gjson.Result) *apierror.Error {
		kind, e := kindOf(path, v)
		if e != nil {
			return e
		}
		if kind != "text" {
			return notText(path, kind)
		}
		return addText(text, path, v)
	})
}

// kindOf reads the type of a block.
func kindOf(path string, v gjson.Result) (string, *apierror.Error) {
	if e := param.PlainObject(path, v); e != nil {
		return "", e
	}
	kind := v.Get("type")
	return kind.Str, param.Required(path+".type", kind, param.Text)
}

// addText adds a text block.
func addText(text *conversation.Text, path string, v gjson.Result) *apierror.Error {
	words := v.Get("text")
	if e := param.Required(path+".text", words, param.Text); e != nil {
		return e
	}
	text.Add(words)
	return nil
}

// notText refuses a block that cannot be given to a model that reads text only.
func notText(path, kind string) *apierror.Error {
	switch kind {
	case "image", "document", "search_result", "container_upload":
		return apierror.InvalidValue(path+".type", "this model reads text only, it cannot take a block of type '"+kind+"'")
	}
	return apierror.InvalidValue(path+".type", "a block of this type cannot stand here")
}

func decodeMessages(talk *conversation.Conversation, v gjson.Result) *apierror.Error {
	asked := false // a user has spoken
	return param.Array("messages", v, func(path string, v gjson.Result) *apierror.Error {
		if e := param.PlainObject(path, v); e != nil {
			return e
		}
		role := v.Get("role")
		if e := param.Required(path+".role", role, param.OneOf("user", "assistant", "system")); e != nil {
			return e
		}
		content := v.Get("content")
		if !content.Exists() {
			return apierror.Missing(path + ".content")
		}
		switch role.Str {
		case "user":
			asked = true
			return decodeUser(talk, path+".content", content)
		case "assistant":
			if !asked {
				return apierror.InvalidValue(path+".role", "the first message must have the role 'user'")
			}
			return decodeAssistant(talk, path+".content", content)
		}
		text, e := decodeText(path+".content", content)
		if e == nil {
			talk.Say("system", text)
		}
		return e
	})
}

// decodeUser reads what a user says. The results of calls are messages of their
// own in a chat, before what the user says with them.
func decodeUser(talk *conversation.Conversation, path string, v gjson.Result) *apierror.Error {
	text := new(conversation.Text)
	if v.Type == gjson.String {
		text.Add(v)
		talk.Say("user", text)
		return nil
	}
	if !v.IsArray() {
		return apierror.InvalidType(path, "one of a string or an array of objects", param.Describe(v))
	}
	e := param.Array(path, v, func(path string, v gjson.Result) *apierror.Error {
		kind, e := kindOf(path, v)
		switch {
		case e != nil:
			return e
		case kind == "text":
			return addText(text, path, v)
		case kind == "tool_result":
			return decodeResult(talk, path, v)
		}
		return notText(path, kind)
	})
	if e == nil && !text.Empty() {
		talk.Say("user", text)
	}
	return e
}

func decodeResult(talk *conversation.Conversation, path string, v gjson.Result) *apierror.Error {
	id := v.Get("tool_use_id")
	if e := param.Required(path+".tool_use_id", id, param.NonEmptyText); e != nil {
		return e
	}
	if !talk.Called(id.Str) {
		return apierror.InvalidValue(path+".tool_use_id", "no 'tool_use' block before it has this id")
	}
	if e := param.Optional(path+".is_error", v.Get("is_error"), param.Boolean); e != nil {
		return e
	}
	text := new(conversation.Text)
	if content := v.Get("content"); content.Type != gjson.Null {
		var e *apierror.Error
		if text, e = decodeText(path+".content", content); e != nil {
			return e
		}
	}
	talk.Result(id, text)
	return nil
}

// decodeAssistant reads an earlier reply.
func decodeAssistant(talk *conversation.Conversation, path string, v gjson.Result) *apierror.Error {
	talk.NewTurn()
	text := new(conversation.Text)
	if v.Type == gjson.String {
		text.Add(v)
		talk.Answer(text)
		return nil
	}
	if !v.IsArray() {
		return apierror.InvalidType(path, "one of a string or an array of objects", param.Describe(v))
	}
	e := param.List(path, v, func(path string, v gjson.Result) *apierror.Error {
		kind, e := kindOf(path, v)
		switch {
		case e != nil:
			return e
		case kind == "text":
			return addText(text, path, v)
		case kind == "tool_use":
			return decodeCall(talk, path, v)
		case kind == "thinking", kind == "redacted_thinking":
			return nil
		}
		return notText(path, kind)
	})
	talk.Answer(text)
	return e
}

func decodeCall(talk *conversation.Conversation, path string, v gjson.Result) *apierror.Error {
	id, name, input := v.Get("id"), v.Get("name"), v.Get("input")
	if e := param.Required(path+".id", id, param.NonEmptyText); e != nil {
		return e
	}
	if e := param.Required(path+".name", name, param.NonEmptyText); e != nil {
		return e
	}
	if e := param.Required(path+".input", input, param.PlainObject); e != nil {
		return e
	}
	talk.Call(id, name, format.AppendString(nil, input.Raw))
	return nil
}
