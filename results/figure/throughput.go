package figure

import (
	"loadgen/report/compare/statistics"
	"loadgen/results"
)

// throughput returns the mean of the settled seconds. Seconds of several steps are of several
// loads, and have no interval together.
func (s *Selection) throughput() Value {
	var all []float64
	for _, step := range s.steps {
		all = append(all, step.servedBySecond(s.of.record, s.want)...)
	}
	if len(all) == 0 {
		return untold("no whole second lies in the last half of a step")
	}
	found := statistics.BatchMeans(all)
	v := knownValue(found.Mean, int64(len(all)))
	if found.Told && len(s.steps) == 1 {
		v.Interval = &[2]float64{found.Mean - found.Half, found.Mean + found.Half}
	}
	return v
}

// servedBySecond returns what was served in each whole second of what the rates of the step
// are of: the last half of one with a rate, or all of it where no second lies in that; a
// closed loop from its begin to its end.
func (s Step) servedBySecond(record *results.Record, want func(results.Kind) bool) []float64 {
	first, end := s.whole()
	if !s.Closed() && !s.Phase.Unplanned {
		settled := s
		phase := *s.Phase
		phase.Begin += (phase.End - phase.Begin) / 2
		settled.Phase = &phase
		if half, _ := settled.whole(); half < end {
			first = half
		}
	}
	var list []float64
	for i := range record.Intervals {
		row := &record.Intervals[i]
		if row.Second < first || row.Second >= end {
			continue
		}
		served := int64(0)
		for k := range min(len(row.Kinds), len(s.kinds)) {
			if want == nil || want(s.kinds[k]) {
				served += row.Kinds[k].Served
			}
		}
		list = append(list, float64(served))
	}
	return list
}
