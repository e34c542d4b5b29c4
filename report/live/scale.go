package live

import (
	"math/bits"
	"time"
)

// The scale has fine bins to each doubling from fine microseconds on, so that a bin is
// no wider than 1/fine of what is in it; below, each microsecond has one. The last holds
// everything from 71 min on.
const (
	fine = 32
	bins = 28 * fine
)

// binOf returns the bin that a duration falls into; a negative one is none.
func binOf(d time.Duration) int {
	m := uint64(max(0, d/time.Microsecond))
	if m < fine {
		return int(m)
	}
	shift := bits.Len64(m) - bits.Len64(fine)
	return min(shift*fine+int(m>>shift), bins-1)
}

// topOf returns the longest duration, in whole microseconds, of a bin but the last.
func topOf(bin int) time.Duration {
	if bin < fine {
		return time.Duration(bin) * time.Microsecond
	}
	shift := bin/fine - 1
	least := uint64(bin-shift*fine) << shift
	return time.Duration(least+1<<shift-1) * time.Microsecond
}

// Bounds returns the upper bounds of the buckets that durations are told in where a metric
// asks for few, in seconds: from what a socket of the same machine takes to what a client
// waits for at most.
func Bounds() []float64 {
	return []float64{.0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30}
}

// beyond is how many durations lie beyond a percentile at least: one that rests on fewer is
// not told.
const beyond = 10

// quantile returns the duration of counted ones that so many in a hundred do not exceed,
// the longest of its bin. It is nil where there are too few, or where it is beyond the
// scale.
func quantile(counts *[bins]int64, hundredths int64) *time.Duration {
	var all int64
	for _, n := range counts {
		all += n
	}
	if all*(100-hundredths) < beyond*100 {
		return nil
	}
	rank := (all*hundredths + 99) / 100
	for bin, n := range counts[:bins-1] {
		if rank -= n; rank <= 0 {
			return new(topOf(bin))
		}
	}
	return nil
}
