package check

import (
	"fmt"

	"github.com/tidwall/gjson"
)

// Usage is a usage object of which the counts are integers.
type Usage struct {
	PromptTokens     int64
	CompletionTokens int64
	TotalTokens      int64
	// CachedTokens is prompt_tokens_details.cached_tokens, -1 if it is not there.
	CachedTokens int64
	// WrittenTokens is prompt_tokens_details.cache_write_tokens, -1 if it is not
	// there.
	WrittenTokens int64
}

// Usage returns the last usage of the stream, or nil if it has none that can
// be read.
func (c *Chat) Usage() *Usage {
	for i := len(c.Chunks) - 1; i >= 0; i-- {
		if u := readUsage(c.Chunks[i].object.get("usage")); u != nil {
			return u
		}
	}
	return nil
}

func readUsage(v gjson.Result) *Usage {
	o, ok := asObject(v)
	if !ok {
		return nil
	}
	u := Usage{CachedTokens: -1, WrittenTokens: -1}
	for key, into := range map[string]*int64{
		"prompt_tokens": &u.PromptTokens, "completion_tokens": &u.CompletionTokens, "total_tokens": &u.TotalTokens,
	} {
		count, ok := integer(o.get(key))
		if !ok {
			return nil
		}
		*into = count
	}
	if details, ok := asObject(o.get("prompt_tokens_details")); ok {
		if cached, ok := integer(details.get("cached_tokens")); ok {
			u.CachedTokens = cached
		}
		if written, ok := integer(details.get("cache_write_tokens")); ok {
			u.WrittenTokens = written
		}
	}
	return &u
}

// UsageLast: if usage was asked for, the last chunk before [DONE] has it and an
// empty list of choices.
func (c *Chat) UsageLast() []Finding {
	n := c.notes("UsageLast")
	if !c.Ask.IncludeUsage {
		return nil
	}
	const expected = "a last chunk with usage and no choices"
	chunks := c.beforeDone()
	if len(chunks) == 0 {
		n.finish(expected, "no chunk")
		return n.found
	}
	last := chunks[len(chunks)-1]
	if _, ok := last.usage(); !ok || !last.bare() {
		n.event(last.Event, expected, string(last.Raw))
	}
	return n.found
}

// UsageOnce: not more than one chunk has usage.
func (c *Chat) UsageOnce() []Finding {
	n := c.notes("UsageOnce")
	if !c.Ask.IncludeUsage {
		return nil
	}
	seen := false
	for _, k := range c.Chunks {
		if _, ok := k.usage(); !ok {
			continue
		}
		if seen {
			n.event(k.Event, "usage on one chunk alone", "another one: "+show(k.Raw))
		}
		seen = true
	}
	return n.found
}

// UsageNullBefore: if usage was asked for, every chunk before the one that has
// it holds usage null.
func (c *Chat) UsageNullBefore() []Finding {
	n := c.notes("UsageNullBefore")
	if !c.Ask.IncludeUsage {
		return nil
	}
	last := len(c.Chunks) - 1
	for last >= 0 && !c.Chunks[last].object.get("usage").IsObject() {
		last--
	}
	for i, k := range c.Chunks {
		if v := k.object.get("usage"); i != last && !isNull(v) {
			n.event(k.Event, "usage null on every chunk but the last", "usage "+seen(v))
		}
	}
	return n.found
}

// NoUsage: unless it was asked for, no chunk carries usage. A null is none.
func (c *Chat) NoUsage() []Finding {
	n := c.notes("NoUsage")
	if c.Ask.IncludeUsage {
		return nil
	}
	for _, k := range c.Chunks {
		if v := k.object.get("usage"); v.Exists() && !isNull(v) {
			n.event(k.Event, "no usage, as none was asked for", "usage "+seen(v))
		}
	}
	return n.found
}

// NoEmptyChoices: unless usage was asked for, no chunk has an empty list of
// choices.
func (c *Chat) NoEmptyChoices() []Finding {
	n := c.notes("NoEmptyChoices")
	if c.Ask.IncludeUsage {
		return nil
	}
	for _, k := range c.Chunks {
		if k.bare() {
			n.event(k.Event, "a choice in every chunk, as no usage was asked for", show(k.Raw))
		}
	}
	return n.found
}

// UsageSums: the counts of each usage are non-negative integers, the total is
// the sum of the two others, and no detail exceeds what it is part of.
func (c *Chat) UsageSums() []Finding {
	n := c.notes("UsageSums")
	for _, k := range c.Chunks {
		if u, ok := k.usage(); ok {
			usageSums(u, func(expected, seen string) { n.event(k.Event, expected, seen) })
		}
	}
	return n.found
}

func usageSums(u object, bad func(expected, seen string)) {
	count := func(key string, v gjson.Result) (int64, bool) {
		i, ok := integer(v)
		if !ok || i < 0 {
			bad(key+" as an integer of 0 or more", key+" "+seen(v))
			return 0, false
		}
		return i, true
	}
	prompt, okPrompt := count("prompt_tokens", u.get("prompt_tokens"))
	completion, okCompletion := count("completion_tokens", u.get("completion_tokens"))
	total, okTotal := count("total_tokens", u.get("total_tokens"))
	if okPrompt && okCompletion && okTotal && total-prompt != completion {
		bad(fmt.Sprintf("total_tokens as the sum of %d and %d", prompt, completion), fmt.Sprintf("total_tokens %d", total))
	}
	details := func(key, whole string, limit int64, known bool) {
		v := u.get(key)
		o, ok := asObject(v)
		if !ok && v.Exists() && !isNull(v) {
			bad(key+" as an object", key+" "+v.Raw)
		}
		for _, m := range o.members {
			if isNull(m.value) {
				continue
			}
			if part, ok := count(m.key, m.value); ok && known && part > limit {
				bad(fmt.Sprintf("%s of at most %s, %d", m.key, whole, limit), fmt.Sprintf("%s %d", m.key, part))
			}
		}
	}
	details("prompt_tokens_details", "prompt_tokens", prompt, okPrompt)
	details("completion_tokens_details", "completion_tokens", completion, okCompletion)
}

// UsageNotZero: a usage that says nothing was generated comes with no text.
func (c *Chat) UsageNotZero() []Finding {
	n := c.notes("UsageNotZero")
	generated := false
	for _, k := range c.Chunks {
		for _, ch := range k.Choices {
			generated = generated || ch.generated()
		}
		if u := readUsage(k.object.get("usage")); u != nil && generated && u.CompletionTokens == 0 {
			n.event(k.Event, "completion_tokens above 0 behind generated text", "completion_tokens 0")
		}
	}
	return n.found
}

// TokenLimit: usage counts no more tokens than max_tokens allows each choice.
func (c *Chat) TokenLimit() []Finding {
	n := c.notes("TokenLimit")
	if c.Ask.MaxTokens <= 0 {
		return nil
	}
	limit := int64(c.Ask.MaxTokens) * int64(c.Ask.choices())
	for _, k := range c.Chunks {
		if u := readUsage(k.object.get("usage")); u != nil && u.CompletionTokens > limit {
			n.event(k.Event, fmt.Sprintf("at most %d completion_tokens", limit), fmt.Sprintf("completion_tokens %d", u.CompletionTokens))
		}
	}
	return n.found
}

// UsageIs: the usage counts these tokens. A negative count is not judged.
func (c *Chat) UsageIs(prompt, completion int64) []Finding {
	n := c.notes("UsageIs")
	u := c.Usage()
	switch {
	case u == nil:
		n.finish("usage", "none")
	case prompt >= 0 && u.PromptTokens != prompt:
		n.finish(fmt.Sprintf("prompt_tokens %d", prompt), fmt.Sprintf("prompt_tokens %d", u.PromptTokens))
	}
	if u != nil && completion >= 0 && u.CompletionTokens != completion {
		n.finish(fmt.Sprintf("completion_tokens %d", completion), fmt.Sprintf("completion_tokens %d", u.CompletionTokens))
	}
	return n.found
}

// UsageBeforeDone: the chunk before [DONE] carries usage, whatever was asked for.
// It may be the finish chunk, unless usage was asked for: then it has no choices
// ("Streaming, What to expect").
func (c *Chat) UsageBeforeDone() []Finding {
	n := c.notes("UsageBeforeDone")
	chunks := c.beforeDone()
	if len(chunks) == 0 {
		n.finish("a chunk with usage before [DONE]", "no chunk")
		return n.found
	}
	last := chunks[len(chunks)-1]
	if _, ok := last.usage(); !ok {
		n.event(last.Event, "usage on the chunk before [DONE]", show(last.Raw))
	} else if c.Ask.IncludeUsage && !last.bare() {
		n.event(last.Event, "usage that was asked for on a chunk without choices", show(last.Raw))
	}
	return n.found
}
