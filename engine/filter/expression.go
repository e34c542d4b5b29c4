package filter

import "loadgen/engine/entity"

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
	// indices; none where there is none.
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

// subjectOf returns what a name in a filter stands for. Names differ by case.
func subjectOf(name string) subject {
	switch name {
	case "PartitionKey":
		return subjectPartition
	case "RowKey":
		return subjectRow
	case "Timestamp":
		return subjectTimestamp
	default:
		return subjectProperty
	}
}

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
	return len(e.nodes) == 0 || e.holds(e.root, k, p)
}

// holds evaluates the node at an index. It goes no deeper than the text nests.
func (e *Expression) holds(at int32, k entity.Key, p entity.Packed) bool {
	n := &e.nodes[at]
	switch n.kind {
	case allOf:
		for i := n.child; i != none; i = e.nodes[i].next {
			if !e.holds(i, k, p) {
				return false
			}
		}
		return true
	case anyOf:
		for i := n.child; i != none; i = e.nodes[i].next {
			if e.holds(i, k, p) {
				return true
			}
		}
		return false
	case notOf:
		return !e.holds(n.child, k, p)
	case truth:
		return n.constant.Bool()
	default:
		v, ok := n.value(k, p)
		return ok && compare(v, n.constant)&n.accepts != 0
	}
}

// value returns what a comparison is about, and false where the entity lacks it.
func (n *node) value(k entity.Key, p entity.Packed) (entity.Value, bool) {
	switch n.subject {
	case subjectPartition:
		return entity.String(k.Partition), true
	case subjectRow:
		return entity.String(k.Row), true
	case subjectTimestamp:
		return entity.DateTime(p.Timestamp()), true
	default:
		return p.Lookup(n.property)
	}
}

// String returns the expression as a $filter in one form of many: operators in
// lower case, the property on the left, a truth value compared with true, and
// parentheses where they are needed or nearly so. [Parse] reads it, unless it
// goes over a limit that the text kept to; no filter is the empty text.
func (e *Expression) String() string {
	if len(e.nodes) == 0 {
		return ""
	}
	return string(e.appendNode(nil, e.root))
}

func (e *Expression) appendNode(dst []byte, at int32) []byte {
	n := &e.nodes[at]
	switch n.kind {
	case allOf, anyOf:
		for i := n.child; i != none; i = e.nodes[i].next {
			if i != n.child {
				dst = append(append(append(dst, ' '), n.kind.word()...), ' ')
			}
			// An and binds closer than an or.
			inner := e.nodes[i].kind
			dst = e.appendOperand(dst, i, inner == anyOf || inner == allOf && n.kind == allOf)
		}
		return dst
	case notOf:
		// A reader may take not for closer than a comparison, as others have it.
		dst = append(dst, "not "...)
		return e.appendOperand(dst, n.child, e.nodes[n.child].kind != notOf)
	case truth:
		return appendLiteral(dst, n.constant)
	default:
		dst = append(append(dst, n.property...), ' ')
		dst = append(append(dst, operatorWord(n.accepts)...), ' ')
		return appendLiteral(dst, n.constant)
	}
}

func (e *Expression) appendOperand(dst []byte, at int32, parentheses bool) []byte {
	if !parentheses {
		return e.appendNode(dst, at)
	}
	return append(e.appendNode(append(dst, '('), at), ')')
}

// word returns the operator that joins the node's operands.
func (k nodeKind) word() string {
	if k == anyOf {
		return "or"
	}
	return "and"
}
