package mutant

import "sync"

// set is a set of texts that many requests share.
type set struct {
	mu  sync.Mutex
	has map[string]bool
}

func newSet() *set { return &set{has: map[string]bool{}} }

// add puts a text in and tells whether it is new.
func (s *set) add(text string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	known := s.has[text]
	s.has[text] = true
	return !known
}

// holds tells whether a text is in.
func (s *set) holds(text string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.has[text]
}
