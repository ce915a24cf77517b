package wire

import (
	"encoding/json"
	"strings"
)

// Reply collects the pieces of a reply that is not streamed.
type Reply struct{ choices []replyChoice }

type replyChoice struct {
	text     strings.Builder
	hasText  bool
	extra    map[string]any // further members of the message, from deltas
	tools    []map[string]any
	logprobs []json.RawMessage
	finish   string
}

// NewReply returns a reply of n empty choices.
func NewReply(n int) *Reply { return &Reply{choices: make([]replyChoice, n)} }

// Text appends visible text to a choice.
func (r *Reply) Text(choice int, text string) {
	c := r.choice(choice)
	c.text.WriteString(text)
	c.hasText = true
}

// Logprobs appends one token's log probabilities (see AppendLogprobs).
func (r *Reply) Logprobs(choice int, value []byte) {
	c := r.choice(choice)
	c.logprobs = append(c.logprobs, append(json.RawMessage(nil), value...))
}

// Finish sets the finish reason of a choice.
func (r *Reply) Finish(choice int, reason string) { r.choice(choice).finish = reason }

// Delta merges the delta of one chunk into the message: strings are joined,
// tool calls are joined by their index, other values replace.
func (r *Reply) Delta(choice int, raw json.RawMessage) {
	var delta map[string]any
	if json.Unmarshal(raw, &delta) != nil {
		return // validated with the script: it is an object
	}
	c := r.choice(choice)
	for name, value := range delta {
		switch v := value.(type) {
		case string:
			if name == "content" {
				r.Text(choice, v)
				continue
			}
			c.set(name, v)
		case []any:
			if name == "tool_calls" {
				for _, call := range v {
					c.tool(call)
				}
				continue
			}
			c.extra[name] = v
		default:
			if name != "content" {
				c.extra[name] = v
			}
		}
	}
}

func (r *Reply) choice(i int) *replyChoice {
	// A delta may name a choice beyond n: model servers do err.
	for len(r.choices) <= i {
		r.choices = append(r.choices, replyChoice{})
	}
	c := &r.choices[i]
	if c.extra == nil {
		c.extra = map[string]any{}
	}
	return c
}

func (c *replyChoice) set(name, piece string) {
	before, ok := c.extra[name].(string)
	if ok && name != "role" {
		piece = before + piece
	}
	c.extra[name] = piece
}

// tool joins one element of delta.tool_calls to the call with its index.
func (c *replyChoice) tool(value any) {
	piece, ok := value.(map[string]any)
	if !ok {
		return
	}
	at := len(c.tools)
	if index, ok := piece["index"].(float64); ok {
		at = int(index)
	}
	if at < 0 || at > len(c.tools) {
		at = len(c.tools)
	}
	if at == len(c.tools) {
		c.tools = append(c.tools, map[string]any{})
	}
	join(c.tools[at], piece)
	delete(c.tools[at], "index")
}

// join merges from into to: arguments are joined, other values replace.
func join(to, from map[string]any) {
	for name, value := range from {
		switch v := value.(type) {
		case map[string]any:
			inner, ok := to[name].(map[string]any)
			if !ok {
				inner = map[string]any{}
				to[name] = inner
			}
			join(inner, v)
		case string:
			if before, ok := to[name].(string); ok && name == "arguments" {
				v = before + v
			}
			to[name] = v
		default:
			to[name] = v
		}
	}
}

// JSON is the whole reply; usage and timings may be nil.
func (r *Reply) JSON(d Dialect, req *Request, id, model string, created int64, usage []byte, timings *Usage) []byte {
	choices := make([]map[string]any, len(r.choices))
	for i := range r.choices {
		c := r.choice(i)
		choice := map[string]any{"index": i, "finish_reason": nil, "logprobs": nil}
		if c.finish != "" {
			choice["finish_reason"] = c.finish
		}
		if len(c.logprobs) > 0 {
			choice["logprobs"] = joinLogprobs(c.logprobs, req.Chat)
		}
		if req.Chat {
			choice["message"] = c.message()
		} else {
			choice["text"] = c.text.String()
		}
		choices[i] = choice
	}
	out := map[string]any{"id": id, "created": created, "model": model, "choices": choices}
	out["object"] = map[bool]string{true: "chat.completion", false: "text_completion"}[req.Chat]
	if usage != nil {
		out["usage"] = json.RawMessage(usage)
	}
	if timings != nil && d == LlamaCpp {
		out["timings"] = json.RawMessage(appendTimings(nil, *timings))
		out["system_fingerprint"] = fingerprint
	}
	return mustJSON(out)
}

func (c *replyChoice) message() map[string]any {
	message := map[string]any{"role": "assistant", "content": nil}
	for name, value := range c.extra {
		message[name] = value
	}
	if c.hasText || len(c.tools) == 0 {
		message["content"] = c.text.String()
	}
	if len(c.tools) > 0 {
		message["tool_calls"] = c.tools
	}
	return message
}

// joinLogprobs joins the arrays of the single tokens' values.
func joinLogprobs(values []json.RawMessage, chat bool) map[string]any {
	joined := map[string]any{}
	for _, raw := range values {
		var one map[string]any
		if json.Unmarshal(raw, &one) != nil {
			continue // written by AppendLogprobs
		}
		for name, value := range one {
			before, _ := joined[name].([]any)
			if list, ok := value.([]any); ok {
				joined[name] = append(before, list...)
			}
		}
	}
	if chat {
		joined["refusal"] = nil
	}
	return joined
}
