package report

import (
	"html"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// wordOnly is the length below which a secret is masked only where it stands
// as a word of its own, or half of the report would be masked.
const wordOnly = 6

// maskEscaped replaces the secret in text, each character of which may stand
// there as it is or escaped, in any mixture. It is written out because a
// regular expression for the same costs a second for a megabyte.
func maskEscaped(text, secret string) string {
	first, _ := utf8.DecodeRuneInString(secret)
	starts := string(first) + `\%&+`
	var b strings.Builder
	for {
		i := strings.IndexAny(text, starts)
		if i < 0 {
			break
		}
		n := matchEscaped(text[i:], secret)
		if n > 0 && (len(secret) >= wordOnly || isWord(b.String()+text[:i], text[i+n:])) {
			b.WriteString(text[:i] + mask)
			text = text[i+n:]
			continue
		}
		_, size := utf8.DecodeRuneInString(text[i:])
		b.WriteString(text[:i+size])
		text = text[i+size:]
	}
	if b.Len() == 0 {
		return text
	}
	return b.String() + text
}

// isWord reports whether what stands between before and after is a word of
// its own.
func isWord(before, after string) bool {
	last, _ := utf8.DecodeLastRuneInString(before)
	next, _ := utf8.DecodeRuneInString(after)
	inWord := func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }
	return !inWord(last) && !inWord(next)
}

// matchEscaped returns how many bytes at the start of text stand for the
// secret, 0 if none do. It follows each reading of what can be read as itself
// and as an escape, such as the & of "&amp;".
func matchEscaped(text, secret string) int {
	ends := []int{0}
	for _, want := range secret {
		var next []int
		for _, at := range ends {
			if r, size := utf8.DecodeRuneInString(text[at:]); r == want && size > 0 {
				next = append(next, at+size)
			}
			if n := matchEscape(text[at:], want); n > 0 {
				next = append(next, at+n)
			}
		}
		if len(next) == 0 {
			return 0
		}
		slices.Sort(next)
		ends = slices.Compact(next)
	}
	return ends[len(ends)-1]
}

// matchEscape returns how many bytes at the start of text are an escape for
// one character.
func matchEscape(text string, want rune) int {
	if text == "" {
		return 0
	}
	switch text[0] {
	case '+':
		if want == ' ' { // in a query
			return 1
		}
	case '%':
		return matchPercent(text, want)
	case '&':
		return matchEntity(text, want)
	case '\\':
		return matchBackslash(text, want)
	}
	return 0
}

func matchPercent(text string, want rune) int {
	at := 0
	for _, b := range []byte(string(want)) {
		if len(text) < at+3 || text[at] != '%' {
			return 0
		}
		if n, err := strconv.ParseUint(text[at+1:at+3], 16, 8); err != nil || byte(n) != b {
			return 0
		}
		at += 3
	}
	return at
}

func matchEntity(text string, want rune) int {
	const longest = 12
	end := strings.IndexByte(text[:min(len(text), longest)], ';')
	if end < 0 || html.UnescapeString(text[:end+1]) != string(want) {
		return 0
	}
	return end + 1
}

// matchBackslash accepts any number of backslashes: JSON inside JSON has many.
func matchBackslash(text string, want rune) int {
	if want == '\\' && strings.HasPrefix(text, `\\`) {
		return 2
	}
	rest := strings.TrimLeft(text, `\`)
	at := len(text) - len(rest)
	if r, size := utf8.DecodeRuneInString(rest); r == want && size > 0 {
		return at + size
	}
	for _, unit := range utf16.Encode([]rune{want}) {
		escape := strings.TrimLeft(text[at:], `\`)
		at = len(text) - len(escape)
		if len(escape) < 5 || escape[0] != 'u' {
			return 0
		}
		if n, err := strconv.ParseUint(escape[1:5], 16, 16); err != nil || uint16(n) != unit {
			return 0
		}
		at += 5
	}
	return at
}
