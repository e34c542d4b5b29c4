package keystatistics

import (
	"slices"

	"loadgen/engine/entity"
)

// stretches are the sampled keys in the order of the index, cut into stretches of
// about as many inserts each. A key that has as many alone is one of its own.
type stretches struct {
	total int
	// before is how many inserts lie before each stretch, and at its end the total.
	before []int
	// single says of each whether it is one key.
	single []bool
	// keys is how many different ones there are, and heaviest how many inserts the
	// commonest has.
	keys, heaviest int
	// squares is the sum of the squares of all keys' inserts.
	squares float64
}

// mostStretches is how many there are of a large sample, fewestInserts how many
// inserts each has of a small one.
const (
	mostStretches = 256
	fewestInserts = 4
)

// cut sorts the arrivals' keys into stretches, and gives each arrival its own.
func cut(all []arrival) stretches {
	order := make([]*arrival, len(all))
	for i := range all {
		order[i] = &all[i]
	}
	slices.SortFunc(order, func(a, b *arrival) int { return entity.Compare(a.key, b.key) })
	s := stretches{total: len(all)}
	full := max(fewestInserts, (len(all)+mostStretches-1)/mostStretches)
	for from := 0; from < len(order); {
		to := from + 1
		for to < len(order) && order[to].key == order[from].key {
			to++
		}
		inserts := to - from
		s.keys++
		s.heaviest = max(s.heaviest, inserts)
		s.squares += float64(inserts) * float64(inserts)
		if last := len(s.before) - 1; last >= 0 && inserts < full && from-s.before[last] < full {
			s.single[last] = false
		} else {
			s.before, s.single = append(s.before, from), append(s.single, true)
		}
		for _, a := range order[from:to] {
			a.stretch, a.number = len(s.before)-1, s.keys-1
		}
		from = to
	}
	s.before = append(s.before, s.total)
	return s
}

// isPlace reports whether inserts that all fall from one stretch to another fall
// on one place: on one key, or on so small a part of the keys that what moves
// through all of them leaves it again.
func (s *stretches) isPlace(from, to int) bool {
	return from == to && s.single[from] || (s.before[to+1]-s.before[from])*widestPlace <= s.total
}

// widestPlace is which part of all inserts a place has at most: a quarter.
const widestPlace = 4
