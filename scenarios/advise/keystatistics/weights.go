package keystatistics

import (
	"cmp"
	"encoding/binary"
	"math/bits"
	"slices"

	"loadgen/engine/entity"
	"loadgen/results"
	"loadgen/scenarios/keys"
)

// maxExactBytes limits the text of the partitions with exact counts.
const maxExactBytes = 16 << 20

// weights counts the entities of each partition. Partitions are identified by a hash of 64 bits; the
// probability that two of a million share one is 1 in 30 million.
type weights struct {
	options Options
	key     uint64

	// exact are the partitions with exact counts, places the index of each, and bytes the length of their names. They
	// are nil once there are too many.
	exact  []partition
	places map[uint64]int32
	bytes  int

	// heaviest, distinct and moment replace them.
	heaviest *results.HeaviestKeys[uint64, []byte]
	distinct *keys.DistinctKeys
	moment   *keys.Moment
}

// partition is one with an exact count.
type partition struct {
	hash     uint64
	entities int64
	name     string
}

// add counts entities of a partition with a hash.
func (w *weights) add(h uint64, key []byte, entities int64) {
	if w.heaviest != nil {
		w.estimate(h, key, entities)
		return
	}
	if place, known := w.places[h]; known {
		w.exact[place].entities += entities
		return
	}
	if w.bytes += len(key); len(w.exact) == w.options.Exact || w.bytes > maxExactBytes {
		w.startEstimates()
		w.estimate(h, key, entities)
		return
	}
	w.places[h] = int32(len(w.exact))
	w.exact = append(w.exact, partition{h, entities, string(key)})
}

// startEstimates replaces the exact counts. The heaviest partitions go first: a partition without a
// place then weighs at most as much as the lightest place, which the space-saving algorithm guarantees.
func (w *weights) startEstimates() {
	w.heaviest = results.NewHeaviestKeys(w.options.Places, func(h uint64) uint64 { return h },
		func(one *results.KeyPlace[uint64, []byte]) { one.Value = one.Value[:0] })
	w.distinct, w.moment = new(keys.DistinctKeys), new(keys.Moment)
	slices.SortFunc(w.exact, func(a, b partition) int {
		return cmp.Or(cmp.Compare(b.entities, a.entities), cmp.Compare(a.hash, b.hash))
	})
	for i := range w.exact {
		one := &w.exact[i]
		w.distinct.Add(one.hash)
		w.moment.Add(one.hash, one.entities)
		if i < w.options.Places {
			w.keep(one.hash, []byte(one.name), one.entities)
		}
	}
	w.exact, w.places = nil, nil
}

func (w *weights) estimate(h uint64, key []byte, entities int64) {
	w.distinct.Add(h)
	w.moment.Add(h, entities)
	w.keep(h, key, entities)
}

func (w *weights) keep(h uint64, key []byte, entities int64) {
	if kept := &w.heaviest.Add(h, entities).Value; len(*kept) == 0 {
		*kept = append(*kept, key...)
	}
}

// name returns a partition by the low half of its hash, empty if it is not among those that are kept.
func (w *weights) name(low uint32) string {
	for i := range w.exact {
		if one := &w.exact[i]; uint32(one.hash) == low {
			return one.name
		}
	}
	if w.heaviest != nil {
		for place := range w.heaviest.Places {
			if uint32(hash(w.key, place.Value)) == low {
				return string(place.Value)
			}
		}
	}
	return ""
}

// report adds the partitions and their shares.
func (w *weights) report(r *Report) {
	shares := make([]Share, 0, len(w.exact))
	total := float64(max(1, r.Entities))
	squares := 0.0
	if w.heaviest == nil {
		r.Partitions = Estimate{Value: float64(len(w.exact)), Exact: true}
		r.Effective.Exact = true
		for i := range w.exact {
			one := &w.exact[i]
			squares += float64(one.entities) * float64(one.entities)
			shares = append(shares, Share{PartitionKey: one.name, Least: one.entities, Most: one.entities})
		}
	} else {
		distinct := w.distinct.Estimate()
		r.Partitions = Estimate{Value: min(distinct, float64(r.Rows)), StandardError: distinct * keys.DistinctError}
		squares = w.moment.Estimate()
		r.Unlisted = w.heaviest.Missing()
		for place := range w.heaviest.Places {
			shares = append(shares, Share{PartitionKey: string(place.Value), Least: place.Weight - place.Inherited, Most: place.Weight})
		}
	}
	if squares > 0 {
		r.Effective.Value = float64(r.Entities) / squares * float64(r.Entities)
	}
	if w.heaviest != nil && squares > 0 {
		// The reciprocal has the same relative error. No keys are as uneven as more equal partitions
		// than there are.
		r.Effective.StandardError = r.Effective.Value * keys.MomentError
		r.Effective.Value = min(max(1, r.Effective.Value), r.Partitions.Value)
	}
	// The heaviest first; of those with bounds, the one with the greatest lower bound.
	slices.SortFunc(shares, func(a, b Share) int {
		return cmp.Or(cmp.Compare(b.Least, a.Least), cmp.Compare(b.Most, a.Most), entity.Compare(a.PartitionKey, b.PartitionKey))
	})
	heaviest := int64(0)
	for i := range shares {
		s := &shares[i]
		s.OfAll = Interval{float64(s.Least) / total, float64(s.Most) / total}
		heaviest = max(heaviest, s.Most)
	}
	r.Top = slices.Clone(shares[:min(len(shares), w.options.Top)])
	for _, s := range shares[len(r.Top):] {
		r.Unlisted = max(r.Unlisted, s.Most)
	}
	if len(shares) > 0 {
		r.Hottest = Interval{shares[0].OfAll.Least, float64(max(heaviest, r.Unlisted)) / total}
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
