package keystatistics

import (
	"slices"
	"strings"
	"unicode/utf8"

	"loadgen/engine/entity"
)

// beyondShare is which share of the earlier inserts may lie beyond a place that
// is called the end: a few keys that sort last hide no tail.
const beyondShare = 0.05

// direct finds out on which side of all earlier inserts the hottest place of each
// window lies. Windows before which nothing lay elsewhere say nothing.
func (o *Order) direct(windows []window, s *stretches) {
	earlier := make([]int, len(s.single))
	total, told, top, bottom := 0, 0, 0, 0
	places := make(map[int]bool)
	for i := range windows {
		w := &windows[i]
		below, above := sum(earlier[:w.low]), sum(earlier[w.high+1:])
		if below+above > 0 {
			told++
			places[w.high] = true
			most := int(beyondShare * float64(total))
			// What has nothing on the other side either lies at no end.
			if above <= most && below > most {
				top++
			}
			if below <= most && above > most {
				bottom++
			}
		}
		for _, a := range w.arrivals {
			earlier[a.stretch]++
		}
		total += len(w.arrivals)
	}
	o.Moves = len(places)
	if told > 0 {
		o.AtTop, o.AtBottom = float64(top)/float64(told), float64(bottom)/float64(told)
	}
}

func sum(counts []int) int {
	total := 0
	for _, n := range counts {
		total += n
	}
	return total
}

// The bounds of a dominant beginning.
const (
	// outliers is which share of the hot keys is left out at either end before the
	// others are asked what they begin with.
	outliers = 0.05
	// besideShare is which share of all inserts begins otherwise at least, and
	// besideAlways in each quarter of the time.
	besideShare, besideAlways = 0.03, 0.01
	quarters                  = 4
)

// dominant returns what nearly all keys of the hot place begin with, and whether
// others come beside them all the time, so that it does not move through all keys
// but among those that begin so.
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
	beside := [quarters]int{}
	for i := range all {
		if !strings.HasPrefix(all[i].key, prefix) {
			beside[i*quarters/len(all)]++
		}
	}
	least := slices.Min(beside[:])
	return prefix, float64(sum(beside[:])) >= besideShare*float64(len(all)) &&
		float64(least)*quarters >= besideAlways*float64(len(all))
}
