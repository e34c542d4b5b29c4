package campaign

import (
	"cmp"
	"math"
	"slices"
	"time"

	"loadgen/engine/entity"
	"loadgen/scenarios"
	"loadgen/scenarios/arrival"
	"loadgen/scenarios/drive"
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
	stage *drive.Stage
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
	return c.dryOf(phase, c.Scenario.Phases[phase].Offered())
}

// dryOf is dry of a phase that offers some traffic.
func (c *Campaign) dryOf(phase int, traffic *scenarios.Traffic) (*dry, error) {
	one := &c.Scenario.Phases[phase]
	d := &dry{Traffic: traffic, phase: phase}
	if one.Traffic == nil {
		return d, nil
	}
	stage := &drive.Stage{Name: one.Name, Retry: c.patience.Policy, Grace: d.Drain, WholeSecond: true}
	if err := c.arrive(stage, d.Traffic); err != nil {
		return d, err
	}
	d.stage = stage
	each := float64(d.Pace()) / float64(max(1, d.Clients))
	d.closed = func(k uint64) time.Duration { return time.Duration(min(float64(k)*each, math.MaxInt64/2)) }
	d.lasts = d.Lasts()
	d.most, d.expected = d.stage.Due(), d.stage.Due()
	switch {
	case d.stage.Schedule != nil:
		d.lasts = d.stage.Schedule.Length()
	case d.stage.Timed():
		d.expected = min(d.most, uint64(d.lasts/max(1, d.closed(1))))
	}
	if c.Find != nil {
		d.most = 0
		if first, any := findPhase(c.Scenario); any && phase == first {
			d.most = uint64(c.Find.amount(mostSteps))
		}
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

// quickAnswer is how soon clients that never pause are answered where it is foreseen what a
// run takes in memory: sooner than by any profile of the model.
const quickAnswer = time.Millisecond

// foreseen returns how many operations there are at most, of clients that never pause if none
// of them is answered sooner than quickAnswer.
func (d *dry) foreseen() uint64 {
	if d.FlatOut() && d.Count == 0 {
		return min(d.most, uint64(d.Clients)*(uint64(d.lasts/quickAnswer)+2))
	}
	return d.most
}

// written returns how many entities the operations may write, of which no more than so
// many are counted.
func (d *dry) written(most uint64) int64 {
	return times(int64(min(d.foreseen(), most)), int64(stride(d.Operations)))
}

// at returns when operation k is due, since the phase's beginning; in a closed loop about
// that.
func (d *dry) at(k uint64) time.Duration {
	if d.stage.Schedule != nil {
		return d.stage.Schedule.At(k)
	}
	return d.closed(k)
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

// Footprint is about how much memory a run on the virtual clock takes, in bytes,
// at most.
type Footprint struct {
	// Waiting is of operations that are under way or wait to retry, Entities of
	// those that the target stores, Histograms of the record, its heat map included,
	// Holdings of what queries of event traffic are told by.
	Waiting, Entities, Histograms, Holdings int64
}

// Total returns the sum.
func (f Footprint) Total() int64 {
	return addUp(addUp(f.Waiting, f.Entities), addUp(f.Histograms, f.Holdings))
}

// What single things take, measured and rounded up.
const (
	sessionBytes   = 1500
	storedBytes    = 250
	heldBytes      = 200
	histogramBytes = 190 << 10
	heatBytes      = 10 << 20
	// openSeconds is how many seconds of the record are open at once.
	openSeconds = 4
	// longestAttempt is how long the service holds an attempt at most.
	longestAttempt = 30 * time.Second
)

// Footprint returns what the campaign takes in virtual time; data says whether
// entities are stored.
func (c *Campaign) Footprint(data bool) Footprint {
	f := Footprint{Histograms: 3*openSeconds*histogramBytes + heatBytes}
	all, _ := c.dryRun(len(c.Scenario.Phases))
	for i, d := range all {
		phase := &c.Scenario.Phases[i]
		if data && phase.Load != nil {
			f.Entities = addUp(f.Entities, times(times(int64(phase.Load.Entities), int64(len(c.homes))), c.stored()))
		}
		switch {
		case d.most == 0:
		case c.Find != nil:
			c.footprintFind(&f, d, data)
		default:
			c.footprintOf(&f, d, data)
		}
	}
	if c.audit != nil {
		// About what following the writes takes at most.
		const trail = 400
		entities := int64(0)
		for _, d := range all {
			entities = addUp(entities, d.written(uint64(c.audit.most)))
		}
		f.Entities = addUp(f.Entities, times(min(entities, int64(c.audit.most)), trail))
	}
	return f
}

// footprintOf adds what a phase that offers load takes.
func (c *Campaign) footprintOf(f *Footprint, d *dry, data bool) {
	ladder, adds := c.ladder(d.Traffic), c.Scenario.Loaded(d.phase) == 0 && upserts(d.Operations)
	phases := int64(max(1, len(ladder)))
	if c.Scenario.Phases[d.phase].Form == "" {
		// Beside its steps, or itself, a warm-up.
		phases = int64(2 + len(ladder))
	}
	fixed := int64(0)
	if adds {
		fixed = times(int64(max(d.Partitions, len(d.Keys))), int64(d.Entities))
	}
	under := d.most
	if d.Clients > 0 {
		under = min(under, uint64(d.Clients))
	} else {
		// An attempt is held while a range moves, which does not happen twice in a row.
		waits, _ := c.patience.LongestWait()
		alive := min(d.lasts, longestAttempt+min(waits, arrival.MaxLength))
		under = min(under, uint64(min(d.highest()*alive.Seconds(), math.MaxInt32*1024)))
	}
	homes := int64(1)
	if d.Events() {
		homes = int64(len(c.homes))
	}
	content, inserted := int64(0), int64(0)
	for i := range d.Operations {
		op := &d.Operations[i]
		entities := int64(max(1, op.Entities))
		if op.Inserts() || op.Replaces() {
			content = max(content, entities*homes*c.weight(0))
		}
		if op.Inserts() && op.Weight > 0 {
			inserted = max(inserted, entities)
		}
	}
	f.Waiting = max(f.Waiting, times(int64(under), sessionBytes+content))
	const each = 5 // response, lost, and service by class
	minutes := int64(d.lasts/time.Minute) + 1
	f.Histograms = addUp(f.Histograms, times(phases*each*int64(len(d.Operations))+minutes, histogramBytes))
	if d.Events() {
		if adds {
			inserted = max(1, inserted)
		}
		// What the holdings of the phase take at most.
		held := times(int64(c.Scenario.Loaded(d.phase)), homes)
		all, _ := c.dryRun(d.phase + 1)
		for _, before := range all {
			held = addUp(held, times(before.written(math.MaxInt64/2), homes))
		}
		tables := int64(1 + len(c.Scenario.Tables()))
		f.Holdings = max(f.Holdings, times(min(held, 2*mostHeld*tables), heldBytes))
	}
	if data {
		inserted = times(times(int64(min(d.foreseen(), math.MaxInt64/2)), inserted), homes)
		f.Entities = addUp(f.Entities, times(addUp(min(fixed, int64(d.most)), inserted), c.stored()))
	}
}

func (c *Campaign) stored() int64 { return c.weight(0) + storedBytes }

// upserts reports whether an operation writes entities that need not be there.
func upserts(list []scenarios.OperationSpec) bool {
	return slices.ContainsFunc(list, func(o scenarios.OperationSpec) bool {
		return o.Verb == entity.InsertOrMerge || o.Verb == entity.InsertOrReplace
	})
}

// times and addUp end at the greatest number instead of overflowing.
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

// stride is how many entity numbers each of some operations may use.
func stride(operations []scenarios.OperationSpec) uint64 {
	most := 1
	for i := range operations {
		most = max(most, operations[i].Entities)
	}
	return uint64(most)
}
