package keystatistics

import (
	"cmp"
	"encoding/binary"
	"math/bits"
	"slices"

	"loadgen/scenarios/keys"
)

// mostExactBytes bounds the text of the partitions that are told apart.
const mostExactBytes = 16 << 20

// weights is how many entities each partition has. Partitions go by a hash of 64
// bits, of which a million differ with a chance of all but 1 in 30 million.
type weights struct {
	options Options
	key     uint64

	// told are the partitions while all are told apart, places where each is, and
	// text their names in a row; later they are nil.
	told   []told
	places map[uint64]int32
	text   []byte

	// What takes over from them.
	heaviest *keys.HeaviestKeys[uint64, name]
	distinct *keys.DistinctKeys
	moment   *keys.Moment
}

// told is one partition that is told apart.
type told struct {
	hash     uint64
	entities int64
	// from and to are where its name stands in the text.
	from, to int
}

// name is a PartitionKey whose room is used again.
type name struct{ text []byte }

func (w *weights) add(partition []byte, entities int64) {
	h := hash(w.key, partition)
	if w.heaviest != nil {
		w.estimate(h, partition, entities)
		return
	}
	if place, known := w.places[h]; known {
		w.told[place].entities += entities
		return
	}
	if len(w.told) == w.options.Exact || len(w.text)+len(partition) > mostExactBytes {
		// The heaviest go first: what then finds no place weighs at most what the lightest
		// place does, which is what the space-saving algorithm promises of whatever has none.
		w.heaviest = keys.NewHeaviestKeys(w.options.Places, func(h uint64) uint64 { return h },
			func(n *name) { n.text = n.text[:0] })
		w.distinct, w.moment = new(keys.DistinctKeys), new(keys.Moment)
		slices.SortFunc(w.told, func(a, b told) int { return cmp.Or(cmp.Compare(b.entities, a.entities), cmp.Compare(a.hash, b.hash)) })
		for i := range w.told {
			one := &w.told[i]
			w.distinct.Add(one.hash)
			w.moment.Add(one.hash, one.entities)
			if i < w.options.Places {
				w.keep(one.hash, w.text[one.from:one.to], one.entities)
			}
		}
		w.told, w.places, w.text = nil, nil, nil
		w.estimate(h, partition, entities)
		return
	}
	w.places[h] = int32(len(w.told))
	from := len(w.text)
	w.text = append(w.text, partition...)
	w.told = append(w.told, told{hash: h, entities: entities, from: from, to: len(w.text)})
}

func (w *weights) estimate(h uint64, partition []byte, entities int64) {
	w.distinct.Add(h)
	w.moment.Add(h, entities)
	w.keep(h, partition, entities)
}

func (w *weights) keep(h uint64, partition []byte, entities int64) {
	if kept := &w.heaviest.Of(h, entities).Value; len(kept.text) == 0 {
		kept.text = append(kept.text, partition...)
	}
}

// hash mixes a key eight bytes at a time, by the high and the low half of
// products of 128 bits.
func hash(key uint64, text []byte) uint64 {
	const one, two = 0xa0761d6478bd642f, 0xe7037ed1a0b428db
	h := key ^ uint64(len(text))*two
	for ; len(text) >= 8; text = text[8:] {
		h = fold(h^binary.LittleEndian.Uint64(text), one^key)
	}
	rest := uint64(0)
	for i, b := range text {
		rest |= uint64(b) << (8 * i)
	}
	return fold(fold(h^rest, two^key), one)
}

func fold(a, b uint64) uint64 {
	high, low := bits.Mul64(a, b)
	return high ^ low
}
