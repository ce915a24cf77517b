package format

import "encoding/json"

// AppendString appends s as a JSON string literal.
func AppendString(buf []byte, s string) []byte {
	literal, err := json.Marshal(s)
	if err != nil { // strings always marshal
		return append(buf, `""`...)
	}
	return append(buf, literal...)
}

// Inside returns a string literal without its quotes. Two insides behind each
// other are the inside of the joined string: no escape spans two literals.
func Inside(literal []byte) []byte {
	if len(literal) < 2 {
		return nil
	}
	return literal[1 : len(literal)-1]
}

// AppendInside appends an inside as the string literal that it is part of.
func AppendInside(buf, inside []byte) []byte {
	buf = append(buf, '"')
	buf = append(buf, inside...)
	return append(buf, '"')
}
