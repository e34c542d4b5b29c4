package figure

import (
	"math"
	"time"

	"loadgen/report/compare/statistics"
	"loadgen/results"
)

// loads say what became of the load.
func loads() []Definition {
	return []Definition{
		{Name: "tries", About: "requests to an operation", Scope: OfOperations, Unit: Ratio, Better: Lower, take: tries},
		{Name: "retries_per_operation", About: "attempts that sent a request once more, to an operation", Scope: OfOperations, Unit: Ratio, Better: Lower,
			take: func(s *Selection) Value {
				sum := s.counts()
				return ratio(sum.Retries, sum.Operations, "no operation was completed")
			}},
		{Name: "offered", About: "entities per second due in the last half of each step; of a partition, of its busiest second; of an account, of the whole phase",
			Scope: OfLoad, Unit: PerSecond, take: func(s *Selection) Value {
				return s.rate(func(c *results.Cohort) int64 { return c.Offered }, offeredTo)
			}},
		{Name: "served", About: "entities per second counted for the successes that ended in the last half of each step, whenever they were due; " +
			"of a partition, of its busiest second", Scope: OfLoad, Unit: PerSecond, Better: Higher, take: (*Selection).served},
		{Name: "throttled_per_second", About: "attempts throttled per second", Scope: OfOperations, Unit: PerSecond, Better: Lower,
			take: func(s *Selection) Value {
				sum := s.counts()
				return perSecond(float64(sum.Throttled), s.seconds(), sum.Throttled)
			}},
		{Name: "share_lost", About: "operations due that ended without success, given up, failed or dropped, of all that were due, " +
			"whenever they ended", Scope: OfOperations, Unit: Share, Better: Lower, take: func(s *Selection) Value {
			sum := s.counts()
			return ratio(lost(&sum), sum.Scheduled, nothingDue)
		}},
		{Name: "share_lost_settled", About: "the share lost of the operations due in the last half of each step", Scope: OfOperations,
			Unit: Share, Better: Lower, take: func(s *Selection) Value {
				settled, _ := s.settled()
				return ratio(max(0, settled.Due-settled.Succeeded), settled.Due, nothingDue)
			}},
		{Name: "share_throttled_settled", About: "first attempts throttled, of those of operations due in the last half of each step",
			Scope: OfOperations, Unit: Share, Better: Lower, take: func(s *Selection) Value {
				settled, _ := s.settled()
				return ratio(settled.FirstThrottled, settled.Sent, nothingDue)
			}},
		{Name: "length", About: "how long the phases lasted together", Scope: OfPhases, Unit: Nanoseconds, take: func(s *Selection) Value {
			if len(s.steps) == 0 {
				return untold("no phase was reported")
			}
			return told(s.seconds()*float64(time.Second), int64(len(s.steps)))
		}},
	}
}

const nothingDue = "nothing was due"

func tries(s *Selection) Value {
	sum := s.counts()
	return ratio(sum.Attempts, sum.Operations, "no operation was completed")
}

// served returns what ended with success in the last half of each step, by its whole seconds,
// or what of a partition did. In a step too short for a second of its own, and of clients that
// wait for each reply, it is what their operations were served.
func (s *Selection) served() Value {
	if s.ref.Part != Whole {
		return servedBy(s)
	}
	served, seconds, count := 0.0, 0.0, int64(0)
	for _, step := range s.steps {
		sum := step.counts(s.want)
		settled, over := step.settled(&sum)
		rate, due := float64(settled.Served)/max(over, math.SmallestNonzeroFloat64), float64(settled.Offered)/max(over, math.SmallestNonzeroFloat64)
		if list := step.servedBySecond(s.of.record, s.want); !step.Closed() && len(list) > 0 {
			each := float64(settled.Offered) / float64(max(1, settled.Due))
			rate = statistics.Mean(list)
			if settled.Succeeded == settled.Due && math.Abs(rate-due)*float64(len(list)) <= edges*each {
				// The first and the last operation of the seconds may end on either side.
				rate = due
			}
		}
		served, seconds, count = served+rate*over, seconds+over, count+settled.Due
	}
	if seconds <= 0 {
		return untold("the run ended before the last half of the step")
	}
	return perSecond(served, seconds, count)
}

// edges is by how many operations what ends in some seconds differs from what is due in them.
const edges = 2

// rate returns the settled entities per second, or those of a partition.
func (s *Selection) rate(of func(*results.Cohort) int64, part func(*Selection) Value) Value {
	if s.ref.Part != Whole {
		return part(s)
	}
	settled, seconds := s.settled()
	if seconds <= 0 {
		return untold("the run ended before the last half of the step")
	}
	return perSecond(float64(of(&settled)), seconds, settled.Due)
}
