package partition

import (
	"cmp"
	"slices"
	"sort"

	"loadgen/engine/entity"
)

// table is the ranges of one table, which cover all keys, in the order of the
// index.
type table struct {
	account uint32
	number  uint32
	// limits is the account's state, so that it need not be looked up.
	limits *account
	ranges []*rangePartition
}

// at returns the position of the range that a key lies in.
func (t *table) at(key string) int {
	return sort.Search(len(t.ranges), func(i int) bool {
		return i > 0 && entity.Compare(t.ranges[i].low, key) > 0
	}) - 1
}

// find returns the range that a key lies in.
func (t *table) find(key string) *rangePartition { return t.ranges[t.at(key)] }

// insert puts a range behind its lower neighbour.
func (t *table) insert(lower, upper *rangePartition) {
	t.ranges = slices.Insert(t.ranges, t.at(lower.low)+1, upper)
}

func (t *table) remove(r *rangePartition) {
	i := slices.Index(t.ranges, r)
	t.ranges = slices.Delete(t.ranges, i, i+1)
}

func compareTables(a, b *table) int {
	return cmp.Or(cmp.Compare(a.account, b.account), cmp.Compare(a.number, b.number))
}
