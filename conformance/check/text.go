package check

import (
	"fmt"
	"strings"
)

// TextIs: the text of a choice is want, whole and in order.
func (c *Chat) TextIs(choice int, want string) []Finding {
	return c.compare("TextIs", choice, want, c.Text(choice))
}

// TextStartsWith: want is the beginning of the text of a choice.
func (c *Chat) TextStartsWith(choice int, want string) []Finding {
	got := c.Text(choice)
	return c.compare("TextStartsWith", choice, want, got[:min(len(got), len(want))])
}

// TextIsStartOf: the text of a choice is the beginning of whole: nothing is
// lost, doubled or out of order before it stops.
func (c *Chat) TextIsStartOf(choice int, whole string) []Finding {
	got := c.Text(choice)
	return c.compare("TextIsStartOf", choice, whole[:min(len(got), len(whole))], got)
}

// compare notes the first difference of two texts at the delta that holds it.
func (c *Chat) compare(rule string, choice int, want, got string) []Finding {
	n := c.notes(rule)
	if got == want {
		return nil
	}
	same := 0
	for same < len(got) && same < len(want) && got[same] == want[same] {
		same++
	}
	expected := fmt.Sprintf("choice %d goes on after %d bytes with %q", choice, same, around(want, same))
	at := 0
	for _, d := range c.Deltas(choice) {
		if at += len(d.Text); at > same {
			n.event(d.Event, expected, around(got, same))
			return n.found
		}
	}
	n.finish(expected, "the text is over")
	return n.found
}

// around returns some bytes of s from place at on.
func around(s string, at int) string { return s[at:min(len(s), at+80)] }

// NoReplacement: the text of a choice has no U+FFFD that want does not have: no
// character was torn on its way.
func (c *Chat) NoReplacement(choice int, want string) []Finding {
	n := c.notes("NoReplacement")
	const torn = "\uFFFD"
	left := strings.Count(want, torn)
	for _, d := range c.Deltas(choice) {
		if left -= strings.Count(d.Text, torn); left < 0 {
			n.event(d.Event, "every character whole", d.Text)
			left = 0
		}
	}
	return n.found
}

// StopNotInText: no stop sequence is in the text.
func (c *Chat) StopNotInText() []Finding {
	n := c.notes("StopNotInText")
	for choice := range min(c.Ask.choices(), maxChoices) {
		whole := c.Text(choice)
		for _, stop := range c.Ask.Stop {
			if stop != "" && strings.Contains(whole, stop) {
				n.finish(fmt.Sprintf("choice %d ends before the stop sequence %q", choice, stop), whole)
			}
		}
	}
	return n.found
}
