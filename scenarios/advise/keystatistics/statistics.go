package keystatistics

import (
	"errors"
	"slices"

	"loadgen/engine/clock"
	"loadgen/engine/entity"
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

// Statistics counts a stream of keys, all of one table: the same PartitionKey in two
// tables is two partitions. It belongs to one goroutine.
type Statistics struct {
	options Options
	sum     sums
	faults  []KeyFault
	weights weights
	inserts sample

	// keys are the hashes of both keys of the first rows that have a RowKey, of which so
	// many had one that was there.
	keys     map[uint64]bool
	repeated int64

	// partition is the room of Add, row that of a RowKey.
	partition, row []byte
}

// sample keeps a few of any number of inserts, each as likely as the others
// (algorithm R, Vitter 1985).
type sample struct {
	most   int
	chance clock.Stream
	seen   uint64
	kept   []kept
}

// kept is an insert of the sample. Its text is used again for the next that takes
// its place.
type kept struct {
	at        clock.Instant
	partition []byte
}

// mostKeys is for how many rows it is looked whether their keys repeat earlier ones.
const mostKeys = 100_000

// sums is what is counted of all rows.
type sums struct {
	rows, inserts, invalid, untimed int64
	entities, inserted              int64
}

// New returns a survey that has seen nothing. The error joins what
// [Options.Validate] finds.
func New(o Options) (*Statistics, error) {
	if err := errors.Join(o.Validate()...); err != nil {
		return nil, err
	}
	o = o.withDefaults()
	w := weights{options: o, key: o.Seed*0x9e3779b97f4a7c15 + 0xd1b54a32d192ed03, places: make(map[uint64]int32)}
	return &Statistics{options: o, weights: w, inserts: sample{most: o.Samples, chance: clock.NewStream(o.Seed, "survey/inserts")}}, nil
}

// Add takes a row. It copies what it keeps. A row whose key no table would take
// counts as invalid, and for nothing else.
func (s *Statistics) Add(r *Row) {
	if code, what := entity.ValidateKey(entity.Key{Partition: r.PartitionKey, Row: r.RowKey}); code != entity.OK {
		s.sum.invalid++
		if len(s.faults) < mostKeyFaults {
			s.faults = append(s.faults, KeyFault{r.Line, shown(r.PartitionKey), what})
		}
		return
	}
	entities := min(max(0, r.Entities), mostEntities)
	s.sum.rows++
	s.sum.entities += entities
	s.partition = append(s.partition[:0], r.PartitionKey...)
	s.weights.add(s.partition, entities)
	if r.RowKey != "" && r.Kind == Insert && len(s.keys) != mostKeys {
		if s.keys == nil {
			s.keys = make(map[uint64]bool)
		}
		s.row = append(s.row[:0], r.RowKey...)
		both := hash(hash(s.weights.key, s.partition), s.row)
		if s.keys[both] {
			s.repeated++
		}
		s.keys[both] = true
	}
	if r.Kind != Insert {
		return
	}
	s.sum.inserts++
	s.sum.inserted += entities
	if !r.HasInstant {
		s.sum.untimed++
		return
	}
	in := &s.inserts
	in.seen++
	if len(in.kept) < in.most {
		in.kept = append(in.kept, kept{r.Instant, slices.Clone(s.partition)})
		return
	}
	draw := in.chance.At(in.seen - 1)
	if place := draw.IntN(int(in.seen)); place < in.most {
		in.kept[place].at = r.Instant
		in.kept[place].partition = append(in.kept[place].partition[:0], s.partition...)
	}
}
