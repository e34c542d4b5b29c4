package capture

import (
	"loadgen/results"
	"loadgen/scenarios/advise/keystatistics"
)

// partitionLag and rowLag are how many of the last keys may have been under way at
// the same time as another, so that their order means nothing.
const partitionLag, rowLag = 64, 16

// knownKeys is how many PartitionKeys a table remembers, a power of two.
const knownKeys = 1 << 12

// known remembers keys by their hashes, each in the one place that its hash
// gives it, until another takes it.
type known [knownKeys]uint64

// has returns whether a key is remembered, and remembers it.
func (k *known) has(key string) bool {
	h := hashed(offset, key) | 1
	// The product spreads keys that differ in their last letters only.
	place := &k[h*0x9e3779b97f4a7c15>>52]
	if *place == h {
		return true
	}
	*place = h
	return false
}

// table is what is kept of a table's inserts.
type table struct {
	partitions, rows results.Order
	order            keystatistics.Stream
	known            *known
}

func (t *table) reset() {
	t.order.Reset()
	if t.known == nil {
		t.known = new(known)
	}
	clear(t.known[:])
	*t = table{order: t.order, known: t.known}
}

// insert takes down a PartitionKey that was inserted into, and how the RowKey
// came.
func (t *table) insert(partition string, row results.Order) {
	if !t.known.has(partition) {
		t.partitions.Add(t.order.Next(partition, partitionLag))
	}
	t.rows.Add(row)
}
