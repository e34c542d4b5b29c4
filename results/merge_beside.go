package results

import (
	"cmp"
	"slices"
	"strings"
	"time"
)

// mergeRunData merges what stands in records beside phases and seconds.
func mergeRunData(r *Record, parts []MergePart) {
	r.Target = new(TargetCounts)
	r.Generator = generators(parts)
	counters, invariants := make(map[CounterName]int64), []Invariant(nil)
	for _, part := range parts {
		of := part.Record
		switch sum, more := r.Target, of.Target; {
		case more == nil: // a target that keeps no books
			r.Target = nil
		case sum != nil:
			*sum = sum.Plus(*more, 1)
		}
		if begun(&r.Connections, of.Connections) {
			combine(r.Connections, of.Connections, "merge")
		}
		if begun(&r.Said, of.Said) {
			mergeSaid(r.Said, of.Said)
		}
		if begun(&r.Audit, of.Audit) {
			AddTimes(r.Audit, of.Audit, 1)
			r.Audit.Examples = slices.Concat(r.Audit.Examples, of.Audit.Examples)
			r.Audit.Examples = r.Audit.Examples[:min(len(r.Audit.Examples), MostAuditExamples)]
		}
		for _, one := range of.Tail {
			at := slices.IndexFunc(r.Tail, func(o KeyTail) bool { return o.Key == one.Key })
			if at < 0 {
				r.Tail = append(r.Tail, one)
				continue
			}
			AddTimes(&r.Tail[at], &one, 1)
		}
		for _, one := range of.Counters {
			counters[one.CounterName] += one.Count
		}
		invariants = append(invariants, of.Invariants...)
	}
	if len(counters) > 0 {
		r.Counters = NewCounters(counters)
	}
	for _, one := range invariants {
		at := slices.IndexFunc(r.Invariants, func(o Invariant) bool { return o.Name == one.Name })
		if at < 0 {
			r.Invariants = append(r.Invariants, one)
			continue
		}
		of := &r.Invariants[at]
		of.Looked += one.Looked
		of.Faults += one.Faults
		of.Examples = slices.Concat(of.Examples, one.Examples)
		of.Examples = of.Examples[:min(len(of.Examples), mostSaid)]
	}
	slices.SortStableFunc(r.Tail, func(a, b KeyTail) int {
		return cmp.Or(cmp.Compare(b.Throttled, a.Throttled), cmp.Compare(b.Attempts, a.Attempts), strings.Compare(a.Key, b.Key))
	})
	if len(parts) == 1 {
		r.Rival = parts[0].Record.Rival
	}
}

// begun makes the sum that more is to be added to, if there is more and no sum yet, and reports whether there is more.
func begun[T any](sum **T, more *T) bool {
	if more != nil && *sum == nil {
		*sum = new(T)
	}
	return more != nil
}

// mostSaid bounds how many of the slowest attempts are told, and how many of a refusal.
const mostSaid = 10

func mergeSaid(sum, more *Said) {
	if more.ClockAhead.Abs() > sum.ClockAhead.Abs() {
		sum.ClockAhead = more.ClockAhead
	}
	sum.Dropped += more.Dropped
	for _, one := range more.Refusals {
		at := slices.IndexFunc(sum.Refusals, func(o Refusal) bool {
			return o.Status == one.Status && o.Code == one.Code && o.Limit == one.Limit
		})
		if at < 0 {
			sum.Refusals = append(sum.Refusals, one)
			continue
		}
		of := &sum.Refusals[at]
		of.Count += one.Count
		of.First = slices.Concat(of.First, one.First)
		slices.SortStableFunc(of.First, func(a, b SaidRequest) int { return cmp.Compare(a.At, b.At) })
		of.First = of.First[:min(len(of.First), mostSaid)]
	}
	slices.SortStableFunc(sum.Refusals, func(a, b Refusal) int { return cmp.Compare(b.Count, a.Count) })
	sum.Slowest = slices.Concat(sum.Slowest, more.Slowest)
	slices.SortStableFunc(sum.Slowest, func(a, b SaidRequest) int { return cmp.Compare(b.Took, a.Took) })
	sum.Slowest = sum.Slowest[:min(len(sum.Slowest), mostSaid)]
}

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
