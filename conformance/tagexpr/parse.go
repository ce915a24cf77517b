package tagexpr

// maxDepth bounds how deep parentheses and nots may be nested, so that no
// expression can exhaust the stack.
const maxDepth = 100

type parser struct {
	tokens []token // ends with the end
	next   int
}

func (p *parser) peek() token { return p.tokens[p.next] }

// take consumes the next token if it is of kind k.
func (p *parser) take(k kind) bool {
	if p.peek().kind != k {
		return false
	}
	p.next++
	return true
}

func (p *parser) or(depth int) (node, error) {
	parts, err := p.list(depth, orToken, p.and)
	if err != nil || len(parts) == 1 {
		return first(parts), err
	}
	return anyNode(parts), nil
}

func (p *parser) and(depth int) (node, error) {
	parts, err := p.list(depth, andToken, p.not)
	if err != nil || len(parts) == 1 {
		return first(parts), err
	}
	return allNode(parts), nil
}

func (p *parser) list(depth int, separator kind, part func(int) (node, error)) ([]node, error) {
	var parts []node
	for {
		n, err := part(depth)
		if err != nil {
			return nil, err
		}
		parts = append(parts, n)
		if !p.take(separator) {
			return parts, nil
		}
	}
}

func (p *parser) not(depth int) (node, error) {
	t := p.peek()
	if depth > maxDepth {
		return nil, fail(t.column, "nested more than %d deep: simplify the expression", maxDepth)
	}
	p.next++
	switch t.kind {
	case tagToken:
		return tagNode(t.text), nil
	case notToken:
		of, err := p.not(depth + 1)
		if err != nil {
			return nil, err
		}
		return notNode{of}, nil
	case openToken:
		inner, err := p.or(depth + 1)
		if err != nil {
			return nil, err
		}
		if !p.take(closeToken) {
			return nil, fail(p.peek().column, "the parenthesis opened at column %d is not closed: expected and, or or ) but found %s", t.column, p.peek())
		}
		return inner, nil
	default:
		return nil, fail(t.column, "expected a tag, not or ( but found %s", t)
	}
}

// end checks that the whole expression was read.
func (p *parser) end() error {
	switch t := p.peek(); t.kind {
	case endToken:
		return nil
	case closeToken:
		return fail(t.column, "this ) closes nothing: drop it or open a parenthesis before it")
	default:
		return fail(t.column, "expected and, or or the end but found %s", t)
	}
}

func first(parts []node) node {
	if len(parts) == 0 {
		return nil
	}
	return parts[0]
}
