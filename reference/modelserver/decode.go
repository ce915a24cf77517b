package modelserver

import (
	"encoding/json"
	"strconv"
	"unicode/utf8"

	"github.com/tidwall/gjson"

	"plumbline.dev/plumbline/reference/completion"
)

const (
	maxDepth = 256
	// deepFrom is the size from which on nesting is checked before validating:
	// anything shorter cannot nest deep enough to exhaust a stack.
	deepFrom = 64 << 10
)

// decoder turns chunks into events and remembers what has been said.
type decoder struct {
	choices []choiceState
	dialect Dialect
}

// choiceState is what is known of one choice.
type choiceState struct {
	role     bool
	finished bool
	calls    []toolCall
}

func newDecoder(choices int, dialect Dialect) *decoder {
	return &decoder{choices: make([]choiceState, max(choices, 1)), dialect: dialect.withDefaults()}
}

// finished tells whether every choice has its finish.
func (d *decoder) finished() bool {
	for i := range d.choices {
		if !d.choices[i].finished {
			return false
		}
	}
	return true
}

// over tells whether the stream says its end in a chunk; chat says it with [DONE].
func (d *decoder) over() bool { return false }

// checked returns the JSON object that the data of an event is.
func checked(data []byte, isError bool) ([]byte, *Error) {
	if !utf8.Valid(data) {
		return nil, &Error{Kind: KindInvalidUTF8}
	}
	if isError {
		return nil, errorEvent(data)
	}
	if len(data) >= deepFrom && tooDeep(data, maxDepth) {
		return nil, malformed("it is nested too deep")
	}
	if !gjson.ValidBytes(data) {
		return nil, malformed("it is not JSON")
	}
	data = data[skipSpace(data, 0):]
	if !isObject(data) {
		return nil, malformed("it is not a JSON object")
	}
	return data, nil
}

// chunk decodes the data of one event into the batch.
func (d *decoder) chunk(b *completion.Batch, data []byte, isError bool) *Error {
	data, failure := checked(data, isError)
	if failure != nil {
		return failure
	}
	// The usage of a chunk is the state after its choices, wherever in the
	// object it stands.
	var choices, usage []byte
	for key, value := range members(data) {
		switch string(key) {
		case "choices":
			choices = value
		case "usage":
			usage = value
		case "error":
			if !isNull(value) {
				return errorEvent(data)
			}
		}
	}
	if choices != nil && !isArray(choices) && !isNull(choices) {
		return malformed("its choices are not an array")
	}
	for choice := range elements(choices) {
		if err := d.choice(b, choice); err != nil {
			return err
		}
	}
	if usage != nil && !isNull(usage) {
		b.Add(completion.Event{Kind: completion.KindUsage, Usage: decodeUsage(usage, d.dialect)})
	}
	return nil
}

// choice decodes one element of choices.
func (d *decoder) choice(b *completion.Batch, choice []byte) *Error {
	if !isObject(choice) {
		return malformed("a choice is not an object")
	}
	var delta, finish, logprobs, stop []byte
	index := 0
	for key, value := range members(choice) {
		switch string(key) {
		case "index":
			n, err := strconv.Atoi(string(value))
			if err != nil || n < 0 || n >= len(d.choices) {
				return malformed("a choice has an index that was not asked for")
			}
			index = n
		case "delta":
			delta = value
		case "finish_reason":
			finish = value
		case "logprobs":
			logprobs = value
		case "stop_reason", "matched_stop": // of vLLM and SGLang
			stop = value
		}
	}
	if delta != nil && !isObject(delta) && !isNull(delta) {
		return malformed("a delta is not an object")
	}
	if err := d.delta(b, index, delta, logprobs); err != nil {
		return err
	}
	if finish == nil || isNull(finish) || isEmptyText(finish) {
		return nil
	}
	reason, err := finishReason(finish)
	if err != nil {
		return err
	}
	if state := &d.choices[index]; !state.finished {
		state.finished = true
		if reason == completion.FinishStop && isString(stop) {
			b.Add(completion.Event{Kind: completion.KindStopSequence, Choice: index, Text: b.Keep(stop)})
		}
		b.Add(completion.Event{Kind: completion.KindFinish, Choice: index, Finish: reason})
	}
	return nil
}

// delta decodes what one chunk adds to a choice. Text of either kind that
// stands in one delta is one generated token, or as many as have logprobs.
func (d *decoder) delta(b *completion.Batch, index int, delta, logprobs []byte) *Error {
	state := &d.choices[index]
	var content, refusal, reasoning, calls []byte
	for key, value := range members(delta) {
		if isNull(value) {
			continue
		}
		switch string(key) {
		case "role":
			if !state.role {
				state.role = true
				b.Add(completion.Event{Kind: completion.KindRole, Choice: index})
			}
		case "content":
			content = value
		case "refusal":
			refusal = value
		case "reasoning_content", "reasoning":
			if isString(value) {
				reasoning = value
			}
		case "tool_calls":
			calls = value
		}
	}
	if content != nil && !isString(content) || refusal != nil && !isString(refusal) {
		return malformed("the text of a delta is not a string")
	}
	probs, tokens := appendLogprobs(nil, logprobs)
	counted := false // the tokens of a chunk count once, however many events it yields
	count := func() int {
		if counted {
			return 0
		}
		counted = true
		return max(tokens, 1)
	}
	if reasoning != nil && !isEmptyText(reasoning) {
		b.Add(completion.Event{Kind: completion.KindReasoning, Choice: index, Text: b.Keep(reasoning), Tokens: count()})
	}
	if content != nil && (!isEmptyText(content) || tokens > 0) {
		b.Add(completion.Event{Kind: completion.KindText, Choice: index, Text: b.Keep(content), Logprobs: probs, Tokens: count()})
	}
	if refusal != nil && !isEmptyText(refusal) {
		e := completion.Event{Kind: completion.KindRefusal, Choice: index, Text: b.Keep(refusal), Tokens: count()}
		if content == nil {
			e.Logprobs = probs
		}
		b.Add(e)
	}
	if calls != nil {
		pieces, err := state.toolCalls(calls)
		if err != nil {
			return err
		}
		if pieces != nil {
			b.Add(completion.Event{Kind: completion.KindToolCall, Choice: index, ToolCalls: pieces, Tokens: count()})
		}
	}
	return nil
}

// finishReason maps the words of model servers to OpenAI's.
func finishReason(literal []byte) (completion.FinishReason, *Error) {
	var word string
	if json.Unmarshal(literal, &word) != nil {
		return "", malformed("a finish_reason is not a string")
	}
	switch word {
	case "stop", "eos", "eos_token", "end_turn", "stop_sequence":
		return completion.FinishStop, nil
	case "length", "max_tokens", "max_length", "model_length":
		return completion.FinishLength, nil
	case "tool_calls", "tool_use", "tool_call":
		return completion.FinishToolCalls, nil
	case "function_call":
		return completion.FinishFunctionCall, nil
	case "content_filter":
		return completion.FinishContentFilter, nil
	case "abort", "error":
		return "", &Error{Kind: KindAborted}
	default:
		return "", malformed("a finish_reason is unknown")
	}
}

func malformed(reason string) *Error { return &Error{Kind: KindMalformed, reason: reason} }

// errorEvent is the failure that a model server tells in its stream. What it
// said is looked at for the one cause that the client can do something about.
func errorEvent(data []byte) *Error {
	return &Error{Kind: KindErrorEvent, ContextLength: saysContextLength(data)}
}
