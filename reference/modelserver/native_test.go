package modelserver

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plumbline.dev/plumbline/reference/completion"
)

// native is a request in a format that is not chat.
func native(format completion.Format) *completion.Request {
	req := oneChoice()
	req.Body = map[string]json.RawMessage{"messages": json.RawMessage(`[]`)}
	req.Native = &completion.Native{Format: format, Body: map[string]json.RawMessage{
		"model": json.RawMessage(`"alias"`), "stream": json.RawMessage(`false`), "top_k": json.RawMessage(`4`),
	}}
	return req
}

func named(events ...string) string {
	var out strings.Builder
	for _, e := range events {
		var typed struct{ Type string }
		if json.Unmarshal([]byte(e), &typed) == nil {
			out.WriteString("event: " + typed.Type + "\n")
		}
		out.WriteString("data: " + e + "\n\n")
	}
	return out.String()
}

func TestNativeRequest(t *testing.T) {
	for name, c := range map[string]struct {
		speaks             []completion.Format
		format             completion.Format
		path, version, has string
	}{
		"messages":            {[]completion.Format{"messages"}, "messages", "/v1/messages", "2023-06-01", `{"model":"served","stream":true,"top_k":4}`},
		"responses":           {[]completion.Format{"messages", "responses"}, "responses", "/v1/responses", "", `{"model":"served","stream":true,"top_k":4}`},
		"another is spoken":   {[]completion.Format{"responses"}, "messages", "/v1/chat/completions", "", `"messages":[]`},
		"nothing is declared": {nil, "responses", "/v1/chat/completions", "", `"messages":[]`},
	} {
		t.Run(name, func(t *testing.T) {
			u := newUpstream(t, plays("", ""))
			p := newTestPool(t, Options{}, Server{Name: "a", URL: u.url(), Model: "served", Native: c.speaks})
			_, _, err := play(t, p, native(c.format))
			require.Error(t, err, "nothing was answered")
			_, req, body := u.seen()
			assert.Equal(t, c.path, req.URL.Path)
			assert.Equal(t, c.version, req.Header.Get("anthropic-version"))
			assert.Contains(t, body, c.has)
		})
	}
}

// What stands in most of the streams below.
const (
	messageStart = `{"type":"message_start","message":{"usage":{"input_tokens":5,"cache_read_input_tokens":3,"output_tokens":1}}}`
	messageText  = `{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"h\u00e9"}}`
	messageEnd   = `{"type":"message_delta","delta":{"stop_reason":"end_turn","stop_sequence":null},"usage":{"output_tokens":7}}`
	messageStop  = `{"type":"message_stop"}`

	responseStart = `{"type":"response.created","sequence_number":0,"response":{"status":"in_progress"}}`
	responseText  = `{"type":"response.output_text.delta","item_id":"m","output_index":0,"content_index":0,"delta":"h\u00e9","logprobs":[]}`
	responseEnd   = `{"type":"response.completed","response":{"usage":{"input_tokens":8,"input_tokens_details":{"cached_tokens":3},"output_tokens":7}}}`
)

func TestNativeStreams(t *testing.T) {
	for name, c := range map[string]struct {
		format completion.Format
		stream string
		end    string // of the connection
		words  string
		kind   Kind // 0 is a proper end
	}{
		"messages: text": {"messages", named(messageStart, `{"type":"ping"}`, `{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}`, messageText, `{"type":"content_block_stop","index":0}`, messageEnd, messageStop), "hang",
			`role0 0:"h\u00e9" finish0=stop usage=8+7(3) end`, 0},
		"messages: a ping before the start": {"messages", named(`{"type":"ping"}`, messageStart, messageEnd, messageStop), "", `role0 finish0=stop usage=8+7(3) end`, 0},
		"messages: an unknown event and delta": {"messages", named(messageStart, `{"type":"news","delta":{"stop_reason":"x"}}`, `{"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"s"}}`, messageEnd, messageStop), "",
			`role0 finish0=stop usage=8+7(3) end`, 0},
		"messages: thinking and a call": {"messages", named(messageStart, `{"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"hm"}}`,
			`{"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"c","name":"f","input":{}}}`, `{"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":""}}`, `{"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"{}"}}`,
			`{"type":"message_delta","delta":{"stop_reason":"tool_use"},"usage":{"output_tokens":7}}`, messageStop), "",
			`role0 0:reasoning:"hm" 0:calls:[{"index":0,"id":"c","type":"function","function":{"name":"f","arguments":""}}] 0:calls:[{"index":0,"function":{"arguments":"{}"}}] finish0=tool_calls usage=8+7(3) end`, 0},
		"messages: the limit":                 {"messages", named(messageStart, `{"type":"message_delta","delta":{"stop_reason":"max_tokens"},"usage":{"output_tokens":7}}`, messageStop), "", `role0 finish0=length usage=8+7(3) end`, 0},
		"messages: a refusal":                 {"messages", named(messageStart, `{"type":"message_delta","delta":{"stop_reason":"refusal"},"usage":{"output_tokens":7}}`, messageStop), "", `role0 finish0=content_filter usage=8+7(3) end`, 0},
		"messages: wrong usage":               {"messages", named(messageStart, `{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":-7}}`, messageStop), "", `role0 finish0=stop usage=refused end`, 0},
		"messages: an end without stop":       {"messages", named(messageStart, messageText, messageEnd), "", `role0 0:"h\u00e9" finish0=stop usage=8+7(3)`, KindEndedEarly},
		"messages: stop without an end":       {"messages", named(messageStart, messageText, messageStop), "", `role0 0:"h\u00e9"`, KindEndedEarly},
		"messages: an error":                  {"messages", named(messageStart, messageText, `{"type":"error","error":{"type":"overloaded_error","message":"at 10.0.0.1"}}`), "", `role0 0:"h\u00e9"`, KindErrorEvent},
		"messages: an error without its name": {"messages", event(messageStart) + event(`{"type":"error","error":{}}`), "", `role0`, KindErrorEvent},
		"messages: two beginnings":            {"messages", named(messageStart, messageStart), "", `role0`, KindMalformed},
		"messages: an unknown end":            {"messages", named(messageStart, `{"type":"message_delta","delta":{"stop_reason":"tired"}}`), "", `role0`, KindMalformed},
		"messages: text that is no string":    {"messages", named(messageStart, `{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":7}}`), "", `role0`, KindMalformed},
		"messages: a piece of no call":        {"messages", named(messageStart, `{"type":"content_block_delta","index":4,"delta":{"type":"input_json_delta","partial_json":"{"}}`), "", `role0`, KindMalformed},
		"messages: cut":                       {"messages", named(messageStart, messageText), "cut", `role0 0:"h\u00e9"`, KindCut},
		"messages: no JSON":                   {"messages", named(messageStart) + event("{"), "", `role0`, KindMalformed},

		"responses: text":              {"responses", named(responseStart, `{"type":"response.in_progress","response":{}}`, responseText, `{"type":"response.output_text.done","text":"h\u00e9"}`, responseEnd), "hang", `role0 0:"h\u00e9" finish0=stop usage=8+7(3) end`, 0},
		"responses: [DONE] at the end": {"responses", named(responseStart, responseText, responseEnd) + doneEvent, "", `role0 0:"h\u00e9" finish0=stop usage=8+7(3) end`, 0},
		"responses: reasoning, refusal and a call": {"responses", named(responseStart, `{"type":"response.reasoning_summary_text.delta","delta":"hm"}`, `{"type":"response.refusal.delta","delta":"no"}`,
			`{"type":"response.output_item.added","output_index":2,"item":{"type":"function_call","id":"fc","call_id":"c","name":"f","arguments":""}}`, `{"type":"response.function_call_arguments.delta","output_index":2,"delta":"{}"}`, responseEnd), "",
			`role0 0:reasoning:"hm" 0:refusal:"no" 0:calls:[{"index":0,"id":"c","type":"function","function":{"name":"f","arguments":""}}] 0:calls:[{"index":0,"function":{"arguments":"{}"}}] finish0=tool_calls usage=8+7(3) end`, 0},
		"responses: the limit":         {"responses", named(responseStart, `{"type":"response.incomplete","response":{"incomplete_details":{"reason":"max_output_tokens"},"usage":null}}`), "", `role0 finish0=length end`, 0},
		"responses: a filter":          {"responses", named(responseStart, `{"type":"response.incomplete","response":{"incomplete_details":{"reason":"content_filter"}}}`), "", `role0 finish0=content_filter end`, 0},
		"responses: cut short":         {"responses", named(responseStart, `{"type":"response.incomplete","response":{"incomplete_details":null}}`), "", `role0`, KindAborted},
		"responses: failed":            {"responses", named(responseStart, responseText, `{"type":"response.failed","response":{"error":{"code":"server_error"}}}`), "", `role0 0:"h\u00e9"`, KindErrorEvent},
		"responses: an error":          {"responses", named(responseStart, `{"type":"error","code":"x","message":"m","param":null}`), "", `role0`, KindErrorEvent},
		"responses: no end":            {"responses", named(responseStart, responseText), "", `role0 0:"h\u00e9"`, KindEndedEarly},
		"responses: [DONE] and no end": {"responses", named(responseStart, responseText) + doneEvent, "", `role0 0:"h\u00e9"`, KindDoneEarly},
		"responses: a call without id": {"responses", named(responseStart, `{"type":"response.output_item.added","output_index":0,"item":{"type":"function_call","name":"f"}}`), "", `role0`, KindMalformed},
		"responses: text that is none": {"responses", named(responseStart, `{"type":"response.output_text.delta","delta":{}}`), "", `role0`, KindMalformed},
	} {
		t.Run(name, func(t *testing.T) {
			u := newUpstream(t, plays(c.stream, c.end))
			p := newTestPool(t, Options{}, Server{Name: "a", URL: u.url(), Native: []completion.Format{"messages", "responses"}})
			words, _, err := play(t, p, native(c.format))
			assert.Equal(t, c.words, words)
			if c.kind == 0 {
				require.NoError(t, err)
				return
			}
			var failure *Error
			require.ErrorAs(t, err, &failure)
			assert.Equal(t, c.kind, failure.Kind, failure.Error())
		})
	}
}

func TestNativeLogprobsAndStopSequences(t *testing.T) {
	var b completion.Batch
	failure := new(responsesDecoder).chunk(&b, []byte(`{"type":"response.output_text.delta","delta":"ab","logprobs":[{"token":"a","logprob":-1,"top_logprobs":[]},{"token":"b","logprob":-2,"vendor":1}]}`), false)
	require.Nil(t, failure)
	require.Len(t, b.Events, 1)
	assert.Equal(t, 2, b.Events[0].Tokens)
	assert.Equal(t, `{"content":[{"token":"a","logprob":-1,"bytes":null,"top_logprobs":[]},{"token":"b","logprob":-2,"bytes":null,"top_logprobs":[]}],"refusal":null}`, string(b.Events[0].Logprobs))

	b.Reset()
	require.Nil(t, (&messagesDecoder{begun: true}).chunk(&b, []byte(`{"type":"message_delta","delta":{"stop_reason":"stop_sequence","stop_sequence":"END"}}`), false))
	require.Len(t, b.Events, 2)
	assert.Equal(t, `"END"`, string(b.Events[0].Text))
}

// FuzzNative holds that no stream breaks a reader, and that what it takes for
// text is a string.
func FuzzNative(f *testing.F) {
	f.Add(named(messageStart, messageText, messageEnd, messageStop))
	f.Add(named(responseStart, responseText, responseEnd))
	f.Add(`{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"c","name":"f"}}`)
	f.Fuzz(func(t *testing.T, stream string) {
		for _, d := range []reader{new(messagesDecoder), new(responsesDecoder)} {
			var b completion.Batch
			for line := range strings.SplitSeq(stream, "\n") {
				line = strings.TrimPrefix(line, "data: ")
				if d.chunk(&b, []byte(line), false) != nil {
					break
				}
			}
			for _, e := range b.Events {
				if e.Text != nil {
					var s string
					require.NoError(t, json.Unmarshal(e.Text, &s))
				}
				require.True(t, e.ToolCalls == nil || json.Valid(e.ToolCalls))
			}
		}
	})
}
