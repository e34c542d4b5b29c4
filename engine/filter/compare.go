package filter

import (
	"bytes"
	"cmp"
	"math"

	"loadgen/engine/entity"
)

// ordering is how a value stands to a constant, one bit; none where the two
// have types that do not compare. As several bits it is an operator: the
// orderings for which it is true. No operator is true without a bit, so that a
// comparison over unlike types is false, ne included.
type ordering uint8

const (
	less ordering = 1 << iota
	equal
	greater
	// unordered is the relation of a NaN to any number in IEEE 754: it is not equal,
	// neither less nor greater.
	unordered
)

// operator is a comparison of the grammar.
type operator struct {
	word    string
	accepts ordering
}

var operators = [...]operator{
	{"eq", equal}, {"ne", less | greater | unordered},
	{"lt", less}, {"le", less | equal}, {"gt", greater}, {"ge", greater | equal},
}

// operatorWord returns the operator that accepts just these orderings.
func operatorWord(accepts ordering) string {
	for _, o := range operators {
		if o.accepts == accepts {
			return o.word
		}
	}
	return ""
}

// mirrored returns the operator for the two sides changed over.
func (o ordering) mirrored() ordering {
	mirror := o &^ (less | greater)
	if o&less != 0 {
		mirror |= greater
	}
	if o&greater != 0 {
		mirror |= less
	}
	return mirror
}

// compare returns how a stored value stands to a constant. Both must have one
// type, save that the three types of numbers compare as numbers, exactly.
func compare(v, constant entity.Value) ordering {
	if isNumber(v) && isNumber(constant) {
		switch {
		case isWhole(v) && isWhole(constant):
			return ordered(cmp.Compare(v.Int(), constant.Int()))
		case isWhole(v):
			return compareMixed(v.Int(), constant.Float())
		case isWhole(constant):
			return compareMixed(constant.Int(), v.Float()).mirrored()
		default:
			return compareDoubles(v.Float(), constant.Float())
		}
	}
	if v.Type() != constant.Type() {
		return 0
	}
	switch v.Type() {
	case entity.TypeString:
		return ordered(entity.Compare(v.Text(), constant.Text()))
	case entity.TypeDateTime:
		return ordered(cmp.Compare(v.Ticks(), constant.Ticks()))
	case entity.TypeBinary:
		// The operators on converted strings need no copy, nor does a slice that is not altered
		// need one of the Value's string.
		a, b := v.Bytes(), constant.Bytes()
		switch {
		case string(a) < string(b):
			return less
		case string(a) > string(b):
			return greater
		default:
			return equal
		}
	case entity.TypeGUID:
		// The documents give no order. That of the text form is also that of a
		// System.Guid, whose groups compare one after the other as numbers.
		a, b := v.GUID(), constant.GUID()
		return ordered(bytes.Compare(a[:], b[:]))
	default:
		// Truth values: the grammar lets only eq and ne come this far.
		if v.Equal(constant) {
			return equal
		}
		return less
	}
}

func isNumber(v entity.Value) bool { return isWhole(v) || v.Type() == entity.TypeDouble }

func isWhole(v entity.Value) bool {
	return v.Type() == entity.TypeInt32 || v.Type() == entity.TypeInt64
}

func compareDoubles(a, b float64) ordering {
	// The package cmp would have a NaN equal itself.
	switch {
	case a < b:
		return less
	case a > b:
		return greater
	case a == b:
		return equal
	default:
		return unordered
	}
}

// compareMixed compares a whole number with a Double without rounding either:
// above 2^53 neighbouring whole numbers are the same Double.
func compareMixed(i int64, f float64) ordering {
	const beyond = 1 << 63
	switch {
	case f >= beyond:
		return less
	case f < -beyond:
		return greater
	case math.IsNaN(f):
		return unordered
	}
	whole := math.Trunc(f)
	if c := cmp.Compare(i, int64(whole)); c != 0 {
		return ordered(c)
	}
	return compareDoubles(whole, f)
}

// ordered returns the bit of a three-way comparison.
func ordered(c int) ordering {
	switch {
	case c < 0:
		return less
	case c > 0:
		return greater
	default:
		return equal
	}
}
