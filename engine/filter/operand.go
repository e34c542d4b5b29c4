package filter

import (
	"slices"

	"loadgen/engine/entity"
)

// operand is one side of a comparison: a property, or a constant where it has
// no name.
type operand struct {
	name  string
	value entity.Value
	at    int
}

func (o *operand) isProperty() bool { return o.name != "" }

// reserved are the names that are operators even where a property is expected. In another
// case than lower they can be properties, but for not, which is at home in that very place.
var reserved = []string{"and", "or", "eq", "ne", "gt", "ge", "lt", "le"}

// operand is the rule of that name.
func (p *parser) operand() (operand, *fault) {
	t := p.token
	o := operand{value: t.value, at: t.at}
	switch {
	case t.kind == tokenName && !t.is("not") && !slices.Contains(reserved, t.text):
		o.name = t.text
	case t.kind != tokenConstant:
		return operand{}, p.unexpected("a property or a constant")
	}
	if f := p.advance(); f != nil {
		return operand{}, f
	}
	if o.isProperty() && p.token.kind == tokenOpen {
		return operand{}, unsupported(o.at, "the unsupported function %s", excerpt(o.name))
	}
	return o, nil
}

// comparison is the rule of that name. A property alone is one with true.
func (p *parser) comparison() (int32, *fault) {
	if p.leaves == MaxComparisons {
		return none, invalid(p.token.at, "more than %d comparisons", MaxComparisons)
	}
	p.leaves++
	left, f := p.operand()
	if f != nil {
		return none, f
	}
	sign := p.token
	at := slices.IndexFunc(operators[:], func(o operator) bool { return sign.is(o.word) })
	if at < 0 {
		// Without an operator it can only be a truth value.
		switch {
		case left.isProperty() && p.endsOperation():
			return p.compare(left.name, equal, entity.Boolean(true)), nil
		case left.isProperty():
			return none, p.unexpected("an operator after the property " + excerpt(left.name))
		case left.value.Type() == entity.TypeBoolean && p.endsOperation():
			return p.add(node{kind: truth, constant: left.value}), nil
		default:
			return none, p.unexpected("a comparison after the constant")
		}
	}
	accepts := operators[at].accepts
	if f := p.advance(); f != nil {
		return none, f
	}
	right, f := p.operand()
	if f != nil {
		return none, f
	}
	switch {
	case left.isProperty() && right.isProperty():
		return none, unsupported(right.at, "expected a constant instead of a second property,")
	case right.isProperty():
		left, right, accepts = right, left, accepts.mirrored()
	case !left.isProperty():
		// What 1 eq 1 would keep is all or nothing: more likely a property was
		// meant.
		return none, invalid(left.at, "expected a property on one side of %s, found two constants", sign.text)
	}
	if right.value.Type() == entity.TypeBoolean && accepts != equal && operatorWord(accepts) != "ne" {
		return none, invalid(sign.at, "expected eq or ne for a boolean, found %s", sign.text)
	}
	return p.compare(left.name, accepts, right.value), nil
}

// endsOperation reports whether what follows joins or closes operations.
func (p *parser) endsOperation() bool {
	t := &p.token
	return t.kind == tokenEnd || t.kind == tokenClose || t.is("and") || t.is("or")
}

func (p *parser) compare(name string, accepts ordering, constant entity.Value) int32 {
	n := node{kind: comparison, accepts: accepts, property: name, constant: constant}
	// Names differ by case.
	switch name {
	case "PartitionKey":
		n.subject = subjectPartition
	case "RowKey":
		n.subject = subjectRow
	case "Timestamp":
		n.subject = subjectTimestamp
	}
	return p.add(n)
}

// unexpected is the fault of a token that no rule has a place for.
func (p *parser) unexpected(expected string) *fault {
	for _, word := range [...]string{"add", "sub", "mul", "div", "mod", "in", "has"} {
		if p.token.is(word) {
			return unsupported(p.token.at, "expected %s, found the unsupported %s", expected, word)
		}
	}
	found := "the end"
	if p.token.kind != tokenEnd {
		found = excerpt(p.token.text)
	}
	return invalid(p.token.at, "expected %s, found %s", expected, found)
}
