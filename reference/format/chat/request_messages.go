package chat

import (
	"encoding/json"
	"strings"

	"github.com/tidwall/gjson"

	"plumbline.dev/plumbline/reference/apierror"
	"plumbline.dev/plumbline/reference/completion"
	"plumbline.dev/plumbline/reference/format/param"
)

// decodeMessages reads the conversation. Whether a model likes the order of the
// roles is left to its model server.
func decodeMessages(raw json.RawMessage) ([]completion.Message, *apierror.Error) {
	var messages []completion.Message
	e := param.Array("messages", gjson.ParseBytes(raw), func(path string, v gjson.Result) *apierror.Error {
		message, e := decodeMessage(path, v)
		messages = append(messages, message)
		return e
	})
	if e != nil {
		return nil, e
	}
	return messages, nil
}

// members are the members of a message that are judged; null is absent.
type members struct {
	role, content, name, refusal, toolCalls, toolCallID, functionCall, audio gjson.Result
}

func decodeMessage(path string, v gjson.Result) (completion.Message, *apierror.Error) {
	var m members
	e := param.Object(path, v, func(name string, v gjson.Result) *apierror.Error {
		if v.Type == gjson.Null && name != "role" && name != "content" {
			return nil
		}
		switch name {
		case "role":
			m.role = v
		case "content":
			m.content = v
		case "name":
			m.name = v
		case "refusal":
			m.refusal = v
		case "audio":
			m.audio = v
		case "tool_calls":
			m.toolCalls = v
		case "tool_call_id":
			m.toolCallID = v
		case "function_call":
			m.functionCall = v
		}
		return nil
	})
	if e != nil {
		return completion.Message{}, e
	}
	if e := m.check(path); e != nil {
		return completion.Message{}, e
	}
	words, e := m.text(path)
	return completion.Message{Role: m.role.Str, Text: words}, e
}

// check judges all but the content.
func (m members) check(path string) *apierror.Error {
	e := param.Required(path+".role", m.role, param.OneOf("system", "developer", "user", "assistant", "tool", "function"))
	if e != nil {
		return e
	}
	if m.name.Exists() || m.role.Str == "function" {
		if e := param.Required(path+".name", m.name, param.Text); e != nil {
			return e
		}
	}
	if m.role.Str == "tool" {
		return param.Required(path+".tool_call_id", m.toolCallID, param.NonEmptyText)
	}
	if m.role.Str == "assistant" {
		if m.toolCalls.Exists() {
			return param.Array(path+".tool_calls", m.toolCalls, toolCall)
		}
		if m.refusal.Exists() {
			return param.Text(path+".refusal", m.refusal)
		}
	}
	return nil
}

// text reads the content. An assistant's message may have none when it holds
// something else.
func (m members) text(path string) (string, *apierror.Error) {
	path += ".content"
	somethingElse := m.role.Str == "assistant" &&
		(m.toolCalls.Exists() || m.functionCall.Exists() || m.refusal.Exists() || m.audio.Exists())
	switch {
	case m.content.Type == gjson.Null && somethingElse:
		return "", nil
	case !m.content.Exists():
		return "", apierror.Missing(path)
	case m.content.Type == gjson.String:
		return m.content.Str, nil
	case !m.content.IsArray():
		return "", apierror.InvalidType(path, "one of a string or an array of objects", param.Describe(m.content))
	}
	var joined strings.Builder
	e := param.Array(path, m.content, func(path string, v gjson.Result) *apierror.Error {
		words, e := m.part(path, v)
		joined.WriteString(words)
		return e
	})
	return joined.String(), e
}

// part reads one part of a content. The gateway's models read text: a part of
// another kind is refused rather than ignored.
func (m members) part(path string, v gjson.Result) (string, *apierror.Error) {
	if e := param.PlainObject(path, v); e != nil {
		return "", e
	}
	kind := v.Get("type")
	if e := param.Required(path+".type", kind, param.Text); e != nil {
		return "", e
	}
	switch {
	case kind.Str == "text", kind.Str == "refusal" && m.role.Str == "assistant":
		words := v.Get(kind.Str)
		return words.Str, param.Required(path+"."+kind.Str, words, param.Text)
	case kind.Str == "image_url", kind.Str == "input_audio", kind.Str == "file":
		return "", apierror.InvalidValue(path+".type", "this model reads text only, it cannot take a part of type '"+kind.Str+"'")
	}
	return "", apierror.InvalidValue(path+".type", "supported values are: 'text'")
}
