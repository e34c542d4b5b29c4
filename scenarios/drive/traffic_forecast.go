package drive

import (
	"cmp"
	"slices"
	"time"

	"loadgen/scenarios"
	"loadgen/scenarios/arrival"
)

// forecastTraffic takes a closed loop for one that is answered at once, and a phase
// that may end early for one that does not.
func (c *Campaign) forecastTraffic(f *Forecast, index int) {
	phase := &c.Scenario.Phases[index]
	spec := phase.Traffic
	if most, err := c.mostOperations(phase); err == nil {
		operations := float64(most)
		if spec.Clients > 0 && spec.Count == 0 {
			operations = float64(spec.Clients) * spec.For.Seconds() / spec.Think.Seconds()
		}
		if !spec.Events() || keyedTrace(spec) != nil || !c.forecastEvents(f, index) {
			c.forecastOperations(f, weighed(spec), operations)
		}
	}
	f.Lasts += c.lasts(spec)
}

// weighed returns what traffic offers, with the weights that the rows of a trace
// amount to where they name their operations.
func weighed(spec *scenarios.Traffic) []scenarios.OperationSpec {
	trace := keyedTrace(spec)
	if trace == nil {
		return spec.Operations
	}
	list := slices.Clone(spec.Operations)
	for i := range list {
		list[i].Weight = 0
	}
	for n := range dueBefore(trace, spec.Lasts()) {
		list[trace.Row(n).Operation].Weight++
	}
	return list
}

// highest returns about the greatest rate of a phase of traffic, in operations per
// second, 0 in a closed loop.
func (c *Campaign) highest(phase *scenarios.Phase) float64 {
	stage := &Stage{Name: phase.Name}
	if err := c.arrive(stage, phase.Traffic); err != nil || stage.Schedule == nil {
		return 0
	}
	a, most := phase.Traffic.Arrivals, 0.0
	if ladder := phase.Traffic.Ladder(); len(ladder) > 0 {
		return slices.MaxFunc(ladder, func(a, b arrival.Step) int { return cmp.Compare(a.Rate, b.Rate) }).Rate
	}
	if a.Burst != nil {
		most = peakOf(stage.Schedule, a.Burst.Every)
	}
	for at := time.Duration(0); at < stage.Schedule.Length(); at += time.Second {
		most = max(most, stage.Schedule.Rate(at))
	}
	if a.Sine != nil {
		most = max(most, peakOf(stage.Schedule, a.Sine.Period))
	}
	return max(most, stage.Schedule.Rate(stage.Schedule.Length()-1))
}

// peakOf returns the greatest rate of a schedule's first round.
func peakOf(schedule arrival.Schedule, round time.Duration) float64 {
	const looks = 1024
	most := 0.0
	for i := range looks {
		most = max(most, schedule.Rate(time.Duration(i)*(round/looks)))
	}
	return max(most, schedule.Rate(round-1))
}
