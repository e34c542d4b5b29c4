package filter

import (
	"strings"

	"loadgen/engine/entity"
)

// Class is how the service's documents rate a query, by the part of the index
// that it reads. A smaller one is rated better.
type Class uint8

// The classes, from best to worst.
const (
	// ClassPoint: one exact key.
	ClassPoint Class = iota + 1
	// ClassRowRange: rows of one partition.
	ClassRowRange
	// ClassPartitionScan: one whole partition.
	ClassPartitionScan
	// ClassPartitionRangeScan: several partitions, bounded on one side at
	// least.
	ClassPartitionRangeScan
	// ClassTableScan: every partition.
	ClassTableScan
)

// classNames is indexed by Class.
var classNames = [...]string{
	"unknown", "point", "row range scan", "partition scan", "partition range scan", "table scan",
}

// String returns the class in the documents' words.
func (c Class) String() string {
	if int(c) >= len(classNames) {
		return classNames[0]
	}
	return classNames[c]
}

// Class returns the class of a query that reads this range. Ask it of the range
// as first asked for: the remainder of a scan is a smaller range, perhaps of another
// class.
func (r Range) Class() Class {
	pk, one := r.Partition()
	switch {
	case one && r.isPoint():
		return ClassPoint
	case one && r.From.Row == "" && r.endsWith(pk):
		return ClassPartitionScan
	case one:
		return ClassRowRange
	case !r.Bounded && r.From == (entity.Key{}):
		return ClassTableScan
	default:
		return ClassPartitionRangeScan
	}
}

// isPoint reports whether a range within one partition holds a single key.
func (r Range) isPoint() bool {
	row, found := strings.CutSuffix(r.To.Row, nul)
	return found && row == r.From.Row && r.To.Partition == r.From.Partition
}
