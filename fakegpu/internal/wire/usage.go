package wire

import (
	"strconv"
	"time"

	"plumbline.dev/plumbline/fakegpu/control"
)

// Usage is the accounting of one reply.
type Usage struct {
	PromptTokens     int
	CompletionTokens int
	// CachedTokens and CacheWriteTokens are reported when not nil.
	CachedTokens     *int
	CacheWriteTokens *int
	// Prefill and Decode are how long each took, for llama.cpp's timings.
	Prefill, Decode time.Duration
}

// AppendUsage appends the JSON object of the counts, wrong as the fault says.
func AppendUsage(b []byte, u Usage, fault control.UsageFault) []byte {
	prompt, completion := u.PromptTokens, u.CompletionTokens
	text, total := "", ""
	switch fault {
	case control.UsageWrong:
		completion += 1000
	case control.UsageNegative:
		completion = -1
	case control.UsageFraction:
		text, total = "2.5", strconv.Itoa(prompt+2)+".5"
	case control.UsageZero:
		prompt, completion = 0, 0
	}
	if text == "" {
		text, total = strconv.Itoa(completion), strconv.Itoa(prompt+completion)
	}
	b = append(b, `{"prompt_tokens":`...)
	b = strconv.AppendInt(b, int64(prompt), 10)
	b = append(b, `,"total_tokens":`...)
	b = append(b, total...)
	b = append(b, `,"completion_tokens":`...)
	b = append(b, text...)
	if u.CachedTokens != nil || u.CacheWriteTokens != nil {
		b = append(b, `,"prompt_tokens_details":{`...)
		if u.CachedTokens != nil {
			b = append(b, `"cached_tokens":`...)
			b = strconv.AppendInt(b, int64(*u.CachedTokens), 10)
		}
		if u.CacheWriteTokens != nil {
			if u.CachedTokens != nil {
				b = append(b, ',')
			}
			b = append(b, `"cache_write_tokens":`...)
			b = strconv.AppendInt(b, int64(*u.CacheWriteTokens), 10)
		}
		b = append(b, '}')
	}
	return append(b, '}')
}

// appendTimings appends llama.cpp's timings object.
func appendTimings(b []byte, u Usage) []byte {
	part := func(b []byte, name string, n int, d time.Duration) []byte {
		ms := float64(d) / float64(time.Millisecond)
		b = append(b, `"`+name+`_n":`...)
		b = strconv.AppendInt(b, int64(n), 10)
		b = append(b, `,"`+name+`_ms":`...)
		b = strconv.AppendFloat(b, ms, 'f', 3, 64)
		if n > 0 && ms > 0 {
			b = append(b, `,"`+name+`_per_token_ms":`...)
			b = strconv.AppendFloat(b, ms/float64(n), 'f', 6, 64)
			b = append(b, `,"`+name+`_per_second":`...)
			b = strconv.AppendFloat(b, float64(n)*1000/ms, 'f', 3, 64)
		}
		return b
	}
	b = append(b, '{')
	b = part(b, "prompt", u.PromptTokens, u.Prefill)
	b = append(b, ',')
	b = part(b, "predicted", u.CompletionTokens, u.Decode)
	return append(b, '}')
}
