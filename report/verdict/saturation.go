package verdict

import (
	"slices"
	"time"

	"loadgen/report/compare/statistics"
	"loadgen/results"
)

// refusedEnough is the share of refused attempts from which a step tells where
// its partition saturates.
const refusedEnough = 0.01

// saturation returns the median of the entities served in each whole second of
// the steps with enough refusals, after each step's first second, and the least
// and greatest of them; nil and nil where there is no such second. Where the rate
// of a step changes, a second has to have enough refusals by itself: what is served
// at a time of little load tells nothing.
func saturation(record *results.Record, steps []Step) (*float64, []float64) {
	var served []int64
	for _, step := range steps {
		if step.refusing() {
			intervals := record.Intervals
			if step.Phase.Varying {
				intervals = slices.DeleteFunc(slices.Clone(intervals), func(second results.Interval) bool {
					return float64(second.Refused) < refusedEnough*float64(max(1, second.Attempts))
				})
			}
			served = append(served, step.servedPerSecond(intervals)...)
		}
	}
	if len(served) == 0 {
		return nil, nil
	}
	middle := statistics.Median(served)
	return &middle, []float64{float64(slices.Min(served)), float64(slices.Max(served))}
}

// overloaded returns whether a step had enough of its attempts refused to tell
// of saturation, were it long enough.
func overloaded(steps []Step) bool {
	return slices.ContainsFunc(steps, Step.refusing)
}

// servedPerSecond returns the entities served in the whole seconds between the
// end of the step's first second and the end of the step.
func (s Step) servedPerSecond(intervals []results.Interval) []int64 {
	first := int64(s.Phase.Begin/time.Second) + 1
	if s.Phase.Begin%time.Second > 0 {
		first++
	}
	end := int64(s.end / time.Second)
	var served []int64
	for i := range intervals {
		if second := intervals[i].Second; first <= second && second < end {
			served = append(served, intervals[i].Served)
		}
	}
	return served
}

// hottest returns the partition that counted most per second in any reported
// phase, nil where none is known.
func hottest(steps []Step) *results.HottestPartition {
	var most *results.HottestPartition
	for _, step := range steps {
		for _, p := range step.Phase.Partitions {
			rate := float64(p.Entities) / step.seconds()
			if most == nil || rate > most.EntitiesPerSecond {
				most = &results.HottestPartition{Table: p.Table, Key: p.Key, EntitiesPerSecond: rate}
			}
		}
	}
	return most
}
