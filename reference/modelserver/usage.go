package modelserver

import (
	"bytes"
	"strconv"
	"strings"

	"plumbline.dev/plumbline/reference/completion"
)

// maxCount bounds a plausible token count; a model server that reports more is
// wrong.
const maxCount = 1 << 31

// decodeUsage reads a usage object. Counts that no reply can have (negative,
// fractional, beyond all bounds, contradicting each other) make all of it
// worthless: the result is then the zero Usage, marked Estimated.
func decodeUsage(object []byte, dialect Dialect) completion.Usage {
	var c counter
	if !isObject(object) {
		return c.refuse()
	}
	count := c.count
	const absent = -1
	u := completion.Usage{CacheWriteTokens: absent}
	u.PromptTokens, u.CompletionTokens = absent, absent
	total := int64(absent)
	for key, value := range members(object) {
		switch string(key) {
		case "prompt_tokens":
			u.PromptTokens = count(value, absent)
		case "completion_tokens":
			u.CompletionTokens = count(value, absent)
		case "total_tokens":
			total = count(value, absent)
		case "completion_tokens_details":
			u.ReasoningTokens = count(member(value, "reasoning_tokens"), 0)
		}
	}
	u.CachedTokens = count(at(object, dialect.CachedField), 0)
	u.CacheWriteTokens = count(at(object, dialect.CacheWriteField), absent)
	if dialect.CachedBeside && u.PromptTokens >= 0 {
		// Totals of such servers follow either convention, so they tell nothing.
		u.PromptTokens += u.CachedTokens
		total = absent
	}
	if u.CompletionTokens == absent && u.PromptTokens >= 0 && total >= u.PromptTokens {
		u.CompletionTokens = total - u.PromptTokens
	}
	if total != absent && total != u.TotalTokens() {
		return c.refuse()
	}
	return c.usage(u)
}

// counter reads the counts of one usage object, and remembers whether one of
// them cannot be true.
type counter struct{ wrong bool }

// count reads a count; one that is absent or null is what the caller says.
func (c *counter) count(value []byte, absent int64) int64 {
	if value == nil || isNull(value) {
		return absent
	}
	n, err := strconv.ParseInt(string(value), 10, 64)
	if err != nil || n < 0 || n > maxCount {
		c.wrong = true
	}
	return n
}

// usage returns u unless its counts were wrong or contradict each other.
func (c *counter) usage(u completion.Usage) completion.Usage {
	switch {
	case c.wrong, u.PromptTokens < 1, u.CompletionTokens < 0,
		u.CachedTokens > u.PromptTokens,
		u.CacheWriteTokens > u.PromptTokens-u.CachedTokens,
		u.ReasoningTokens > u.CompletionTokens:
		return c.refuse()
	}
	return u
}

func (c *counter) refuse() completion.Usage {
	return completion.Usage{Estimated: true, CacheWriteTokens: -1}
}

// at returns the value at a path with dots between the keys, nil if there is none.
func at(object []byte, path string) []byte {
	for key := range strings.SplitSeq(path, ".") {
		if object = member(object, key); object == nil {
			return nil
		}
	}
	return object
}

// saysContextLength looks for the ways in which model servers say that a prompt
// is too long; they agree on no code.
func saysContextLength(body []byte) bool {
	lower := bytes.ToLower(body)
	for _, words := range []string{
		"context_length_exceeded", "maximum context length", "exceed_context_size", "exceeds the available context size",
		"longer than the maximum model length", "exceeds the model's maximum context", "exceeds the context length", "context window",
	} {
		if bytes.Contains(lower, []byte(words)) {
			return true
		}
	}
	return false
}
