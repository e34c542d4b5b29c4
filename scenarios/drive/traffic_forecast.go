package drive

import (
	"slices"

	"loadgen/scenarios"
)

// forecastTraffic takes a closed loop for one that is answered at once, and a phase
// that may end early for one that does not.
func (c *Campaign) forecastTraffic(f *Forecast, d *dry) {
	if !d.Events() || keyedTrace(d.Traffic) != nil || !c.forecastEvents(f, d) {
		c.forecastOperations(f, weighed(d.Traffic), float64(d.expected))
	}
	f.Lasts += d.lasts
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
