package check

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plumbline.dev/plumbline/conformance/wire"
)

// event is a named event whose data has this type and these members.
func event(kind, members string) string {
	if members != "" {
		members = "," + members
	}
	return fmt.Sprintf("event: %s\ndata: {\"type\":%q%s}\n\n", kind, kind, members)
}

// numbered puts the number of each event that has one for the # in it.
func numbered(events ...string) []string {
	out := make([]string, len(events))
	n := 0
	for i, e := range events {
		out[i] = strings.ReplaceAll(e, `"#"`, fmt.Sprint(n))
		if strings.Contains(e, `"#"`) {
			n++
		}
	}
	return out
}

func resp(kind, members string) string {
	return event("response."+kind, `"sequence_number":"#",`+members)
}

// state is an event with the whole response.
func state(kind, status, more string) string {
	return resp(kind, `"response":{"id":"resp_1","object":"response","created_at":1767225600,"model":"m","status":"`+status+
		`","parallel_tool_calls":true,"instructions":null`+more+`}`)
}

const (
	openResponse = `,"error":null,"incomplete_details":null,"output":[],"usage":null`
	respUsage    = `,"usage":{"input_tokens":9,"input_tokens_details":{"cached_tokens":0,"cache_write_tokens":0},"output_tokens":2,"output_tokens_details":{"reasoning_tokens":0},"total_tokens":11}`
	inMessage    = `"item_id":"msg_1","output_index":0,"content_index":0,`
	helloPart    = `{"type":"output_text","text":"Hello wörld","annotations":[]}`
)

func messageItem(status, content string) string {
	return `{"id":"msg_1","type":"message","role":"assistant","status":"` + status + `","content":[` + content + `]}`
}

// The events of the test response.
var (
	created    = state("created", "in_progress", openResponse)
	inProgress = state("in_progress", "in_progress", openResponse)
	itemAdded  = resp("output_item.added", `"output_index":0,"item":`+messageItem("in_progress", ""))
	partAdded  = resp("content_part.added", inMessage+`"part":{"type":"output_text","text":"","annotations":[]}`)
	textHello  = resp("output_text.delta", inMessage+`"delta":"Hello","logprobs":[]`)
	textWorld  = resp("output_text.delta", inMessage+`"delta":" wörld","logprobs":[]`)
	textDone   = resp("output_text.done", inMessage+`"text":"Hello wörld","logprobs":[]`)
	partDone   = resp("content_part.done", inMessage+`"part":`+helloPart)
	itemDone   = resp("output_item.done", `"output_index":0,"item":`+messageItem("completed", helloPart))
	completed  = state("completed", "completed", `,"error":null,"incomplete_details":null,"output":[`+messageItem("completed", helloPart)+`]`+respUsage)

	itemCut    = resp("output_item.done", `"output_index":0,"item":`+messageItem("incomplete", helloPart))
	incomplete = state("incomplete", "incomplete", `,"error":null,"incomplete_details":{"reason":"max_output_tokens"},"output":[`+messageItem("incomplete", helloPart)+`]`+respUsage)

	respFailed = state("failed", "failed", `,"error":{"code":"server_error","message":"The model server failed."},"incomplete_details":null,"output":[],"usage":null`)

	callAdded  = resp("output_item.added", `"output_index":0,"item":{"id":"fc_1","type":"function_call","status":"in_progress","call_id":"call_1","name":"f","arguments":""}`)
	callDelta  = resp("function_call_arguments.delta", `"item_id":"fc_1","output_index":0,"delta":"{\"a\""`)
	callDelta2 = resp("function_call_arguments.delta", `"item_id":"fc_1","output_index":0,"delta":":1}"`)
	callEnd    = resp("function_call_arguments.done", `"item_id":"fc_1","output_index":0,"arguments":"{\"a\":1}"`)
	callItem   = `{"id":"fc_1","type":"function_call","status":"completed","call_id":"call_1","name":"f","arguments":"{\"a\":1}"}`
	callDone   = resp("output_item.done", `"output_index":0,"item":`+callItem)
	calledEnd  = state("completed", "completed", `,"error":null,"incomplete_details":null,"output":[`+callItem+`]`+respUsage)
)

func helloResponse() []string {
	return []string{created, inProgress, itemAdded, partAdded, textHello, textWorld, textDone, partDone, itemDone, completed}
}

// edited returns the events with one of them changed.
func edited(events []string, at int, old, new string) []string {
	out := append([]string(nil), events...)
	if !strings.Contains(out[at], old) {
		panic("nothing to break: " + old)
	}
	out[at] = strings.Replace(out[at], old, new, 1)
	return out
}

// without returns the events but one; dropped, in place of the test data's without.
func dropped(events []string, at int) []string {
	return append(append([]string(nil), events[:at]...), events[at+1:]...)
}

// inserted returns the events with one more before the one at this place.
func inserted(events []string, at int, event string) []string {
	return append(append(append([]string(nil), events[:at]...), event), events[at:]...)
}

// Each response is broken in one way. Expected are all rules that speak.
func TestBrokenResponses(t *testing.T) {
	good := helloResponse()
	call := []string{created, callAdded, callDelta, callDelta2, callEnd, callDone, calledEnd}
	tests := map[string]struct {
		events []string
		raw    bool // the sequence numbers stand as they are
		ask    Ask
		want   []string
	}{
		"good":                    {events: good},
		"at the limit":            {events: []string{created, inProgress, itemAdded, partAdded, textHello, textWorld, textDone, partDone, itemCut, incomplete}},
		"a call":                  {events: call},
		"nothing":                 {want: []string{"HasEvents", "TerminalLast"}},
		"[DONE] alone":            {events: []string{done}, want: []string{"HasEvents", "NoDoneMarker", "TerminalLast"}},
		"without in_progress":     {events: dropped(good, 1)},
		"a failure":               {events: []string{created, inProgress, respFailed}, want: []string{"TerminalLast"}},
		"a chat completion":       {events: []string{role, hello, finish, done}, want: []string{"CreatedFirst", "EventNames", "NoDoneMarker", "SequenceNumbers", "TerminalLast"}},
		"no end":                  {events: good[:9], want: []string{"TerminalLast"}},
		"[DONE] at the end":       {events: append(helloResponse(), done), want: []string{"NoDoneMarker"}},
		"a ping after the end":    {events: append(helloResponse(), ": ping\n\n"), want: []string{"TerminalLast"}},
		"an event after the end":  {events: append(helloResponse(), textHello), want: []string{"ItemOrder", "TerminalLast"}},
		"two ends":                {events: append(helloResponse(), completed), want: []string{"TerminalLast"}},
		"the last event unended":  {events: edited(good, 9, "}\n\n", "}\n"), want: []string{"EventsTerminated", "TerminalLast"}},
		"no names":                {events: edited(good, 4, "event: response.output_text.delta\n", ""), want: []string{"EventNames"}},
		"another name":            {events: edited(good, 4, "event: response.output_text.delta", "event: message"), want: []string{"EventNames"}},
		"no type":                 {events: edited(good, 4, `"type":"response.output_text.delta",`, ""), want: []string{"EventNames", "OutputAgrees", "TextAgrees"}},
		"completed, but says not": {events: edited(edited(good, 9, `"status":"completed"`, `"status":"incomplete"`), 9, `"incomplete_details":null`, `"incomplete_details":{"reason":"max_output_tokens"}`), want: []string{"EndDetails", "StatusAgrees"}},
		"no status":               {events: edited(good, 9, `"status":"completed",`, ""), want: []string{"ResponseShape", "StatusAgrees"}},
		"created is completed":    {events: edited(good, 0, `"status":"in_progress"`, `"status":"completed"`), want: []string{"StatusAgrees"}},
		"data is no JSON":         {events: inserted(good, 4, "event: x\ndata: {\n\n"), want: []string{"EventJSON"}},
		"broken UTF-8":            {events: edited(good, 5, "ö", "\xc3"), want: []string{"OutputAgrees", "TextAgrees", "UTF8"}},

		"a number twice":           {events: edited(numbered(good...), 5, `"sequence_number":5`, `"sequence_number":4`), raw: true, want: []string{"SequenceNumbers"}},
		"numbers from 1":           {events: numbered(append([]string{"", `"#"`}, good...)...)[2:], raw: true, want: []string{"SequenceNumbers"}},
		"no number":                {events: edited(good, 5, `"sequence_number":"#",`, ""), want: []string{"ResponseEventFields", "SequenceNumbers"}},
		"a number as text":         {events: edited(good, 5, `"sequence_number":"#"`, `"sequence_number":"5"`), want: []string{"ResponseEventFields", "SequenceNumbers"}},
		"no created":               {events: dropped(good, 0), want: []string{"CreatedFirst"}},
		"created twice":            {events: inserted(good, 1, created), want: []string{"CreatedFirst"}},
		"in_progress later":        {events: inserted(dropped(good, 1), 3, inProgress), want: []string{"CreatedFirst"}},
		"a delta without its item": {events: dropped(good, 2), want: []string{"ItemOrder", "OutputAgrees"}},
		"a delta without its part": {events: dropped(good, 3), want: []string{"ItemOrder", "OutputAgrees"}},
		"a delta of another part":  {events: edited(good, 4, `"content_index":0`, `"content_index":1`), want: []string{"ItemOrder", "OutputAgrees", "TextAgrees"}},
		"a delta of another item":  {events: edited(good, 4, `"output_index":0`, `"output_index":1`), want: []string{"ItemIDs", "ItemOrder", "OutputAgrees", "TextAgrees"}},
		"an item at 1":             {events: edited(good, 2, `"output_index":0`, `"output_index":1`), want: []string{"ItemIDs", "ItemOrder"}},
		"a part at 1":              {events: edited(good, 3, `"content_index":0`, `"content_index":1`), want: []string{"ItemOrder"}},
		"no text.done":             {events: dropped(good, 6), want: []string{"ItemOrder"}},
		"no part.done":             {events: dropped(good, 7), want: []string{"ItemOrder"}},
		"no item.done":             {events: dropped(good, 8), want: []string{"ItemOrder"}},
		"an item done too late":    {events: append(dropped(good, 8), itemDone), want: []string{"ItemOrder", "TerminalLast"}},
		"an item done twice":       {events: inserted(good, 9, itemDone), want: []string{"ItemOrder"}},
		"a delta behind text.done": {events: inserted(good, 7, textHello), want: []string{"ItemOrder"}},
		"only the whole text":      {events: []string{created, textDone, completed}, want: []string{"ItemOrder", "OutputAgrees"}},
		"three ids":                {events: edited(edited(good, 8, `"id":"msg_1"`, `"id":"msg_2"`), 9, `"id":"msg_1"`, `"id":"msg_3"`), want: []string{"ItemIDs"}},
		"a delta of another id":    {events: edited(good, 4, `"item_id":"msg_1"`, `"item_id":"msg_2"`), want: []string{"ItemIDs"}},

		"text.done differs":       {events: edited(good, 6, "Hello wörld", "Hello"), want: []string{"TextAgrees"}},
		"a delta is lost":         {events: dropped(good, 5), want: []string{"OutputAgrees", "TextAgrees"}},
		"a delta twice":           {events: inserted(good, 5, textHello), want: []string{"OutputAgrees", "TextAgrees"}},
		"item.done differs":       {events: edited(good, 8, "Hello wörld", "Hello"), want: []string{"OutputAgrees"}},
		"the output differs":      {events: edited(good, 9, "Hello wörld", "Hello"), want: []string{"OutputAgrees"}},
		"the output is empty":     {events: edited(good, 9, messageItem("completed", helloPart), ""), want: []string{"OutputAgrees"}},
		"an item was not told":    {events: edited(good, 9, messageItem("completed", helloPart), callItem+","+messageItem("completed", helloPart)), want: []string{"ItemIDs", "OutputAgrees"}},
		"a delta without delta":   {events: edited(good, 4, `"delta":"Hello",`, ""), want: []string{"OutputAgrees", "ResponseEventFields", "TextAgrees"}},
		"a delta without item_id": {events: edited(good, 4, `"item_id":"msg_1",`, ""), want: []string{"ResponseEventFields"}},
		"no response":             {events: edited(good, 1, `"response":`, `"x":`), want: []string{"ResponseEventFields", "SameResponse", "StatusAgrees"}},
		"in_progress is short":    {events: edited(good, 1, openResponse, ""), want: []string{"ResponseShape"}},
		"another id":              {events: edited(good, 9, "resp_1", "resp_2"), want: []string{"SameResponse"}},
		"another created_at":      {events: edited(good, 9, "1767225600", "1767225601"), want: []string{"SameResponse"}},
		"no annotations":          {events: edited(good, 3, `,"annotations":[]`, ""), want: []string{"ResponseShape"}},
		"an item in progress":     {events: edited(edited(good, 8, `"status":"completed"`, `"status":"in_progress"`), 9, `"status":"completed","content"`, `"status":"in_progress","content"`), want: []string{"EndDetails", "ResponseShape"}},
		"output without status":   {events: edited(good, 9, `"role":"assistant","status":"completed"`, `"role":"assistant"`), want: []string{"OutputAgrees", "ResponseShape"}},

		"no details at the limit":  {events: edited(append(good[:9:9], incomplete), 9, `{"reason":"max_output_tokens"}`, "null"), want: []string{"EndDetails", "OutputAgrees"}},
		"a completed item, cut":    {events: append(good[:9:9], edited([]string{incomplete}, 0, `"status":"incomplete","content"`, `"status":"completed","content"`)[0]), want: []string{"EndDetails"}},
		"an error, completed":      {events: edited(good, 9, `"error":null`, `"error":{"code":"server_error","message":"x"}`), want: []string{"EndDetails"}},
		"a call with arguments":    {events: edited(call, 1, `"arguments":""`, `"arguments":"{"`), want: []string{"CallsBegin"}},
		"a call that is no JSON":   {events: edited(edited(edited(edited(call, 3, ":1}", ":1"), 4, `:1}"`, `:1"`), 5, `:1}"`, `:1"`), 6, `:1}"`, `:1"`), want: []string{"CallsBegin"}},
		"arguments are lost":       {events: dropped(call, 3), want: []string{"CallsBegin", "OutputAgrees", "TextAgrees"}},
		"no arguments.done":        {events: dropped(call, 4), want: []string{"ItemOrder"}},
		"a call without call_id":   {events: edited(call, 1, `"call_id":"call_1",`, ""), want: []string{"OutputAgrees", "ResponseShape"}},
		"arguments of a message":   {events: inserted(good, 4, resp("function_call_arguments.delta", `"item_id":"msg_1","output_index":0,"delta":"{"`)), want: []string{"ItemOrder"}},
		"a part of a call":         {events: inserted(call, 2, resp("content_part.added", `"item_id":"fc_1","output_index":0,"content_index":0,"part":{"type":"output_text","text":"","annotations":[]}`)), want: []string{"ItemOrder", "OutputAgrees"}},
		"usage null":               {events: edited(good, 9, respUsage, `,"usage":null`), want: []string{"ResponseUsage"}},
		"a wrong sum":              {events: edited(good, 9, `"total_tokens":11`, `"total_tokens":12`), want: []string{"ResponseUsage"}},
		"no input details":         {events: edited(good, 9, `"input_tokens_details":{"cached_tokens":0,"cache_write_tokens":0},`, ""), want: []string{"ResponseUsage"}},
		"more reasoning than all":  {events: edited(good, 9, `"reasoning_tokens":0`, `"reasoning_tokens":3`), want: []string{"ResponseUsage"}},
		"a negative count":         {events: edited(good, 9, `"output_tokens":2`, `"output_tokens":-2`), want: []string{"ResponseUsage"}},
		"no token for the text":    {events: edited(edited(good, 9, `"output_tokens":2`, `"output_tokens":0`), 9, `:11}`, `:9}`), want: []string{"OutputCounted"}},
		"more tokens than allowed": {events: good, ask: Ask{MaxTokens: 1}, want: []string{"OutputCounted"}},
		"an error key":             {events: edited(good, 4, `"delta"`, `"error":null,"delta"`), want: []string{"NoErrorInResponse"}},
		"an error event":           {events: inserted(good, 4, event("error", `"sequence_number":"#","code":null,"message":"x","param":null`)), want: []string{"NoErrorInResponse"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if !tt.raw {
				tt.events = numbered(tt.events...)
			}
			found := JudgeBy(ParseResponses(answer(tt.events...), tt.ask), ResponsesRules())
			assert.Equal(t, tt.want, names(found), "%v", found)
			wellFormed(t, found)
		})
	}
}

// Odd, and not ruled out.
func TestLegalResponses(t *testing.T) {
	refusalPart := `{"type":"refusal","refusal":"No."}`
	reasoning := func(status, content string) string {
		return `{"id":"rs_1","type":"reasoning","status":"` + status + `","summary":[],"content":[` + content + `]}`
	}
	thought := resp("reasoning_text.delta", `"item_id":"rs_1","output_index":0,"content_index":0,"delta":"hm"`)
	thoughtDone := resp("reasoning_text.done", `"item_id":"rs_1","output_index":0,"content_index":0,"text":"hm"`)
	thoughtPart := `{"type":"reasoning_text","text":"hm"}`
	end := func(output string) string {
		return state("completed", "completed", `,"error":null,"incomplete_details":null,"output":[`+output+`]`+respUsage)
	}
	tests := map[string][]string{
		"comments everywhere": append([]string{": ping\n\n", created, ": ping\n\n"}, helloResponse()[1:]...),
		"queued":              inserted(helloResponse(), 1, state("queued", "queued", openResponse)),
		"an unknown event":    inserted(helloResponse(), 4, resp("newer.than.this", `"x":1`)),
		"CRLF":                {strings.ReplaceAll(strings.Join(numbered(helloResponse()...), ""), "\n", "\r\n")},
		"an obfuscation":      edited(helloResponse(), 4, `"delta"`, `"obfuscation":"xy","delta"`),
		"no logprobs":         edited(helloResponse(), 4, `,"logprobs":[]`, ""),
		"an empty delta":      inserted(helloResponse(), 4, resp("output_text.delta", inMessage+`"delta":""`)),
		"no output at all":    {created, end("")},
		"a refusal": {created, itemAdded, resp("content_part.added", inMessage+`"part":{"type":"refusal","refusal":""}`),
			resp("refusal.delta", inMessage+`"delta":"No."`), resp("refusal.done", inMessage+`"refusal":"No."`),
			resp("content_part.done", inMessage+`"part":`+refusalPart), resp("output_item.done", `"output_index":0,"item":`+messageItem("completed", refusalPart)),
			end(messageItem("completed", refusalPart))},
		"reasoning without parts": {created, resp("output_item.added", `"output_index":0,"item":`+reasoning("in_progress", "")), thought, thoughtDone,
			resp("output_item.done", `"output_index":0,"item":`+reasoning("completed", thoughtPart)), end(reasoning("completed", thoughtPart))},
		"reasoning with parts": {created, resp("output_item.added", `"output_index":0,"item":`+reasoning("in_progress", "")),
			resp("content_part.added", `"item_id":"rs_1","output_index":0,"content_index":0,"part":{"type":"reasoning_text","text":""}`), thought, thoughtDone,
			resp("content_part.done", `"item_id":"rs_1","output_index":0,"content_index":0,"part":`+thoughtPart),
			resp("output_item.done", `"output_index":0,"item":`+reasoning("completed", "")), end(reasoning("completed", ""))},
		"a summary": {created, resp("output_item.added", `"output_index":0,"item":{"id":"rs_1","type":"reasoning","summary":[]}`),
			resp("reasoning_summary_part.added", `"item_id":"rs_1","output_index":0,"summary_index":0,"part":{"type":"summary_text","text":""}`),
			resp("reasoning_summary_text.delta", `"item_id":"rs_1","output_index":0,"summary_index":0,"delta":"hm"`),
			resp("reasoning_summary_text.done", `"item_id":"rs_1","output_index":0,"summary_index":0,"text":"hm"`),
			resp("reasoning_summary_part.done", `"item_id":"rs_1","output_index":0,"summary_index":0,"part":{"type":"summary_text","text":"hm"}`),
			resp("output_item.done", `"output_index":0,"item":{"id":"rs_1","type":"reasoning","summary":[{"type":"summary_text","text":"hm"}]}`),
			end(`{"id":"rs_1","type":"reasoning","summary":[{"type":"summary_text","text":"hm"}]}`)},
		"calls inside one another": {created, callAdded, callDelta,
			resp("output_item.added", `"output_index":1,"item":{"id":"fc_2","type":"function_call","status":"in_progress","call_id":"call_2","name":"g","arguments":""}`),
			resp("function_call_arguments.delta", `"item_id":"fc_2","output_index":1,"delta":"{}"`), callDelta2, callEnd,
			resp("function_call_arguments.done", `"item_id":"fc_2","output_index":1,"arguments":"{}"`),
			callDone, resp("output_item.done", `"output_index":1,"item":{"id":"fc_2","type":"function_call","status":"completed","call_id":"call_2","name":"g","arguments":"{}"}`),
			end(callItem + `,{"id":"fc_2","type":"function_call","status":"completed","call_id":"call_2","name":"g","arguments":"{}"}`)},
	}
	for name, events := range tests {
		t.Run(name, func(t *testing.T) {
			assert.Empty(t, JudgeBy(ParseResponses(answer(numbered(events...)...), Ask{}), ResponsesRules()))
		})
	}
}

func TestFailedResponses(t *testing.T) {
	failed := []string{created, inProgress, itemAdded, partAdded, textHello, respFailed}
	tests := map[string]struct {
		events []string
		end    wire.End
		want   []string
	}{
		"good":                     {events: failed},
		"before any item":          {events: []string{created, respFailed}},
		"behind an error event":    {events: inserted(failed, 5, event("error", `"sequence_number":"#","code":null,"message":"x","param":null`))},
		"no failure":               {events: failed[:5], want: []string{"FailedLast"}},
		"an error event alone":     {events: append(failed[:5:5], event("error", `"sequence_number":"#","code":null,"message":"x","param":null`)), want: []string{"FailedLast"}},
		"completed":                {events: helloResponse(), want: []string{"FailedLast"}},
		"completed behind it":      {events: append(failed[:6:6], completed), want: []string{"FailedLast"}},
		"[DONE] behind it":         {events: append(failed[:6:6], done), want: []string{"NoDoneMarker"}},
		"status completed":         {events: edited(failed, 5, `"status":"failed"`, `"status":"completed"`), want: []string{"FailedLast", "StatusAgrees"}},
		"no error":                 {events: edited(failed, 5, `{"code":"server_error","message":"The model server failed."}`, "null"), want: []string{"FailedError"}},
		"no code":                  {events: edited(failed, 5, `"code":"server_error",`, ""), want: []string{"FailedError"}},
		"an empty message":         {events: edited(failed, 5, "The model server failed.", " "), want: []string{"FailedError"}},
		"an address":               {events: edited(failed, 5, "The model server failed.", "dial tcp 10.0.0.1:80"), want: []string{"FailedError"}},
		"the connection stays":     {events: failed, end: wire.EndTimeout, want: []string{"ErrorCloses"}},
		"an envelope as in a chat": {events: append(failed[:5:5], "data: {\"error\":{\"message\":\"x\",\"type\":\"upstream_error\"}}\n\n"), want: []string{"EventNames", "FailedLast", "SequenceNumbers"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			tr := answer(numbered(tt.events...)...)
			if tt.end != "" {
				tr.End = tt.end
			}
			found := JudgeBy(ParseResponses(tr, Ask{}), FailedResponsesRules())
			assert.Equal(t, tt.want, names(found), "%v", found)
			wellFormed(t, found)
		})
	}
}

func TestResponsesSaying(t *testing.T) {
	r := ParseResponses(answer(numbered(helloResponse()...)...), Ask{})
	says := r.Saying()
	assert.Equal(t, "resp_1", says.ID)
	assert.Equal(t, "Hello wörld", says.Text)
	assert.Len(t, says.Deltas, 2)
	assert.Equal(t, "stop", says.Finish)
	assert.True(t, says.Complete)
	assert.False(t, says.Failed)
	assert.Equal(t, &Usage{PromptTokens: 9, CompletionTokens: 2, TotalTokens: 11}, says.Usage)

	cut := ParseResponses(answer(numbered(created, incomplete)...), Ask{})
	assert.Equal(t, "length", cut.Saying().Finish)
	assert.Equal(t, "max_output_tokens", cut.IncompleteReason())

	broken := ParseResponses(answer(numbered(created, respFailed)...), Ask{}).Saying()
	assert.True(t, broken.Failed)
	assert.False(t, broken.Complete)
	assert.Empty(t, broken.Finish)

	called := ParseResponses(answer(numbered(created, callAdded, callDelta, callDelta2, callEnd, callDone, calledEnd)...), Ask{}).Saying()
	require.Len(t, called.Calls, 1)
	assert.Equal(t, ToolCall{ID: "call_1", Type: "function", Name: "f", Arguments: `{"a":1}`}, called.Calls[0])
	assert.Equal(t, "tool_calls", called.Finish)
}
