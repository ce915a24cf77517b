package format

import (
	"strconv"

	"plumbline.dev/plumbline/reference/completion"
)

// AppendUsage appends token counts as OpenAI's CompletionUsage, which the chat
// and the text format have in common (OpenAI chat).
func AppendUsage(buf []byte, u completion.Usage) []byte {
	buf = append(buf, `{"prompt_tokens":`...)
	buf = strconv.AppendInt(buf, u.PromptTokens, 10)
	buf = append(buf, `,"completion_tokens":`...)
	buf = strconv.AppendInt(buf, u.CompletionTokens, 10)
	buf = append(buf, `,"total_tokens":`...)
	buf = strconv.AppendInt(buf, u.TotalTokens(), 10)
	buf = append(buf, `,"prompt_tokens_details":{"cached_tokens":`...)
	buf = strconv.AppendInt(buf, u.CachedTokens, 10)
	if u.CacheWriteTokens >= 0 {
		buf = append(buf, `,"cache_write_tokens":`...)
		buf = strconv.AppendInt(buf, u.CacheWriteTokens, 10)
	}
	buf = append(buf, `},"completion_tokens_details":{"reasoning_tokens":`...)
	buf = strconv.AppendInt(buf, u.ReasoningTokens, 10)
	return append(buf, `}}`...)
}

// AppendReason appends a finish reason as OpenAI's chat and text formats have
// it; none is null.
func AppendReason(buf []byte, reason completion.FinishReason) []byte {
	if reason == "" {
		return append(buf, "null"...)
	}
	buf = append(buf, '"')
	buf = append(buf, reason...)
	return append(buf, '"')
}
