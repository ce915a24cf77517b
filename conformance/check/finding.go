package check

import (
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"plumbline.dev/plumbline/conformance/wire"
)

// Finding is one breach of one rule, with the place that shows it.
type Finding struct {
	Rule   string
	Offset int           // of the byte in the body
	Line   int           // of the body, from 1; 0 where no line is meant
	At     time.Duration // when that byte was read, since the request was sent
	// Expected says what the rule asks for.
	Expected string
	// Seen is what stood there instead: at most 300 bytes, escaped so that it can
	// be printed, and without keys.
	Seen string
	// Missing tells that the body ended without what was expected, so that one
	// whose end was cut off may yet have had it.
	Missing bool
}

// Bounds of what a rule reports.
const (
	maxFindings = 16  // of one rule; one fault often shows in every chunk
	maxSeen     = 300 // bytes
	// A key that begins within what is shown is seen whole within the margin.
	margin = 700 // bytes
)

// show is the beginning of b, enough for a finding.
func show(b []byte) string { return string(b[:min(len(b), maxSeen+margin+1)]) }

// notes collects the findings of one rule.
type notes struct {
	rule  string
	t     *wire.Transcript
	keys  []string
	found []Finding
}

// at notes a finding at a place in the body.
func (n *notes) at(offset, line int, expected, seen string) {
	n.add(Finding{Offset: offset, Line: line, At: n.t.At(offset), Expected: expected, Seen: seen})
}

// head notes a finding in the response head.
func (n *notes) head(expected, seen string) {
	n.add(Finding{At: n.t.HeaderAt, Expected: expected, Seen: seen})
}

// end notes something that should have been there when the body ended.
func (n *notes) end(expected, seen string) {
	n.add(Finding{Offset: len(n.t.Body), At: n.t.EndAt, Expected: expected, Seen: seen, Missing: true})
}

func (n *notes) add(f Finding) {
	if len(n.found) == maxFindings {
		return
	}
	if f.Seen == "" {
		f.Seen = "nothing"
	}
	f.Rule, f.Seen = n.rule, excerpt(f.Seen, n.keys)
	n.found = append(n.found, f)
}

// keyLike matches what looks like a key, whoever it belongs to.
var keyLike = regexp.MustCompile(`(?i)\bbearer\s+[^\s"',;]+|\b(?:sk|pk|rk)[-_][A-Za-z0-9_-]{8,}`)

// excerpt returns the beginning of s, printable and without keys.
func excerpt(s string, keys []string) string {
	cut := len(s) > maxSeen+margin
	if cut {
		s = s[:maxSeen+margin]
	}
	for _, k := range keys {
		if k != "" {
			s = strings.ReplaceAll(s, k, wire.Redacted)
		}
	}
	s = keyLike.ReplaceAllString(s, wire.Redacted)
	var b strings.Builder
	for i, r := range s {
		var piece string
		switch {
		case r == utf8.RuneError && !strings.HasPrefix(s[i:], "\uFFFD"):
			piece = `\x` + strconv.FormatUint(uint64(s[i]), 16)
		case unicode.IsPrint(r):
			piece = string(r)
		default:
			piece = strings.Trim(strconv.QuoteRuneToASCII(r), "'")
		}
		if b.Len()+len(piece) > maxSeen-len("…") {
			cut = true
			break
		}
		b.WriteString(piece)
	}
	if cut {
		b.WriteString("…")
	}
	return b.String()
}
