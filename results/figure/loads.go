package figure

import (
	"math"
	"time"

	"loadgen/report/compare/statistics"
	"loadgen/results"
)

// loads say what became of the load.
var loads = []Definition{
	{Name: "tries", About: "requests per operation", Scope: OfOperations, Unit: Ratio, Better: Lower,
		take: ratioOf("no completed operation", func(k *results.KindStats) (part, whole int64) { return k.Attempts, k.Operations })},
	{Name: "retries_per_operation", About: "attempts that repeat a request, per operation", Scope: OfOperations, Unit: Ratio, Better: Lower,
		take: ratioOf("no completed operation", func(k *results.KindStats) (part, whole int64) { return k.Retries, k.Operations })},
	{Name: "offered", About: "entities per second due: a step's rate times entities per operation, otherwise in the last half; " +
		"partitions: busiest second; accounts: whole phase", Scope: OfLoad, Unit: PerSecond,
		take: func(s *Selection) Value {
			if s.ref.Part != Account {
				return s.rate(offeredIn, (*Selection).offered)
			}
			most := untold("no phase reported")
			for _, step := range s.steps {
				sum := step.counts(nil)
				offered := sum.Offered
				if busiest, several := step.Phase.Busiest(); several {
					offered = step.Phase.Accounts[busiest].Offered
				}
				most = greater(most, perSecond(float64(offered), step.Seconds(), offered))
			}
			return most
		}},
	{Name: "served", About: "entities per second of successes in the last half of each step; " +
		"of partitions, the busiest second", Scope: OfLoad, Unit: PerSecond, Better: Higher,
		take: func(s *Selection) Value { return s.rate(servedIn, (*Selection).served) }},
	{Name: "throttled_per_second", About: "throttled attempts/s", Scope: OfOperations, Unit: PerSecond, Better: Lower,
		take: func(s *Selection) Value {
			sum := s.counts()
			return perSecond(float64(sum.Throttled), s.seconds(), sum.Throttled)
		}},
	{Name: "share_lost", About: "share of due operations given up, failed or dropped, " +
		"whenever they ended", Scope: OfOperations, Unit: Share, Better: Lower,
		take: ratioOf(nothingDue, func(k *results.KindStats) (part, whole int64) { return lostOperations(k), k.Scheduled })},
	{Name: "share_lost_settled", About: "lost share in the last half of each step", Scope: OfOperations,
		Unit: Share, Better: Lower, take: func(s *Selection) Value {
			settled, _ := s.settled()
			return ratio(max(0, settled.Scheduled-settled.Succeeded), settled.Scheduled, nothingDue)
		}},
	{Name: "share_throttled_settled", About: "throttled first attempts of operations due in each step's last half",
		Scope: OfOperations, Unit: Share, Better: Lower, take: func(s *Selection) Value {
			settled, _ := s.settled()
			return ratio(settled.FirstThrottled, settled.Sent, nothingDue)
		}},
	{Name: "length", About: "total duration of phases", Scope: OfPhases, Unit: Nanoseconds, take: func(s *Selection) Value {
		if len(s.steps) == 0 {
			return untold("no phase reported")
		}
		return knownValue(s.seconds()*float64(time.Second), int64(len(s.steps)))
	}},
	{Name: "throughput", About: "mean entities per second of successful attempts in whole seconds of each step's last half, " +
		"by end; 95 % interval by batch means", Scope: OfOperations,
		Unit: PerSecond, Better: Higher, take: (*Selection).throughput},
}

const nothingDue = "nothing was due"

// ratioOf returns a ratio of two counts of a selection, or why there is none if the second is 0.
func ratioOf(why string, of func(k *results.KindStats) (part, whole int64)) func(*Selection) Value {
	return func(s *Selection) Value {
		sum := s.counts()
		part, whole := of(&sum)
		return ratio(part, whole, why)
	}
}

// rate returns the mean of a rate over the steps, weighted by the length of their settled part,
// or that of a partition in its busiest second.
func (s *Selection) rate(partitions perPartition, of func(*Selection, Step) float64) Value {
	if s.ref.Part != Whole {
		most := untold("no operation on one partition")
		for _, step := range s.steps {
			list, over := partitions(step.Phase)
			one := s.busiestOf(list, over, int64(len(list)) < step.Phase.PartitionsHit)
			if !one.Told && one.Why == notKept {
				return one
			}
			most = greater(most, one)
		}
		return exact(most, "unnamed partitions may have been hotter")
	}
	entities, over, due := 0.0, 0.0, int64(0)
	for _, step := range s.steps {
		sum := step.counts(s.want)
		settled, seconds := step.settled(&sum)
		if seconds > 0 {
			entities, over, due = entities+of(s, step)*seconds, over+seconds, due+settled.Scheduled
		}
	}
	if over <= 0 {
		return untold("run ended before the step's last half")
	}
	return perSecond(entities, over, due)
}

// offered returns the entities per second due in a step: its rate times the entities of an
// operation of the last half, or of all if none was due in that. Where the step has no one
// planned rate, or another number of operations was due, it is what was due in the last half.
func (s *Selection) offered(step Step) float64 {
	sum, all := step.counts(s.want), step.counts(nil)
	settled, seconds := step.settled(&sum)
	whole, _ := step.settled(&all)
	// In the record of a part of the load fewer are due than the rate gives.
	const deviations = 5
	planned := step.Phase.Rate * step.Seconds()
	atRate := planned > 0 && all.Scheduled > 0 && !step.Phase.Varying && !step.Phase.Unplanned &&
		math.Abs(float64(all.Scheduled)-planned) <= 1+deviations*math.Sqrt(planned)
	switch {
	case !atRate:
		return float64(settled.Offered) / seconds
	case whole.Scheduled == 0:
		return step.Phase.Rate * ShareOf(sum.Offered, all.Scheduled)
	default:
		return step.Phase.Rate * ShareOf(settled.Offered, whole.Scheduled)
	}
}

// served returns the entities per second of the successes that ended in the whole seconds of the
// last half of a step. For a closed loop, and a step without a whole second, it counts the
// successes of the operations due in it.
func (s *Selection) served(step Step) float64 {
	// The first and the last operation of the seconds may end outside of them.
	const edges = 2
	sum := step.counts(s.want)
	settled, seconds := step.settled(&sum)
	list, unit := step.servedBySecond(s.of.record, s.want)
	if step.Closed() || len(list) == 0 {
		return float64(settled.Served) / seconds
	}
	rate, each := statistics.Mean(list)/unit, float64(settled.Offered)/float64(max(1, settled.Scheduled))
	if settled.Succeeded == settled.Scheduled && math.Abs(rate-float64(settled.Offered)/seconds)*float64(len(list))*unit <= edges*each {
		return s.offered(step)
	}
	return rate
}

// throughput returns the mean of the settled seconds. Seconds of several steps are of several
// loads, and have no interval together.
func (s *Selection) throughput() Value {
	var all []float64
	seconds, scale := 0.0, 1.0
	for _, step := range s.steps {
		list, unit := step.servedBySecond(s.of.record, s.want)
		seconds += float64(len(list)) * unit
		if len(s.steps) == 1 {
			// The interval is of counts: those of a steady load are equal, and their rates only nearly.
			all, scale = list, unit
			break
		}
		for _, served := range list {
			all = append(all, served/unit)
		}
	}
	if len(all) == 0 {
		return untold("no whole second in a step's last half")
	}
	found := statistics.BatchMeans(all)
	v := knownValue(found.Mean/scale, int64(seconds))
	if found.Known && len(s.steps) == 1 {
		v.Interval = &[2]float64{(found.Mean - found.Half) / scale, (found.Mean + found.Half) / scale}
	}
	return v
}

// servedBySecond returns what was served in each whole second of what the rates of the step
// are of: the last half of one with a rate, or all of it where no second lies in that; a
// closed loop from its begin to its end. In a long record it is that of each whole minute or hour, or of what
// there is if none is whole. It also returns the length of each in seconds.
func (s Step) servedBySecond(record *results.Record, want func(results.Kind) bool) (list []float64, unit float64) {
	first, end := s.wholeSeconds()
	if !s.Closed() && !s.Phase.Unplanned {
		settled := s
		phase := *s.Phase
		phase.Begin += (phase.End - phase.Begin) / 2
		settled.Phase = &phase
		if half, _ := settled.wholeSeconds(); half < end {
			first = half
		}
	}
	length := int64(1)
	for i := range record.Intervals {
		row := &record.Intervals[i]
		if row.Second < first || row.End() > end || row.Seconds() < length {
			continue
		}
		if row.Seconds() > length {
			list, length = nil, row.Seconds()
		}
		served := int64(0)
		for k := range min(len(row.Kinds), len(s.kinds)) {
			if want == nil || want(s.kinds[k]) {
				served += row.Kinds[k].Served
			}
		}
		list = append(list, float64(served))
	}
	return list, float64(length)
}
