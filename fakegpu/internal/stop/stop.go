// Package stop finds stop sequences in text that arrives token by token. It
// holds back what could be the beginning of one, so that no part of a stop
// sequence is ever shown.
package stop

import "strings"

// Matcher looks for stop sequences in one choice's text. Its zero value has
// none and passes everything on.
type Matcher struct {
	sequences []string
	held      string
	found     string
}

// New returns a matcher of these sequences; empty ones are ignored.
func New(sequences []string) *Matcher {
	m := &Matcher{}
	for _, s := range sequences {
		if s != "" {
			m.sequences = append(m.sequences, s)
		}
	}
	return m
}

// Push takes the next piece of text. It returns the text that may be shown
// now, and whether a stop sequence was found: then the text ends before it and
// nothing may follow.
func (m *Matcher) Push(text string) (show string, found bool) {
	if len(m.sequences) == 0 {
		return text, false
	}
	all := m.held + text
	first := -1
	for _, s := range m.sequences {
		if at := strings.Index(all, s); at >= 0 && (first < 0 || at < first) {
			first, m.found = at, s
		}
	}
	if first >= 0 {
		m.held = ""
		return all[:first], true
	}
	keep := 0
	for _, s := range m.sequences {
		keep = max(keep, overlap(all, s))
	}
	m.held = all[len(all)-keep:]
	return all[:len(all)-keep], false
}

// Found is the stop sequence that was found, "" for none.
func (m *Matcher) Found() string { return m.found }

// Rest returns the text that is still held back, for a reply that ends.
func (m *Matcher) Rest() string {
	rest := m.held
	m.held = ""
	return rest
}

// overlap is the length of the longest end of text that begins s, less than all of s.
func overlap(text, s string) int {
	for n := min(len(text), len(s)-1); n > 0; n-- {
		if strings.HasSuffix(text, s[:n]) {
			return n
		}
	}
	return 0
}
