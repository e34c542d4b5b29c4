package keystatistics

import (
	"slices"

	"loadgen/engine/clock"
)

// arrival is an insert of the sample.
type arrival struct {
	at  clock.Instant
	key string
	// mixed orders inserts of one instant independently of their keys.
	mixed uint64
	// number is the number of smaller keys in the sample, hot whether the key is in the hottest place of its
	// window.
	number int
	hot    bool
}

// widestPlace is the divisor of all keys that limits a place: a quarter. A movement through all of them leaves it.
const widestPlace = 4

// window is a group of neighbours in the sample, all of an instant together.
type window struct {
	arrivals []arrival
	// low and high are the first and the last key of its hottest place, hits the number of its arrivals there.
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

// windowsOf divides arrivals, sorted by instant, into windows, and finds the hottest place of each.
func windowsOf(all []arrival, keys int) []window {
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
		found[i].findHottest(keys)
	}
	return found
}

// findHottest finds the place with most arrivals of the window, the first of equal ones: one key, or neighbours
// among the keys.
func (w *window) findHottest(keys int) {
	hit := make([]int, len(w.arrivals))
	for j := range w.arrivals {
		hit[j] = w.arrivals[j].number
	}
	slices.Sort(hit)
	for from, to := 0, 0; from < len(hit); from++ {
		for to = max(to, from); to < len(hit) && (hit[from] == hit[to] || (hit[to]-hit[from]+1)*widestPlace <= keys); to++ {
			continue
		}
		if to-from > w.hits {
			w.low, w.high, w.hits = hit[from], hit[to-1], to-from
		}
	}
	for j := range w.arrivals {
		a := &w.arrivals[j]
		a.hot = w.low <= a.number && a.number <= w.high
	}
}
