package responses

import (
	"bytes"
	"encoding/json"

	"github.com/tidwall/gjson"

	"plumbline.dev/plumbline/reference/format/param"
)

// settings are the members of the Response object that repeat the request, in
// the order in which they are written, with what they are when the request does
// not say. OpenAI's API requires some of them, Open Responses all.
var settings = []struct{ name, standard string }{
	{"instructions", "null"},
	{"max_output_tokens", "null"},
	{"max_tool_calls", "null"},
	{"metadata", "{}"},
	{"parallel_tool_calls", "true"},
	{"previous_response_id", "null"},
	{"prompt_cache_key", "null"},
	{"safety_identifier", "null"},
	{"temperature", "1"},
	{"top_p", "1"},
	{"presence_penalty", "0"},
	{"frequency_penalty", "0"},
	{"top_logprobs", "0"},
	{"tool_choice", `"auto"`},
	{"truncation", `"disabled"`},
	{"user", "null"},
}

// settingsOf writes the settings of a request, a comma before each, on one line:
// a line break that the client's JSON may have would break an event.
func settingsOf(m param.Members) []byte {
	object := appendSettings(nil, m)
	object[0] = '{'
	var compact bytes.Buffer
	if err := json.Compact(&compact, append(object, '}')); err != nil { // it was parsed before
		return nil
	}
	line := compact.Bytes()
	line[0] = ','
	return line[:len(line)-1]
}

// appendSettings appends the settings as the client wrote them. What the gateway
// never does is said as it is: it stores nothing, runs nothing in the background,
// and has one service tier.
func appendSettings(buf []byte, m param.Members) []byte {
	for _, setting := range settings {
		value := setting.standard
		if v := m.Get(setting.name); v.Exists() {
			value = v.Raw
		}
		buf = append(append(append(buf, `,"`...), setting.name...), `":`...)
		buf = append(buf, value...)
	}
	buf = append(buf, `,"background":false,"store":false,"service_tier":"default"`...)
	buf = appendReasoning(append(buf, `,"reasoning":`...), m.Get("reasoning"))
	buf = appendText(append(buf, `,"text":`...), m.Get("text"))
	return appendTools(append(buf, `,"tools":`...), m.Get("tools"))
}

func appendReasoning(buf []byte, v gjson.Result) []byte {
	buf = appendMember(append(buf, `{"effort":`...), v.Get("effort"), "null")
	buf = appendMember(append(buf, `,"summary":`...), v.Get("summary"), "null")
	return append(buf, '}')
}

func appendText(buf []byte, v gjson.Result) []byte {
	buf = appendMember(append(buf, `{"format":`...), v.Get("format"), `{"type":"text"}`)
	if verbosity := v.Get("verbosity"); verbosity.Type == gjson.String {
		buf = append(append(buf, `,"verbosity":`...), verbosity.Raw...)
	}
	return append(buf, '}')
}

// appendTools appends the tools with every member that the API's own list has.
func appendTools(buf []byte, v gjson.Result) []byte {
	buf = append(buf, '[')
	first := true
	v.ForEach(func(_, tool gjson.Result) bool {
		if !first {
			buf = append(buf, ',')
		}
		first = false
		buf = append(buf, `{"type":"function","name":`...)
		buf = append(buf, tool.Get("name").Raw...)
		buf = appendMember(append(buf, `,"description":`...), tool.Get("description"), "null")
		buf = appendMember(append(buf, `,"parameters":`...), tool.Get("parameters"), "null")
		buf = appendMember(append(buf, `,"strict":`...), tool.Get("strict"), "false")
		buf = append(buf, '}')
		return true
	})
	return append(buf, ']')
}

func appendMember(buf []byte, v gjson.Result, standard string) []byte {
	if v.Type == gjson.Null {
		return append(buf, standard...)
	}
	return append(buf, v.Raw...)
}
