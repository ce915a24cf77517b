package wire

import "unicode/utf8"

const hexDigits = "0123456789abcdef"

// appendString appends s as a JSON string literal. With ascii every character
// beyond ASCII becomes a \u escape. Bytes that are no UTF-8 become U+FFFD.
func appendString(b []byte, s string, ascii bool) []byte {
	b = append(b, '"')
	start := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c >= ' ' && c < utf8.RuneSelf && c != '"' && c != '\\' {
			i++
			continue
		}
		r, size := rune(c), 1
		if c >= utf8.RuneSelf {
			r, size = utf8.DecodeRuneInString(s[i:])
			if !ascii && (r != utf8.RuneError || size > 1) {
				i += size
				continue
			}
		}
		b = append(b, s[start:i]...)
		i += size
		start = i
		b = appendEscape(b, r, ascii)
	}
	b = append(b, s[start:]...)
	return append(b, '"')
}

func appendEscape(b []byte, r rune, ascii bool) []byte {
	switch r {
	case '"', '\\':
		return append(b, '\\', byte(r))
	case '\n':
		return append(b, '\\', 'n')
	case '\r':
		return append(b, '\\', 'r')
	case '\t':
		return append(b, '\\', 't')
	}
	if r == utf8.RuneError && !ascii {
		return utf8.AppendRune(b, r)
	}
	if r >= 0x10000 {
		b = appendUnit(b, 0xd800+(r-0x10000)>>10)
		r = 0xdc00 + (r-0x10000)&0x3ff
	}
	return appendUnit(b, r)
}

func appendUnit(b []byte, u rune) []byte {
	return append(b, '\\', 'u', hexDigits[u>>12&15], hexDigits[u>>8&15], hexDigits[u>>4&15], hexDigits[u&15])
}
