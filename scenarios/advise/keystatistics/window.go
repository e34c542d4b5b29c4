package keystatistics

import (
	"slices"

	"loadgen/engine/clock"
	"loadgen/engine/entity"
)

// arrival is an insert of the sample.
type arrival struct {
	at  clock.Instant
	key string
	// mixed orders inserts of one instant independently of their keys.
	mixed uint64
	// stretch is the stretch of the key, hot whether it is in the hottest place of its window.
	stretch int
	hot     bool
	// number is the number of smaller keys in the sample.
	number int
}

// stretches are the sampled keys in the order of the index, cut into stretches of about equal numbers of
// inserts. A key with as many inserts is a stretch of its own.
type stretches struct {
	total int
	// before is the number of inserts before each stretch, and the total at its end.
	before []int
	// single reports for each stretch whether it is one key.
	single []bool
	// keys is the number of different keys, heaviest the number of inserts of the most common key,
	// squares the sum of the squares of all keys' inserts.
	keys, heaviest int
	squares        float64
}

// maxStretches is the number of stretches of a large sample, minInserts the number of inserts in each
// stretch of a small one.
const (
	maxStretches = 256
	minInserts   = 4
)

// cut sorts the keys of arrivals into stretches, and sets the stretch of each arrival.
func cut(all []arrival) stretches {
	order := make([]*arrival, len(all))
	for i := range all {
		order[i] = &all[i]
	}
	slices.SortFunc(order, func(a, b *arrival) int { return entity.Compare(a.key, b.key) })
	s := stretches{total: len(all)}
	full := max(minInserts, (len(all)+maxStretches-1)/maxStretches)
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

// isPlace reports whether the stretches from one to another are one place: one key, or so small a part
// of the keys that a movement through all of them leaves it.
func (s *stretches) isPlace(from, to int) bool {
	return from == to && s.single[from] || (s.before[to+1]-s.before[from])*widestPlace <= s.total
}

// widestPlace is the divisor of all inserts that limits a place: a quarter.
const widestPlace = 4

// window is a group of neighbours in the sample, all of an instant together.
type window struct {
	arrivals []arrival
	// low and high are the first and the last stretch of its hottest place, hits the number of its
	// arrivals there.
	low, high, hits int
}

// The limits of windows.
const (
	// windowArrivals is the number of arrivals of a window: the fewer, the shorter the time in which
	// keys are seen together.
	windowArrivals = 16
	// minSamples and minWindows are needed for a verdict.
	minSamples = 128
	minWindows = 8
	// hotShare is the minimum share of the inserts at the hottest place of a hot window. Inserts in no
	// order have about half in a quarter of the keys, by chance.
	hotShare = 0.7
)

// windowsOf cuts arrivals, sorted by instant, into windows, and finds the hottest place of each.
func windowsOf(all []arrival, s *stretches) []window {
	var found []window
	from := 0
	for i := range all {
		last := i == len(all)-1
		if i+1-from < windowArrivals && !last || !last && all[i+1].at == all[i].at {
			continue
		}
		if last && i+1-from < windowArrivals && len(found) > 0 {
			// Too few are left for a window of their own.
			previous := &found[len(found)-1]
			previous.arrivals = all[from-len(previous.arrivals) : i+1]
			break
		}
		found = append(found, window{arrivals: all[from : i+1]})
		from = i + 1
	}
	for i := range found {
		found[i].findHottest(s)
	}
	return found
}

// findHottest finds the place with most arrivals of the window, the first of equal ones.
func (w *window) findHottest(s *stretches) {
	hit := make([]int, len(w.arrivals))
	for j := range w.arrivals {
		hit[j] = w.arrivals[j].stretch
	}
	slices.Sort(hit)
	for from, to := 0, 0; from < len(hit); from++ {
		for to = max(to, from); to < len(hit) && s.isPlace(hit[from], hit[to]); to++ {
			continue
		}
		if to-from > w.hits {
			w.low, w.high, w.hits = hit[from], hit[to-1], to-from
		}
	}
	for j := range w.arrivals {
		a := &w.arrivals[j]
		a.hot = w.hits > 0 && w.low <= a.stretch && a.stretch <= w.high
	}
}
