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
		combine(sum, of, "merge")
		sum.CPUKnown = sum.CPUKnown && of.CPUKnown
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
	combine(&sum, b, "merge")
	sum.Unanswered = slices.Concat(a.Unanswered, b.Unanswered)
	slices.SortStableFunc(sum.Unanswered, func(x, y Stretch) int { return cmp.Compare(x.From, y.From) })
	return &sum
}
