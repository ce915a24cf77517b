package check

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// textChunk is a chunk of the test text completion with these choices and more
// fields.
func textChunk(choices, more string) string {
	return fmt.Sprintf(`data: {"id":"cmpl-1","object":"text_completion","created":%d,"model":"m","choices":[%s]%s}`+"\n\n", testTime, choices, more)
}

func textChoice(index int, text, finish string) string {
	return fmt.Sprintf(`{"text":%q,"index":%d,"logprobs":null,"finish_reason":%s}`, text, index, finish)
}

// The events of the test text completion, with usage asked for.
var (
	textOne    = textChunk(textChoice(0, "Hello", "null"), `,"usage":null`)
	textTwo    = textChunk(textChoice(0, " wörld", "null"), `,"usage":null`)
	textFinish = textChunk(textChoice(0, "", `"stop"`), `,"usage":null`)
	textUsage  = textChunk("", `,"usage":{"prompt_tokens":9,"completion_tokens":2,"total_tokens":11}`)
)

// Each text completion is broken in one way. Expected are all rules that speak.
func TestBrokenTexts(t *testing.T) {
	good := []string{textOne, textTwo, textFinish, textUsage, done}
	logprobs := func(value string) []string {
		return edited(good, 0, `"logprobs":null`, `"logprobs":`+value)
	}
	whole := `{"tokens":["Hel","lo"],"token_logprobs":[-0.1,-0.2],"top_logprobs":[{"Hel":-0.1},{"lo":-0.2}],"text_offset":[0,3]}`
	withLogprobs := Ask{IncludeUsage: true, Logprobs: true}
	tests := map[string]struct {
		events []string
		ask    *Ask
		want   []string
	}{
		"good":                     {events: good},
		"good without usage":       {events: without(textOne, textTwo, textFinish, done), ask: &unasked},
		"finish beside text":       {events: []string{textOne, textChunk(textChoice(0, " wörld", `"stop"`), `,"usage":null`), textUsage, done}},
		"nothing":                  {want: []string{"DoneOnce", "FinishOnce", "HasChunks", "UsageLast"}},
		"no [DONE]":                {events: good[:4], want: []string{"DoneOnce"}},
		"[DONE] twice":             {events: append(good[:5:5], done), want: []string{"DoneOnce"}},
		"usage behind [DONE]":      {events: []string{textOne, textFinish, done, textUsage}, want: []string{"DoneLast", "UsageLast"}},
		"a chat completion":        {events: []string{role, hello, finish, usage, done}, want: []string{"TextAlone", "TextObject", "TextShape"}},
		"another object":           {events: edited(good, 0, "text_completion", "text_completion.chunk"), want: []string{"TextObject"}},
		"another id":               {events: edited(good, 1, "cmpl-1", "cmpl-2"), want: []string{"IDConstant"}},
		"no text":                  {events: edited(good, 0, `"text":"Hello",`, ""), want: []string{"TextShape"}},
		"no index":                 {events: edited(good, 0, `"index":0,`, ""), want: []string{"ChoiceIndex", "TextShape"}},
		"no finish_reason":         {events: edited(good, 0, `,"finish_reason":null`, ""), want: []string{"TextReasons", "TextShape"}},
		"an empty finish_reason":   {events: edited(good, 0, `"finish_reason":null`, `"finish_reason":""`), want: []string{"TextReasons"}},
		"a reason of chat":         {events: edited(good, 2, `"stop"`, `"tool_calls"`), want: []string{"TextReasons"}},
		"a delta beside the text":  {events: edited(good, 0, `"text"`, `"delta":{},"text"`), want: []string{"TextAlone"}},
		"two finishes":             {events: inserted(good, 3, textFinish), want: []string{"FinishOnce"}},
		"text behind the finish":   {events: inserted(good, 3, textTwo), want: []string{"NothingAfterFinish"}},
		"no finish":                {events: dropped(good, 2), want: []string{"FinishOnce"}},
		"usage without choices":    {events: edited(good, 3, `"choices":[],`, ""), want: []string{"TextShape", "UsageLast"}},
		"usage not null before":    {events: edited(good, 0, `,"usage":null`, ""), want: []string{"UsageNullBefore"}},
		"usage unasked":            {events: append(without(textOne, textFinish), textUsage, done), ask: &unasked, want: []string{"NoUsage"}},
		"a wrong sum":              {events: edited(good, 3, ":11", ":12"), want: []string{"UsageSums"}},
		"no token for the text":    {events: edited(edited(good, 3, `"completion_tokens":2`, `"completion_tokens":0`), 3, ":11", ":9"), want: []string{"UsageNotZero"}},
		"more than allowed":        {events: good, ask: &Ask{IncludeUsage: true, MaxTokens: 1}, want: []string{"TokenLimit"}},
		"a stop sequence":          {events: good, ask: &Ask{IncludeUsage: true, Stop: []string{"wör"}}, want: []string{"StopNotInText"}},
		"a named event":            {events: append([]string{"event: text\n" + textOne}, good[1:]...), want: []string{"UnnamedEvents"}},
		"an error key":             {events: edited(good, 0, `"choices"`, `"error":null,"choices"`), want: []string{"NoErrorKey"}},
		"data is no JSON":          {events: inserted(good, 1, "data: {\n\n"), want: []string{"DataJSON"}},
		"logprobs unasked":         {events: logprobs(whole), want: []string{"TextLogprobs"}},
		"logprobs":                 {events: dropped(logprobs(whole), 1), ask: &withLogprobs},
		"no logprobs":              {events: dropped(good, 1), ask: &withLogprobs, want: []string{"TextLogprobs"}},
		"logprobs of other tokens": {events: dropped(logprobs(strings.Replace(whole, `"Hel"`, `"Hal"`, 1)), 1), ask: &withLogprobs, want: []string{"TextLogprobs"}},
		"logprobs without offsets": {events: dropped(logprobs(strings.Replace(whole, `[0,3]`, `[0]`, 1)), 1), ask: &withLogprobs, want: []string{"TextLogprobs"}},
		"top_logprobs null":        {events: dropped(logprobs(strings.Replace(whole, `[{"Hel":-0.1},{"lo":-0.2}]`, `null`, 1)), 1), ask: &withLogprobs},
		"one top_logprobs of two":  {events: dropped(logprobs(strings.Replace(whole, `,{"lo":-0.2}`, ``, 1)), 1), ask: &withLogprobs, want: []string{"TextLogprobs"}},
		"choice 1 of one":          {events: edited(good, 0, `"index":0`, `"index":1`), want: []string{"ChoiceIndex"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			ask := asked
			if tt.ask != nil {
				ask = *tt.ask
			}
			text := ParseText(answer(tt.events...), ask)
			found := append(JudgeBy(text, TextRules()), JudgeBy(text, TextUsageRules())...)
			assert.Equal(t, tt.want, names(found), "%v", found)
			wellFormed(t, found)
		})
	}
}

func TestUsageBeforeDone(t *testing.T) {
	finishWithUsage := strings.Replace(textFinish, `"usage":null`, `"usage":{"prompt_tokens":9,"completion_tokens":1,"total_tokens":10}`, 1)
	tests := map[string]struct {
		events []string
		ask    Ask
		want   int
	}{
		"asked for":                      {[]string{textOne, textFinish, textUsage, done}, asked, 0},
		"not asked for":                  {append(without(textOne, textFinish), textUsage, done), unasked, 0},
		"on the finish chunk":            {append(without(textOne), finishWithUsage, done), unasked, 0},
		"on the finish chunk, asked for": {[]string{textOne, finishWithUsage, done}, asked, 1},
		"none":                           {append(without(textOne, textFinish), done), unasked, 1},
		"null":                           {[]string{textOne, textFinish, done}, unasked, 1},
		"another chunk behind it":        {[]string{textOne, textUsage, textFinish, done}, unasked, 1},
		"behind [DONE]":                  {[]string{textOne, textFinish, done, textUsage}, unasked, 1},
		"no chunk":                       {[]string{done}, unasked, 1},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			found := ParseText(answer(tt.events...), tt.ask).UsageBeforeDone()
			assert.Len(t, found, tt.want)
			wellFormed(t, found)
		})
	}
}

func TestFailedEnvelopes(t *testing.T) {
	tests := map[string]struct {
		events []string
		want   []string
	}{
		"good":                  {events: []string{textOne, failed}},
		"no error":              {events: []string{textOne}, want: []string{"OneErrorEnvelope"}},
		"two errors":            {events: []string{textOne, failed, failed}, want: []string{"OneErrorEnvelope"}},
		"no code":               {events: []string{textOne, strings.Replace(failed, `,"code":null`, "", 1)}, want: []string{"OneErrorEnvelope"}},
		"an empty message":      {events: []string{textOne, strings.Replace(failed, "The model server failed.", "", 1)}, want: []string{"OneErrorEnvelope"}},
		"error is a text":       {events: []string{textOne, `data: {"error":"boom"}` + "\n\n"}, want: []string{"OneErrorEnvelope"}},
		"[DONE] behind it":      {events: []string{textOne, failed, done}, want: []string{"NoDone"}},
		"text behind it":        {events: []string{textOne, failed, textTwo}, want: []string{"NothingAfterError"}},
		"a finish chunk before": {events: []string{textOne, textFinish, failed}, want: []string{"NoEndBeforeError"}},
		"a usage chunk before":  {events: []string{textOne, textUsage, failed}, want: []string{"NoEndBeforeError"}},
		"a usage chunk behind":  {events: []string{textOne, failed, textUsage}, want: []string{"NoEndBeforeError", "NothingAfterError"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			c := ParseText(answer(tt.events...), unasked)
			found := append(JudgeBy(c, FailedTextRules()), c.ErrorCloses()...)
			assert.Equal(t, tt.want, names(found))
			wellFormed(t, found)
		})
	}
}

// wholeRule judges one document of each format that is not streamed.
func TestWholeDocuments(t *testing.T) {
	const (
		text = `{"id":"cmpl-1","object":"text_completion","created":1767225600,"model":"m","choices":[{"text":"Hello","index":0,"logprobs":null,"finish_reason":"stop"}],"usage":{"prompt_tokens":9,"completion_tokens":2,"total_tokens":11}}`
		resp = `{"id":"resp_1","object":"response","created_at":1767225600,"model":"m","status":"completed","error":null,"incomplete_details":null,"instructions":null,"parallel_tool_calls":true,"output":[{"id":"msg_1","type":"message","role":"assistant","status":"completed","content":[{"type":"output_text","text":"Hello","annotations":[]}]}],"usage":{"input_tokens":9,"input_tokens_details":{"cached_tokens":0},"output_tokens":2,"output_tokens_details":{"reasoning_tokens":0},"total_tokens":11}}`
		msg  = `{"id":"msg_1","type":"message","role":"assistant","model":"m","content":[{"type":"text","text":"Hello"}],"stop_reason":"end_turn","stop_sequence":null,"usage":{"input_tokens":9,"output_tokens":2}}`
	)
	edit := func(whole, old, new string) string {
		require.Contains(t, whole, old)
		return strings.Replace(whole, old, new, 1)
	}
	tests := map[string]struct {
		format Format
		body   string
		broken bool
	}{
		"text":                        {FormatText, text, false},
		"text: a chat completion":     {FormatText, whole, true},
		"text: null as finish reason": {FormatText, edit(text, `"stop"`, "null"), true},
		"text: no text":               {FormatText, edit(text, `"text":"Hello",`, ""), true},
		"text: no usage":              {FormatText, edit(text, `"usage"`, `"x"`), true},
		"text: a wrong sum":           {FormatText, edit(text, ":11", ":12"), true},
		"text: index 1":               {FormatText, edit(text, `"index":0`, `"index":1`), true},
		"text: no choice":             {FormatText, edit(text, `"choices":[`, `"choices":[],"x":[`), true},
		"text: HTML":                  {FormatText, "<html>", true},

		"response":                    {FormatResponses, resp, false},
		"response: incomplete":        {FormatResponses, edit(edit(edit(resp, `"completed","error"`, `"incomplete","error"`), `"incomplete_details":null`, `"incomplete_details":{"reason":"max_output_tokens"}`), `"status":"completed"`, `"status":"incomplete"`), false},
		"response: in progress":       {FormatResponses, edit(resp, `"completed","error"`, `"in_progress","error"`), true},
		"response: no output":         {FormatResponses, edit(resp, `"output"`, `"x"`), true},
		"response: usage null":        {FormatResponses, edit(resp, `"usage":{`, `"usage":null,"x":{`), true},
		"response: a part of no type": {FormatResponses, edit(resp, `"output_text"`, `"text"`), true},
		"response: a user's message":  {FormatResponses, edit(resp, `"assistant"`, `"user"`), true},
		"response: an empty id":       {FormatResponses, edit(resp, `"resp_1"`, `""`), true},

		"message":                   {FormatMessages, msg, false},
		"message: a call":           {FormatMessages, edit(edit(msg, `{"type":"text","text":"Hello"}`, `{"type":"tool_use","id":"t","name":"f","input":{"a":1}}`), "end_turn", "tool_use"), false},
		"message: null as reason":   {FormatMessages, edit(msg, `"end_turn"`, "null"), true},
		"message: a reason of chat": {FormatMessages, edit(msg, "end_turn", "stop"), true},
		"message: content as text":  {FormatMessages, edit(msg, `[{"type":"text","text":"Hello"}]`, `"Hello"`), true},
		"message: no output count":  {FormatMessages, edit(msg, `,"output_tokens":2`, ""), true},
		"message: input as text":    {FormatMessages, edit(edit(msg, `{"type":"text","text":"Hello"}`, `{"type":"tool_use","id":"t","name":"f","input":"{}"}`), "end_turn", "tool_use"), true},
		"message: a response":       {FormatMessages, resp, true},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			tr := jsonAnswer(http.StatusOK, tt.body)
			judge := map[Format]func() []Finding{
				FormatText:      func() []Finding { return ParseTextCompletion(tr, Ask{}).TextCompletionShape() },
				FormatResponses: func() []Finding { return ParseResponse(tr, Ask{}).ResponseWhole() },
				FormatMessages:  func() []Finding { return ParseMessage(tr, Ask{}).MessageWhole() },
			}
			found := judge[tt.format]()
			assert.Equal(t, tt.broken, len(found) > 0, "%v", found)
			wellFormed(t, found)
			if !tt.broken && !strings.Contains(name, ":") {
				says := SayWhole(tt.format, tr, Ask{})
				assert.Equal(t, "Hello", says.Text)
				assert.Equal(t, "stop", says.Finish)
				assert.True(t, says.Complete)
				assert.Equal(t, int64(11), says.Usage.TotalTokens)
			}
		})
	}
}

func TestMessageErrors(t *testing.T) {
	const bad = `{"type":"error","error":{"type":"invalid_request_error","message":"No."},"request_id":"req_1"}`
	edit := func(old, new string) string { return strings.Replace(bad, old, new, 1) }
	tests := map[string]struct {
		status int
		body   string
		broken bool
	}{
		"good":                {400, bad, false},
		"without request_id":  {400, edit(`,"request_id":"req_1"`, ""), false},
		"request_id null":     {400, edit(`"req_1"`, "null"), false},
		"request_id a number": {400, edit(`"req_1"`, "1"), true},
		"200":                 {200, bad, true},
		"the type of another": {401, bad, true},
		"401":                 {401, edit("invalid_request_error", "authentication_error"), false},
		"529":                 {529, edit("invalid_request_error", "overloaded_error"), false},
		"an unknown type":     {400, edit("invalid_request_error", "bad"), true},
		"OpenAI's envelope":   {400, badRole, true},
		"no outer type":       {400, edit(`"type":"error",`, ""), true},
		"no message":          {400, edit(`,"message":"No."`, ""), true},
		"error is a text":     {400, `{"type":"error","error":"No."}`, true},
		"HTML":                {400, "<html>", true},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			e := ParseMessageError(jsonAnswer(tt.status, tt.body))
			found := e.MessageErrorForm()
			assert.Equal(t, tt.broken, len(found) > 0, "%v", found)
			wellFormed(t, found)
		})
	}
	plain := jsonAnswer(400, bad)
	plain.Header.Set("Content-Type", "text/plain")
	assert.NotEmpty(t, ParseMessageError(plain).MessageErrorForm())
}

func TestRetryAfter(t *testing.T) {
	for value, ok := range map[string]bool{"": false, "0": true, "30": true, "-1": false, "1.5": false, "soon": false, "Wed, 21 Oct 2026 07:28:00 GMT": true} {
		tr := jsonAnswer(429, badRole)
		if value != "" {
			tr.Header.Set("Retry-After", value)
		}
		assert.Equal(t, ok, len(RetryAfter(tr)) == 0, value)
	}
}
