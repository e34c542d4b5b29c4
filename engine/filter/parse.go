package filter

import "loadgen/engine/entity"

// Expression is a parsed $filter. It is immutable and safe for concurrent use.
type Expression struct{}

// Parse reads the text of a $filter option; an empty one is no filter, and its
// expression keeps every entity. The code is OK, or else InvalidInput or
// NotImplemented with one line of detail.
func Parse(text string) (e *Expression, code entity.Code, detail string) { panic("contract") }

// Range returns the part of the index that has to be read to evaluate the
// expression: no entity outside of it is kept.
func (e *Expression) Range() Range { panic("contract") }

// Keeps reports whether the expression is true of an entity.
func (e *Expression) Keeps(k entity.Key, p entity.Packed) bool { panic("contract") }

// Exact reports whether the expression keeps every entity of its range, so that
// [Expression.Keeps] need not be asked.
func (e *Expression) Exact() bool { panic("contract") }
