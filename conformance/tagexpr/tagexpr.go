package tagexpr

import (
	"slices"
	"strings"
)

// Expr is a parsed tag expression. The zero Expr matches everything.
type Expr struct {
	root node
	tags []string
}

// Parse reads an expression. Its errors name the column, counted in
// characters from 1, and what would be right.
func Parse(expr string) (Expr, error) {
	tokens, err := scan(expr)
	if err != nil {
		return Expr{}, err
	}
	if len(tokens) == 1 { // the end alone
		return Expr{}, nil
	}
	p := parser{tokens: tokens}
	root, err := p.or(0)
	if err != nil {
		return Expr{}, err
	}
	if err := p.end(); err != nil {
		return Expr{}, err
	}
	return Expr{root: root, tags: names(tokens)}, nil
}

// Match reports whether a scenario with these tags is selected. Tags in the
// map may be written with or without their @.
func (e Expr) Match(tags map[string]bool) bool {
	return e.root == nil || e.root.match(tags)
}

// Tags returns the tags that the expression names, without @, sorted, each
// once, so that a caller can refuse those that no scenario has.
func (e Expr) Tags() []string {
	return slices.Clone(e.tags)
}

// String returns the expression with each precedence spelled out.
func (e Expr) String() string {
	if e.root == nil {
		return ""
	}
	return e.root.String()
}

func names(tokens []token) []string {
	var tags []string
	for _, t := range tokens {
		if t.kind == tagToken {
			tags = append(tags, t.text)
		}
	}
	slices.Sort(tags)
	return slices.Compact(tags)
}

type node interface {
	match(tags map[string]bool) bool
	String() string
}

type tagNode string

func (n tagNode) match(tags map[string]bool) bool {
	return tags[string(n)] || tags["@"+string(n)]
}

func (n tagNode) String() string { return "@" + string(n) }

type notNode struct{ of node }

func (n notNode) match(tags map[string]bool) bool { return !n.of.match(tags) }

func (n notNode) String() string { return "not " + n.of.String() }

// anyNode matches if one of its parts does: "or".
type anyNode []node

func (n anyNode) match(tags map[string]bool) bool {
	return slices.ContainsFunc(n, func(part node) bool { return part.match(tags) })
}

func (n anyNode) String() string { return join(n, " or ") }

// allNode matches if each of its parts does: "and".
type allNode []node

func (n allNode) match(tags map[string]bool) bool {
	return !slices.ContainsFunc(n, func(part node) bool { return !part.match(tags) })
}

func (n allNode) String() string { return join(n, " and ") }

func join(parts []node, word string) string {
	texts := make([]string, len(parts))
	for i, part := range parts {
		texts[i] = part.String()
	}
	return "(" + strings.Join(texts, word) + ")"
}
