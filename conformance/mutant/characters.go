package mutant

import (
	"strings"
	"unicode/utf8"
)

// rewriteText changes the text of each delta.
func rewriteText(change func(text string) string) wrap {
	return onStream(editIf(isText, func(c object) {
		for _, choice := range c.choices() {
			if text, ok := choice.inner("delta")["content"].(string); ok {
				choice.inner("delta")["content"] = change(text)
			}
		}
	}))
}

// bytewise changes the bytes of each chunk with text.
func bytewise(change func(raw string) string) wrap {
	return onStream(nth(isText, func(s *stream, e event, _ int) { s.write(change(e.raw)) }))
}

// replaceWide puts other text in the place of each character that matches.
func replaceWide(match func(r rune) bool, with func(r rune) string) func(string) string {
	return func(text string) string {
		var b strings.Builder
		for _, r := range text {
			if match(r) {
				b.WriteString(with(r))
			} else {
				b.WriteRune(r)
			}
		}
		return b.String()
	}
}

func wide(r rune) bool { return r >= utf8.RuneSelf }

func characters() []Mutant {
	row := []string{"mortar-stream-10"}
	agree := []string{"mortar-stream-32", "openai-chat-22"} // their reply has such characters too
	return []Mutant{
		{Name: "characters-replaced", Summary: "a character that packets cut becomes U+FFFD", Report: "api7/aisix#111",
			Breaks: row, May: agree, Wrap: rewriteText(replaceWide(wide, func(r rune) string { return strings.Repeat("\ufffd", utf8.RuneLen(r)) }))},
		{Name: "characters-cut", Summary: "characters outside the basic plane lose their last byte",
			Breaks: row, May: append(agree, "mortar-stream-31"), Wrap: bytewise(func(raw string) string {
				return replaceWide(func(r rune) bool { return r > 0xffff }, func(r rune) string { return string(r)[:3] })(raw)
			})},
		{Name: "characters-latin-1", Summary: "é and ß are sent in Latin-1",
			Breaks: row, May: append(agree, "mortar-stream-31"), Wrap: bytewise(func(raw string) string {
				return replaceWide(func(r rune) bool { return r > 0x7f && r < 0x100 }, func(r rune) string { return string([]byte{byte(r)}) })(raw)
			})},
		{Name: "characters-twice-encoded", Summary: "UTF-8 is taken for Latin-1 and encoded again",
			Breaks: row, May: agree, Wrap: rewriteText(func(text string) string {
				var b strings.Builder
				for i := range len(text) {
					b.WriteRune(rune(text[i]))
				}
				return b.String()
			})},
		{Name: "characters-escaped-twice", Summary: "JSON escapes arrive as text",
			Breaks: row, May: agree, Wrap: bytewise(func(raw string) string {
				return replaceWide(wide, func(rune) string { return `\\u00e9` })(raw)
			})},
		{Name: "characters-half", Summary: "of a surrogate pair only the first half is sent",
			Breaks: row, May: agree, Wrap: bytewise(func(raw string) string {
				return replaceWide(func(r rune) bool { return r > 0xffff }, func(rune) string { return `\ud83e` })(raw)
			})},
		{Name: "control-characters-lost", Summary: "NUL and tabs are stripped from the text",
			Breaks: row, Wrap: rewriteText(func(text string) string { return strings.NewReplacer("\x00", "", "\t", "").Replace(text) })},
		{Name: "line-separator-splits", Summary: "U+2028 is taken for a line end",
			Breaks: row, Wrap: rewriteText(func(text string) string { return strings.ReplaceAll(text, "\u2028", "\n") })},
	}
}
