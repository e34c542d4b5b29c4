package keystatistics

import (
	"cmp"
	"slices"
	"strings"
)

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
	// Keyed of the first inserts with a RowKey were checked for repeated keys, Repeated have the key of
	// an earlier one.
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
	r := Report{Counts: s.counts, Order: orderOf(all)}
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

// PlaceShare returns the share of all entities that are inserted at the place with most inserts at any
// moment, 0 if inserts are spread or their order is unknown.
func (r *Report) PlaceShare() float64 {
	if r.Entities == 0 {
		return 0
	}
	return r.Order.Place() * float64(r.Inserted) / float64(r.Entities)
}
