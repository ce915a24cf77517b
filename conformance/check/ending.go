package check

import (
	"fmt"

	"plumbline.dev/plumbline/conformance/wire"
)

// DoneOnce: [DONE], these six bytes, comes exactly once.
func (c *Chat) DoneOnce() []Finding {
	n := c.notes("DoneOnce")
	if len(c.Dones) == 0 {
		n.end("[DONE]", "the body ended without it")
	}
	for _, i := range c.Dones[min(1, len(c.Dones)):] {
		n.event(i, "[DONE] once", "[DONE] again")
	}
	return n.found
}

// DoneLast: [DONE] is the last event, and nothing but the end of the body
// follows it: no event, no comment, no half line.
func (c *Chat) DoneLast() []Finding {
	n := c.notes("DoneLast")
	if len(c.Dones) == 0 {
		return nil
	}
	// A second [DONE] is for DoneOnce.
	end := c.Stream.Events[c.Dones[len(c.Dones)-1]].End
	for i := c.Dones[0] + 1; i < len(c.Stream.Events); i++ {
		e := c.Stream.Events[i]
		if string(e.Data) != "[DONE]" || !e.Dispatched {
			n.event(i, "nothing but the end of the body after [DONE]", show(c.Transcript.Body[e.Offset:e.End]))
		}
	}
	for _, k := range c.Stream.Comments {
		if k.Offset >= end {
			n.at(k.Offset, k.Line, "nothing but the end of the body after [DONE]", "a comment: "+k.Text)
		}
	}
	return n.found
}

// CleanEnd: the body ends by itself and as HTTP wants it.
func (f *Framed) CleanEnd() []Finding {
	n := f.notes("CleanEnd")
	switch t := f.Transcript; t.End {
	case wire.EndClean, wire.EndLeft, "":
	default:
		n.end("a clean end of the body", fmt.Sprintf("%s: %s", t.End, t.EndError))
	}
	return n.found
}

// NoErrorKey: no event has an error key, not even with null.
func (c *Chat) NoErrorKey() []Finding {
	n := c.notes("NoErrorKey")
	for _, k := range c.Chunks {
		if v := k.object.get("error"); v.Exists() {
			n.event(k.Event, "no error key in a good chunk", "error "+seen(v))
		}
	}
	for _, e := range c.Errors {
		n.event(e.Event, "no error in a good reply", show(c.Stream.Events[e.Event].Data))
	}
	return n.found
}

// FinishIs: the finish reason of a choice is want.
func (c *Chat) FinishIs(choice int, want string) []Finding {
	n := c.notes("FinishIs")
	for _, k := range c.Chunks {
		for _, ch := range k.Choices {
			if ch.Index == choice && ch.Finish != "" {
				if ch.Finish != want {
					n.event(k.Event, "finish_reason "+want, "finish_reason "+ch.Finish)
				}
				return n.found
			}
		}
	}
	n.finish("finish_reason "+want, "no finish chunk")
	return n.found
}

// NoFinish: a stopped stream has no finish chunk.
func (c *Chat) NoFinish() []Finding {
	n := c.notes("NoFinish")
	for _, k := range c.Chunks {
		for _, ch := range k.Choices {
			if ch.Finish != "" {
				n.event(k.Event, "no finish chunk in a stopped stream", "finish_reason "+ch.Finish)
			}
		}
	}
	return n.found
}
