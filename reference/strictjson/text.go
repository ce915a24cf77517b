package strictjson

import (
	"encoding/json"
	"slices"
	"strconv"
	"unicode/utf16"
)

// escape reads one escape sequence of a string, both halves of a pair at once.
func (s *scanner) escape() error {
	if s.pos+1 == len(s.data) {
		return s.fail("unexpected end inside a string")
	}
	switch s.data[s.pos+1] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		s.pos += 2
		return nil
	case 'u':
		first, ok := s.unit(s.pos)
		if !ok {
			return s.fail("an escape that is not four hexadecimal digits")
		}
		if !utf16.IsSurrogate(first) {
			s.pos += 6
			return nil
		}
		second, ok := s.unit(s.pos + 6)
		if !ok || utf16.DecodeRune(first, second) == '\uFFFD' {
			return s.fail("half of a surrogate pair in a string")
		}
		s.pos += 12
		return nil
	}
	return s.fail("an unknown escape in a string")
}

// unit reads the code unit of a \uXXXX sequence at pos.
func (s *scanner) unit(pos int) (rune, bool) {
	if pos+6 > len(s.data) || s.data[pos] != '\\' || s.data[pos+1] != 'u' {
		return 0, false
	}
	for _, c := range s.data[pos+2 : pos+6] {
		if !isDigit(c) && (c < 'a' || c > 'f') && (c < 'A' || c > 'F') {
			return 0, false
		}
	}
	n, err := strconv.ParseUint(string(s.data[pos+2:pos+6]), 16, 16)
	return rune(n), err == nil
}

// unquote returns the text of a valid literal.
func unquote(literal []byte) string {
	if !slices.Contains(literal, '\\') {
		return string(literal[1 : len(literal)-1])
	}
	var text string
	if err := json.Unmarshal(literal, &text); err != nil {
		return string(literal)
	}
	return text
}

// names remembers the names of one object. Most objects have few, for which a
// list is cheaper than a map.
type names struct {
	few  [8]string
	n    int
	many map[string]struct{}
}

// add reports whether the name is new.
func (n *names) add(name string) bool {
	if n.many != nil {
		_, known := n.many[name]
		n.many[name] = struct{}{}
		return !known
	}
	if slices.Contains(n.few[:n.n], name) {
		return false
	}
	if n.n < len(n.few) {
		n.few[n.n] = name
		n.n++
		return true
	}
	n.many = make(map[string]struct{}, 4*len(n.few))
	for _, known := range n.few {
		n.many[known] = struct{}{}
	}
	n.many[name] = struct{}{}
	return true
}
