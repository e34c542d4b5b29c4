package target

import (
	"fmt"

	"loadgen/engine/entity"
	"loadgen/engine/filter"
)

// Query asks for one page of the entities in a key range. Build it with the
// constructor that fits, and add Top, Select and Token.
type Query struct {
	Range filter.Range
	// Filter selects entities of Range, which is then the filter's own, see [Filtered]. Dropped entities are scanned,
	// too. It is nil for all of Range.
	Filter *filter.Expression
	// Select are the names of the properties wanted, without commas; none stands
	// for all. Keys and version come with each entity in any case.
	Select []string
	// Top is the greatest number of entities wanted in a page; 0 leaves it to
	// the service (1,000).
	Top int
	// Token resumes where the page before ended; the zero token starts.
	Token Token
	// Scans is the approximate number of entities in Range, 0 if unknown. It does not change the request.
	Scans int64
}

// OnePoint returns the query for the one entity with a key, if it is there.
func OnePoint(key entity.Key) Query {
	return Query{Range: filter.Point(key.Partition, key.Row)}
}

// OnePartition returns the query for all entities of a partition.
func OnePartition(partitionKey string) Query {
	return Query{Range: filter.OnePartition(partitionKey)}
}

// Partitions returns the query for all entities of the partitions from one on up to
// another, both included.
func Partitions(first, last string) Query {
	// No key holds a NUL, so that nothing comes between the last one and this.
	return Query{Range: filter.PartitionRange(first, last+"\x00")}
}

// RowsFrom returns the query for the entities of a partition from a RowKey on,
// that one included.
func RowsFrom(partitionKey, rowKey string) Query {
	return Query{Range: filter.RowsFrom(partitionKey, rowKey)}
}

// Filtered returns the query of a $filter, in the range that the text implies. The error wraps [ErrFilter] and has the
// position of the fault.
func Filtered(text string) (Query, error) {
	e, code, detail := filter.Parse(text)
	if code != entity.OK {
		return Query{}, fmt.Errorf("%w: %s", ErrFilter, detail)
	}
	return Query{Range: e.Range(), Filter: e}, nil
}

// Remaining returns the query's range from its token on, for targets whose tokens are keys.
func (q *Query) Remaining() filter.Range {
	if !q.Token.Present {
		return q.Range
	}
	return q.Range.StartingAt(entity.Key{Partition: q.Token.NextPartitionKey, Row: q.Token.NextRowKey})
}
