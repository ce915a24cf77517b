// Package replies holds replies as lists of events, for the tests of all
// formats: what one format is shown to write, the others are as well.
package replies

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"

	"plumbline.dev/plumbline/reference/apierror"
	"plumbline.dev/plumbline/reference/completion"
	"plumbline.dev/plumbline/reference/format"
)

// Reply is one reply and how it ends.
type Reply struct {
	Name    string
	Choices int
	Events  []completion.Event
	// Finish is the reason of every choice; "" is a reply that was stopped by its id.
	Finish completion.FinishReason
	// Failure ends the reply instead.
	Failure *apierror.Error
}

// Usage is what every reply that is whole has used.
var Usage = completion.Usage{PromptTokens: 20, CompletionTokens: 7, CachedTokens: 12, CacheWriteTokens: 3, ReasoningTokens: 2}

// All are the replies of which every format's bytes are on file.
func All() []Reply {
	failure := apierror.UpstreamError("The model server failed.")
	text := []completion.Event{Role(0), Text(0, `"Hel"`), Text(0, `"lo \u00e9\n\"é\""`)}
	call := Calls(`{"index":0,"id":"call_a","type":"function","function":{"name":"look","arguments":""}}`)
	return []Reply{
		{Name: "text", Events: text, Finish: completion.FinishStop},
		{Name: "length", Events: text, Finish: completion.FinishLength},
		{Name: "content filter", Events: text, Finish: completion.FinishContentFilter},
		{Name: "stop sequence", Events: append(text[:3:3], completion.Event{Kind: completion.KindStopSequence, Text: []byte(`"\n\n"`)}), Finish: completion.FinishStop},
		{Name: "stopped by its id", Events: text},
		{Name: "stopped before the first token"},
		{Name: "no text", Events: text[:1], Finish: completion.FinishStop},
		{Name: "failure before the first token", Failure: failure},
		{Name: "failure after the first token", Events: text[:2], Failure: failure},
		{Name: "failure inside a call", Events: []completion.Event{Role(0), call, Calls(`{"index":0,"function":{"arguments":"{\"a\""}}`)}, Failure: failure},
		{Name: "refusal", Events: []completion.Event{Role(0), {Kind: completion.KindRefusal, Text: []byte(`"I can"`)}, {Kind: completion.KindRefusal, Text: []byte(`"not."`)}}, Finish: completion.FinishStop},
		{Name: "text and refusal", Events: []completion.Event{Role(0), Text(0, `"Well, "`), {Kind: completion.KindRefusal, Text: []byte(`"no."`)}}, Finish: completion.FinishStop},
		{Name: "reasoning", Events: []completion.Event{Role(0), Reasoning(`"Hm"`), Reasoning(`"…"`), Text(0, `"Yes."`)}, Finish: completion.FinishStop},
		{Name: "tool call", Events: []completion.Event{
			Role(0), Text(0, `"Let me see."`), call,
			Calls(`{"index":0,"function":{"arguments":"{\"q\":"}}`), Calls(`{"index":0,"function":{"arguments":"\"}\\\"\"}"}}`),
		}, Finish: completion.FinishToolCalls},
		{Name: "two tool calls", Events: []completion.Event{
			Role(0), call, Calls(`{"index":0,"function":{"arguments":"{}"}}`),
			Calls(`{"index":1,"id":"call_b","type":"function","function":{"name":"find","arguments":"{\"b\":"}}`),
			Calls(`{"index":1,"function":{"arguments":"[2]}"}}`),
		}, Finish: completion.FinishToolCalls},
		{Name: "two tool calls in one another", Events: []completion.Event{
			Role(0), Calls(`{"index":0,"id":"call_a","type":"function","function":{"name":"look","arguments":""}},{"index":1,"type":"function","function":{"name":"find","arguments":"{\"b\""}}`),
			Text(0, `"\n"`), Calls(`{"index":0,"function":{"arguments":"{\"a\":1}"}}`), Calls(`{"index":1,"function":{"arguments":":2}"}}`),
		}, Finish: completion.FinishStop},
		{Name: "a call that is cut", Events: []completion.Event{Role(0), call, Calls(`{"index":0,"function":{"arguments":"{\"q\":"}}`)}, Finish: completion.FinishLength},
		{Name: "logprobs", Events: []completion.Event{Role(0), {Kind: completion.KindText, Text: []byte(`"é!"`), Logprobs: []byte(
			`{"content":[{"token":"é","logprob":-0.5,"bytes":[195,169],"top_logprobs":[{"token":"é","logprob":-0.5,"bytes":[195,169]},{"token":"e","logprob":-1,"bytes":[101]}]},` +
				`{"token":"!","logprob":-0.25,"bytes":[33],"top_logprobs":[]}],"refusal":null}`)}}, Finish: completion.FinishStop},
		{Name: "two choices", Choices: 2, Events: []completion.Event{Role(1), Text(1, `"b"`), Role(0), Text(0, `"a"`)}, Finish: completion.FinishStop},
	}
}

// Role, Text, Reasoning and Calls make events.
func Role(choice int) completion.Event {
	return completion.Event{Kind: completion.KindRole, Choice: choice}
}

// Text is visible text, a JSON string literal.
func Text(choice int, literal string) completion.Event {
	return completion.Event{Kind: completion.KindText, Choice: choice, Text: []byte(literal), Tokens: 1}
}

// Reasoning is reasoning text, a JSON string literal.
func Reasoning(literal string) completion.Event {
	return completion.Event{Kind: completion.KindReasoning, Text: []byte(literal), Tokens: 1}
}

// Calls is pieces of tool calls, JSON objects with commas between them.
func Calls(pieces string) completion.Event {
	return completion.Event{Kind: completion.KindToolCall, ToolCalls: []byte("[" + pieces + "]"), Tokens: 1}
}

// Play encodes a reply, with a ping before its events and one behind them.
func (r Reply) Play(e format.Encoder) []byte {
	buf := e.Ping(nil)
	for i := range r.Events {
		buf = e.Event(buf, &r.Events[i])
	}
	buf = e.Ping(buf)
	if r.Failure != nil {
		return e.Fail(buf, r.Failure)
	}
	if r.Finish != "" {
		for i := range max(r.Choices, 1) {
			buf = e.Finish(buf, i, r.Finish)
		}
	}
	return e.End(e.Usage(buf, Usage))
}

// Random makes a reply of one choice that a model server could send, however
// odd: calls in one another, text between their pieces, texts in any order.
func Random(seed uint64) Reply {
	r := rand.New(rand.NewPCG(seed, 0))
	reply := Reply{Name: fmt.Sprint("seed ", seed), Events: []completion.Event{Role(0)}}
	words := []string{`"a"`, `""`, `"\u00e9"`, `"{"`, `"\"}"`, `"\\"`, `" é\n"`, `"\ud83e\udd99"`}
	word := func() string { return words[r.IntN(len(words))] }
	var calls []*callPieces
	for range r.IntN(12) {
		switch r.IntN(6) {
		case 0:
			reply.Events = append(reply.Events, Reasoning(word()))
		case 1:
			reply.Events = append(reply.Events, completion.Event{Kind: completion.KindRefusal, Text: []byte(word())})
		case 2:
			reply.Events = append(reply.Events, Text(0, word()))
		case 3:
			calls = append(calls, newCallPieces(r, len(calls)))
			fallthrough
		default:
			var pieces []string
			for _, c := range calls {
				if r.IntN(2) == 0 {
					pieces = append(pieces, c.next()...)
				}
			}
			if pieces != nil {
				reply.Events = append(reply.Events, Calls(strings.Join(pieces, ",")))
			}
		}
	}
	endings := []completion.FinishReason{completion.FinishStop, completion.FinishStop, completion.FinishToolCalls, completion.FinishLength, completion.FinishContentFilter, ""}
	reply.Finish = endings[r.IntN(len(endings))]
	if reply.Finish == completion.FinishStop || reply.Finish == completion.FinishToolCalls {
		for _, c := range calls { // a reply that is whole has whole calls
			for pieces := c.next(); pieces != nil; pieces = c.next() {
				reply.Events = append(reply.Events, Calls(pieces[0]))
			}
		}
	}
	if r.IntN(6) == 0 {
		reply.Failure = apierror.UpstreamError("The model server failed.")
	}
	return reply
}

// callPieces is a call whose pieces are sent one by one.
type callPieces struct {
	index  int
	begun  bool
	pieces []string
}

func newCallPieces(r *rand.Rand, index int) *callPieces {
	whole := [][]string{
		{`{}`}, {`{\"a\"`, `:\"}\"}`}, {`{\"a\":[`, ``, `{}]`, `}`}, {`{\u0022a\u0022:\"\\\"}\"`, `,\"b\":1}`}, {`{\n}`},
	}
	return &callPieces{index: index, pieces: whole[r.IntN(len(whole))]}
}

// next is the next piece of the call, nil after the last.
func (c *callPieces) next() []string {
	head := `{"index":` + strconv.Itoa(c.index)
	if !c.begun {
		c.begun = true
		return []string{head + `,"id":"call_` + strconv.Itoa(c.index) + `","type":"function","function":{"name":"f` + strconv.Itoa(c.index) + `","arguments":""}}`}
	}
	if len(c.pieces) == 0 {
		return nil
	}
	piece := c.pieces[0]
	c.pieces = c.pieces[1:]
	return []string{head + `,"function":{"arguments":"` + piece + `"}}`}
}
