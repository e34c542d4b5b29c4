package filter

import (
	"bytes"

	"loadgen/engine/entity"
)

// Expression is a parsed $filter. It is immutable and safe for concurrent use;
// it shares the memory of the text that it was parsed from. The zero value is
// no filter.
type Expression struct {
	// nodes is the tree in one piece; none at all keep every entity.
	nodes []node
	root  int32
	span  Range
	exact bool
}

// node is one operation of the tree.
type node struct {
	kind nodeKind
	// child is the first operand, next the following one of the same parent, as
	// indices; none if it has no children.
	child, next int32
	// A comparison has the property on its left.
	subject  subject
	accepts  ordering
	property string
	// constant is a comparison's right side, or a truth value that stands alone.
	constant entity.Value
}

const none int32 = -1

type nodeKind uint8

const (
	allOf nodeKind = iota
	anyOf
	notOf
	comparison
	truth
)

// subject is what a comparison is about.
type subject uint8

const (
	subjectProperty subject = iota
	subjectPartition
	subjectRow
	subjectTimestamp
)

// Range returns the part of the index that has to be read to evaluate the
// expression: no entity outside of it is kept. Comparisons of PartitionKey and
// RowKey that are joined by and narrow it, those of RowKey within one partition
// only. An or narrows no further than both its sides do in the very same way,
// and a not never: the service does not read twice, it scans. An expression
// that the keys alone make false has an empty range.
func (e *Expression) Range() Range { return e.span }

// Exact reports whether the expression keeps every entity of its range, so that
// [Expression.Keeps] need not be asked.
func (e *Expression) Exact() bool { return len(e.nodes) == 0 || e.exact }

// Keeps reports whether the expression is true of an entity. A comparison is
// false where the entity lacks the property or has it with another type than
// the constant; numbers of all types compare with each other, exactly. A NaN
// differs from every number, itself included. Nothing is allocated.
func (e *Expression) Keeps(k entity.Key, p entity.Packed) bool {
	return len(e.nodes) == 0 || e.evaluate(e.root, k, p)
}

// evaluate evaluates the node at an index. It goes no deeper than the text nests.
func (e *Expression) evaluate(at int32, k entity.Key, p entity.Packed) bool {
	n := &e.nodes[at]
	switch n.kind {
	case allOf:
		for i := n.child; i != none; i = e.nodes[i].next {
			if !e.evaluate(i, k, p) {
				return false
			}
		}
		return true
	case anyOf:
		for i := n.child; i != none; i = e.nodes[i].next {
			if e.evaluate(i, k, p) {
				return true
			}
		}
		return false
	case notOf:
		return !e.evaluate(n.child, k, p)
	case truth:
		return n.constant.Bool()
	default:
		var v entity.Value
		found := true
		switch n.subject {
		case subjectPartition:
			v = entity.String(k.Partition)
		case subjectRow:
			v = entity.String(k.Row)
		case subjectTimestamp:
			v = entity.DateTime(p.Timestamp())
		default:
			v, found = p.Lookup(n.property)
		}
		return found && compare(v, n.constant)&n.accepts != 0
	}
}

// String returns the expression as a $filter in one form of many: operators in
// lower case, the property on the left, a truth value compared with true, and
// parentheses where they are needed or nearly so. [Parse] reads it, unless it
// goes over a limit that the text kept to; no filter is the empty text.
func (e *Expression) String() string { return e.print(false) }

// Shape returns the expression with a question mark for each constant, so that
// queries that differ in nothing else have one shape. Of operands of one shape
// that follow one another the first is shown, with an ellipsis for the others.
func (e *Expression) Shape() string { return e.print(true) }

func (e *Expression) print(shape bool) string {
	if len(e.nodes) == 0 {
		return ""
	}
	return string((&printer{e, shape}).node(nil, e.root))
}

// printer writes an expression, or its shape.
type printer struct {
	*Expression
	shape bool
}

func (p *printer) node(dst []byte, at int32) []byte {
	n := &p.nodes[at]
	switch n.kind {
	case notOf:
		// A reader may take not for closer than a comparison, as others have it.
		dst = append(dst, "not "...)
		return p.operand(dst, n.child, p.nodes[n.child].kind != notOf)
	case truth:
		return p.constant(dst, n)
	case comparison:
		dst = append(append(dst, n.property...), ' ')
		dst = append(append(dst, operatorWord(n.accepts)...), ' ')
		return p.constant(dst, n)
	}
	// The other nodes join operands: allOf and anyOf.
	joint := append(append([]byte{' '}, n.kind.word()...), ' ')
	// begun and ended are where the operand written last stands.
	begun, ended, more := 0, 0, false
	for i := n.child; i != none; i = p.nodes[i].next {
		if i != n.child {
			dst = append(dst, joint...)
		}
		// An and binds closer than an or.
		inner := p.nodes[i].kind
		start := len(dst)
		dst = p.operand(dst, i, inner == anyOf || inner == allOf && n.kind == allOf)
		if p.shape && i != n.child && bytes.Equal(dst[begun:ended], dst[start:]) {
			dst = dst[:start]
			if more {
				dst = dst[:start-len(joint)]
			} else {
				dst = append(dst, "…"...)
			}
			more = true
			continue
		}
		begun, ended, more = start, len(dst), false
	}
	return dst
}

func (p *printer) operand(dst []byte, at int32, parentheses bool) []byte {
	if !parentheses {
		return p.node(dst, at)
	}
	return append(p.node(append(dst, '('), at), ')')
}

// word returns the operator that joins the node's operands.
func (k nodeKind) word() string {
	if k == anyOf {
		return "or"
	}
	return "and"
}
