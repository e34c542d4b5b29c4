package chart

import (
	"math"
	"sort"

	"loadgen/results"
)

// mostBars is how many bars of a histogram are drawn at most.
const mostBars = 120

// classes are the lower bounds, in microseconds, of ranges of durations that
// grow by the same factor; the last bound is the upper end of the last range.
type classes []int64

// newClasses returns at most mostBars classes that hold every duration from one
// to another, both within the hour that a histogram of the record spans. There
// are 10, 20, 50 or 100 to a decade: as many as that bound allows, and more than
// 20 only where whole microseconds are fine enough for classes of even width.
func newClasses(from, to int64) classes {
	const evenWidth = 8 // µs: to round a bound moves it by a sixteenth at most
	for _, perDecade := range []int{100, 50, 20} {
		narrowest := float64(from) * (math.Pow(10, 1/float64(perDecade)) - 1)
		if perDecade > 20 && narrowest < evenWidth {
			continue
		}
		if c := classesOf(from, to, perDecade); len(c)-1 <= mostBars {
			return c
		}
	}
	return classesOf(from, to, 10) // an hour takes 97
}

func classesOf(from, to int64, perDecade int) classes {
	bound := func(i int) int64 {
		return int64(math.Round(math.Pow(10, float64(i)/float64(perDecade))))
	}
	from = max(from, 0)
	if from == 0 {
		// 0 has no logarithm and its own class, below 1.
		if to <= 0 {
			return classes{0, 1}
		}
		return append(classes{0}, classesOf(1, to, perDecade)...)
	}
	i := int(math.Floor(math.Log10(float64(from)) * float64(perDecade)))
	for bound(i) > from {
		i--
	}
	for bound(i+1) <= from {
		i++
	}
	c := classes{bound(i)}
	for c[len(c)-1] <= to {
		i++
		// Among the first microseconds two bounds may round to the same one.
		if b := bound(i); b > c[len(c)-1] {
			c = append(c, b)
		}
	}
	return c
}

// of returns the class that a duration falls into; one outside falls into the
// nearest.
func (c classes) of(micros int64) int {
	above := sort.Search(len(c), func(i int) bool { return c[i] > micros })
	return min(max(above-1, 0), len(c)-2)
}

// count sums the buckets of a histogram by class. A bucket that reaches beyond
// its class, which it does by a thousandth at most, counts whole where it begins.
func (c classes) count(buckets []results.Bar) []int64 {
	counts := make([]int64, len(c)-1)
	for _, b := range buckets {
		counts[c.of(b.From)] += b.Count
	}
	return counts
}

// extent returns the least and the greatest duration of several histograms, and
// false where all are empty.
func extent(histograms ...[]results.Bar) (from, to int64, found bool) {
	for _, buckets := range histograms {
		if len(buckets) == 0 {
			continue
		}
		least, greatest := buckets[0].From, buckets[len(buckets)-1].To
		if !found {
			from, to, found = least, greatest, true
		}
		from, to = min(from, least), max(to, greatest)
	}
	return from, to, found
}
