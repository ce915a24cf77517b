package responses

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plumbline.dev/plumbline/reference/apierror"
	"plumbline.dev/plumbline/reference/completion"
	"plumbline.dev/plumbline/reference/format/internal/refusals"
)

var testDefaults = Defaults{Model: "the-default"}

func decode(body string) (*completion.Request, *apierror.Error) {
	req, e := DecodeRequest([]byte(body), testDefaults)
	if e != nil {
		return nil, e
	}
	return req.Request, nil
}

func TestDecodeRequestReadsConversations(t *testing.T) {
	for name, c := range map[string]struct{ body, messages string }{
		"a string":         {`{"input":"h\u00e9"}`, `[{"role":"user","content":"h\u00e9"}]`},
		"instructions":     {`{"instructions":"be brief","input":"x"}`, `[{"role":"system","content":"be brief"},{"role":"user","content":"x"}]`},
		"no instructions":  {`{"instructions":"","input":"x"}`, `[{"role":"user","content":"x"}]`},
		"without types":    {`{"input":[{"role":"user","content":"x"},{"role":"developer","content":"y"}]}`, `[{"role":"user","content":"x"},{"role":"system","content":"y"}]`},
		"parts":            {`{"input":[{"type":"message","role":"user","content":[{"type":"input_text","text":"a"},{"type":"input_text","text":"b"}]}]}`, `[{"role":"user","content":"a\nb"}]`},
		"an earlier reply": {`{"input":[{"role":"user","content":"x"},{"id":"rs_1","type":"reasoning","summary":[]},{"id":"m","type":"message","status":"completed","role":"assistant","content":[{"type":"output_text","text":"y","annotations":[]},{"type":"refusal","refusal":"z"}]}]}`, `[{"role":"user","content":"x"},{"role":"assistant","content":"y\nz"}]`},
		"calls": {`{"input":[{"role":"user","content":"x"},{"role":"assistant","content":"let me see"},
			{"type":"function_call","call_id":"c1","name":"f","arguments":"{\"a\":1}"},{"type":"function_call","call_id":"c2","name":"g","arguments":""},
			{"type":"function_call_output","call_id":"c2","output":"two"},{"type":"function_call_output","call_id":"c1","output":[{"type":"input_text","text":"one"}]},
			{"type":"function_call","call_id":"c3","name":"f","arguments":"{}"},{"type":"function_call_output","call_id":"c3","output":""}]}`,
			`[{"role":"user","content":"x"},{"role":"assistant","content":"let me see","tool_calls":[
			{"id":"c1","type":"function","function":{"name":"f","arguments":"{\"a\":1}"}},{"id":"c2","type":"function","function":{"name":"g","arguments":""}}]},
			{"role":"tool","tool_call_id":"c2","content":"two"},{"role":"tool","tool_call_id":"c1","content":"one"},
			{"role":"assistant","content":null,"tool_calls":[{"id":"c3","type":"function","function":{"name":"f","arguments":"{}"}}]},
			{"role":"tool","tool_call_id":"c3","content":""}]`},
	} {
		t.Run(name, func(t *testing.T) {
			req, e := decode(c.body)
			require.Nil(t, e, "%v", e)
			assert.JSONEq(t, c.messages, string(req.Body["messages"]))
			var messages []struct {
				Role    string
				Content string
			}
			require.NoError(t, json.Unmarshal(req.Body["messages"], &messages))
			for i, m := range messages {
				assert.Equal(t, completion.Message{Role: m.Role, Text: m.Content}, req.Messages[i])
			}
		})
	}
}

func TestDecodeRequestReadsOptions(t *testing.T) {
	req, e := decode(`{"model":"m","input":"x","stream":true,"stream_options":{"include_obfuscation":false},"max_output_tokens":16,"temperature":0.5,
		"top_p":1,"top_logprobs":2,"include":["reasoning.encrypted_content"],"store":true,"background":false,"truncation":"disabled","previous_response_id":null,
		"tools":[{"type":"function","name":"f","description":"d","parameters":{"type":"object"},"strict":true}],"tool_choice":{"type":"function","name":"f"},
		"parallel_tool_calls":false,"text":{"format":{"type":"json_schema","name":"n","schema":{"type":"object"},"strict":true},"verbosity":"low"},
		"reasoning":{"effort":"low","summary":"auto"},"metadata":{"k":"v"},"user":"u","service_tier":"auto","safety_identifier":"s","prompt_cache_key":"p"}`)
	require.Nil(t, e, "%v", e)
	assert.Equal(t, "m", req.Model)
	assert.True(t, req.Stream && req.IncludeUsage && req.Logprobs)
	assert.Equal(t, 16, *req.MaxTokens)
	delete(req.Body, "messages")
	body, err := json.Marshal(req.Body)
	require.NoError(t, err)
	assert.JSONEq(t, `{"temperature":0.5,"top_p":1,"logprobs":true,"top_logprobs":2,"user":"u","reasoning_effort":"low","verbosity":"low",
		"tools":[{"type":"function","function":{"name":"f","description":"d","parameters":{"type":"object"},"strict":true}}],
		"tool_choice":{"type":"function","function":{"name":"f"}},"parallel_tool_calls":false,
		"response_format":{"type":"json_schema","json_schema":{"name":"n","schema":{"type":"object"},"strict":true}}}`, string(body))

	req, e = decode(`{"input":"x","include":["message.output_text.logprobs"],"tools":[],"tool_choice":"auto","parallel_tool_calls":true,"text":{"format":{"type":"text"}}}`)
	require.Nil(t, e)
	assert.Equal(t, "the-default", req.Model)
	assert.Nil(t, req.MaxTokens)
	assert.True(t, req.Logprobs)
	assert.NotContains(t, req.Body, "tools")
	assert.NotContains(t, req.Body, "tool_choice")
	assert.NotContains(t, req.Body, "response_format")
}

func TestDecodeRequestRefuses(t *testing.T) {
	with := func(members string) string { return `{"input":"x",` + members + `}` }
	item := func(item string) string { return `{"input":[` + item + `]}` }
	part := func(part string) string { return item(`{"role":"user","content":[` + part + `]}`) }
	call := `{"type":"function_call","call_id":"c","name":"f","arguments":"{}"}`
	refusals.Check(t, decode, []refusals.Case{
		{Body: `{}`, Code: "missing_required_parameter", Param: "input"},
		{Body: `{"input":null}`, Code: "invalid_type", Param: "input"},
		{Body: `{"input":7}`, Code: "invalid_type", Param: "input"},
		{Body: `{"input":""}`, Code: "empty_string", Param: "input"},
		{Body: `{"input":[]}`, Code: "empty_array", Param: "input"},
		{Body: item(`{"type":"reasoning","id":"r","summary":[]}`), Code: "invalid_value", Param: "input"},
		{Body: item(`"x"`), Code: "invalid_type", Param: "input[0]"},
		{Body: item(`{}`), Code: "missing_required_parameter", Param: "input[0].role"},
		{Body: item(`{"role":"tool","content":"x"}`), Code: "invalid_value", Param: "input[0].role"},
		{Body: item(`{"role":"user"}`), Code: "missing_required_parameter", Param: "input[0].content"},
		{Body: item(`{"role":"user","content":7}`), Code: "invalid_type", Param: "input[0].content"},
		{Body: item(`{"type":7}`), Code: "invalid_type", Param: "input[0].type"},
		{Body: item(`{"type":"web_search_call"}`), Code: "invalid_value", Param: "input[0].type"},
		{Body: item(`{"type":"item_reference","id":"i"}`), Code: "invalid_value", Param: "input[0].type"},
		{Body: part(`"x"`), Code: "invalid_type", Param: "input[0].content[0]"},
		{Body: part(`{}`), Code: "missing_required_parameter", Param: "input[0].content[0].type"},
		{Body: part(`{"type":"input_text"}`), Code: "missing_required_parameter", Param: "input[0].content[0].text"},
		{Body: part(`{"type":"input_text","text":7}`), Code: "invalid_type", Param: "input[0].content[0].text"},
		{Body: part(`{"type":"input_image","image_url":"data:"}`), Code: "invalid_value", Param: "input[0].content[0].type"},
		{Body: part(`{"type":"text_block","text":"x"}`), Code: "invalid_value", Param: "input[0].content[0].type"},
		{Body: item(`{"type":"function_call"}`), Code: "missing_required_parameter", Param: "input[0].call_id"},
		{Body: item(`{"type":"function_call","call_id":"c"}`), Code: "missing_required_parameter", Param: "input[0].name"},
		{Body: item(`{"type":"function_call","call_id":"c","name":"f"}`), Code: "missing_required_parameter", Param: "input[0].arguments"},
		{Body: item(`{"type":"function_call","call_id":"c","name":"f","arguments":{}}`), Code: "invalid_type", Param: "input[0].arguments"},
		{Body: item(`{"type":"function_call_output","call_id":"c","output":"x"}`), Code: "invalid_value", Param: "input[0].call_id"},
		{Body: item(call + `,{"type":"function_call_output","call_id":"c"}`), Code: "missing_required_parameter", Param: "input[1].output"},
		{Body: item(call + `,{"type":"function_call_output","call_id":"c","output":{}}`), Code: "invalid_type", Param: "input[1].output"},
		{Body: with(`"messages":[]`), Code: "unknown_parameter", Param: "messages"},
		{Body: with(`"max_tokens":5`), Code: "unknown_parameter", Param: "max_tokens"},
		{Body: with(`"model":7`), Code: "invalid_type", Param: "model"},
		{Body: with(`"max_output_tokens":15`), Code: "integer_below_min_value", Param: "max_output_tokens"},
		{Body: with(`"stream_options":{}`), Param: "stream_options"},
		{Body: with(`"stream":true,"stream_options":{"include_usage":true}`), Code: "unknown_parameter", Param: "stream_options.include_usage"},
		{Body: with(`"instructions":7`), Code: "invalid_type", Param: "instructions"},
		{Body: with(`"temperature":3`), Code: "decimal_above_max_value", Param: "temperature"},
		{Body: with(`"top_logprobs":21`), Code: "integer_above_max_value", Param: "top_logprobs"},
		{Body: with(`"previous_response_id":"resp_1"`), Code: "unsupported_parameter", Param: "previous_response_id"},
		{Body: with(`"conversation":"c"`), Code: "unsupported_parameter", Param: "conversation"},
		{Body: with(`"prompt":{"id":"p"}`), Code: "unsupported_parameter", Param: "prompt"},
		{Body: with(`"background":true`), Code: "unsupported_parameter", Param: "background"},
		{Body: with(`"background":1`), Code: "invalid_type", Param: "background"},
		{Body: with(`"truncation":"auto"`), Code: "unsupported_parameter", Param: "truncation"},
		{Body: with(`"truncation":"some"`), Code: "invalid_value", Param: "truncation"},
		{Body: with(`"include":"x"`), Code: "invalid_type", Param: "include"},
		{Body: with(`"reasoning":"high"`), Code: "invalid_type", Param: "reasoning"},
		{Body: with(`"reasoning":{"effort":7}`), Code: "invalid_type", Param: "reasoning.effort"},
		{Body: with(`"text":{"format":"json"}`), Code: "invalid_type", Param: "text.format"},
		{Body: with(`"text":{"format":{"type":"xml"}}`), Code: "invalid_value", Param: "text.format.type"},
		{Body: with(`"text":{"format":{"type":"json_schema"}}`), Code: "missing_required_parameter", Param: "text.format.name"},
		{Body: with(`"text":{"format":{"type":"json_schema","name":"n"}}`), Code: "missing_required_parameter", Param: "text.format.schema"},
		{Body: with(`"text":{"verbosity":"huge"}`), Code: "invalid_value", Param: "text.verbosity"},
		{Body: with(`"tools":{}`), Code: "invalid_type", Param: "tools"},
		{Body: with(`"tools":[{"type":"web_search"}]`), Code: "invalid_value", Param: "tools[0].type"},
		{Body: with(`"tools":[{"name":"f"}]`), Code: "missing_required_parameter", Param: "tools[0].type"},
		{Body: with(`"tools":[{"type":"function","function":{"name":"f"}}]`), Code: "missing_required_parameter", Param: "tools[0].name"},
		{Body: with(`"tools":[{"type":"function","name":"f","parameters":"x"}]`), Code: "invalid_type", Param: "tools[0].parameters"},
		{Body: with(`"tools":[` + strings.TrimSuffix(strings.Repeat(`{"type":"function","name":"f"},`, 129), ",") + `]`), Code: "array_above_max_length", Param: "tools"},
		{Body: with(`"tool_choice":"any"`), Code: "invalid_value", Param: "tool_choice"},
		{Body: with(`"tool_choice":"required"`), Param: "tool_choice"},
		{Body: with(`"tool_choice":7`), Code: "invalid_type", Param: "tool_choice"},
		{Body: with(`"tool_choice":{"type":"web_search"}`), Code: "invalid_value", Param: "tool_choice.type"},
		{Body: with(`"tool_choice":{"type":"function"}`), Code: "missing_required_parameter", Param: "tool_choice.name"},
		{Body: with(`"metadata":{"a":1}`), Code: "invalid_type", Param: "metadata.a"},
	})
}

func TestDecodeRequestIsLinear(t *testing.T) {
	refusals.Linear(t, decode, func(n int) string {
		return `{"input":[` + strings.TrimSuffix(strings.Repeat(`{"role":"user","content":"x"},`, n), ",") + `]}`
	})
	refusals.Linear(t, decode, func(n int) string {
		return `{"input":[` + strings.TrimSuffix(strings.Repeat(`{"role":"assistant","content":"x"},{"type":"function_call","call_id":"c","name":"f","arguments":"{}"},`, n), ",") + `]}`
	})
}

func FuzzDecodeRequest(f *testing.F) {
	refusals.Fuzz(f, decode,
		`{"input":"x","stream":true,"tools":[{"type":"function","name":"f"}],"tool_choice":"auto"}`,
		`{"input":[{"role":"user","content":[{"type":"input_text","text":"x"}]}],"instructions":"y"}`,
		`{"input":[{"type":"function_call","call_id":"c","name":"f","arguments":"{}"},{"type":"function_call_output","call_id":"c","output":"x"}]}`,
		`{"input":"x","text":{"format":{"type":"json_schema","name":"n","schema":{}}},"metadata":{"a":"b"}}`)
}
