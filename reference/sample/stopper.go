package sample

import "strings"

// stopper finds stop sequences in text that comes in tokens. It holds back what
// may be the beginning of one, so that no part of a stop sequence is shown.
type stopper struct {
	stops []string
	found string // the stop sequence that was found
	held  string
	// pending counts the tokens pushed since the last take.
	pending int
}

// push adds a token. It returns the text that can be shown, and whether a stop
// sequence was found, before which that text ends.
func (s *stopper) push(token string) (text string, stopped bool) {
	s.pending++
	s.held += token
	first := -1
	for _, stop := range s.stops {
		if i := strings.Index(s.held, stop); i >= 0 && (first < 0 || i < first) {
			first, s.found = i, stop
		}
	}
	if first >= 0 {
		text = s.held[:first]
		s.held = ""
		return text, true
	}
	keep := 0
	for _, stop := range s.stops {
		keep = max(keep, overlap(s.held, stop))
	}
	text = s.held[:len(s.held)-keep]
	s.held = s.held[len(s.held)-keep:]
	return text, false
}

// rest returns what was held back, once no token can follow.
func (s *stopper) rest() string {
	rest := s.held
	s.held = ""
	return rest
}

// take returns how many tokens were pushed since the last take.
func (s *stopper) take() int {
	n := s.pending
	s.pending = 0
	return n
}

// overlap is the length of the longest end of text with which stop begins.
func overlap(text, stop string) int {
	for n := min(len(text), len(stop)-1); n > 0; n-- {
		if strings.HasSuffix(text, stop[:n]) {
			return n
		}
	}
	return 0
}
