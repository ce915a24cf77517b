package messages

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plumbline.dev/plumbline/reference/apierror"
	"plumbline.dev/plumbline/reference/completion"
	"plumbline.dev/plumbline/reference/format/internal/refusals"
)

func decode(body string) (*completion.Request, *apierror.Error) { return DecodeRequest([]byte(body)) }

// with is a valid body with these members added.
func with(members string) string {
	return `{"model":"m","max_tokens":5,"messages":[{"role":"user","content":"x"}],` + members + `}`
}

// talk is a body with these messages.
func talk(messages string) string {
	return `{"model":"m","max_tokens":5,"messages":[` + messages + `]}`
}

func TestDecodeRequestReadsConversations(t *testing.T) {
	for name, c := range map[string]struct{ body, messages string }{
		"a string":      {talk(`{"role":"user","content":"h\u00e9"}`), `[{"role":"user","content":"h\u00e9"}]`},
		"blocks":        {talk(`{"role":"user","content":[{"type":"text","text":"a","cache_control":{"type":"ephemeral"}},{"type":"text","text":"b"}]}`), `[{"role":"user","content":"a\nb"}]`},
		"system":        {with(`"system":"be brief"`), `[{"role":"system","content":"be brief"},{"role":"user","content":"x"}]`},
		"system blocks": {with(`"system":[{"type":"text","text":"a"},{"type":"text","text":"b"}]`), `[{"role":"system","content":"a\nb"},{"role":"user","content":"x"}]`},
		"system later":  {talk(`{"role":"user","content":"x"},{"role":"system","content":"s"}`), `[{"role":"user","content":"x"},{"role":"system","content":"s"}]`},
		"no system":     {with(`"system":[]`), `[{"role":"user","content":"x"}]`},
		"two users":     {talk(`{"role":"user","content":"x"},{"role":"user","content":"y"}`), `[{"role":"user","content":"x"},{"role":"user","content":"y"}]`},
		"two replies":   {talk(`{"role":"user","content":"x"},{"role":"assistant","content":"y"},{"role":"assistant","content":[]}`), `[{"role":"user","content":"x"},{"role":"assistant","content":"y"},{"role":"assistant","content":""}]`},
		"calls": {talk(`{"role":"user","content":"x"},
			{"role":"assistant","content":[{"type":"thinking","thinking":"hm","signature":""},{"type":"text","text":"let me see"},{"type":"tool_use","id":"c1","name":"f","input":{"a": 1}},{"type":"tool_use","id":"c2","name":"g","input":{}}]},
			{"role":"user","content":[{"type":"tool_result","tool_use_id":"c1","content":"one"},{"type":"tool_result","tool_use_id":"c2","is_error":true,"content":[{"type":"text","text":"two"}]},{"type":"text","text":"go on"}]},
			{"role":"assistant","content":[{"type":"tool_use","id":"c3","name":"f","input":{}}]},
			{"role":"user","content":[{"type":"tool_result","tool_use_id":"c3"}]}`),
			`[{"role":"user","content":"x"},
			{"role":"assistant","content":"let me see","tool_calls":[{"id":"c1","type":"function","function":{"name":"f","arguments":"{\"a\": 1}"}},{"id":"c2","type":"function","function":{"name":"g","arguments":"{}"}}]},
			{"role":"tool","tool_call_id":"c1","content":"one"},{"role":"tool","tool_call_id":"c2","content":"two"},{"role":"user","content":"go on"},
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
	req, e := decode(with(`"stream":true,"temperature":0.5,"top_p":1,"top_k":4,"stop_sequences":["a"],"metadata":{"user_id":"u"},
		"thinking":{"type":"enabled","budget_tokens":1024},"service_tier":"auto","output_config":{"format":{"type":"json_schema","schema":{"type":"object"}}},
		"tools":[{"name":"f","description":"d","input_schema":{"type":"object"}},{"type":"custom","name":"g","input_schema":{"type":"object"}}],
		"tool_choice":{"type":"tool","name":"f","disable_parallel_tool_use":true}`))
	require.Nil(t, e, "%v", e)
	assert.Equal(t, "m", req.Model)
	assert.True(t, req.Stream && req.IncludeUsage)
	assert.Equal(t, 5, *req.MaxTokens)
	assert.Equal(t, []string{"a"}, req.Stop)
	delete(req.Body, "messages")
	body, err := json.Marshal(req.Body)
	require.NoError(t, err)
	assert.JSONEq(t, `{"temperature":0.5,"top_p":1,"top_k":4,"stop":["a"],"user":"u",
		"response_format":{"type":"json_schema","json_schema":{"name":"output","schema":{"type":"object"},"strict":true}},
		"tools":[{"type":"function","function":{"name":"f","description":"d","parameters":{"type":"object"}}},{"type":"function","function":{"name":"g","parameters":{"type":"object"}}}],
		"tool_choice":{"type":"function","function":{"name":"f"}},"parallel_tool_calls":false}`, string(body))
	for choice, want := range map[string]string{"auto": `"auto"`, "any": `"required"`, "none": `"none"`} {
		req, e := decode(with(`"tools":[{"name":"f","input_schema":{"type":"object"}}],"tool_choice":{"type":"` + choice + `"}`))
		require.Nil(t, e)
		assert.Equal(t, want, string(req.Body["tool_choice"]))
	}
	req, e = decode(with(`"tools":[],"stop_sequences":[],"thinking":{"type":"disabled"},"temperature":null`))
	require.Nil(t, e)
	assert.Equal(t, []string{"messages"}, keys(req.Body))
}

func keys(m map[string]json.RawMessage) (names []string) {
	for name := range m {
		names = append(names, name)
	}
	return names
}

func TestDecodeRequestRefuses(t *testing.T) {
	user := func(block string) string { return talk(`{"role":"user","content":[` + block + `]}`) }
	reply := func(block string) string {
		return talk(`{"role":"user","content":"x"},{"role":"assistant","content":[` + block + `]}`)
	}
	tool := func(tool string) string { return with(`"tools":[` + tool + `]`) }
	refusals.Check(t, decode, []refusals.Case{
		{Body: `{}`, Code: "missing_required_parameter", Param: "model"},
		{Body: `{"model":"m"}`, Code: "missing_required_parameter", Param: "max_tokens"},
		{Body: `{"model":"m","max_tokens":5}`, Code: "missing_required_parameter", Param: "messages"},
		{Body: `{"model":"","max_tokens":5}`, Code: "empty_string", Param: "model"},
		{Body: `{"model":"m","max_tokens":0}`, Code: "integer_below_min_value", Param: "max_tokens"},
		{Body: `{"model":"m","max_tokens":"5"}`, Code: "invalid_type", Param: "max_tokens"},
		{Body: `{"model":"m","max_tokens":null}`, Code: "invalid_type", Param: "max_tokens"},
		{Body: `{"model":"m","max_tokens":5,"messages":null}`, Code: "invalid_type", Param: "messages"},
		{Body: `{"model":"m","max_tokens":5,"messages":"x"}`, Code: "invalid_type", Param: "messages"},
		{Body: talk(``), Code: "empty_array", Param: "messages"},
		{Body: talk(`"x"`), Code: "invalid_type", Param: "messages[0]"},
		{Body: talk(`{"content":"x"}`), Code: "missing_required_parameter", Param: "messages[0].role"},
		{Body: talk(`{"role":"tool","content":"x"}`), Code: "invalid_value", Param: "messages[0].role"},
		{Body: talk(`{"role":"assistant","content":"x"}`), Code: "invalid_value", Param: "messages[0].role"},
		{Body: talk(`{"role":"user"}`), Code: "missing_required_parameter", Param: "messages[0].content"},
		{Body: talk(`{"role":"user","content":null}`), Code: "invalid_type", Param: "messages[0].content"},
		{Body: talk(`{"role":"user","content":[]}`), Code: "empty_array", Param: "messages[0].content"},
		{Body: user(`"x"`), Code: "invalid_type", Param: "messages[0].content[0]"},
		{Body: user(`{}`), Code: "missing_required_parameter", Param: "messages[0].content[0].type"},
		{Body: user(`{"type":"text"}`), Code: "missing_required_parameter", Param: "messages[0].content[0].text"},
		{Body: user(`{"type":"text","text":7}`), Code: "invalid_type", Param: "messages[0].content[0].text"},
		{Body: user(`{"type":"image","source":{}}`), Code: "invalid_value", Param: "messages[0].content[0].type"},
		{Body: user(`{"type":"document","source":{}}`), Code: "invalid_value", Param: "messages[0].content[0].type"},
		{Body: user(`{"type":"tool_use","id":"c","name":"f","input":{}}`), Code: "invalid_value", Param: "messages[0].content[0].type"},
		{Body: user(`{"type":"tool_result"}`), Code: "missing_required_parameter", Param: "messages[0].content[0].tool_use_id"},
		{Body: user(`{"type":"tool_result","tool_use_id":"c"}`), Code: "invalid_value", Param: "messages[0].content[0].tool_use_id"},
		{Body: reply(`{"type":"tool_result","tool_use_id":"c"}`), Code: "invalid_value", Param: "messages[1].content[0].type"},
		{Body: reply(`{"type":"tool_use"}`), Code: "missing_required_parameter", Param: "messages[1].content[0].id"},
		{Body: reply(`{"type":"tool_use","id":"c"}`), Code: "missing_required_parameter", Param: "messages[1].content[0].name"},
		{Body: reply(`{"type":"tool_use","id":"c","name":"f"}`), Code: "missing_required_parameter", Param: "messages[1].content[0].input"},
		{Body: reply(`{"type":"tool_use","id":"c","name":"f","input":"{}"}`), Code: "invalid_type", Param: "messages[1].content[0].input"},
		{Body: with(`"system":7`), Code: "invalid_type", Param: "system"},
		{Body: with(`"system":[{"type":"image"}]`), Code: "invalid_value", Param: "system[0].type"},
		{Body: with(`"n":2`), Code: "unknown_parameter", Param: "n"},
		{Body: with(`"stop":"x"`), Code: "unknown_parameter", Param: "stop"},
		{Body: with(`"stream":1`), Code: "invalid_type", Param: "stream"},
		{Body: with(`"stop_sequences":"x"`), Code: "invalid_type", Param: "stop_sequences"},
		{Body: with(`"stop_sequences":[""]`), Code: "empty_string", Param: "stop_sequences[0]"},
		{Body: with(`"stop_sequences":["a","b","c","d","e"]`), Code: "array_above_max_length", Param: "stop_sequences"},
		{Body: with(`"temperature":1.5`), Code: "decimal_above_max_value", Param: "temperature"},
		{Body: with(`"top_k":-1`), Code: "integer_below_min_value", Param: "top_k"},
		{Body: with(`"metadata":{"user_id":7}`), Code: "invalid_type", Param: "metadata.user_id"},
		{Body: with(`"thinking":{}`), Code: "missing_required_parameter", Param: "thinking.type"},
		{Body: with(`"thinking":{"type":"enabled"}`), Code: "missing_required_parameter", Param: "thinking.budget_tokens"},
		{Body: with(`"thinking":{"type":"enabled","budget_tokens":5}`), Code: "integer_below_min_value", Param: "thinking.budget_tokens"},
		{Body: with(`"service_tier":"gold"`), Code: "invalid_value", Param: "service_tier"},
		{Body: with(`"mcp_servers":[]`), Code: "unsupported_parameter", Param: "mcp_servers"},
		{Body: with(`"output_config":{"format":{"type":"json_schema"}}`), Code: "missing_required_parameter", Param: "output_config.format.schema"},
		{Body: tool(`7`), Code: "invalid_type", Param: "tools[0]"},
		{Body: tool(`{}`), Code: "missing_required_parameter", Param: "tools[0].name"},
		{Body: tool(`{"type":"web_search_20250305","name":"web_search"}`), Code: "invalid_value", Param: "tools[0].type"},
		{Body: tool(`{"name":"a b","input_schema":{"type":"object"}}`), Code: "invalid_value", Param: "tools[0].name"},
		{Body: tool(`{"name":"f"}`), Code: "missing_required_parameter", Param: "tools[0].input_schema"},
		{Body: tool(`{"name":"f","input_schema":[]}`), Code: "invalid_type", Param: "tools[0].input_schema"},
		{Body: tool(`{"name":"f","input_schema":{}}`), Code: "missing_required_parameter", Param: "tools[0].input_schema.type"},
		{Body: tool(`{"name":"f","input_schema":{"type":"string"}}`), Code: "invalid_value", Param: "tools[0].input_schema.type"},
		{Body: with(`"tool_choice":{"type":"auto"}`), Param: "tool_choice"},
		{Body: with(`"tools":[],"tool_choice":"auto"`), Code: "invalid_type", Param: "tool_choice"},
		{Body: with(`"tools":[],"tool_choice":{"type":"required"}`), Code: "invalid_value", Param: "tool_choice.type"},
		{Body: with(`"tools":[],"tool_choice":{"type":"tool"}`), Code: "missing_required_parameter", Param: "tool_choice.name"},
	})
}

func TestDecodeRequestIsLinear(t *testing.T) {
	refusals.Linear(t, decode, func(n int) string {
		return talk(strings.TrimSuffix(strings.Repeat(`{"role":"user","content":"x"},{"role":"assistant","content":[{"type":"text","text":"y"}]},`, n), ","))
	})
	refusals.Linear(t, decode, func(n int) string {
		return talk(`{"role":"user","content":[` + strings.TrimSuffix(strings.Repeat(`{"type":"text","text":"x"},`, n), ",") + `]}`)
	})
}

func TestCheckVersion(t *testing.T) {
	for version, code := range map[string]string{"2023-06-01": "", "2026-10-21": "", "": "missing_required_header", "tomorrow": "invalid_value"} {
		h := http.Header{}
		if version != "" {
			h.Set("anthropic-version", version)
		}
		e := CheckVersion(h)
		if code == "" {
			assert.Nil(t, e, version)
			continue
		}
		require.NotNil(t, e, version)
		assert.Equal(t, code, *e.Code)
		assert.Equal(t, 400, e.Status)
	}
}

func FuzzDecodeRequest(f *testing.F) {
	refusals.Fuzz(f, decode,
		with(`"system":[{"type":"text","text":"s"}],"tools":[{"name":"f","input_schema":{"type":"object"}}],"tool_choice":{"type":"any"}`),
		talk(`{"role":"user","content":"x"},{"role":"assistant","content":[{"type":"tool_use","id":"c","name":"f","input":{"a":"b"}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"c","content":"y"}]}`),
		with(`"stop_sequences":["a"],"thinking":{"type":"adaptive"},"metadata":{"user_id":"u"}`))
}
