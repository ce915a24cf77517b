package report

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// escapeRunes writes out as \x… or \u… what keep does not keep, and each byte
// that is not UTF-8.
func escapeRunes(text string, keep func(rune) bool) string {
	var b strings.Builder
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&b, `\x%02x`, text[i])
		case keep(r):
			b.WriteRune(r)
		case r < 0x80:
			fmt.Fprintf(&b, `\x%02x`, r)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
		i += size
	}
	return b.String()
}

// visible makes text of a foreign source safe for a terminal and keeps it on
// its lines: escape sequences, bells and invisible characters are written out.
func visible(text string) string {
	text = strings.ReplaceAll(strings.TrimRight(text, "\n"), "\r\n", "\n")
	return escapeRunes(text, func(r rune) bool { return r == '\n' || unicode.IsPrint(r) })
}

// oneLine is visible text with its line breaks written out.
func oneLine(text string) string {
	return strings.ReplaceAll(visible(text), "\n", `\n`)
}

// columns counts the columns that text takes, escape sequences not counted.
func columns(text string) int {
	n, escape := 0, false
	for _, r := range text {
		switch {
		case escape:
			escape = r != 'm'
		case r == '\x1b':
			escape = true
		default:
			n++
		}
	}
	return n
}

// pad fills text up to width columns.
func pad(text string, width int) string {
	return text + strings.Repeat(" ", max(0, width-columns(text)))
}

// clip cuts unpainted text to width columns.
func clip(text string, width int) string {
	runes := []rune(text)
	if len(runes) <= width {
		return text
	}
	if width <= 1 {
		return string(runes[:max(0, width)])
	}
	return string(runes[:width-1]) + "…"
}

// wrap breaks text into lines of at most width columns, at blanks where there
// are any; line breaks in it stay.
func wrap(text string, width int) []string {
	width = max(width, 10)
	var lines []string
	for paragraph := range strings.SplitSeq(text, "\n") {
		line := []rune(paragraph)
		for len(line) > width {
			cut := width
			for i := width; i > width/2; i-- {
				if line[i] == ' ' {
					cut = i
					break
				}
			}
			lines = append(lines, string(line[:cut]))
			line = line[cut:]
			for len(line) > 0 && line[0] == ' ' {
				line = line[1:]
			}
		}
		lines = append(lines, string(line))
	}
	return lines
}
