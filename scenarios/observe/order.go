package observe

import (
	"strings"

	"loadgen/engine/entity"
	"loadgen/results"
)

// The bounds of an order's memory, in keys.
const (
	// partitionLag and rowLag are how many of the last keys may have been under
	// way at the same time as another, so that their order means nothing.
	partitionLag, rowLag = 64, 16
	// block is how many keys share a least and a greatest one. A key is held
	// against those of the last block and of the one under way: further back, an
	// outlier would hide for ever how the others come.
	block = 64
)

// way is how a key comes.
type way uint8

const (
	unknown way = iota
	ascending
	descending
	elsewhere
)

// order says how keys come: whether each lies beyond all that came before it, but
// for the last few. The zero value has seen none.
type order struct {
	count int
	// recent are the last keys, which no other is held against yet.
	recent         []string
	current, prior reach
}

// reach is the least and the greatest of so many keys.
type reach struct {
	keys            int
	least, greatest string
}

func (o *order) reset() {
	clear(o.recent)
	*o = order{recent: o.recent[:0]}
}

// next returns how a key comes, and has later ones held against it once lag more
// have come. Early on fewer do: an eighth of the keys so far.
func (o *order) next(key string, lag int) way {
	found, before := o.current.way(key), o.prior.way(key)
	switch {
	case found == unknown:
		found = before
	case before != unknown && before != found:
		found = elsewhere
	}
	o.count++
	o.recent = append(o.recent, strings.Clone(key))
	for len(o.recent) > min(lag, o.count/8) {
		o.settle(o.recent[0])
		copy(o.recent, o.recent[1:])
		o.recent[len(o.recent)-1] = ""
		o.recent = o.recent[:len(o.recent)-1]
	}
	return found
}

func (o *order) settle(key string) {
	if o.current.keys == block {
		o.prior, o.current = o.current, reach{}
	}
	o.current.add(key)
}

// way returns how a key lies to those of the reach, unknown where there are none.
func (r *reach) way(key string) way {
	switch {
	case r.keys == 0:
		return unknown
	case entity.Compare(key, r.greatest) > 0:
		return ascending
	case entity.Compare(key, r.least) < 0:
		return descending
	default:
		return elsewhere
	}
}

func (r *reach) add(key string) {
	if r.keys == 0 || entity.Compare(key, r.greatest) > 0 {
		r.greatest = key
	}
	if r.keys == 0 || entity.Compare(key, r.least) < 0 {
		r.least = key
	}
	r.keys++
}

// add counts a key that came so.
func add(o *results.Order, w way) {
	if w == unknown {
		return
	}
	o.Keys++
	switch w {
	case ascending:
		o.Ascending++
	case descending:
		o.Descending++
	}
}

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
	order            order
	known            *known
}

func (t *table) reset() {
	t.order.reset()
	if t.known == nil {
		t.known = new(known)
	}
	clear(t.known[:])
	*t = table{order: t.order, known: t.known}
}

// insert takes down a PartitionKey that was inserted into, and how the RowKey
// came.
func (t *table) insert(partition string, row way) {
	if !t.known.has(partition) {
		add(&t.partitions, t.order.next(partition, partitionLag))
	}
	add(&t.rows, row)
}
