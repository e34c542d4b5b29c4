package campaign

import (
	"context"
	"fmt"
	"slices"
	"sort"
	"strconv"
	"time"

	"loadgen/engine/clock"
	"loadgen/engine/entity"
	"loadgen/results"
	"loadgen/scenarios"
	"loadgen/scenarios/arrival"
	"loadgen/scenarios/drive"
	"loadgen/scenarios/keys"
	"loadgen/scenarios/workflow"
	"loadgen/target"
)

// traffic offers a phase of load.
func (c *Campaign) traffic(ctx context.Context, phase int) error {
	d, err := c.preparedPhase(phase)
	if err != nil {
		return err
	}
	c.fresh += d.stage.Operations() * stride(d.Operations)
	if len(d.StopOn) == 0 && d.StopWhenStable == 0 {
		err = c.offerPeak(ctx, d)
	} else {
		c.ledger.Recorder.KeepRecent()
		watch := &stopConditions{recorder: c.ledger.Recorder, budgets: d.StopOn, stable: d.StopWhenStable, warmUp: d.WarmUp}
		d.stage.Enough, d.stage.Settling = watch.StopReason, d.StopWhenStable > 0
		err = c.run(ctx, d.stage)
	}
	// The record has the tokens that the phase saved.
	name, list := c.Scenario.Phases[phase].Name, c.Scenario.Phases[phase].Operations()
	for i := range list {
		one, known := c.tokens[list[i].Save]
		if !known || one.phase != phase {
			continue
		}
		text, _ := one.MarshalText()
		c.ledger.Recorder.Event(results.Event{At: int64(c.runner.Now()), What: results.TokenSaved, Phase: name,
			Saved: &results.SavedToken{Name: list[i].Save, Operation: one.operation, Token: string(text)}})
	}
	return err
}

// observed carries out a stage with a further observer.
func (c *Campaign) observed(ctx context.Context, stage *drive.Stage, observer drive.Observer) error {
	before := c.ledger.Observers
	c.ledger.Observers = append(before[:len(before):len(before)], observer)
	defer func() { c.ledger.Observers = before }()
	return c.run(ctx, stage)
}

// preparedPhase returns a phase whose stage is ready to be sent.
func (c *Campaign) preparedPhase(phase int) (*phasePlan, error) {
	d, err := c.plan(phase)
	if err != nil {
		return nil, err
	}
	return d, c.setUp(d)
}

// setUp sets the parts of the record and the operations of a phase's stage, and saves the tokens of
// its queries.
func (c *Campaign) setUp(d *phasePlan) error {
	stage := d.stage
	stage.Phases = c.trafficPhases(d)
	if last := &stage.Phases[len(stage.Phases)-1]; d.Count > 0 {
		// It lasts as long as its operations, which is unknown.
		last.End = last.Begin
	}
	list := c.Scenario.Phases[d.phase].Operations()
	if slices.ContainsFunc(list, func(o scenarios.OperationSpec) bool { return o.Save != "" }) {
		names := make([]string, len(c.kinds))
		for i := range list {
			names[c.kindOf[list[i].Name]] = list[i].Save
		}
		stage.Observe = func(k uint64, outcome *target.Outcome, class results.Class) {
			if class != results.Ok {
				return
			}
			kind := stage.Outline(k).Kind
			before, known := c.tokens[names[kind]]
			if number := stage.First + k; names[kind] != "" && (!known || number >= before.number) {
				c.tokens[names[kind]] = savedToken{c.kinds[kind].Name, number, d.phase, outcome.Next}
			}
		}
	}
	return c.setOperations(d)
}

// setArrivals sets the open or closed loop of a stage.
func (c *Campaign) setArrivals(stage *drive.Stage, spec *scenarios.Traffic) error {
	if spec.Clients == 0 {
		chance := clock.NewStream(c.Scenario.Seed, "arrivals/"+stage.Name)
		ladder := c.ladder(spec)
		if len(ladder) == 0 {
			var err error
			stage.Schedule, err = spec.Schedule(chance)
			return err
		}
		steps, err := arrival.NewSteps(ladder...)
		if err != nil {
			return err
		}
		stage.Schedule = arrival.NewJittered(steps, chance)
		return nil
	}
	if spec.Count > 0 {
		stage.Lanes, stage.Count, stage.Limit = spec.Clients, uint64(spec.Count), countedLimit
		return nil
	}
	// Clients that are answered at once, with the shortest pauses, send at most this many.
	each := uint64(spec.For/max(minReplyTime, spec.Think/2)) + 2
	stage.Lanes, stage.Count, stage.For = spec.Clients, uint64(spec.Clients)*each, spec.For
	mean, chance := spec.Think, clock.NewStream(c.Scenario.Seed, "think/"+stage.Name)
	// From half of the mean to 1.5 times the mean, so that lanes do not stay in step.
	stage.Think = func(k uint64) time.Duration {
		draw := chance.Draw(k)
		return mean/2 + time.Duration(draw.Float64()*float64(mean))
	}
	return nil
}

// countedLimit bounds a closed loop with a fixed number of operations.
const countedLimit = time.Hour

// setOperations sets the operations of a stage: those of a trace, of event traffic, or of a mix
// over partitions.
func (c *Campaign) setOperations(d *phasePlan) error {
	stage, phase := d.stage, d.phase
	c.setOwnLimits(stage, d.Operations)
	for i := range d.Operations {
		limit := d.Operations[i].Limit
		if limit.PerSecond == 0 {
			continue
		}
		if stage.Limits == nil {
			stage.Limits = make([]*drive.RateLimit, len(c.kinds))
		}
		stage.Limits[c.kindOf[d.Operations[i].Name]] = &drive.RateLimit{Rate: limit.PerSecond, Burst: limit.Burst}
	}
	if keyedTrace(d.Traffic) != nil {
		replay, err := c.newReplay(phase, stage.Schedule.(*arrival.Trace))
		if err != nil {
			return err
		}
		stage.Build, stage.Outline = replay.work, replay.outline
		return nil
	}
	if d.Events() {
		events, err := c.eventsOf(d)
		if err != nil {
			return err
		}
		stage.Build, stage.Outline = events.work, events.outline
		return events.estimateTables()
	}
	partitions, err := c.spreadOver(phase)
	if err != nil {
		return err
	}
	return c.offerMix(stage, phase, partitions)
}

// keyedTrace returns the trace whose rows name operations and keys, nil for none.
func keyedTrace(spec *scenarios.Traffic) *arrival.Trace {
	if spec.Arrivals == nil || spec.Arrivals.Recorded == nil || !spec.Arrivals.Recorded.Keyed() {
		return nil
	}
	return spec.Arrivals.Recorded
}

// trafficPhases returns the parts of the record: the warm-up, and each step or all the rest.
func (c *Campaign) trafficPhases(d *phasePlan) []results.Phase {
	var phases []results.Phase
	name, schedule, spec := d.stage.Name, d.stage.Schedule, d.Traffic
	if spec.WarmUp > 0 {
		phases = append(phases, results.Phase{Name: name + " (warm-up)", End: spec.WarmUp})
	}
	steps := []results.Phase{{Name: name, End: spec.Lasts(), Reported: true}}
	if ladder := c.ladder(spec); len(ladder) > 0 {
		steps = stepPhases(name, ladder, len(spec.Arrivals.Steps.Rates))
	}
	for _, step := range steps {
		if step.Begin = max(step.Begin, spec.WarmUp); step.Begin < step.End {
			phases = append(phases, step)
		}
	}
	for i := range phases {
		one := &phases[i]
		if schedule == nil || one.Rate != 0 {
			continue
		}
		switch a := spec.Arrivals; {
		case a.Constant > 0:
			one.Rate = spec.PerSecond(a.Constant)
		case a.Poisson > 0 || a.Steps != nil && schedule.Rate(one.Begin) == schedule.Rate(one.End-1):
			one.Rate = schedule.Rate(one.Begin)
		default:
			due := dueBefore(schedule, one.End) - dueBefore(schedule, one.Begin)
			one.Rate, one.Varying = float64(due)/(one.End-one.Begin).Seconds(), true
		}
	}
	return phases
}

// dueBefore returns how many operations of a schedule are due before a time.
func dueBefore(schedule arrival.Schedule, at time.Duration) uint64 {
	return uint64(sort.Search(int(schedule.Len()), func(n int) bool { return schedule.DueTime(uint64(n)) >= at }))
}

// replay chooses operation k of a phase by the rows of a trace: each row names an operation and
// a key. Written values are generated.
type replay struct {
	// mix has the kinds of operation, their numbers and ids, and no partition.
	*mix
	trace     *arrival.Trace
	generator *keys.Generator
	// parts are what merges write.
	parts  []*keys.Part
	script Script
}

// Script returns the requests of the rows of a trace. It must be a fast pure function that is safe
// for concurrent use.
type Script interface{ Row(n uint64) RowRequests }

// RowRequests are the requests of a row: for a query the Queries in order, for a transaction the
// Transactions, else one for the entity with Key.
type RowRequests struct {
	Key entity.Key
	// Queries read until Rows entities were returned, or Pages pages of each query were read; 0 is
	// no limit.
	Queries []target.Query
	Rows    int64
	Pages   int
	// Transactions are the keys of entity group transactions of upserts, at least one.
	Transactions [][]entity.Key
	// Entities is how many the operation is due to count.
	Entities int64
}

func (c *Campaign) newReplay(phase int, trace *arrival.Trace) (*replay, error) {
	m, err := c.newMix(phase)
	if err != nil {
		return nil, err
	}
	// deletes reports whether a row deletes what later ones can look for. The possible operations
	// do not tell: a trace that names none implies most.
	m.deletes = false
	for n := uint64(0); n < trace.Len() && !m.deletes; n++ {
		m.deletes = m.specs[trace.Row(n).Operation].Verb == entity.Delete
	}
	r := &replay{mix: m, trace: trace, generator: c.generator, parts: make([]*keys.Part, len(m.specs)), script: c.Script}
	for i := range m.specs {
		if m.specs[i].Merges() {
			if r.parts[i], err = m.specs[i].Part(c.generator); err != nil {
				return nil, err
			}
		}
	}
	return r, nil
}

// outline returns operation k without its content.
func (r *replay) outline(k uint64) drive.Work {
	kind := r.trace.Row(k).Operation
	w := drive.Work{Kind: r.indexes[kind], Offers: int64(r.specs[kind].Offers())}
	if r.script != nil {
		w.Offers = r.script.Row(k).Entities
	}
	return w
}

func (r *replay) work(k uint64, w *drive.Work) {
	row := r.trace.Row(k)
	spec := &r.specs[row.Operation]
	*w = r.outline(k)
	w.Operation.Verb, w.Operation.Table = spec.Verb, r.table
	if r.script != nil {
		asked := r.script.Row(k)
		row.Key = asked.Key
		switch spec.Verb {
		case entity.Query:
			if len(asked.Queries) == 1 {
				w.Operation.Query = asked.Queries[0]
				w.Pages, w.Rows, w.MaxPages = true, asked.Rows, asked.Pages
				return
			}
			var list []target.Operation
			for _, one := range asked.Queries {
				list = append(list, target.Operation{Verb: entity.Query, Table: r.table, Query: one})
			}
			w.Workflow, w.Operation = workflow.NewFanOut(list, asked.Pages), target.Operation{}
			return
		case entity.Batch:
			r.transact(&asked, w)
			return
		}
	}
	change := &w.Operation.Change
	change.Verb, change.Key = spec.Verb, row.Key
	number := r.fresh + k*r.stride
	switch spec.Verb {
	case entity.Insert, entity.Replace, entity.InsertOrReplace:
		change.Properties = r.generator.Properties(number)
	case entity.Merge, entity.InsertOrMerge:
		change.Properties = r.parts[row.Operation].Properties(number)
	}
	change.Match = matchOf(spec.Verb)
	w.Expected = target.Expected{NotFound: r.mayMiss(spec.Verb)}
	if r.script != nil {
		// The recorded traffic met missing and existing entities, too.
		w.Expected = target.Expected{NotFound: true, Conflict: true}
	}
	r.ids.wrap(k, spec, w)
}

// transact sets the transactions of a row.
func (r *replay) transact(a *RowRequests, w *drive.Work) {
	var steps []workflow.Request
	for _, list := range a.Transactions {
		op := target.Operation{Verb: entity.Batch, Table: r.table}
		for _, key := range list {
			op.Changes = append(op.Changes, entity.Change{Verb: entity.InsertOrReplace, Key: key, Properties: r.generator.Properties(r.fresh)})
		}
		steps = append(steps, workflow.Request{Operation: op})
	}
	if len(steps) == 1 {
		w.Operation = steps[0].Operation
		return
	}
	w.Workflow, w.Operation = workflow.NewSeries(nil, false, steps...), target.Operation{}
}

// minReplyTime is the minimum time between two operations of a client without pauses. Faster replies
// would use up its operations too early.
const minReplyTime = time.Microsecond

// ladder returns the steps of traffic at successive rates, nil for none. A step that holds the last
// rate is long enough for every retry of the step before to meet the same load.
func (c *Campaign) ladder(t *scenarios.Traffic) []arrival.Step {
	steps := t.Ladder()
	if len(steps) > 0 && t.Arrivals.Steps.Hold {
		waits, retries := c.retries.maxWait()
		if waits = waits.Truncate(time.Second) + 2*time.Second; !retries {
			waits = 0
		}
		last := steps[len(steps)-1]
		steps = append(steps, arrival.Step{Rate: last.Rate, Length: max(last.Length, waits)})
	}
	return steps
}

func rateName(rate float64) string { return strconv.FormatFloat(rate, 'f', -1, 64) + "/s" }

// stepPhases returns steps as phases of the record; the first ones are reported.
func stepPhases(name string, steps []arrival.Step, reported int) []results.Phase {
	var phases []results.Phase
	seen := make(map[string]int)
	var begin time.Duration
	for i, step := range steps {
		phase := results.Phase{Begin: begin, End: begin + step.Length, Rate: step.Rate, Reported: i < reported}
		begin = phase.End
		phase.Name = name + " " + rateName(step.Rate)
		if !phase.Reported {
			phase.Name += " (hold)"
		}
		seen[phase.Name]++
		if again := seen[phase.Name]; again > 1 {
			phase.Name += fmt.Sprintf(" #%d", again)
		}
		phases = append(phases, phase)
	}
	return phases
}

// offerPeak offers a phase. If it has a step at the target rate that the generator did not send in
// time, that step is offered again after the others.
func (c *Campaign) offerPeak(ctx context.Context, d *phasePlan) error {
	var step *results.Phase // the last that is reported at the rate that was asked for
	for i := range d.stage.Phases {
		if one := &d.stage.Phases[i]; c.Peak > 0 && one.Reported && !one.Varying && one.Rate == c.Peak {
			step = one
		}
	}
	again := c.secondTry(d)
	if step == nil || again == nil {
		return c.run(ctx, d.stage)
	}
	due := func(at time.Duration) uint64 { return c.number + dueBefore(d.stage.Schedule, at) }
	sent := newGauge(due(step.Begin), due(step.End))
	if err := c.observed(ctx, d.stage, sent); err != nil {
		return err
	}
	// The step was sent in time if all of it was sent, and in all but few seconds all but a hundredth
	// soon enough. Otherwise the load was another one, and its outcome says nothing about the rate.
	late := 0
	for _, second := range sent.seconds {
		if float64(second[1]) > results.MaxHeldBackShare*float64(second[0]) {
			late++
		}
	}
	if uint64(sent.First) == sent.to-sent.from && float64(late) <= results.MaxHeldBackSeconds*float64(len(sent.seconds)) {
		return nil
	}
	if err := c.setUp(again); err != nil {
		return err
	}
	for i := range again.stage.Phases {
		again.stage.Phases[i].Name += " #2"
	}
	c.fresh += again.stage.Operations() * stride(again.Operations)
	return c.run(ctx, again.stage)
}

// secondTry returns a phase with only the step at the target rate, nil if it has none.
func (c *Campaign) secondTry(d *phasePlan) *phasePlan {
	isTarget := func(step arrival.Step) bool { return c.Peak > 0 && step.Rate == c.Peak }
	if d.stage == nil || d.Events() || !slices.ContainsFunc(d.Ladder(), isTarget) {
		return nil
	}
	t := d.Traffic
	alone, arrivals, steps := *t, *t.Arrivals, *t.Arrivals.Steps
	alone.Arrivals, arrivals.Steps, alone.WarmUp = &arrivals, &steps, 0
	for _, one := range t.Arrivals.Steps.Rates {
		if t.PerSecond(one) == c.Peak {
			steps.Rates = []float64{one}
		}
	}
	again, err := c.planOf(d.phase, &alone)
	if err != nil {
		return nil
	}
	return again
}
