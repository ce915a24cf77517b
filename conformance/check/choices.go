package check

import (
	"fmt"
	"slices"

	"github.com/tidwall/gjson"
)

// ChoiceIndex: the index of a choice is an integer from 0 to n-1, and no chunk
// has the same twice.
func (c *Chat) ChoiceIndex() []Finding {
	n := c.notes("ChoiceIndex")
	for _, k := range c.Chunks {
		inChunk := map[int64]bool{}
		for _, ch := range k.Choices {
			v := ch.object.get("index")
			i, ok := integer(v)
			if !ok || i < 0 || i >= int64(c.Ask.choices()) {
				n.event(k.Event, fmt.Sprintf("an index from 0 to %d", c.Ask.choices()-1), "index "+seen(v))
			} else if inChunk[i] {
				n.event(k.Event, "each choice once in a chunk", fmt.Sprintf("index %d twice", i))
			}
			inChunk[i] = true
		}
	}
	return n.found
}

// RoleFirst: the first delta of each choice has the role assistant, and any
// later role is the same.
func (c *Chat) RoleFirst() []Finding {
	n := c.notes("RoleFirst")
	begun := map[int]bool{}
	for _, k := range c.Chunks {
		for _, ch := range k.Choices {
			v := ch.delta.get("role")
			switch {
			case !begun[ch.Index] && ch.Role != "assistant":
				n.event(k.Event, fmt.Sprintf("the role assistant in the first delta of choice %d", ch.Index), "role "+seen(v))
			case ch.Role != "" && ch.Role != "assistant":
				n.event(k.Event, "the role assistant as before", "role "+seen(v))
			}
			begun[ch.Index] = true
		}
	}
	return n.found
}

var finishReasons = []string{"stop", "length", "tool_calls", "content_filter", "function_call"}

// FinishKey: every choice has finish_reason, and it is null or one of the
// documented words.
func (c *Chat) FinishKey() []Finding {
	n := c.notes("FinishKey")
	for _, k := range c.Chunks {
		for _, ch := range k.Choices {
			v := ch.object.get("finish_reason")
			if !isNull(v) && !slices.Contains(finishReasons, ch.Finish) {
				n.event(k.Event, "finish_reason null or one of the documented words", "finish_reason "+seen(v))
			}
		}
	}
	return n.found
}

// FinishOnce: each choice from 0 to n-1 has exactly one finish chunk, before
// [DONE].
func (c *Chat) FinishOnce() []Finding {
	n := c.notes("FinishOnce")
	finished := map[int]bool{}
	for _, k := range c.Chunks {
		for _, ch := range k.Choices {
			if ch.Finish == "" {
				continue
			}
			if finished[ch.Index] {
				n.event(k.Event, fmt.Sprintf("one finish chunk of choice %d", ch.Index), "another one, with "+ch.Finish)
			} else if c.Complete() && k.Event > c.Dones[0] {
				n.event(k.Event, "the finish chunk before [DONE]", "finish_reason "+ch.Finish+" behind it")
			}
			finished[ch.Index] = true
		}
	}
	for i := range min(c.Ask.choices(), maxChoices) {
		if !finished[i] {
			n.finish(fmt.Sprintf("a finish chunk of choice %d", i), "none")
		}
	}
	return n.found
}

// maxChoices is the largest n that OpenAI documents.
const maxChoices = 128

// NothingAfterFinish: no content of a choice comes after its finish chunk.
func (c *Chat) NothingAfterFinish() []Finding {
	n := c.notes("NothingAfterFinish")
	c.afterFinish(func(k Chunk, ch Choice) {
		if ch.generated() {
			n.event(k.Event, fmt.Sprintf("nothing of choice %d after its finish chunk", ch.Index), show(k.Raw))
		}
	})
	return n.found
}

// ChoiceOver: no chunk so much as names a choice after its finish chunk.
func (c *Chat) ChoiceOver() []Finding {
	n := c.notes("ChoiceOver")
	c.afterFinish(func(k Chunk, ch Choice) {
		if !ch.generated() && ch.Finish == "" {
			n.event(k.Event, fmt.Sprintf("no mention of choice %d after its finish chunk", ch.Index), show(k.Raw))
		}
	})
	return n.found
}

// afterFinish calls visit for each mention of a choice behind its finish.
func (c *Chat) afterFinish(visit func(Chunk, Choice)) {
	finished := map[int]bool{}
	for _, k := range c.Chunks {
		for _, ch := range k.Choices {
			if finished[ch.Index] {
				visit(k, ch)
			}
			finished[ch.Index] = finished[ch.Index] || ch.Finish != ""
		}
	}
}

// generated tells whether the delta brings anything that a model generated.
func (ch Choice) generated() bool {
	return ch.Content != "" || ch.Refusal != "" || ch.delta.get("function_call").IsObject() ||
		slices.ContainsFunc(list(ch.delta.get("tool_calls")), gjson.Result.IsObject)
}

// EachChoice: with n of 2 or more every choice brings something of its own.
func (c *Chat) EachChoice() []Finding {
	n := c.notes("EachChoice")
	if c.Ask.choices() < 2 {
		return nil
	}
	brings, finishes := map[int]bool{}, map[int]int{}
	for _, k := range c.beforeDone() {
		for _, ch := range k.Choices {
			brings[ch.Index] = brings[ch.Index] || ch.generated()
			if ch.Finish != "" {
				finishes[ch.Index]++
			}
		}
	}
	for i := range min(c.Ask.choices(), maxChoices) {
		if !brings[i] {
			n.finish(fmt.Sprintf("text of choice %d under its own index", i), "none")
		}
		if finishes[i] != 1 {
			n.finish(fmt.Sprintf("one finish chunk of choice %d", i), fmt.Sprint(finishes[i]))
		}
	}
	return n.found
}
