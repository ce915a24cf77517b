package modelserver

import (
	"plumbline.dev/plumbline/reference/completion"
)

// messagesDecoder reads the stream of a server that speaks Anthropic's Messages
// (Anthropic Messages, events). Events and deltas that it does not know are
// skipped, as that API asks of its clients.
type messagesDecoder struct {
	begun, finish, stopped bool
	calls                  callList
	counts                 map[string][]byte // the latest counters of usage
}

func (d *messagesDecoder) finished() bool { return d.finish && d.stopped }
func (d *messagesDecoder) over() bool     { return d.stopped }

func (d *messagesDecoder) chunk(b *completion.Batch, data []byte, isError bool) *Error {
	data, failure := checked(data, isError)
	if failure != nil {
		return failure
	}
	kind, _ := text(member(data, "type"))
	switch kind {
	case "error":
		return errorEvent(data)
	case "message_start":
		if d.begun {
			return malformed("it begins a second message")
		}
		d.begun = true
		d.count(member(member(data, "message"), "usage"))
		b.Add(completion.Event{Kind: completion.KindRole})
		return nil
	}
	if !d.begun {
		return nil // a ping
	}
	switch kind {
	case "content_block_start":
		return d.start(b, member(data, "index"), member(data, "content_block"))
	case "content_block_delta":
		return d.delta(b, member(data, "index"), member(data, "delta"))
	case "message_delta":
		return d.end(b, data)
	case "message_stop":
		d.stopped = true
	}
	return nil
}

// start reads the beginning of a block, which may hold text already.
func (d *messagesDecoder) start(b *completion.Batch, position, block []byte) *Error {
	kind, _ := text(member(block, "type"))
	switch kind {
	case "tool_use":
		return d.calls.begin(b, position, member(block, "id"), member(block, "name"))
	case "text":
		if words := member(block, "text"); words != nil {
			return addText(b, completion.KindText, words)
		}
	}
	return nil
}

func (d *messagesDecoder) delta(b *completion.Batch, position, delta []byte) *Error {
	kind, _ := text(member(delta, "type"))
	switch kind {
	case "text_delta":
		return addText(b, completion.KindText, member(delta, "text"))
	case "thinking_delta":
		return addText(b, completion.KindReasoning, member(delta, "thinking"))
	case "input_json_delta":
		return d.calls.more(b, position, member(delta, "partial_json"))
	}
	return nil
}

// end reads a message_delta: how the message ends, and its usage.
func (d *messagesDecoder) end(b *completion.Batch, data []byte) *Error {
	d.count(member(data, "usage"))
	delta := member(data, "delta")
	word, ok := text(member(delta, "stop_reason"))
	if !ok {
		return malformed("a stop_reason is not a string")
	}
	if word == "" || d.finish {
		return nil
	}
	reason, failure := stopReason(word)
	if failure != nil {
		return failure
	}
	d.finish = true
	if stop := member(delta, "stop_sequence"); isString(stop) && reason == completion.FinishStop {
		b.Add(completion.Event{Kind: completion.KindStopSequence, Text: b.Keep(stop)})
	}
	b.Add(completion.Event{Kind: completion.KindFinish, Finish: reason})
	if d.counts != nil {
		b.Add(completion.Event{Kind: completion.KindUsage, Usage: d.usage()})
	}
	return nil
}

func stopReason(word string) (completion.FinishReason, *Error) {
	switch word {
	case "end_turn", "stop_sequence", "pause_turn":
		return completion.FinishStop, nil
	case "max_tokens", "model_context_window_exceeded":
		return completion.FinishLength, nil
	case "tool_use":
		return completion.FinishToolCalls, nil
	case "refusal":
		return completion.FinishContentFilter, nil
	}
	return "", malformed("a stop_reason is unknown")
}

// count takes the counters of a usage object: each is the whole so far.
func (d *messagesDecoder) count(usage []byte) {
	for key, value := range members(usage) {
		if isNull(value) {
			continue
		}
		if d.counts == nil {
			d.counts = make(map[string][]byte)
		}
		switch string(key) {
		case "input_tokens", "output_tokens", "cache_read_input_tokens", "cache_creation_input_tokens":
			d.counts[string(key)] = append([]byte(nil), value...)
		case "output_tokens_details":
			if thought := member(value, "thinking_tokens"); thought != nil {
				d.counts["thinking_tokens"] = append([]byte(nil), thought...)
			}
		}
	}
}

// usage is the counters in the words of the chat format. The input there
// includes what was read from and written to a cache.
func (d *messagesDecoder) usage() completion.Usage {
	var c counter
	if d.counts["input_tokens"] == nil {
		return c.refuse()
	}
	read := c.count(d.counts["cache_read_input_tokens"], 0)
	written := c.count(d.counts["cache_creation_input_tokens"], -1)
	return c.usage(completion.Usage{
		PromptTokens:     c.count(d.counts["input_tokens"], 0) + read + max(written, 0),
		CompletionTokens: c.count(d.counts["output_tokens"], -1),
		CachedTokens:     read,
		CacheWriteTokens: written,
		ReasoningTokens:  c.count(d.counts["thinking_tokens"], 0),
	})
}
