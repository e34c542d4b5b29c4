package campaign

import (
	"cmp"
	"math"
	"slices"
	"time"

	"loadgen/scenarios"
	"loadgen/scenarios/drive"
)

// phasePlan has a phase's traffic, when its operations are due, and how many there are. Forecasts,
// footprints, numbering and previews are computed from it.
type phasePlan struct {
	// Traffic is what the phase offers, empty if it prepares or counts.
	*scenarios.Traffic
	phase int
	// stage has an open or a closed loop, and no operations; it is nil if nothing is offered.
	stage *drive.Stage
	// lasts is how long operations become due.
	lasts time.Duration
	// maxOperations is the maximum number of operations, in a search those of its steps. expected is
	// the number in a closed loop in which each is answered at once.
	maxOperations, expected uint64
}

// plan returns the plan of a phase. If its arrivals are impossible it has no stage, and the error is
// returned.
func (c *Campaign) plan(phase int) (*phasePlan, error) {
	return c.planOf(phase, c.Scenario.Phases[phase].Offered())
}

// planOf is plan for other traffic.
func (c *Campaign) planOf(phase int, traffic *scenarios.Traffic) (*phasePlan, error) {
	one := &c.Scenario.Phases[phase]
	d := &phasePlan{Traffic: traffic, phase: phase}
	if one.Traffic == nil {
		return d, nil
	}
	stage := &drive.Stage{Name: one.Name, Retry: *c.retries[""], Grace: d.Drain, WholeSecond: true}
	if err := c.setArrivals(stage, d.Traffic); err != nil {
		return d, err
	}
	d.stage = stage
	d.lasts = d.Lasts()
	d.maxOperations, d.expected = d.stage.Operations(), d.stage.Operations()
	switch {
	case d.stage.Schedule != nil:
		d.lasts = d.stage.Schedule.Length()
	case d.stage.Timed():
		d.expected = min(d.maxOperations, uint64(d.lasts/max(1, d.dueTime(1))))
	}
	if c.Find != nil {
		d.maxOperations = 0
		if first, any := findPhase(c.Scenario); any && phase == first {
			d.maxOperations = uint64(c.Find.operationsOf(maxSteps))
		}
	}
	return d, nil
}

// plans returns the plans of the first phases, and the first error.
func (c *Campaign) plans(phases int) ([]*phasePlan, error) {
	all := make([]*phasePlan, phases)
	var failed error
	for i := range all {
		d, err := c.plan(i)
		all[i], failed = d, cmp.Or(failed, err)
	}
	return all, failed
}

// claims returns how many entity numbers the phase may use.
func (d *phasePlan) claims() uint64 { return d.maxOperations*stride(d.Operations) + uint64(d.Entities) }

// maxWritten returns the maximum number of entities that the phase writes, of at most a number of
// operations.
func (d *phasePlan) maxWritten(operations uint64) int64 {
	return times(int64(min(d.maxOperations, operations)), int64(stride(d.Operations)))
}

// dueTime returns when operation k is due, since the phase's beginning; approximately in a closed loop.
func (d *phasePlan) dueTime(k uint64) time.Duration {
	if d.stage.Schedule != nil {
		return d.stage.Schedule.DueTime(k)
	}
	each := float64(d.Pace()) / float64(max(1, d.Clients))
	return time.Duration(min(float64(k)*each, math.MaxInt64/2))
}

// operations returns the operations of the phase. If the rows of a trace name their operations,
// these set the weights.
func (d *phasePlan) operations() []scenarios.OperationSpec {
	if d.Traffic == nil {
		return nil
	}
	trace := keyedTrace(d.Traffic)
	if trace == nil {
		return d.Operations
	}
	list := slices.Clone(d.Operations)
	for i := range list {
		list[i].Weight = 0
	}
	for n := range dueBefore(trace, d.Lasts()) {
		list[trace.Row(n).Operation].Weight++
	}
	return list
}

// meanEntities returns the mean number of entities of an operation, of those that count.
func (d *phasePlan) meanEntities(counts func(*scenarios.OperationSpec) bool) float64 {
	list, sum := d.operations(), 0.0
	for i := range list {
		if counts(&list[i]) {
			sum += float64(list[i].Weight) * float64(max(1, list[i].Entities))
		}
	}
	return sum / weights(list)
}

// times and addUp saturate instead of overflowing.
func times(a, b int64) int64 {
	if a > 0 && b > math.MaxInt64/a {
		return math.MaxInt64
	}
	return a * b
}

func addUp(a, b int64) int64 {
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}

// stride is the maximum number of entity numbers that one of some operations uses.
func stride(operations []scenarios.OperationSpec) uint64 {
	most := 1
	for i := range operations {
		most = max(most, operations[i].Entities)
	}
	return uint64(most)
}
