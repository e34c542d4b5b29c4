package filter

import (
	"strings"

	"loadgen/engine/entity"
)

// bounds is the set of keys with a PartitionKey in one interval and a RowKey in
// another. Its zero value holds every key.
type bounds struct {
	partitions, rows interval
	// inexact says that what the bounds stand for is false of some keys within.
	inexact bool
}

// interval is the part of one key component from a string on and, where bounded,
// before another.
type interval struct {
	from, to string
	bounded  bool
}

// nothing is an interval that no string is in.
func nothing() interval { return interval{bounded: true} }

func (e *Expression) bounds(at int32) bounds {
	n := &e.nodes[at]
	switch n.kind {
	case allOf, anyOf:
		joined := e.bounds(n.child)
		for i := e.nodes[n.child].next; i != none; i = e.nodes[i].next {
			other := e.bounds(i)
			switch {
			case n.kind == allOf:
				joined.partitions, joined.rows = joined.partitions.intersect(other.partitions), joined.rows.intersect(other.rows)
				joined.inexact = joined.inexact || other.inexact
			// An or keeps what both sides agree on. The service would scan the table for two
			// PartitionKeys, and the partition for two RowKeys of one.
			case joined.partitions != other.partitions:
				joined = bounds{inexact: true}
			case joined.rows != other.rows:
				joined = bounds{partitions: joined.partitions, inexact: true}
			default:
				// Where one side is true of all of these keys, so is either.
				joined.inexact = joined.inexact && other.inexact
			}
		}
		return joined
	case truth:
		if !n.constant.Bool() {
			return bounds{partitions: nothing()}
		}
		return bounds{}
	case comparison:
		var b bounds
		switch n.subject {
		case subjectPartition:
			b.partitions, b.inexact = intervalOf(n.accepts, n.constant)
		case subjectRow:
			b.rows, b.inexact = intervalOf(n.accepts, n.constant)
		default:
			b.inexact = true
		}
		return b
	default:
		return bounds{inexact: true}
	}
}

// intervalOf returns the keys for which a comparison with a constant can be true,
// and whether it is false of some of them. A key is a string, and a constant of
// another type is like none.
func intervalOf(accepts ordering, constant entity.Value) (in interval, inexact bool) {
	s := constant.Text()
	switch {
	case constant.Type() != entity.TypeString:
		return nothing(), false
	case accepts == equal:
		return interval{from: s, to: s + nul, bounded: true}, false
	case accepts == less:
		return interval{to: s, bounded: true}, false
	case accepts == less|equal:
		return interval{to: s + nul, bounded: true}, false
	case accepts == greater:
		return interval{from: s + nul}, false
	case accepts == greater|equal:
		return interval{from: s}, false
	default:
		return interval{}, true
	}
}

// span returns the smallest range that holds the keys, and whether what the
// bounds stand for is true of every key in it.
func (b bounds) span() (r Range, exact bool) {
	in := b.partitions
	before, found := strings.CutSuffix(in.to, nul)
	pk, one := in.from, in.bounded && found && before == in.from
	switch {
	case one && b.rows.bounded:
		r = Rows(pk, b.rows.from, b.rows.to)
	case one:
		// This is RowsFrom, with the string that is there already.
		r = between(entity.Key{Partition: pk, Row: b.rows.from}, entity.Key{Partition: b.partitions.to})
	case b.rows.bounded && entity.Compare(b.rows.from, b.rows.to) >= 0:
		r = PartitionRange(b.partitions.from, b.partitions.from)
	case b.partitions.bounded:
		r = PartitionRange(b.partitions.from, b.partitions.to)
	default:
		r = Range{From: entity.Key{Partition: b.partitions.from}}
	}
	// Across partitions the rows do not narrow the range.
	whole := one || b.rows == interval{}
	return r, whole && !b.inexact || r.Empty()
}

func (in interval) intersect(other interval) interval {
	if entity.Compare(in.from, other.from) < 0 {
		in.from = other.from
	}
	if other.bounded && (!in.bounded || entity.Compare(other.to, in.to) < 0) {
		in.to, in.bounded = other.to, true
	}
	return in
}
