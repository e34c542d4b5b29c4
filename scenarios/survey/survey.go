package survey

import (
	"errors"

	"loadgen/engine/clock"
)

// Kind is what a key was used for.
type Kind uint8

// The kinds. Only inserts have an order.
const (
	Insert Kind = iota
	Other
)

// Row is one use of a key: an operation, or an entity that is there.
type Row struct {
	PartitionKey, RowKey string
	// Instant says when, by one clock for all rows, where HasInstant is set.
	Instant    clock.Instant
	HasInstant bool
	// Entities is how many it counts against the targets, from 0 to a billion;
	// what lies beyond is taken for the bound.
	Entities int64
	Kind     Kind
	// Line is where the row stands in a file, 0 where it is in none.
	Line int64
}

// mostEntities bounds what a row counts, so that billions of rows cannot overflow.
const mostEntities = 1_000_000_000

// Survey counts a stream of keys, all of one table: the same PartitionKey in two
// tables is two partitions. It belongs to one goroutine.
type Survey struct {
	options Options
	sum     sums
	faults  []KeyFault
	weights weights
	inserts sample

	// partition and key are the room of Add.
	partition, key []byte
}

// sums is what is counted of all rows.
type sums struct {
	rows, inserts, invalid, untimed int64
	entities, inserted              int64
}

// New returns a survey that has seen nothing. The error joins what
// [Options.Validate] finds.
func New(o Options) (*Survey, error) {
	if err := errors.Join(o.Validate()...); err != nil {
		return nil, err
	}
	o = o.withDefaults()
	return &Survey{options: o, weights: newWeights(o), inserts: newSample(o)}, nil
}

// Add takes a row. It copies what it keeps. A row whose key no table would take
// counts as invalid, and for nothing else.
func (s *Survey) Add(r *Row) {
	s.partition, s.key = append(s.partition[:0], r.PartitionKey...), append(s.key[:0], r.RowKey...)
	s.add(&use{partition: s.partition, row: s.key, at: r.Instant, timed: r.HasInstant,
		entities: r.Entities, kind: r.Kind, line: r.Line})
}

// use is a Row as bytes that may be used again for the next.
type use struct {
	partition, row []byte
	at             clock.Instant
	timed          bool
	entities       int64
	kind           Kind
	line           int64
}

func (s *Survey) add(u *use) {
	if !validKey(u.partition) || !validKey(u.row) {
		s.sum.invalid++
		if len(s.faults) < mostKeyFaults {
			s.faults = append(s.faults, keyFault(u))
		}
		return
	}
	entities := min(max(0, u.entities), mostEntities)
	s.sum.rows++
	s.sum.entities += entities
	s.weights.add(u.partition, entities)
	if u.kind != Insert {
		return
	}
	s.sum.inserts++
	s.sum.inserted += entities
	if !u.timed {
		s.sum.untimed++
		return
	}
	s.inserts.add(u.at, u.partition)
}
