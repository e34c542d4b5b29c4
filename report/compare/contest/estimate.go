package contest

import (
	"math"
	"slices"
	"unicode"
	"unicode/utf8"

	"loadgen/report/compare/statistics"
	"loadgen/report/document"
)

// doubt is how often an interval that is shown misses what it is of.
const doubt = 0.05

// estimate is the mean of a figure from 0 to a greatest, nil where there is none.
func estimate(values []float64, greatest float64) *Estimate {
	if len(values) == 0 {
		return nil
	}
	middle, low, high, told := statistics.MeanInterval(values, doubt)
	e := &Estimate{Mean: middle, Least: slices.Min(values), Greatest: slices.Max(values), Runs: len(values)}
	if told {
		// No figure is below nothing, nor a share above all.
		e.Interval = bounds(math.Max(0, low), math.Min(greatest, high))
	}
	return e
}

// bounds are an interval, nil where one of them is no number that can be written.
func bounds(low, high float64) *[2]float64 {
	if document.Finite(low) == nil || document.Finite(high) == nil {
		return nil
	}
	return &[2]float64{low, high}
}

// timings are the response times of each operation that a run has, in the order of the
// first.
func timings(trials []Trial) []RankedTiming {
	list := []RankedTiming{}
	p50, p99 := make(map[string][]int64), make(map[string][]int64)
	for i := range trials {
		for _, one := range trials[i].Operations {
			if !slices.ContainsFunc(list, func(t RankedTiming) bool { return t.Operation == one.Name }) {
				list = append(list, RankedTiming{Operation: one.Name})
			}
			if one.P50 != nil {
				p50[one.Name] = append(p50[one.Name], *one.P50)
			}
			if one.P99 != nil {
				p99[one.Name] = append(p99[one.Name], *one.P99)
			}
		}
	}
	for i := range list {
		one := &list[i]
		// A median over those runs alone that could tell it would flatter the others.
		if all := p50[one.Operation]; len(all) == len(trials) {
			one.P50 = median(all)
		}
		if all := p99[one.Operation]; len(all) == len(trials) {
			one.P99 = median(all)
			one.P99Range = &[2]int64{slices.Min(all), slices.Max(all)}
		}
	}
	return list
}

// median is that of some numbers, the lower of the two in the middle.
func median(values []int64) *int64 {
	slices.Sort(values)
	return &values[(len(values)-1)/2]
}

// sentence has a text begin with a capital and end with a full stop.
func sentence(text string) string {
	first, size := utf8.DecodeRuneInString(text)
	return string(unicode.ToUpper(first)) + text[size:] + "."
}
