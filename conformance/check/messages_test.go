package check

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plumbline.dev/plumbline/conformance/wire"
)

// The events of the test message.
var (
	msgStart   = event("message_start", `"message":{"id":"msg_1","type":"message","role":"assistant","model":"m","content":[],"stop_reason":null,"stop_sequence":null,"usage":{"input_tokens":9,"output_tokens":1}}`)
	msgPing    = event("ping", "")
	blockStart = event("content_block_start", `"index":0,"content_block":{"type":"text","text":""}`)
	blockHello = event("content_block_delta", `"index":0,"delta":{"type":"text_delta","text":"Hello"}`)
	blockWorld = event("content_block_delta", `"index":0,"delta":{"type":"text_delta","text":" wörld"}`)
	blockStop  = event("content_block_stop", `"index":0`)
	msgDelta   = event("message_delta", `"delta":{"stop_reason":"end_turn","stop_sequence":null},"usage":{"output_tokens":2}`)
	msgStop    = event("message_stop", "")
	msgError   = event("error", `"error":{"type":"api_error","message":"The model server failed."}`)

	toolStart  = event("content_block_start", `"index":0,"content_block":{"type":"tool_use","id":"toolu_1","name":"f","input":{}}`)
	toolEmpty  = event("content_block_delta", `"index":0,"delta":{"type":"input_json_delta","partial_json":""}`)
	toolOpen   = event("content_block_delta", `"index":0,"delta":{"type":"input_json_delta","partial_json":"{\"a\""}`)
	toolClose  = event("content_block_delta", `"index":0,"delta":{"type":"input_json_delta","partial_json":":1}"}`)
	calledStop = strings.Replace(msgDelta, "end_turn", "tool_use", 1)
)

func helloMessage() []string {
	return []string{msgStart, msgPing, blockStart, blockHello, blockWorld, blockStop, msgDelta, msgStop}
}

// Each message is broken in one way. Expected are all rules that speak.
func TestBrokenMessages(t *testing.T) {
	good := helloMessage()
	call := []string{msgStart, toolStart, toolEmpty, toolOpen, toolClose, blockStop, calledStop, msgStop}
	tests := map[string]struct {
		events []string
		ask    Ask
		want   []string
	}{
		"good":                   {events: good},
		"a call":                 {events: call},
		"nothing":                {want: []string{"HasEvents", "StopLast"}},
		"pings alone":            {events: []string{msgPing, msgPing}, want: []string{"StopLast"}},
		"[DONE] at the end":      {events: append(helloMessage(), done), want: []string{"NoDoneMarker"}},
		"a ping after the end":   {events: append(helloMessage(), msgPing), want: []string{"StopLast"}},
		"a comment after it":     {events: append(helloMessage(), ": ping\n\n"), want: []string{"StopLast"}},
		"no message_stop":        {events: good[:7], want: []string{"StopLast"}},
		"no message_delta":       {events: dropped(good, 6), want: []string{"StopLast"}},
		"message_stop twice":     {events: append(helloMessage(), msgStop), want: []string{"StopLast"}},
		"message_stop too early": {events: append(good[:6:6], msgStop, msgDelta), want: []string{"StopLast"}},
		"cut off":                {events: good[:4], want: []string{"StopLast"}},
		"a chat completion":      {events: []string{role, hello, finish, done}, want: []string{"EventNames", "NoDoneMarker", "StartFirst", "StopLast"}},

		"no names":              {events: edited(good, 3, "event: content_block_delta\n", ""), want: []string{"EventNames"}},
		"another name":          {events: edited(good, 3, "event: content_block_delta", "event: content_block_stop"), want: []string{"EventNames"}},
		"no type":               {events: edited(good, 7, `"type":"message_stop"`, ""), want: []string{"EventNames", "StopLast"}},
		"data is no JSON":       {events: inserted(good, 3, "event: content_block_delta\ndata: {\n\n"), want: []string{"EventJSON"}},
		"a byte order mark":     {events: edited(good, 0, "event: message_start", "\xef\xbb\xbfevent: message_start"), want: []string{"NoBOM"}},
		"the last one unended":  {events: edited(good, 7, "}\n\n", "}\n"), want: []string{"EventsTerminated", "StopLast"}},
		"broken UTF-8":          {events: edited(good, 4, "ö", "\xc3"), want: []string{"UTF8"}},
		"no message_start":      {events: dropped(good, 0), want: []string{"BlockOrder", "InputCounted", "StartFirst"}},
		"message_start twice":   {events: inserted(good, 2, msgStart), want: []string{"StartFirst"}},
		"message_start second":  {events: append([]string{blockStart, msgStart}, append([]string{}, good[3:]...)...), want: []string{"BlockOrder", "StartFirst"}},
		"a start with content":  {events: edited(good, 0, `"content":[]`, `"content":[{"type":"text","text":"x"}]`), want: []string{"StartShape"}},
		"a start that stops":    {events: edited(good, 0, `"stop_reason":null`, `"stop_reason":"end_turn"`), want: []string{"StartShape"}},
		"a start without id":    {events: edited(good, 0, `"id":"msg_1",`, ""), want: []string{"StartShape"}},
		"a start of a user":     {events: edited(good, 0, `"assistant"`, `"user"`), want: []string{"StartShape"}},
		"a start without usage": {events: edited(good, 0, `,"usage":{"input_tokens":9,"output_tokens":1}`, ""), want: []string{"InputCounted", "StartShape"}},
		"no stop_sequence key":  {events: edited(good, 0, `"stop_sequence":null,`, ""), want: []string{"StartShape"}},

		"no block start":        {events: dropped(good, 2), want: []string{"BlockOrder"}},
		"no block stop":         {events: dropped(good, 5), want: []string{"BlockOrder"}},
		"a block at 1":          {events: edited(good, 2, `"index":0`, `"index":1`), want: []string{"BlockOrder"}},
		"a delta at 1":          {events: edited(good, 3, `"index":0`, `"index":1`), want: []string{"BlockOrder"}},
		"two blocks at once":    {events: inserted(good, 3, strings.Replace(blockStart, `"index":0`, `"index":1`, 1)), want: []string{"BlockOrder"}},
		"a gap of indexes":      {events: append(good[:6:6], strings.Replace(blockStart, `"index":0`, `"index":2`, 1), strings.Replace(blockStop, `"index":0`, `"index":2`, 1), msgDelta, msgStop), want: []string{"BlockOrder"}},
		"a delta after the end": {events: inserted(good, 7, blockWorld), want: []string{"BlockOrder"}},
		"a block after the end": {events: append(good[:7:7], strings.Replace(blockStart, `"index":0`, `"index":1`, 1), msgStop), want: []string{"BlockOrder"}},
		"thinking in a text":    {events: inserted(good, 4, event("content_block_delta", `"index":0,"delta":{"type":"thinking_delta","thinking":"hm"}`)), want: []string{"BlockOrder"}},
		"a delta without text":  {events: edited(good, 3, `"text":"Hello"`, `"x":1`), want: []string{"MessageEventFields"}},
		"a delta without index": {events: edited(good, 3, `"index":0,`, ""), want: []string{"BlockOrder", "MessageEventFields"}},
		"a block without text":  {events: edited(good, 2, `,"text":""`, ""), want: []string{"MessageEventFields"}},
		"no usage at the end":   {events: edited(good, 6, `,"usage":{"output_tokens":2}`, ""), want: []string{"MessageEventFields"}},
		"no output_tokens":      {events: edited(good, 6, `"output_tokens":2`, `"input_tokens":9`), want: []string{"MessageUsage"}},
		"no stop_sequence":      {events: edited(good, 6, `,"stop_sequence":null`, ""), want: []string{"MessageEventFields"}},

		"an unknown reason":     {events: edited(good, 6, "end_turn", "stop"), want: []string{"StopReasons"}},
		"a reason null":         {events: edited(good, 6, `"end_turn"`, "null"), want: []string{"StopReasons"}},
		"a sequence not named":  {events: edited(good, 6, "end_turn", "stop_sequence"), want: []string{"StopReasons"}},
		"a sequence at a turn":  {events: edited(good, 6, `"stop_sequence":null`, `"stop_sequence":"x"`), want: []string{"StopReasons"}},
		"tool_use without one":  {events: edited(good, 6, "end_turn", "tool_use"), want: []string{"StopReasons"}},
		"a call, end_turn":      {events: edited(call, 6, "tool_use", "end_turn"), want: []string{"StopReasons"}},
		"a call without a name": {events: edited(call, 1, `"name":"f",`, ""), want: []string{"MessageEventFields", "ToolInput"}},
		"a call with its input": {events: edited(call, 1, `"input":{}`, `"input":{"a":1}`), want: []string{"ToolInput"}},
		"input is lost":         {events: dropped(call, 4), want: []string{"ToolInput"}},
		"input is a list":       {events: edited(edited(call, 3, `{\"a\"`, `[`), 4, `:1}`, `]`), want: []string{"ToolInput"}},
		"text in a call":        {events: inserted(call, 4, blockHello), want: []string{"BlockOrder"}},

		"counts that fall":      {events: edited(edited(good, 0, `"output_tokens":1`, `"output_tokens":3`), 6, `"output_tokens":2`, `"output_tokens":2`), want: []string{"MessageUsage"}},
		"a negative count":      {events: edited(good, 6, `"output_tokens":2`, `"output_tokens":2,"cache_read_input_tokens":-1`), want: []string{"MessageUsage"}},
		"a count of 2.5":        {events: edited(good, 6, `"output_tokens":2`, `"output_tokens":2.5`), want: []string{"MessageUsage"}},
		"input never counted":   {events: edited(good, 0, `"input_tokens":9`, `"input_tokens":0`), want: []string{"InputCounted"}},
		"no token for the text": {events: edited(edited(good, 0, `"output_tokens":1`, `"output_tokens":0`), 6, `"output_tokens":2`, `"output_tokens":0`), want: []string{"MessageCounted"}},
		"more than allowed":     {events: good, ask: Ask{MaxTokens: 1}, want: []string{"MessageCounted"}},
		"an error":              {events: inserted(good, 5, msgError), want: []string{"NoErrorEvent"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			found := JudgeBy(ParseMessages(answer(tt.events...), tt.ask), MessagesRules())
			assert.Equal(t, tt.want, names(found), "%v", found)
			wellFormed(t, found)
		})
	}
}

// Odd, and not ruled out.
func TestLegalMessages(t *testing.T) {
	good := helloMessage()
	tests := map[string][]string{
		"a ping first":          append([]string{msgPing}, good...),
		"pings everywhere":      {msgStart, msgPing, blockStart, msgPing, blockHello, msgPing, blockStop, msgPing, msgDelta, msgPing, msgStop},
		"comments":              inserted(good, 3, ": keep-alive\n\n"),
		"an unknown event":      inserted(good, 3, event("content_block_note", `"x":1`)),
		"an unknown delta":      inserted(good, 3, event("content_block_delta", `"index":0,"delta":{"type":"citations_delta","citation":{}}`)),
		"no block":              {msgStart, msgDelta, msgStop},
		"two message_deltas":    inserted(good, 7, strings.Replace(msgDelta, `:2`, `:3`, 1)),
		"input told at the end": edited(edited(good, 0, `"input_tokens":9`, `"input_tokens":0`), 6, `"output_tokens":2`, `"output_tokens":2,"input_tokens":9`),
		"input is all cached":   edited(good, 0, `"input_tokens":9`, `"input_tokens":0,"cache_read_input_tokens":9`),
		"at the limit":          edited(good, 6, "end_turn", "max_tokens"),
		"a stop sequence":       edited(edited(good, 6, "end_turn", "stop_sequence"), 6, `"stop_sequence":null`, `"stop_sequence":"x"`),
		"a call, cut":           {msgStart, toolStart, toolOpen, blockStop, strings.Replace(msgDelta, "end_turn", "max_tokens", 1), msgStop},
		"a call without input":  {msgStart, toolStart, blockStop, calledStop, msgStop},
		"an unknown block":      {msgStart, event("content_block_start", `"index":0,"content_block":{"type":"server_tool_use","id":"x","name":"y","input":{}}`), toolOpen, toolClose, blockStop, msgDelta, msgStop},
		"nullable counts":       edited(good, 0, `"output_tokens":1`, `"output_tokens":1,"cache_creation_input_tokens":null`),
		"a service tier":        edited(good, 0, `"output_tokens":1`, `"output_tokens":1,"service_tier":"standard"`),
		"thinking with its sign": {msgStart, event("content_block_start", `"index":0,"content_block":{"type":"thinking","thinking":"","signature":""}`),
			event("content_block_delta", `"index":0,"delta":{"type":"thinking_delta","thinking":"hm"}`),
			event("content_block_delta", `"index":0,"delta":{"type":"signature_delta","signature":"s"}`), blockStop,
			strings.Replace(blockStart, `"index":0`, `"index":1`, 1), strings.Replace(blockHello, `"index":0`, `"index":1`, 1), strings.Replace(blockStop, `"index":0`, `"index":1`, 1), msgDelta, msgStop},
	}
	for name, events := range tests {
		t.Run(name, func(t *testing.T) {
			assert.Empty(t, JudgeBy(ParseMessages(answer(events...), Ask{}), MessagesRules()))
		})
	}
}

func TestFailedMessages(t *testing.T) {
	failed := []string{msgStart, blockStart, blockHello, msgError}
	tests := map[string]struct {
		events []string
		end    wire.End
		want   []string
	}{
		"good":                    {events: failed},
		"at once":                 {events: []string{msgError}, want: []string{"StartFirst"}},
		"behind a stopped block":  {events: inserted(failed, 3, blockStop)},
		"no error":                {events: failed[:3], want: []string{"OneErrorLast"}},
		"two errors":              {events: append(failed[:4:4], msgError), want: []string{"OneErrorLast"}},
		"message_stop behind it":  {events: append(failed[:4:4], msgStop), want: []string{"NoEndAfterError", "OneErrorLast"}},
		"a turn that ends before": {events: inserted(inserted(failed, 3, msgDelta), 3, blockStop), want: []string{"NoEndAfterError"}},
		"[DONE] behind it":        {events: append(failed[:4:4], done), want: []string{"NoDoneMarker"}},
		"a ping behind it":        {events: append(failed[:4:4], msgPing), want: []string{"OneErrorLast"}},
		"without a name":          {events: edited(failed, 3, "event: error\n", ""), want: []string{"EventNames", "OneErrorLast"}},
		"OpenAI's envelope":       {events: append(failed[:3:3], "data: {\"error\":{\"message\":\"x\",\"type\":\"upstream_error\"}}\n\n"), want: []string{"EventNames", "OneErrorLast"}},
		"no message":              {events: edited(failed, 3, `,"message":"The model server failed."`, ""), want: []string{"ErrorEventShape"}},
		"no type":                 {events: edited(failed, 3, `"type":"api_error",`, ""), want: []string{"ErrorEventShape"}},
		"error is a text":         {events: edited(failed, 3, `{"type":"api_error","message":"The model server failed."}`, `"x"`), want: []string{"ErrorEventShape"}},
		"an address":              {events: edited(failed, 3, "The model server failed.", "dial tcp 10.0.0.1:80"), want: []string{"ErrorEventShape"}},
		"the connection stays":    {events: failed, end: wire.EndTimeout, want: []string{"ErrorCloses"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			tr := answer(tt.events...)
			if tt.end != "" {
				tr.End = tt.end
			}
			found := JudgeBy(ParseMessages(tr, Ask{}), FailedMessagesRules())
			assert.Equal(t, tt.want, names(found), "%v", found)
			wellFormed(t, found)
		})
	}
}

func TestMessagesSaying(t *testing.T) {
	says := ParseMessages(answer(helloMessage()...), Ask{}).Saying()
	assert.Equal(t, "msg_1", says.ID)
	assert.Equal(t, "Hello wörld", says.Text)
	assert.Equal(t, "stop", says.Finish)
	assert.True(t, says.Complete)
	assert.Equal(t, 7, says.Events, "a ping is nothing of the reply")
	assert.Equal(t, &Usage{PromptTokens: 9, CompletionTokens: 2, TotalTokens: 11, CachedTokens: -1, WrittenTokens: -1}, says.Usage)

	cached := edited(helloMessage(), 6, `"output_tokens":2`, `"output_tokens":2,"input_tokens":3,"cache_read_input_tokens":4,"cache_creation_input_tokens":5`)
	assert.Equal(t, &Usage{PromptTokens: 12, CompletionTokens: 2, TotalTokens: 14, CachedTokens: 4, WrittenTokens: 5},
		ParseMessages(answer(cached...), Ask{}).Usage(), "the end overrules the start, and the prompt is all three")

	called := ParseMessages(answer(msgStart, toolStart, toolEmpty, toolOpen, toolClose, blockStop, calledStop, msgStop), Ask{}).Saying()
	require.Len(t, called.Calls, 1)
	assert.Equal(t, ToolCall{ID: "toolu_1", Type: "function", Name: "f", Arguments: `{"a":1}`}, called.Calls[0])
	assert.Equal(t, "tool_calls", called.Finish)

	for reason, want := range map[string]string{"max_tokens": "length", "model_context_window_exceeded": "length", "stop_sequence": "stop", "refusal": "content_filter", "pause_turn": "pause_turn"} {
		assert.Equal(t, want, ParseMessages(answer(edited(helloMessage(), 6, "end_turn", reason)...), Ask{}).Saying().Finish)
	}
	assert.True(t, ParseMessages(answer(msgStart, msgError), Ask{}).Saying().Failed)
}
