// Package strictjson reads a client's JSON object so that everybody who reads
// it after the gateway understands the same. It refuses what parsers disagree
// on: a name that stands twice in one object, invalid UTF-8, half a surrogate
// pair, more than [MaxDepth] levels. Its time is in proportion to the input.
package strictjson

import (
	"bytes"
	"encoding/json"
	"fmt"
	"unicode/utf8"
)

// MaxDepth is how many objects and arrays may stand inside one another.
const MaxDepth = 100

// SyntaxError tells why an input was refused, without repeating it.
type SyntaxError struct {
	Problem string
	Offset  int // byte at which reading stopped
}

// Error implements error.
func (e *SyntaxError) Error() string {
	return fmt.Sprintf("%s at byte %d", e.Problem, e.Offset)
}

// Object reads data as one JSON object and returns its members. The values are
// pieces of data, which must therefore not change. Every error is a
// [*SyntaxError].
func Object(data []byte) (map[string]json.RawMessage, error) {
	s := scanner{data: data}
	s.space()
	switch {
	case s.pos == len(data):
		return nil, s.fail("the body is empty, it must be a JSON object,")
	case data[s.pos] != '{':
		return nil, s.fail("the body is not a JSON object")
	}
	members := make(map[string]json.RawMessage)
	err := s.object(1, func(name string, value []byte) { members[name] = value })
	if err != nil {
		return nil, err
	}
	s.space()
	if s.pos < len(data) {
		return nil, s.fail("unexpected text after the JSON object")
	}
	return members, nil
}

// scanner reads one JSON text by recursive descent, no deeper than MaxDepth.
type scanner struct {
	data []byte
	pos  int
}

func (s *scanner) fail(problem string) error {
	return &SyntaxError{Problem: problem, Offset: s.pos}
}

// peek returns the next byte, 0 at the end of the input.
func (s *scanner) peek() byte {
	if s.pos < len(s.data) {
		return s.data[s.pos]
	}
	return 0
}

func (s *scanner) space() {
	for s.pos < len(s.data) {
		switch s.data[s.pos] {
		case ' ', '\t', '\n', '\r':
			s.pos++
		default:
			return
		}
	}
}

func (s *scanner) value(depth int) error {
	switch c := s.peek(); {
	case c == '{':
		return s.object(depth+1, func(string, []byte) {})
	case c == '[':
		return s.array(depth + 1)
	case c == '"':
		return s.text()
	case c == '-' || isDigit(c):
		return s.number()
	case c == 't':
		return s.literal("true")
	case c == 'f':
		return s.literal("false")
	case c == 'n':
		return s.literal("null")
	case s.pos == len(s.data):
		return s.fail("unexpected end")
	default:
		return s.fail("expected a value")
	}
}

// object reads an object and hands out each of its members.
func (s *scanner) object(depth int, member func(name string, value []byte)) error {
	if depth > MaxDepth {
		return s.fail(fmt.Sprintf("more than %d levels of objects and arrays", MaxDepth))
	}
	s.pos++
	s.space()
	if s.peek() == '}' {
		s.pos++
		return nil
	}
	var seen names
	for {
		start := s.pos
		if s.peek() != '"' {
			return s.fail("expected a name in double quotes")
		}
		if err := s.text(); err != nil {
			return err
		}
		name := unquote(s.data[start:s.pos])
		if !seen.add(name) {
			s.pos = start
			return s.fail("the same name twice in one object")
		}
		s.space()
		if s.peek() != ':' {
			return s.fail("expected a colon after the name")
		}
		s.pos++
		s.space()
		start = s.pos
		if err := s.value(depth); err != nil {
			return err
		}
		member(name, s.data[start:s.pos])
		more, err := s.next('}')
		if !more {
			return err
		}
	}
}

func (s *scanner) array(depth int) error {
	if depth > MaxDepth {
		return s.fail(fmt.Sprintf("more than %d levels of objects and arrays", MaxDepth))
	}
	s.pos++
	s.space()
	if s.peek() == ']' {
		s.pos++
		return nil
	}
	for {
		if err := s.value(depth); err != nil {
			return err
		}
		more, err := s.next(']')
		if !more {
			return err
		}
	}
}

// next reads what stands between two members: a comma, after which there are
// more, or the end.
func (s *scanner) next(end byte) (more bool, err error) {
	s.space()
	switch s.peek() {
	case ',':
		s.pos++
		s.space()
		return true, nil
	case end:
		s.pos++
		return false, nil
	}
	if s.pos == len(s.data) {
		return false, s.fail("unexpected end")
	}
	return false, s.fail(fmt.Sprintf("expected ',' or '%c'", end))
}

func (s *scanner) literal(word string) error {
	if !bytes.HasPrefix(s.data[s.pos:], []byte(word)) {
		return s.fail("expected a value")
	}
	s.pos += len(word)
	return nil
}

func (s *scanner) number() error {
	if s.peek() == '-' {
		s.pos++
	}
	if s.peek() == '0' {
		s.pos++
	} else if !s.digits() {
		return s.fail("expected a digit")
	}
	if s.peek() == '.' {
		s.pos++
		if !s.digits() {
			return s.fail("expected a digit")
		}
	}
	if c := s.peek(); c == 'e' || c == 'E' {
		s.pos++
		if c := s.peek(); c == '+' || c == '-' {
			s.pos++
		}
		if !s.digits() {
			return s.fail("expected a digit")
		}
	}
	return nil
}

func (s *scanner) digits() bool {
	start := s.pos
	for isDigit(s.peek()) {
		s.pos++
	}
	return s.pos > start
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// text reads a string literal with its quotes.
func (s *scanner) text() error {
	s.pos++
	for s.pos < len(s.data) {
		switch c := s.data[s.pos]; {
		case c == '"':
			s.pos++
			return nil
		case c == '\\':
			if err := s.escape(); err != nil {
				return err
			}
		case c < ' ':
			return s.fail("unescaped control character in a string")
		case c < utf8.RuneSelf:
			s.pos++
		default:
			r, size := utf8.DecodeRune(s.data[s.pos:])
			if r == utf8.RuneError && size == 1 {
				return s.fail("invalid UTF-8 in a string")
			}
			s.pos += size
		}
	}
	return s.fail("unexpected end inside a string")
}
