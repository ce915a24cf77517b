package block

import "strconv"

// nesting follows the brackets of a JSON text that comes in pieces, each the
// inside of a string literal, and tells when the text is complete. It judges
// nothing else: whoever gets the text has to parse it anyway.
type nesting struct {
	depth    int
	inString bool
	escaped  bool // the next character of the string is escaped
	complete bool
}

// read takes the next piece. No escape spans two pieces.
func (n *nesting) read(inside []byte) {
	for i := 0; i < len(inside); i++ {
		c := inside[i]
		if c == '\\' && i+1 < len(inside) {
			i++
			c = inside[i]
			switch c {
			case 'u':
				c = unit(inside, i+1)
				i += 4
			case '"', '\\', '/':
			default:
				c = ' ' // the others stand for white space
			}
		}
		n.character(c)
	}
}

// unit reads the four digits of an escape; beyond ASCII it says 'x'.
func unit(inside []byte, at int) byte {
	if at+4 > len(inside) {
		return 'x'
	}
	r, err := strconv.ParseUint(string(inside[at:at+4]), 16, 16)
	if err != nil || r > 0x7f {
		return 'x'
	}
	return byte(r)
}

func (n *nesting) character(c byte) {
	switch {
	case n.inString && n.escaped:
		n.escaped = false
	case n.inString && c == '\\':
		n.escaped = true
	case c == '"':
		n.inString = !n.inString
	case n.inString:
	case c == '{', c == '[':
		n.depth++
	case c == '}', c == ']':
		n.depth--
		n.complete = n.depth <= 0
	}
}
