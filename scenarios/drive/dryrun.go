package drive

import (
	"cmp"
	"slices"
	"time"

	"loadgen/scenarios"
	"loadgen/scenarios/arrival"
)

// dry is a phase as it would be offered, and never is: when its operations are due, and
// how many there are. What a run will ask for, what it takes in memory, which numbers it
// claims and what a preview tells are all read from it.
type dry struct {
	// Traffic is what the phase offers, nothing where it prepares or counts.
	*scenarios.Traffic
	phase int
	// stage has an open or a closed loop, and no operations; it is nil where nothing is
	// offered.
	stage *Stage
	// lasts is how long operations become due.
	lasts time.Duration
	// most is how many operations there are at most, those of a search where the campaign
	// is one; expected is how many come in a closed loop in which each is answered at once.
	most, expected uint64
	// closed is about when an operation of a closed loop is due, since its beginning.
	closed func(k uint64) time.Duration
}

// dry returns a phase as it would be offered: as nothing with an error, where its arrivals
// cannot be.
func (c *Campaign) dry(phase int) (*dry, error) {
	one := &c.Scenario.Phases[phase]
	d := &dry{Traffic: one.Offered(), phase: phase}
	if one.Traffic == nil {
		return d, nil
	}
	stage := &Stage{Name: one.Name, Retry: c.policy, Grace: d.Drain, WholeSecond: true}
	if err := c.arrive(stage, d.Traffic); err != nil {
		return d, err
	}
	d.stage = stage
	d.lasts, d.closed = d.Lasts(), evenly(d.Clients, d.Pace())
	d.most, d.expected = d.stage.count(), d.stage.count()
	switch {
	case d.stage.Schedule != nil:
		d.lasts = d.stage.Schedule.Length()
	case d.stage.timed():
		d.expected = min(d.most, uint64(d.lasts/max(1, d.closed(1))))
	}
	if c.Find != nil {
		d.most = c.mostFound(phase)
	}
	return d, nil
}

// dryRun returns the first so many phases as they would be offered, and the first error.
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

// written returns how many entities the operations may write, of which no more than so
// many are counted.
func (d *dry) written(most uint64) int64 {
	return times(int64(min(d.most, most)), int64(stride(d.Operations)))
}

// at returns when operation k is due, since the phase's beginning; in a closed loop about
// that.
func (d *dry) at(k uint64) time.Duration {
	if d.stage.Schedule != nil {
		return d.stage.Schedule.At(k)
	}
	return d.closed(k)
}

// rate returns about how many operations are due a second then.
func (d *dry) rate(at time.Duration) float64 {
	if d.stage.Schedule != nil {
		return d.stage.Schedule.Rate(at)
	}
	return float64(d.Clients) / d.Pace().Seconds()
}

// highest returns about the greatest rate, in operations per second, 0 in a closed loop.
func (d *dry) highest() float64 {
	schedule, most := d.stage.Schedule, 0.0
	if schedule == nil {
		return 0
	}
	if ladder := d.Ladder(); len(ladder) > 0 {
		return slices.MaxFunc(ladder, func(a, b arrival.Step) int { return cmp.Compare(a.Rate, b.Rate) }).Rate
	}
	for at := time.Duration(0); at < schedule.Length(); at += time.Second {
		most = max(most, schedule.Rate(at))
	}
	if burst := d.Arrivals.Burst; burst != nil {
		most = max(most, highestOf(schedule, burst.Every))
	}
	if sine := d.Arrivals.Sine; sine != nil {
		most = max(most, highestOf(schedule, sine.Period))
	}
	return max(most, schedule.Rate(schedule.Length()-1))
}

// highestOf returns the greatest rate of a schedule's first round.
func highestOf(schedule arrival.Schedule, round time.Duration) float64 {
	const looks = 1024
	most := 0.0
	for i := range looks {
		most = max(most, schedule.Rate(time.Duration(i)*(round/looks)))
	}
	return max(most, schedule.Rate(round-1))
}
