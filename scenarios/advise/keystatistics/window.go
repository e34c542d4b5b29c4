package keystatistics

import (
	"slices"

	"loadgen/engine/clock"
)

// arrival is an insert of the sample, ready to be judged.
type arrival struct {
	at  clock.Instant
	key string
	// mixed orders inserts of one instant, whose order nobody knows, by no order
	// of their keys.
	mixed uint64
	// stretch is the place of the key, hot whether it lies in the hottest place of
	// its window.
	stretch int
	hot     bool
	// number is how many lesser keys the sample has.
	number int
}

// window is what came within a short time: neighbours in the sample, all of an
// instant together.
type window struct {
	arrivals []arrival
	// low and high are the first and the last stretch of its hottest place that
	// were hit, and hits how many of its arrivals fell there.
	low, high, hits int
}

// Bounds of windows.
const (
	// windowArrivals is how many arrivals make a window: the fewer, the shorter the
	// time in which keys are seen to lie together.
	windowArrivals = 16
	// fewestSamples and fewestWindows are how much it takes for a judgement.
	fewestSamples = 128
	fewestWindows = 8
	// hotShare is which share of its inserts the hottest place of a window has
	// where it is hot. Of inserts that fall anywhere a quarter of the keys has
	// about half in a window, by chance.
	hotShare = 0.7
)

// windowsOf cuts arrivals, in the order of their instants, into windows, and finds
// the hottest place of each.
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
		// The place that most arrivals of the window fall on, the first of equals.
		w := &found[i]
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
	return found
}
