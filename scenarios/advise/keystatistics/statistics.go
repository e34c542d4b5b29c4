package keystatistics

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"loadgen/engine/clock"
	"loadgen/engine/entity"
)

// Options limits what [Statistics] keep. 0 stands for the default.
type Options struct {
	// Seed draws the sample of inserts.
	Seed uint64
	// Top is the number of heaviest partitions that a report lists, at most Places.
	Top int
	// Exact is the number of partitions with exact counts, Places the number of the heaviest that are
	// kept once there are more.
	Exact, Places int
	// Samples is the number of inserts from which the order is judged.
	Samples int
	// Moments is the number of rows that are kept in time, for [Report].Peak; above it a part of them is.
	// 0 keeps none, and has no default.
	Moments int
}

// The defaults of [Options].
const (
	defaultTop     = 10
	DefaultExact   = 100_000
	defaultPlaces  = 1 << 13
	defaultSamples = 1 << 14
)

// ErrKeys is wrapped by every fault of a file of keys.
var ErrKeys = errors.New("keystatistics: not a file of keys")

// Kind is what a row does with its key.
type Kind uint8

// The kinds. Inserts and upserts have an order; only inserts fail if the entity exists.
const (
	Insert Kind = iota
	Upsert
	Other
)

// Row is one use of a key: an operation, or an existing entity.
type Row struct {
	PartitionKey, RowKey string
	// HasRowKey reports that the row has a RowKey, which may be empty.
	HasRowKey bool
	// Instant is the time of the row if HasInstant, by one clock for all rows.
	Instant    clock.Instant
	HasInstant bool
	// Entities is the number of entities that count against the targets, from 0 to a billion; larger
	// numbers count as a billion.
	Entities int64
	Kind     Kind
	// Line is the row's line in a file, 0 without a file.
	Line int64
}

// maxEntities limits the entities of a row, so that billions of rows cannot overflow.
const maxEntities = 1_000_000_000

// KeyFault is an invalid key.
type KeyFault struct {
	// Line is the row's line in a file, 0 without a file.
	Line int64 `json:"line"`
	// PartitionKey is the beginning of the row's PartitionKey.
	PartitionKey string `json:"partition_key"`
	// What is wrong with the key.
	What string `json:"what"`
}

// maxKeyFaults is the number of invalid keys that are kept.
const maxKeyFaults = 10

// Statistics counts a stream of keys of one table. It belongs to one goroutine.
type Statistics struct {
	counts  Counts
	weights weights
	inserts sample

	moments moments
	// keys are the hashes of both keys of the first inserts with a RowKey.
	keys []uint64

	// partition and row are buffers of Add.
	partition, row []byte
}

// sample keeps some inserts, each with the same probability (algorithm R, Vitter 1985).
type sample struct {
	max    int
	chance clock.Stream
	seen   uint64
	kept   []kept
}

// kept is an insert of the sample. The next insert in its place reuses the buffer.
type kept struct {
	at        clock.Instant
	partition []byte
}

// maxKeys is the number of inserts that are checked for repeated keys.
const maxKeys = 1_000_000

// New returns empty statistics.
func New(o Options) *Statistics {
	o.Exact, o.Places, o.Samples = cmp.Or(o.Exact, DefaultExact), cmp.Or(o.Places, defaultPlaces), cmp.Or(o.Samples, defaultSamples)
	o.Top = cmp.Or(o.Top, min(defaultTop, o.Places))
	w := weights{options: o, key: o.Seed*0x9e3779b97f4a7c15 + 0xd1b54a32d192ed03, places: make(map[uint64]int32)}
	return &Statistics{weights: w, moments: moments{max: o.Moments},
		inserts: sample{max: o.Samples, chance: clock.NewStream(o.Seed, "survey/inserts")}}
}

// Add counts a row and copies what it keeps. A row with an invalid key counts as invalid only.
func (s *Statistics) Add(r *Row) {
	if code, what := entity.ValidateKey(entity.Key{Partition: r.PartitionKey, Row: r.RowKey}); code != entity.OK {
		s.counts.Invalid++
		if len(s.counts.Faults) < maxKeyFaults {
			s.counts.Faults = append(s.counts.Faults, KeyFault{r.Line, truncate(r.PartitionKey), what})
		}
		return
	}
	entities := min(max(0, r.Entities), maxEntities)
	s.counts.Rows++
	s.counts.Entities += entities
	s.partition = append(s.partition[:0], r.PartitionKey...)
	number := hash(s.weights.key, s.partition)
	s.weights.add(number, s.partition, entities)
	if r.HasInstant {
		s.moments.add(moment{r.Instant, uint32(number), uint32(entities)})
	}
	if r.HasRowKey && r.Kind == Insert && len(s.keys) < maxKeys {
		s.row = append(s.row[:0], r.RowKey...)
		s.keys = append(s.keys, hash(number, s.row))
	}
	if r.Kind == Other {
		return
	}
	s.counts.Inserts++
	s.counts.Inserted += entities
	if !r.HasInstant {
		s.counts.Untimed++
		return
	}
	s.inserts.add(r.Instant, s.partition)
}

func (in *sample) add(at clock.Instant, partition []byte) {
	in.seen++
	if len(in.kept) < in.max {
		in.kept = append(in.kept, kept{at, slices.Clone(partition)})
		return
	}
	draw := in.chance.Draw(in.seen - 1)
	if place := draw.IntN(int(in.seen)); place < in.max {
		in.kept[place].at = at
		in.kept[place].partition = append(in.kept[place].partition[:0], partition...)
	}
}

// Counts are the counts of all rows.
type Counts struct {
	// Rows counts the rows with valid keys, Inserts those of them that insert, and Untimed the inserts
	// without an instant.
	Rows    int64 `json:"rows"`
	Inserts int64 `json:"inserts"`
	Untimed int64 `json:"-"`
	// Entities counts the entities of all rows, Inserted those of inserts.
	Entities int64 `json:"entities"`
	Inserted int64 `json:"-"`
	// Invalid counts the other rows; Faults are the first of them.
	Invalid int64      `json:"invalid"`
	Faults  []KeyFault `json:"refused,omitempty"`
	// Keyed is the number of inserts with a RowKey, which may be empty, that were compared: the first ones
	// up to a million. Repeated have the keys of an earlier one. Upserts do not count.
	Keyed    int64 `json:"keys_looked_at"`
	Repeated int64 `json:"keys_repeated"`
}

// Report is the result of [Statistics].
type Report struct {
	Counts
	// Partitions is the number of PartitionKeys, at most Rows. Effective is the number of equal
	// partitions that would be as uneven, 1 / Σ p² of the shares p of the entities, at most Partitions;
	// 0 without entities.
	Partitions, Effective Estimate
	// Top are the heaviest partitions in descending order, equal ones in the order of the index. A
	// partition that is not listed has at most Unlisted entities.
	Top      []Share
	Unlisted int64
	// Hottest bounds the share of the heaviest partition.
	Hottest Interval
	// Order is the order of the inserts.
	Order Order
	// Peak is how busy the rows are at their busiest time, by [Options].Moments.
	Peak Peak
}

// Estimate is a number that is exact or has a standard error.
type Estimate struct {
	Value, StandardError float64
	Exact                bool
}

// Interval bounds a number, both ends included.
type Interval struct{ Least, Most float64 }

// Share is the number of a partition's entities, between bounds that are equal if it is exact.
type Share struct {
	PartitionKey string
	Least, Most  int64
	// OfAll is the same as a share of all entities, from 0 to 1.
	OfAll Interval
}

// Report returns the statistics of the rows so far.
func (s *Statistics) Report() Report {
	// The sample by instant.
	all := make([]arrival, len(s.inserts.kept))
	for i, one := range s.inserts.kept {
		all[i] = arrival{at: one.at, key: string(one.partition), mixed: hash(1, one.partition)}
	}
	slices.SortFunc(all, func(a, b arrival) int {
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.mixed, b.mixed), strings.Compare(a.key, b.key))
	})
	distinct := number(all)
	tails := findTails(all, distinct)
	r := Report{Counts: s.counts, Order: orderOf(all, distinct, tails), Peak: s.peak(tails, len(all))}
	r.Keyed, r.Repeated = int64(len(s.keys)), repeated(s.keys)
	r.Faults = slices.Clone(s.counts.Faults)
	s.weights.report(&r)
	switch {
	case r.Partitions.Exact && r.Partitions.Value == 1:
		// That needs no instant.
		r.Order.Verdict, r.Order.Hot, r.Order.Reason, r.Order.AtOnce = OnePartition, true, "", 1
	case r.Order.Verdict != Unknown || r.Order.Reason != "":
	case r.Inserts == 0:
		r.Order.Reason = "there are no inserts"
	case r.Untimed == r.Inserts:
		r.Order.Reason = "no insert has an instant"
	}
	return r
}

// repeated sorts hashes and returns the number of those that occur before.
func repeated(hashes []uint64) (n int64) {
	slices.Sort(hashes)
	for i := 1; i < len(hashes); i++ {
		if hashes[i] == hashes[i-1] {
			n++
		}
	}
	return n
}

// PlaceShare returns the share of all entities that are inserted at the place with most inserts at any
// moment, 0 if inserts are spread or their order is unknown.
func (r *Report) PlaceShare() float64 {
	if r.Entities == 0 {
		return 0
	}
	return r.Order.Place() * float64(r.Inserted) / float64(r.Entities)
}
