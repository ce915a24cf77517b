package modelserver

import (
	"plumbline.dev/plumbline/reference/completion"
)

// responsesDecoder reads the stream of a server that speaks OpenAI's Responses
// (OpenAI Responses, events). The text is taken from the deltas, the end and the
// usage from the terminal event; what only repeats the text is skipped.
type responsesDecoder struct {
	begun, ended bool
	calls        callList
}

func (d *responsesDecoder) finished() bool { return d.ended }
func (d *responsesDecoder) over() bool     { return d.ended }

func (d *responsesDecoder) chunk(b *completion.Batch, data []byte, isError bool) *Error {
	data, failure := checked(data, isError)
	if failure != nil {
		return failure
	}
	kind, _ := text(member(data, "type"))
	switch kind {
	case "response.created":
		if !d.begun {
			d.begun = true
			b.Add(completion.Event{Kind: completion.KindRole})
		}
	case "response.output_text.delta":
		return d.text(b, data)
	case "response.refusal.delta":
		return addText(b, completion.KindRefusal, member(data, "delta"))
	case "response.reasoning_text.delta", "response.reasoning.delta", "response.reasoning_summary_text.delta":
		return addText(b, completion.KindReasoning, member(data, "delta"))
	case "response.output_item.added":
		item := member(data, "item")
		if kind, _ := text(member(item, "type")); kind == "function_call" {
			return d.calls.begin(b, member(data, "output_index"), member(item, "call_id"), member(item, "name"))
		}
	case "response.function_call_arguments.delta":
		return d.calls.more(b, member(data, "output_index"), member(data, "delta"))
	case "response.completed", "response.incomplete":
		return d.end(b, kind, member(data, "response"))
	case "response.failed", "error":
		return errorEvent(data)
	}
	return nil
}

// text reads a piece of text, with its logprobs if there are any.
func (d *responsesDecoder) text(b *completion.Batch, data []byte) *Error {
	list := member(data, "logprobs")
	if !isArray(list) || len(list) == 2 {
		return addText(b, completion.KindText, member(data, "delta"))
	}
	words := member(data, "delta")
	if !isString(words) {
		return malformed("the text of a delta is not a string")
	}
	chat := append(append([]byte(`{"content":`), list...), '}')
	probs, tokens := appendLogprobs(nil, chat)
	b.Add(completion.Event{Kind: completion.KindText, Text: b.Keep(words), Logprobs: probs, Tokens: max(tokens, 1)})
	return nil
}

// end reads the terminal event of a reply that did not fail.
func (d *responsesDecoder) end(b *completion.Batch, kind string, response []byte) *Error {
	reason := completion.FinishStop
	if len(d.calls.positions) > 0 {
		reason = completion.FinishToolCalls
	}
	if kind == "response.incomplete" {
		switch why, _ := text(member(member(response, "incomplete_details"), "reason")); why {
		case "max_output_tokens":
			reason = completion.FinishLength
		case "content_filter":
			reason = completion.FinishContentFilter
		default:
			return &Error{Kind: KindAborted}
		}
	}
	d.ended = true
	b.Add(completion.Event{Kind: completion.KindFinish, Finish: reason})
	if usage := member(response, "usage"); usage != nil {
		b.Add(completion.Event{Kind: completion.KindUsage, Usage: responsesUsage(usage)})
	}
	return nil
}

func responsesUsage(usage []byte) completion.Usage {
	var c counter
	input := member(usage, "input_tokens_details")
	return c.usage(completion.Usage{
		PromptTokens:     c.count(member(usage, "input_tokens"), -1),
		CompletionTokens: c.count(member(usage, "output_tokens"), -1),
		CachedTokens:     c.count(member(input, "cached_tokens"), 0),
		CacheWriteTokens: c.count(member(input, "cache_write_tokens"), -1),
		ReasoningTokens:  c.count(member(member(usage, "output_tokens_details"), "reasoning_tokens"), 0),
	})
}
