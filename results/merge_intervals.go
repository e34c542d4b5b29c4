package results

import (
	"math"
	"slices"
)

// intervals are summed second by second. Between the seconds that one part or another left out, few are none of
// anyone: they are empty ones, for a record leaves out only long stretches.
func intervals(parts []MergePart, phases []Phase) []Interval {
	seconds := make(map[int64][]*Interval)
	var numbers []int64
	for _, part := range parts {
		for i := range part.Record.Intervals {
			one := &part.Record.Intervals[i]
			if seconds[one.Second] == nil {
				numbers = append(numbers, one.Second)
			}
			seconds[one.Second] = append(seconds[one.Second], one)
		}
	}
	slices.Sort(numbers)
	list, next := make([]Interval, 0, len(numbers)), int64(0)
	kinds := rows{kinds: parts[0].Record.Manifest.Operations}
	for _, number := range numbers {
		one := MergeSecond(seconds[number])
		if gap := number - next; !isIdle(gap) {
			for ; next < number; next++ {
				list = append(list, named(kinds.empty(next), phases))
			}
		}
		list, next = append(list, named(one, phases)), number+1
	}
	return list
}

// named returns a second with the name of its phase.
func named(second Interval, phases []Phase) Interval {
	second.Phase = phaseName(phases, nil, second.Second)
	return second
}

// MergeSecond sums the same second of several runs, one at least, of the same kinds of operation.
// Quantiles are exact where one run alone had anything, and the greatest always; else they
// are upper bounds, nil where there is none.
func MergeSecond(of []*Interval) Interval {
	sum := Interval{Second: of[0].Second, Phase: of[0].Phase, Kinds: make([]IntervalKind, len(of[0].Kinds))}
	for k := range sum.Kinds {
		sum.Kinds[k].Name = of[0].Kinds[k].Name
	}
	met := make(injections)
	for _, one := range of {
		sum.Counts.Add(&one.Counts)
		sum.InFlight += one.InFlight
		for b := range one.ResponseBuckets {
			sum.ResponseBuckets[b] += one.ResponseBuckets[b]
		}
		for k := range min(len(sum.Kinds), len(one.Kinds)) {
			sum.Kinds[k].Add(&one.Kinds[k].Counts)
		}
		for _, fault := range one.Injected {
			attempts := fault.Attempts
			fault.Attempts = 0
			met[fault] += attempts
		}
		sum.Generator = worseHealth(sum.Generator, one.Generator)
	}
	sum.Causes = sum.Causes.Told()
	for k := range sum.Kinds {
		sum.Kinds[k].Causes = sum.Kinds[k].Causes.Told()
	}
	sum.Injected = met.told()
	quantiles(&sum, of)
	return sum
}

// quantiles fills in those of a sum.
func quantiles(sum *Interval, of []*Interval) {
	sum.Response = bounds(of, sum.Succeeded, func(i *Interval) (int64, Quantiles) { return i.Succeeded, i.Response })
	sum.Service = bounds(of, sum.Ok, func(i *Interval) (int64, Quantiles) { return i.Ok, i.Service })
	sum.Lag = bounds(of, sum.Sent, func(i *Interval) (int64, Quantiles) { return i.Sent, i.Lag })
	if countOf(of, (*Interval).hasSuccess) <= 1 {
		return
	}
	// A quantile of the response times is no more than the end of the bucket in which it lies.
	for i, q := range []float64{.5, .9, .99, .999} {
		of := sum.Response.fields()[i]
		if float64(sum.Succeeded)*(1-q)+1e-9 < minBeyond {
			continue
		}
		rank, below := int64(math.Ceil(q*float64(sum.Succeeded)-1e-9)), int64(0)
		for b := range Buckets - 1 {
			if below += sum.ResponseBuckets[b]; below >= rank {
				if high := BucketFrom(b+1) - 1; *of == nil || **of > high {
					*of = &high
				}
				break
			}
		}
	}
}

// fields returns p50, p90, p99 and p99.9.
func (q *Quantiles) fields() [4]**int64 { return [...]**int64{&q.P50, &q.P90, &q.P99, &q.P999} }

// bounds returns the greatest of each quantile among the runs that had anything, where each
// of those tells it: at most so many of all lie beyond as lie beyond in each.
func bounds(of []*Interval, all int64, has func(*Interval) (int64, Quantiles)) Quantiles {
	var sum Quantiles
	first := true
	for _, one := range of {
		n, own := has(one)
		if n == 0 {
			continue
		}
		if first {
			sum, first = own, false
			continue
		}
		sum.Max = greater(sum.Max, own.Max)
		theirs := own.fields()
		for i, mine := range sum.fields() {
			if *mine == nil || *theirs[i] == nil {
				*mine = nil
			} else {
				*mine = greater(*mine, *theirs[i])
			}
		}
	}
	return sum
}

func greater(a, b *int64) *int64 {
	if a == nil || b != nil && *b > *a {
		return b
	}
	return a
}
