package tagexpr

import (
	"fmt"
	"strings"
	"unicode"
)

type kind int

const (
	endToken kind = iota
	tagToken
	andToken
	orToken
	notToken
	openToken
	closeToken
)

type token struct {
	kind   kind
	text   string // of a tag, without @
	column int    // in characters from 1
}

func (t token) String() string {
	switch t.kind {
	case endToken:
		return "the end"
	case tagToken:
		return fmt.Sprintf("the tag @%s", t.text)
	default:
		return fmt.Sprintf("%q", t.text)
	}
}

// Error says where an expression is wrong and what would be right.
type Error struct {
	Column int // in characters from 1
	Reason string
}

func (e *Error) Error() string {
	return fmt.Sprintf("tag expression, column %d: %s", e.Column, e.Reason)
}

func fail(column int, format string, args ...any) error {
	return &Error{Column: column, Reason: fmt.Sprintf(format, args...)}
}

// foreign are characters that no tag has. All but the last few belong to the
// older form of tag expressions or to the operators of programming languages.
const foreign = ",&|~!\"'`\\"

func scan(expr string) ([]token, error) {
	var tokens []token
	runes := []rune(expr)
	for i := 0; i < len(runes); {
		column := i + 1
		switch r := runes[i]; {
		case unicode.IsSpace(r):
			i++
			continue
		case r == '(':
			tokens = append(tokens, token{openToken, "(", column})
			i++
			continue
		case r == ')':
			tokens = append(tokens, token{closeToken, ")", column})
			i++
			continue
		}
		start := i
		for i < len(runes) && !unicode.IsSpace(runes[i]) && runes[i] != '(' && runes[i] != ')' {
			if strings.ContainsRune(foreign, runes[i]) {
				return nil, refuse(expr, i+1, runes[i])
			}
			if !unicode.IsPrint(runes[i]) {
				return nil, fail(i+1, "a tag holds no control character; a tag is written @name")
			}
			i++
		}
		t, err := word(string(runes[start:i]), column)
		if err != nil {
			return nil, err
		}
		tokens = append(tokens, t)
	}
	return append(tokens, token{endToken, "", len(runes) + 1}), nil
}

func word(text string, column int) (token, error) {
	switch strings.ToLower(text) {
	case "and", "or", "not":
		if low := strings.ToLower(text); text != low {
			return token{}, fail(column, "%q is written in lower case: %s", text, low)
		}
	}
	switch text {
	case "and":
		return token{andToken, text, column}, nil
	case "or":
		return token{orToken, text, column}, nil
	case "not":
		return token{notToken, text, column}, nil
	}
	name := strings.TrimPrefix(text, "@")
	switch {
	case name == "":
		return token{}, fail(column, "a name must follow @, as in @mortar-stream-11")
	case strings.Contains(name, "@"):
		return token{}, fail(column, "%q holds two tags: join them with and, or", text)
	}
	return token{tagToken, name, column}, nil
}

// refuse explains a character that is not part of the newer form, with the
// whole expression rewritten where that is possible.
func refuse(expr string, column int, r rune) error {
	if strings.ContainsRune("\"'`\\", r) {
		return fail(column, "unexpected %q: tags are written bare, as in @mortar-stream-11 and not @soak", r)
	}
	rewritten := modern(expr)
	if !valid(rewritten) {
		return fail(column, "unexpected %q: tags are joined with and, or, not and parentheses", r)
	}
	return fail(column, "unexpected %q: write %s", r, rewritten)
}

// valid asks first for foreign characters, which would be rewritten again.
func valid(expr string) bool {
	if strings.ContainsAny(expr, foreign) {
		return false
	}
	_, err := Parse(expr)
	return err == nil
}

// modern rewrites the older form, in which a comma is "or" and binds before
// &&, which is "and", and ~ is "not".
func modern(old string) string {
	old = strings.ReplaceAll(old, "||", ",")
	clauses := strings.Split(old, "&&")
	for i, clause := range clauses {
		parts := strings.Split(clause, ",")
		for j, part := range parts {
			parts[j] = strings.TrimSpace(strings.NewReplacer("~", "not ", "!", "not ").Replace(part))
		}
		clauses[i] = strings.Join(parts, " or ")
		if len(parts) > 1 && strings.Contains(old, "&&") {
			clauses[i] = "(" + clauses[i] + ")"
		}
	}
	return strings.Join(clauses, " and ")
}
