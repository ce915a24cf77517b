package chat

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plumbline.dev/plumbline/reference/apierror"
	"plumbline.dev/plumbline/reference/completion"
)

var testDefaults = Defaults{Model: "the-default"}

// request is a valid body with these members added.
func request(members string) string {
	if members != "" {
		members = "," + members
	}
	return `{"messages":[{"role":"user","content":"hi"}]` + members + `}`
}

func TestDecodeRequestReadsWhatTheGatewayNeeds(t *testing.T) {
	five := 5
	for name, c := range map[string]struct {
		body string
		want completion.Request
	}{
		"nothing but messages": {
			request(""),
			completion.Request{Model: "the-default", Choices: 1},
		},
		"everything": {
			request(`"model":"m","stream":true,"stream_options":{"include_usage":true},"n":3,"max_tokens":5,"stop":["a","\n"],"logprobs":true,"top_logprobs":20`),
			completion.Request{Model: "m", Stream: true, IncludeUsage: true, Choices: 3, MaxTokens: &five, Stop: []string{"a", "\n"}, Logprobs: true},
		},
		"nulls": {
			request(`"stream":null,"stream_options":null,"n":null,"max_tokens":null,"max_completion_tokens":null,"stop":null,"logprobs":null,"top_logprobs":null,"seed":null,"metadata":null,"logit_bias":null,"temperature":null`),
			completion.Request{Model: "the-default", Choices: 1},
		},
		"the newer name of the limit": {request(`"max_completion_tokens":5`), completion.Request{Model: "the-default", Choices: 1, MaxTokens: &five}},
		"both names of the limit":     {request(`"max_completion_tokens":5,"max_tokens":5`), completion.Request{Model: "the-default", Choices: 1, MaxTokens: &five}},
		"one stop":                    {request(`"stop":"x"`), completion.Request{Model: "the-default", Choices: 1, Stop: []string{"x"}}},
		"usage declined":              {request(`"stream":true,"stream_options":{"include_usage":false}`), completion.Request{Model: "the-default", Choices: 1, Stream: true}},
	} {
		t.Run(name, func(t *testing.T) {
			got, e := DecodeRequest([]byte(c.body), testDefaults)
			require.Nil(t, e)
			assert.NotEmpty(t, got.Body)
			got.Body = nil
			c.want.Messages = []completion.Message{{Role: "user", Text: "hi"}}
			assert.Equal(t, c.want, *got)
		})
	}
}

func TestDecodeRequestReadsMessages(t *testing.T) {
	got, e := DecodeRequest([]byte(`{"messages":[
		{"role":"system","content":"s"},
		{"role":"developer","content":"d","name":"dev"},
		{"content":[{"type":"text","text":"one "},{"text":"two","type":"text"}],"role":"user","tool_calls":null},
		{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"f","arguments":"{}"}},{"id":"c2","type":"custom","custom":{"name":"g","input":"x"}}]},
		{"role":"tool","tool_call_id":"c1","content":[{"type":"text","text":"21 °C"}]},
		{"role":"assistant","refusal":"no"},
		{"role":"assistant","content":[{"type":"refusal","refusal":"never"}]},
		{"role":"assistant","content":null,"function_call":{"name":"f","arguments":""}},
		{"role":"function","name":"f","content":""},
		{"role":"user","content":"\ud83e\udd99"}]}`), testDefaults)
	require.Nil(t, e)
	assert.Equal(t, []completion.Message{
		{Role: "system", Text: "s"}, {Role: "developer", Text: "d"}, {Role: "user", Text: "one two"}, {Role: "assistant"},
		{Role: "tool", Text: "21 °C"}, {Role: "assistant"}, {Role: "assistant", Text: "never"}, {Role: "assistant"},
		{Role: "function"}, {Role: "user", Text: "🦙"},
	}, got.Messages)
}

func TestDecodeRequestAccepts(t *testing.T) {
	for name, members := range map[string]string{
		"a vendor's parameter":   `"top_k":40,"chat_template_kwargs":{"enable_thinking":false}`,
		"bounds":                 `"n":128,"temperature":2,"top_p":0,"frequency_penalty":-2.0,"presence_penalty":2e0,"seed":-9223372036854775808,"max_tokens":2147483647`,
		"a bias":                 `"logit_bias":{"50256":-100,"0":1.5}`,
		"tools":                  `"tools":[{"type":"function","function":{"name":"get_weather","description":"d","parameters":{"type":"object"},"strict":null}},{"type":"custom","custom":{"name":"c"}}],"tool_choice":{"type":"function","function":{"name":"get_weather"}},"parallel_tool_calls":false`,
		"allowed tools":          `"tools":[{"type":"function","function":{"name":"f"}}],"tool_choice":{"type":"allowed_tools","allowed_tools":{"mode":"auto","tools":[]}}`,
		"no tool of none":        `"tool_choice":"none"`,
		"a schema":               `"response_format":{"type":"json_schema","json_schema":{"name":"n","schema":{},"strict":true}}`,
		"JSON":                   `"response_format":{"type":"json_object"}`,
		"metadata":               `"metadata":{"a":"b"},"user":"u","store":false,"service_tier":"auto"`,
		"obfuscation":            `"stream":true,"stream_options":{"include_obfuscation":false,"include_usage":null}`,
		"an alternative in text": `"response_format":{"type":"text"}`,
	} {
		t.Run(name, func(t *testing.T) {
			got, e := DecodeRequest([]byte(request(members)), testDefaults)
			require.Nil(t, e, "%v", e)
			assert.NotNil(t, got)
		})
	}
	got, e := DecodeRequest([]byte(request(`"top_k":40`)), testDefaults)
	require.Nil(t, e)
	assert.Equal(t, "40", string(got.Body["top_k"]))
}

func TestDecodeRequestRefusesParameters(t *testing.T) {
	const tool = `"tools":[{"type":"function","function":{"name":"f"}}]`
	many := func(n int, each string) string { return strings.TrimSuffix(strings.Repeat(each+",", n), ",") }
	for _, c := range []struct{ members, code, param string }{
		{`"model":null`, "invalid_type", "model"},
		{`"model":7`, "invalid_type", "model"},
		{`"model":""`, "empty_string", "model"},
		{`"stream":"true"`, "invalid_type", "stream"},
		{`"stream":1`, "invalid_type", "stream"},
		{`"stream_options":{"include_usage":true}`, "", "stream_options"},
		{`"stream":false,"stream_options":{}`, "", "stream_options"},
		{`"stream":true,"stream_options":true`, "invalid_type", "stream_options"},
		{`"stream":true,"stream_options":{"include_usage":"yes"}`, "invalid_type", "stream_options.include_usage"},
		{`"n":0`, "integer_below_min_value", "n"},
		{`"n":129`, "integer_above_max_value", "n"},
		{`"n":99999999999999999999`, "integer_above_max_value", "n"},
		{`"n":-99999999999999999999`, "integer_below_min_value", "n"},
		{`"n":1.5`, "invalid_type", "n"},
		{`"n":1e2`, "invalid_type", "n"},
		{`"n":"1"`, "invalid_type", "n"},
		{`"max_tokens":0`, "integer_below_min_value", "max_tokens"},
		{`"max_tokens":-1`, "integer_below_min_value", "max_tokens"},
		{`"max_tokens":2147483648`, "integer_above_max_value", "max_tokens"},
		{`"max_tokens":true`, "invalid_type", "max_tokens"},
		{`"max_completion_tokens":0`, "integer_below_min_value", "max_completion_tokens"},
		{`"max_completion_tokens":[]`, "invalid_type", "max_completion_tokens"},
		{`"max_tokens":5,"max_completion_tokens":6`, "invalid_value", "max_tokens"},
		{`"stop":7`, "invalid_type", "stop"},
		{`"stop":{}`, "invalid_type", "stop"},
		{`"stop":""`, "empty_string", "stop"},
		{`"stop":[]`, "empty_array", "stop"},
		{`"stop":["a",1]`, "invalid_type", "stop[1]"},
		{`"stop":["a",""]`, "empty_string", "stop[1]"},
		{`"stop":["a","b","c","d","e"]`, "array_above_max_length", "stop"},
		{`"temperature":-0.1`, "decimal_below_min_value", "temperature"},
		{`"temperature":2.1`, "decimal_above_max_value", "temperature"},
		{`"temperature":1e999`, "decimal_above_max_value", "temperature"},
		{`"temperature":"hot"`, "invalid_type", "temperature"},
		{`"top_p":1.01`, "decimal_above_max_value", "top_p"},
		{`"top_p":-1`, "decimal_below_min_value", "top_p"},
		{`"frequency_penalty":2.5`, "decimal_above_max_value", "frequency_penalty"},
		{`"presence_penalty":-2.5`, "decimal_below_min_value", "presence_penalty"},
		{`"logprobs":5`, "invalid_type", "logprobs"},
		{`"top_logprobs":5`, "", "top_logprobs"},
		{`"logprobs":false,"top_logprobs":5`, "", "top_logprobs"},
		{`"logprobs":true,"top_logprobs":21`, "integer_above_max_value", "top_logprobs"},
		{`"logprobs":true,"top_logprobs":-1`, "integer_below_min_value", "top_logprobs"},
		{`"seed":"x"`, "invalid_type", "seed"},
		{`"seed":9223372036854775808`, "integer_above_max_value", "seed"},
		{`"logit_bias":[]`, "invalid_type", "logit_bias"},
		{`"logit_bias":{"word":1}`, "invalid_value", "logit_bias"},
		{`"logit_bias":{"00000000000000001":1}`, "invalid_value", "logit_bias"},
		{`"logit_bias":{"5":101}`, "decimal_above_max_value", "logit_bias.5"},
		{`"tools":null`, "invalid_type", "tools"},
		{`"tools":{}`, "invalid_type", "tools"},
		{`"tools":[]`, "empty_array", "tools"},
		{`"tools":[7]`, "invalid_type", "tools[0]"},
		{`"tools":[{}]`, "missing_required_parameter", "tools[0].type"},
		{`"tools":[{"type":"web"}]`, "invalid_value", "tools[0].type"},
		{`"tools":[{"type":"function"}]`, "missing_required_parameter", "tools[0].function"},
		{`"tools":[{"type":"function","function":[]}]`, "invalid_type", "tools[0].function"},
		{`"tools":[{"type":"function","function":{}}]`, "missing_required_parameter", "tools[0].function.name"},
		{`"tools":[{"type":"function","function":{"name":"a b"}}]`, "invalid_value", "tools[0].function.name"},
		{`"tools":[{"type":"function","function":{"name":""}}]`, "empty_string", "tools[0].function.name"},
		{`"tools":[{"type":"function","function":{"name":"` + strings.Repeat("n", 65) + `"}}]`, "string_above_max_length", "tools[0].function.name"},
		{`"tools":[{"type":"function","function":{"name":"f","parameters":"x"}}]`, "invalid_type", "tools[0].function.parameters"},
		{`"tools":[{"type":"function","function":{"name":"f","description":1}}]`, "invalid_type", "tools[0].function.description"},
		{`"tools":[{"type":"function","function":{"name":"f","strict":1}}]`, "invalid_type", "tools[0].function.strict"},
		{`"tools":[` + many(129, `{"type":"function","function":{"name":"f"}}`) + `]`, "array_above_max_length", "tools"},
		{`"tool_choice":"auto"`, "", "tool_choice"},
		{tool + `,"tool_choice":"any"`, "invalid_value", "tool_choice"},
		{tool + `,"tool_choice":7`, "invalid_type", "tool_choice"},
		{tool + `,"tool_choice":{"type":"function"}`, "missing_required_parameter", "tool_choice.function"},
		{tool + `,"tool_choice":{"type":"function","function":{}}`, "missing_required_parameter", "tool_choice.function.name"},
		{tool + `,"tool_choice":{"type":"function","function":"f"}`, "invalid_type", "tool_choice.function"},
		{`"parallel_tool_calls":true`, "", "parallel_tool_calls"},
		{tool + `,"parallel_tool_calls":"x"`, "invalid_type", "parallel_tool_calls"},
		{`"response_format":"json"`, "invalid_type", "response_format"},
		{`"response_format":{}`, "missing_required_parameter", "response_format.type"},
		{`"response_format":{"type":"xml"}`, "invalid_value", "response_format.type"},
		{`"response_format":{"type":"json_schema"}`, "missing_required_parameter", "response_format.json_schema"},
		{`"response_format":{"type":"json_schema","json_schema":{}}`, "missing_required_parameter", "response_format.json_schema.name"},
		{`"response_format":{"type":"json_schema","json_schema":{"name":"n","schema":7}}`, "invalid_type", "response_format.json_schema.schema"},
		{`"metadata":[]`, "invalid_type", "metadata"},
		{`"metadata":{"a":1}`, "invalid_type", "metadata.a"},
		{`"metadata":{"a":"` + strings.Repeat("é", 513) + `"}`, "string_above_max_length", "metadata.a"},
		{`"metadata":{"` + strings.Repeat("a", 65) + `":""}`, "invalid_value", "metadata"},
		{`"user":7`, "invalid_type", "user"},
		{`"store":"x"`, "invalid_type", "store"},
		{`"service_tier":1`, "invalid_type", "service_tier"},
		{`"safety_identifier":"` + strings.Repeat("a", 65) + `"`, "string_above_max_length", "safety_identifier"},
	} {
		t.Run(c.members[:min(len(c.members), 60)], func(t *testing.T) {
			_, e := DecodeRequest([]byte(request(c.members)), testDefaults)
			assertRefused(t, e, c.code, c.param)
		})
	}
	var pairs []string
	for i := range 17 {
		pairs = append(pairs, fmt.Sprintf(`"k%d":""`, i))
	}
	_, e := DecodeRequest([]byte(request(`"metadata":{`+strings.Join(pairs, ",")+`}`)), testDefaults)
	assertRefused(t, e, "invalid_value", "metadata")
}

func TestDecodeRequestRefusesMessages(t *testing.T) {
	for _, c := range []struct{ messages, code, param string }{
		{`null`, "invalid_type", "messages"},
		{`"hi"`, "invalid_type", "messages"},
		{`{}`, "invalid_type", "messages"},
		{`[]`, "empty_array", "messages"},
		{`["hi"]`, "invalid_type", "messages[0]"},
		{`[null]`, "invalid_type", "messages[0]"},
		{`[{"content":"x"}]`, "missing_required_parameter", "messages[0].role"},
		{`[{"role":null,"content":"x"}]`, "invalid_type", "messages[0].role"},
		{`[{"role":7,"content":"x"}]`, "invalid_type", "messages[0].role"},
		{`[{"role":"bot","content":"x"}]`, "invalid_value", "messages[0].role"},
		{`[{"role":"user","content":"x"},{"role":"User","content":"x"}]`, "invalid_value", "messages[1].role"},
		{`[{"role":"user"}]`, "missing_required_parameter", "messages[0].content"},
		{`[{"role":"user","content":null}]`, "invalid_type", "messages[0].content"},
		{`[{"role":"user","content":7}]`, "invalid_type", "messages[0].content"},
		{`[{"role":"user","content":{}}]`, "invalid_type", "messages[0].content"},
		{`[{"role":"user","content":[]}]`, "empty_array", "messages[0].content"},
		{`[{"role":"user","content":["x"]}]`, "invalid_type", "messages[0].content[0]"},
		{`[{"role":"user","content":[{"text":"x"}]}]`, "missing_required_parameter", "messages[0].content[0].type"},
		{`[{"role":"user","content":[{"type":"text"}]}]`, "missing_required_parameter", "messages[0].content[0].text"},
		{`[{"role":"user","content":[{"type":"text","text":null}]}]`, "invalid_type", "messages[0].content[0].text"},
		{`[{"role":"user","content":[{"type":"text","text":"x"},{"type":"image_url","image_url":{"url":"data:"}}]}]`, "invalid_value", "messages[0].content[1].type"},
		{`[{"role":"user","content":[{"type":"input_audio"}]}]`, "invalid_value", "messages[0].content[0].type"},
		{`[{"role":"user","content":[{"type":"refusal","refusal":"x"}]}]`, "invalid_value", "messages[0].content[0].type"},
		{`[{"role":"user","content":"x","name":7}]`, "invalid_type", "messages[0].name"},
		{`[{"role":"function","content":"x"}]`, "missing_required_parameter", "messages[0].name"},
		{`[{"role":"tool","content":"x"}]`, "missing_required_parameter", "messages[0].tool_call_id"},
		{`[{"role":"tool","content":"x","tool_call_id":""}]`, "empty_string", "messages[0].tool_call_id"},
		{`[{"role":"tool","content":null,"tool_call_id":"c"}]`, "invalid_type", "messages[0].content"},
		{`[{"role":"assistant","content":null}]`, "invalid_type", "messages[0].content"},
		{`[{"role":"assistant"}]`, "missing_required_parameter", "messages[0].content"},
		{`[{"role":"assistant","content":null,"tool_calls":null}]`, "invalid_type", "messages[0].content"},
		{`[{"role":"assistant","tool_calls":[]}]`, "empty_array", "messages[0].tool_calls"},
		{`[{"role":"assistant","tool_calls":{}}]`, "invalid_type", "messages[0].tool_calls"},
		{`[{"role":"assistant","tool_calls":[{}]}]`, "missing_required_parameter", "messages[0].tool_calls[0].type"},
		{`[{"role":"assistant","tool_calls":[{"type":"function","function":{"name":"f","arguments":""}}]}]`, "missing_required_parameter", "messages[0].tool_calls[0].id"},
		{`[{"role":"assistant","tool_calls":[{"type":"function","id":"c"}]}]`, "missing_required_parameter", "messages[0].tool_calls[0].function"},
		{`[{"role":"assistant","tool_calls":[{"type":"function","id":"c","function":{"name":"f","arguments":{}}}]}]`, "invalid_type", "messages[0].tool_calls[0].function.arguments"},
		{`[{"role":"assistant","tool_calls":[{"type":"custom","id":"c","custom":{"name":"f"}}]}]`, "missing_required_parameter", "messages[0].tool_calls[0].custom.input"},
		{`[{"role":"assistant","refusal":7}]`, "invalid_type", "messages[0].refusal"},
	} {
		t.Run(c.messages[:min(len(c.messages), 60)], func(t *testing.T) {
			_, e := DecodeRequest([]byte(`{"messages":`+c.messages+`}`), testDefaults)
			assertRefused(t, e, c.code, c.param)
		})
	}
}

func TestDecodeRequestRefusesBodies(t *testing.T) {
	for name, body := range map[string]string{
		"nothing": "", "an array": "[]", "half of it": `{"messages":[`, "duplicate names": `{"messages":[],"messages":[]}`,
		"invalid UTF-8": "{\"model\":\"\xff\"}", "bottomless nesting": `{"a":` + strings.Repeat("[", 1<<20),
	} {
		t.Run(name, func(t *testing.T) {
			_, e := DecodeRequest([]byte(body), testDefaults)
			assertRefused(t, e, "", "")
		})
	}
	_, e := DecodeRequest([]byte(`{}`), testDefaults)
	assertRefused(t, e, "missing_required_parameter", "messages")
}

func assertRefused(t *testing.T, e *apierror.Error, code, param string) {
	t.Helper()
	require.NotNil(t, e)
	assert.Equal(t, 400, e.Status)
	assert.Equal(t, apierror.TypeInvalidRequest, e.Type)
	assert.Equal(t, code, valueOf(e.Code), "code")
	assert.Equal(t, param, valueOf(e.Param), "param")
	assert.NotEmpty(t, e.Message)
	if param != "" {
		assert.Contains(t, e.Message, param)
	}
}

func valueOf(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}
