package campaign

import (
	"cmp"
	"math"
	"slices"
	"time"

	"loadgen/engine/entity"
	"loadgen/scenarios"
	"loadgen/scenarios/drive"
)

// dry is a phase that is planned and not sent: when its operations are due, and how many there are.
// Forecast, footprint, numbering and preview are computed from it.
type dry struct {
	// Traffic is what the phase offers, empty if it prepares or counts.
	*scenarios.Traffic
	phase int
	// stage has an open or a closed loop, and no operations; it is nil if nothing is offered.
	stage *drive.Stage
	// lasts is how long operations become due.
	lasts time.Duration
	// most is the maximum number of operations, in a search those of its steps. expected is the
	// number in a closed loop in which each is answered at once.
	most, expected uint64
}

// dry returns the plan of a phase. If its arrivals are impossible it has no stage, and the error is
// returned.
func (c *Campaign) dry(phase int) (*dry, error) {
	return c.dryOf(phase, c.Scenario.Phases[phase].Offered())
}

// dryOf is dry for other traffic.
func (c *Campaign) dryOf(phase int, traffic *scenarios.Traffic) (*dry, error) {
	one := &c.Scenario.Phases[phase]
	d := &dry{Traffic: traffic, phase: phase}
	if one.Traffic == nil {
		return d, nil
	}
	stage := &drive.Stage{Name: one.Name, Retry: *c.retries[""], Grace: d.Drain, WholeSecond: true}
	if err := c.setArrivals(stage, d.Traffic); err != nil {
		return d, err
	}
	d.stage = stage
	d.lasts = d.Lasts()
	d.most, d.expected = d.stage.Due(), d.stage.Due()
	switch {
	case d.stage.Schedule != nil:
		d.lasts = d.stage.Schedule.Length()
	case d.stage.Timed():
		d.expected = min(d.most, uint64(d.lasts/max(1, d.at(1))))
	}
	if c.Find != nil {
		d.most = 0
		if first, any := findPhase(c.Scenario); any && phase == first {
			d.most = uint64(c.Find.operationsOf(maxSteps))
		}
	}
	return d, nil
}

// dryRun returns the plans of the first phases, and the first error.
func (c *Campaign) dryRun(phases int) ([]*dry, error) {
	all := make([]*dry, phases)
	var failed error
	for i := range all {
		d, err := c.dry(i)
		all[i], failed = d, cmp.Or(failed, err)
	}
	return all, failed
}

// claims returns how many entity numbers the phase may use.
func (d *dry) claims() uint64 { return d.most*stride(d.Operations) + uint64(d.Entities) }

// quickAnswer is the shortest reply time that is assumed for memory, less than that of any profile
// of the model.
const quickAnswer = time.Millisecond

// foreseen returns the maximum number of operations, if no client without pauses is answered in
// less than quickAnswer.
func (d *dry) foreseen() uint64 {
	if d.FlatOut() && d.Count == 0 {
		return min(d.most, uint64(d.Clients)*(uint64(d.lasts/quickAnswer)+2))
	}
	return d.most
}

// written returns the maximum number of written entities, of at most this many operations.
func (d *dry) written(most uint64) int64 {
	return times(int64(min(d.foreseen(), most)), int64(stride(d.Operations)))
}

// at returns when operation k is due, since the phase's beginning; approximately in a closed loop.
func (d *dry) at(k uint64) time.Duration {
	if d.stage.Schedule != nil {
		return d.stage.Schedule.At(k)
	}
	each := float64(d.Pace()) / float64(max(1, d.Clients))
	return time.Duration(min(float64(k)*each, math.MaxInt64/2))
}

// upserts reports whether an operation writes entities that need not be there.
func upserts(o scenarios.OperationSpec) bool {
	return o.Verb == entity.InsertOrMerge || o.Verb == entity.InsertOrReplace
}

// operations returns the operations of the phase. If the rows of a trace name their operations,
// these set the weights.
func (d *dry) operations() []scenarios.OperationSpec {
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
func (d *dry) meanEntities(counts func(*scenarios.OperationSpec) bool) float64 {
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
