package results

import (
	"cmp"
	"slices"
	"time"
)

// generators are those of all parts as one: what they have and use adds up, how they were
// held up is that of the one that was held up most. It is nil where one of them is.
func generators(parts []MergePart) *Generator {
	var sum *Generator
	for _, part := range parts {
		of := part.Record.Generator
		if of == nil {
			return nil
		}
		if sum == nil {
			copied := *of
			sum = &copied
			continue
		}
		if a, b := sum.Ceiling, of.Ceiling; a == nil || b == nil || a.Over != b.Over || a.Took <= 0 || b.Took <= 0 {
			// One is not known, or they were tried on different things.
			sum.Ceiling = nil
		} else {
			// The second is told for the time that the first took.
			scale := a.Took.Seconds() / b.Took.Seconds()
			sum.Ceiling = &Ceiling{Over: a.Over, Lanes: a.Lanes + b.Lanes, Took: a.Took,
				Operations: a.Operations + int64(float64(b.Operations)*scale), CPU: a.CPU + time.Duration(float64(b.CPU)*scale)}
		}
		sum.Cores += of.Cores
		sum.Workers += of.Workers
		sum.CPUKnown = sum.CPUKnown && of.CPUKnown
		sum.Seconds = max(sum.Seconds, of.Seconds)
		sum.CPU += of.CPU
		sum.Pauses = max(sum.Pauses, of.Pauses)
		sum.LongestPause = max(sum.LongestPause, of.LongestPause)
		sum.StoodStill = max(sum.StoodStill, of.StoodStill)
		sum.LongestStill = max(sum.LongestStill, of.LongestStill)
		sum.Starved = max(sum.Starved, of.Starved)
		sum.GCCPU += of.GCCPU
		sum.RunQueue = maxDuration(sum.RunQueue, of.RunQueue)
		sum.Pressure = maxDuration(sum.Pressure, of.Pressure)
		sum.LeastFree = minCount(sum.LeastFree, of.LeastFree)
		sum.Goroutines = max(sum.Goroutines, of.Goroutines)
		sum.Heap = max(sum.Heap, of.Heap)
		if of.Busiest != nil && (sum.Busiest == nil || of.Busiest.CPU > sum.Busiest.CPU) {
			sum.Busiest = of.Busiest
		}
	}
	return sum
}

// worseHealth returns the health of two generators in one second: the sum of what they use, and the
// larger of each delay.
func worseHealth(a, b *Health) *Health {
	if a == nil || b == nil {
		return cmp.Or(a, b)
	}
	sum := *a
	sum.Lasted = max(a.Lasted, b.Lasted)
	sum.CPU += b.CPU
	sum.Pauses = max(a.Pauses, b.Pauses)
	sum.LongestPause = max(a.LongestPause, b.LongestPause)
	sum.StoodStill = max(a.StoodStill, b.StoodStill)
	sum.Starved = max(a.Starved, b.Starved)
	sum.RunQueue, sum.Pressure = maxDuration(a.RunQueue, b.RunQueue), maxDuration(a.Pressure, b.Pressure)
	sum.GCCPU += b.GCCPU
	sum.FreeWorkers = minCount(a.FreeWorkers, b.FreeWorkers)
	sum.Goroutines += b.Goroutines
	sum.Heap += b.Heap
	sum.Unanswered = slices.Concat(a.Unanswered, b.Unanswered)
	slices.SortStableFunc(sum.Unanswered, func(x, y Stretch) int { return cmp.Compare(x.From, y.From) })
	return &sum
}

// maxDuration returns the longer of two spells, nil where one is not known.
func maxDuration(a, b *time.Duration) *time.Duration {
	if a == nil || b == nil {
		return nil
	}
	return new(max(*a, *b))
}

// minCount returns the smaller of two numbers, of those that are known.
func minCount(a, b *int64) *int64 {
	if a == nil || b != nil && *b < *a {
		return b
	}
	return a
}
