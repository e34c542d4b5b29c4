package filter

import (
	"fmt"
	"unicode/utf8"

	"loadgen/engine/entity"
)

// The bounds of a $filter. The documents allow 15 comparisons, which the service
// does not insist on: clients send a hundred joined by or.
const (
	// MaxComparisons is how many comparisons a filter has at most; a truth value
	// that stands alone counts as one.
	MaxComparisons = 1000
	// MaxDepth is how deep parentheses and not may nest; a not with its
	// parentheses counts as one.
	MaxDepth = 100
	// MaxText is the greatest length of a filter, in bytes.
	MaxText = 64 << 10
)

// Parse reads the text of a $filter option; an empty or blank one is no filter,
// and its expression keeps every entity. The code is OK, or else InvalidInput or
// NotImplemented with one line of detail, which says where; e is nil then.
func Parse(text string) (e *Expression, code entity.Code, detail string) {
	e, f := parse(text)
	if f != nil {
		return nil, f.code, fmt.Sprintf("%s at character %d of the $filter", f.what, utf8.RuneCountInString(text[:f.at])+1)
	}
	return e, entity.OK, ""
}

func parse(text string) (*Expression, *fault) {
	if len(text) > MaxText {
		return nil, invalid(MaxText, "more than %d bytes", MaxText)
	}
	if at := notUTF8(text); at >= 0 {
		return nil, invalid(at, "expected UTF-8, found the byte %#02x", text[at])
	}
	p := parser{lexer: lexer{text: text}}
	if f := p.advance(); f != nil {
		return nil, f
	}
	if p.token.kind == tokenEnd {
		return &Expression{}, nil
	}
	root, f := p.chain(anyOf)
	if f != nil {
		return nil, f
	}
	if p.token.kind != tokenEnd {
		return nil, p.unexpected("and, or or the end")
	}
	e := &Expression{nodes: p.nodes, root: root}
	e.span, e.exact = e.bounds(root).span()
	return e, nil
}

// notUTF8 returns the offset of the first byte that is not part of a character,
// or -1. The order of the index is promised for whole characters only.
func notUTF8(text string) int {
	if utf8.ValidString(text) {
		return -1
	}
	for i, r := range text {
		if _, width := utf8.DecodeRuneInString(text[i:]); r == utf8.RuneError && width == 1 {
			return i
		}
	}
	return -1
}

// parser reads by recursive descent, a method for each rule of
//
//	or         := and { "or" and }
//	and        := negation { "and" negation }
//	negation   := "not" negation | "(" or ")" | comparison
//	comparison := operand [ operator operand ]
//	operand    := name | constant
type parser struct {
	lexer lexer
	// token is the next that no rule has taken yet.
	token token
	nodes []node
	// depth is how many parentheses and negations are open, leaves how many
	// comparisons there were.
	depth, leaves int
}

func (p *parser) advance() (f *fault) {
	p.token, f = p.lexer.next()
	return f
}

func (p *parser) add(n node) int32 {
	const few = 4
	if p.nodes == nil {
		p.nodes = make([]node, 0, few)
	}
	n.next = none
	p.nodes = append(p.nodes, n)
	return int32(len(p.nodes) - 1)
}

// chain is the rules or and and: operands joined by one operator. A single one
// stays what it is.
func (p *parser) chain(kind nodeKind) (int32, *fault) {
	first, f := p.link(kind)
	if f != nil || !p.token.is(kind.word()) {
		return first, f
	}
	for last := first; p.token.is(kind.word()); {
		if f := p.advance(); f != nil {
			return none, f
		}
		next, f := p.link(kind)
		if f != nil {
			return none, f
		}
		p.nodes[last].next = next
		last = next
	}
	return p.add(node{kind: kind, child: first}), nil
}

func (p *parser) link(kind nodeKind) (int32, *fault) {
	if kind == anyOf {
		return p.chain(allOf)
	}
	return p.negation()
}

func (p *parser) negation() (child int32, f *fault) {
	negated := p.token.is("not")
	if !negated && p.token.kind != tokenOpen {
		return p.comparison()
	}
	if p.depth == MaxDepth {
		return none, invalid(p.token.at, "more than %d nested parentheses and negations", MaxDepth)
	}
	p.depth++
	if negated {
		if f = p.advance(); f != nil {
			return none, f
		}
	}
	if p.token.kind == tokenOpen {
		if f = p.advance(); f == nil {
			child, f = p.chain(anyOf)
		}
		if f == nil && p.token.kind != tokenClose {
			f = p.unexpected("and, or or )")
		}
		if f == nil {
			f = p.advance()
		}
	} else {
		child, f = p.negation()
	}
	if f != nil {
		return none, f
	}
	p.depth--
	if negated {
		return p.add(node{kind: notOf, child: child}), nil
	}
	return child, nil
}
