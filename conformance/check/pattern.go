package check

import (
	"bytes"
	"encoding/json"
	"slices"
	"unicode/utf8"

	"github.com/tidwall/gjson"
)

// pattern is a block of which the rules say the same however often it comes
// between two others: a chunk of an ordinary reply, whatever its text, or a
// comment.
type pattern struct {
	// fixed is what stands before, between and behind the strings that may
	// differ, their quotes included. With one element nothing may differ.
	fixed   [][]byte
	holes   []hole
	comment bool
	text    bool // a hole holds text of the reply
	// joins tells that its one hole holds a piece of the arguments of a call, which
	// a rule judges whole.
	joins bool
	kept  int // blocks of it that were kept since the last one of no pattern
}

// hole is a string that may differ.
type hole struct {
	from, to int  // its place in the block it was learned from, without quotes
	empty    bool // an empty text is a pattern of its own: nothing was generated
	text     bool
}

// patterns are those known, the last ones learned.
type patterns struct {
	known   []*pattern
	next    int // to be replaced
	latest  int // matched
	unknown int // blocks in a row that matched none
}

// Bounds of what is learned.
const (
	maxPatterns = 8        // a reply has one for each choice, and one of comments
	maxHole     = 64 << 10 // bytes
	// A reply of which so many blocks in a row match nothing is no ordinary one:
	// then only one block of so many is learned from.
	unordinary = 32
)

// match returns the pattern of the block with which b begins, the block's size
// and how many bytes of the reply's text it has at least. It returns nil if the
// block has no known pattern or is not whole.
func (p *patterns) match(b []byte) (k *pattern, size, text int) {
	for i := range p.known {
		at := (p.latest + i) % len(p.known)
		if size, text := p.known[at].match(b); size > 0 {
			p.latest, p.unknown = at, 0
			return p.known[at], size, text
		}
	}
	return nil, 0, 0
}

func (k *pattern) match(b []byte) (size, text int) {
	for i, fixed := range k.fixed {
		if !bytes.HasPrefix(b[size:], fixed) {
			return 0, 0
		}
		size += len(fixed)
		if i == len(k.holes) {
			return size, text
		}
		n, escaped, ok := stringBody(b[size:])
		if !ok || (n == 0) != k.holes[i].empty {
			return 0, 0
		}
		if k.joins && escaped && bytes.Contains(b[size:size+n], []byte(`\u`)) {
			return 0, 0 // two of them may be one character when joined
		}
		if k.holes[i].text {
			text += n
			if escaped {
				text -= n - n/len(`\u0000`)
			}
		}
		size += n
	}
	return 0, 0
}

// piece is what a block of a pattern that joins holds in its hole.
func (k *pattern) piece(block []byte) []byte {
	return block[len(k.fixed[0]) : len(block)-len(k.fixed[1])]
}

// stringBody returns the length of the valid JSON string that b begins with,
// less its quotes.
func stringBody(b []byte) (n int, escaped, ok bool) {
	wide := false
	for n < len(b) && n <= maxHole {
		switch c := b[n]; {
		case c == '"':
			return n, escaped, !wide || utf8.Valid(b[:n])
		case c == '\\':
			size := escape(b[n:])
			if size == 0 {
				return 0, false, false
			}
			escaped = true
			n += size
		case c < ' ':
			return 0, false, false
		default:
			wide = wide || c >= utf8.RuneSelf
			n++
		}
	}
	return 0, false, false
}

// escape returns the length of the escape that b begins with, 0 if it is none.
func escape(b []byte) int {
	if len(b) < 2 {
		return 0
	}
	if b[1] != 'u' {
		if bytes.IndexByte([]byte(`"\/bfnrt`), b[1]) < 0 {
			return 0
		}
		return 2
	}
	const size = len(`\u0000`)
	if len(b) < size || len(bytes.Trim(b[2:size], "0123456789abcdefABCDEF")) > 0 {
		return 0
	}
	return size
}

// learn makes a pattern of a block that had none, if it can, and begins to count
// anew: behind such a block the rules may say something else.
func (p *patterns) learn(block []byte, choices int) {
	for _, k := range p.known {
		k.kept = 0
	}
	if p.unknown++; p.unknown > unordinary && p.unknown%unordinary > 0 {
		return
	}
	k := learn(block, choices)
	switch {
	case k == nil:
	case len(p.known) < maxPatterns:
		p.known = append(p.known, k)
	default:
		p.known[p.next] = k
		p.next = (p.next + 1) % maxPatterns
	}
}

func learn(block []byte, choices int) *pattern {
	line := bytes.TrimSuffix(block, blank)
	if bytes.ContainsAny(line, "\r\n") || !utf8.Valid(line) {
		return nil
	}
	if bytes.HasPrefix(line, []byte(":")) {
		return &pattern{fixed: [][]byte{bytes.Clone(block)}, comment: true}
	}
	const prefix = "data: "
	data, ok := bytes.CutPrefix(line, []byte(prefix))
	if !ok || len(data) > maxHole {
		return nil
	}
	holes, joins, ok := ordinary(data, choices)
	if !ok || joins && len(holes) != 1 {
		return nil
	}
	k := &pattern{holes: holes, joins: joins}
	from := 0
	for _, h := range holes {
		k.text = k.text || h.text && !h.empty
		k.fixed = append(k.fixed, bytes.Clone(block[from:len(prefix)+h.from]))
		from = len(prefix) + h.to
	}
	k.fixed = append(k.fixed, bytes.Clone(block[from:]))
	return k
}

// freeText are the members of a delta that may hold any text. Of these only the
// content is text of the reply to a rule.
var freeText = []string{"content", "reasoning_content", "reasoning", "obfuscation"}

// ordinary tells whether data is a chunk of which each rule says the same every
// time: with one choice that does not finish, and without usage, logprobs or
// error. Its holes are in order; joins tells that one holds arguments of a call.
func ordinary(data []byte, choices int) (holes []hole, joins, ok bool) {
	if !json.Valid(data) {
		return nil, false, false
	}
	chunk, ok := asObject(gjson.ParseBytes(data))
	all := list(chunk.get("choices"))
	if !ok || len(all) != 1 || chunk.get("error").Exists() || !nothing(chunk, "usage") {
		return nil, false, false
	}
	choice, ok := asObject(all[0])
	index, isIndex := integer(choice.get("index"))
	if !ok || !isIndex || index != 0 && choices == 1 || text(choice.get("finish_reason")) != "" || !nothing(choice, "logprobs") {
		return nil, false, false
	}
	delta, ok := asObject(choice.get("delta"))
	if !ok || !nothing(delta, "function_call") || repeats(chunk) || repeats(choice) || repeats(delta) {
		return nil, false, false
	}
	values := []gjson.Result{chunk.get("obfuscation")}
	if !nothing(delta, "tool_calls") {
		arguments, ok := argumentsOf(delta)
		if !ok {
			return nil, false, false
		}
		values, joins = append(values, arguments), true
	}
	for _, key := range freeText {
		values = append(values, delta.get(key))
	}
	content := delta.get("content")
	for _, v := range values {
		if v.Type != gjson.String {
			continue
		}
		h := hole{from: v.Index + 1, to: v.Index + len(v.Raw) - 1, text: v.Index == content.Index}
		if v.Index <= 0 || h.to > len(data) || string(data[v.Index:h.to+1]) != v.Raw {
			return nil, false, false
		}
		h.empty = h.from == h.to
		holes = append(holes, h)
	}
	slices.SortFunc(holes, func(a, b hole) int { return a.from - b.from })
	return holes, joins, true
}

// argumentsOf returns the arguments of the one call in a delta, if they are text.
func argumentsOf(delta object) (gjson.Result, bool) {
	calls := list(delta.get("tool_calls"))
	if len(calls) != 1 {
		return gjson.Result{}, false
	}
	call, _ := asObject(calls[0])
	function, _ := asObject(call.get("function"))
	arguments := function.get("arguments")
	return arguments, arguments.Type == gjson.String && !repeats(call) && !repeats(function)
}

// nothing tells that a member is not there, or null.
func nothing(o object, key string) bool {
	v := o.get(key)
	return !v.Exists() || isNull(v)
}

// repeats tells that an object has a key twice.
func repeats(o object) bool {
	for i, m := range o.members {
		for _, other := range o.members[:i] {
			if m.key == other.key {
				return true
			}
		}
	}
	return false
}
