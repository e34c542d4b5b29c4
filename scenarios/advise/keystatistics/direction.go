package keystatistics

import (
	"slices"
	"strings"
	"unicode/utf8"

	"loadgen/engine/entity"
)

// beyondShare is the maximum share of the earlier inserts above an upper end, or below a lower one: a
// few keys that sort last hide no tail.
const beyondShare = 0.05

// direct counts the windows whose hottest place is above or below all earlier inserts. Windows without
// earlier inserts elsewhere do not count.
func (o *Order) direct(windows []window, s *stretches) {
	earlier := make([]int, len(s.single))
	total, judged, top, bottom := 0, 0, 0, 0
	places := make(map[int]bool)
	for i := range windows {
		w := &windows[i]
		below, above := sum(earlier[:w.low]), sum(earlier[w.high+1:])
		if below+above > 0 {
			judged++
			places[w.high] = true
			limit := int(beyondShare * float64(total))
			// A place without inserts on the other side is at no end.
			if above <= limit && below > limit {
				top++
			}
			if below <= limit && above > limit {
				bottom++
			}
		}
		for _, a := range w.arrivals {
			earlier[a.stretch]++
		}
		total += len(w.arrivals)
	}
	o.Moves = len(places)
	if judged > 0 {
		o.AtTop, o.AtBottom = float64(top)/float64(judged), float64(bottom)/float64(judged)
	}
}

func sum(counts []int) int {
	total := 0
	for _, n := range counts {
		total += n
	}
	return total
}

// The thresholds of a dominant prefix.
const (
	// outliers is the share of the hot keys that is left out at either end before the common prefix of
	// the others is taken.
	outliers = 0.05
	// otherShare is the minimum share of all inserts with another prefix, otherAlways that in each
	// quarter of the time.
	otherShare, otherAlways = 0.03, 0.01
	quarters                = 4
)

// dominant returns the common prefix of nearly all keys of the hot place, and whether other keys arrive
// all the time, so that the place moves only among keys with this prefix.
func dominant(all []arrival) (string, bool) {
	var hot []string
	for i := range all {
		if all[i].hot {
			hot = append(hot, all[i].key)
		}
	}
	slices.SortFunc(hot, entity.Compare)
	cut := int(outliers * float64(len(hot)))
	a := hot[cut]
	b := hot[len(hot)-1-cut]
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	for n > 0 && n < len(a) && !utf8.RuneStart(a[n]) {
		n--
	}
	prefix := a[:n]
	if prefix == "" {
		return "", false
	}
	others := [quarters]int{}
	for i := range all {
		if !strings.HasPrefix(all[i].key, prefix) {
			others[i*quarters/len(all)]++
		}
	}
	least := slices.Min(others[:])
	return prefix, float64(sum(others[:])) >= otherShare*float64(len(all)) &&
		float64(least)*quarters >= otherAlways*float64(len(all))
}
