package drive

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"time"

	"loadgen/engine/clock"
	"loadgen/engine/entity"
	"loadgen/results"
	"loadgen/scenarios"
	"loadgen/scenarios/keys"
	"loadgen/target"
)

// peakGrace is how long the retries of a peak may go on after its schedule.
const peakGrace = 5 * time.Second

// peakSteps returns the steps of a peak. The hold step, if it has one, lasts as
// long as a step, and long enough for every retry of the step before to meet the
// same load: where a policy waits for minutes, so does the hold.
func (c *Campaign) peakSteps(p *scenarios.Peak) []Step {
	var steps []Step
	for _, rate := range p.Rates {
		steps = append(steps, Step{Rate: rate, Length: p.Each})
	}
	if p.Hold {
		waits := c.policy.LongestWait().Truncate(time.Second) + 2*time.Second
		if c.policy.Retries == 0 {
			waits = 0
		}
		steps = append(steps, Step{Rate: p.Rates[len(p.Rates)-1], Length: max(p.Each, waits)})
	}
	return steps
}

// stride is how many entity numbers each operation of a peak may use.
func stride(p *scenarios.Peak) uint64 {
	most := 1
	for i := range p.Operations {
		most = max(most, p.Operations[i].Entities)
	}
	return uint64(most)
}

// peak offers a peak to its partition.
func (c *Campaign) peak(ctx context.Context, phase int) error {
	spec := c.Scenario.Phases[phase].Peak
	list := c.peakSteps(spec)
	steps, err := NewSteps(list...)
	if err != nil {
		return err
	}
	name := c.Scenario.Phases[phase].Name
	schedule := NewJittered(steps, clock.NewStream(c.Scenario.Seed, "arrivals/"+name))
	mix, err := c.newMix(phase, steps)
	if err != nil {
		return err
	}
	stage := &Stage{
		Name: name, Schedule: schedule, Build: mix.work, Outline: mix.outline,
		Retry: c.policy, Grace: peakGrace, WholeSecond: true,
		Phases: peakPhases(name, list, len(spec.Rates)),
	}
	c.fresh += schedule.Len() * stride(spec)
	return c.run(ctx, stage)
}

// peakPhases returns the steps of a peak as parts of the record, of which the
// first are reported.
func peakPhases(name string, steps []Step, reported int) []results.Phase {
	var phases []results.Phase
	seen := make(map[string]int)
	var begin time.Duration
	for i, step := range steps {
		phase := results.Phase{Begin: begin, End: begin + step.Length, Rate: step.Rate, Reported: i < reported}
		begin = phase.End
		phase.Name = name + " " + strconv.FormatFloat(step.Rate, 'f', -1, 64) + "/s"
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

// mix decides what operation k of a peak is: a pure function of k.
type mix struct {
	table   string
	steps   *Steps
	entries []entry
	weights int
	// generator is held to the peak's partition, members are the entities that
	// were loaded into it.
	generator *keys.Generator
	members   []uint64
	// fresh is the number of the first entity that operation 0 may insert.
	fresh, stride uint64
	deletes       bool
	kinds, rows   clock.Stream
}

// entry is one kind of operation of a mix.
type entry struct {
	spec *scenarios.OperationSpec
	kind int
	part *keys.Part
	// from are the entities that the operation may begin at, offers how many
	// it is due to count.
	from   []uint64
	offers int64
	// upTo is the sum of the weights up to and with this one.
	upTo int
}

func (c *Campaign) newMix(phase int, steps *Steps) (*mix, error) {
	spec := c.Scenario.Phases[phase].Peak
	loaded := c.Scenario.Loaded(phase)
	m := &mix{
		table: c.Table, steps: steps, fresh: c.fresh, stride: stride(spec),
		members: c.generator.Members(spec.PartitionKey, loaded),
		kinds:   clock.NewStream(c.Scenario.Seed, "mix/"+c.Scenario.Phases[phase].Name),
		rows:    clock.NewStream(c.Scenario.Seed, "rows/"+c.Scenario.Phases[phase].Name),
	}
	if len(m.members) == 0 {
		return nil, fmt.Errorf("%w: no entity was loaded into partition %q", ErrPreparation, spec.PartitionKey)
	}
	m.generator = c.generator.Pinned(m.members[0])
	for i := range spec.Operations {
		op := &spec.Operations[i]
		m.weights += op.Weight
		one := entry{spec: op, kind: c.kindOf[op.Name], upTo: m.weights, from: m.members, offers: int64(op.Offers())}
		if op.Verb == entity.Query {
			one.from = m.beginnings(op.Rows)
			one.offers = min(one.offers, int64(len(m.members)))
		}
		if op.Merges() {
			var err error
			if one.part, err = op.Part(m.generator); err != nil {
				return nil, err
			}
		}
		m.deletes = m.deletes || op.Verb == entity.Delete
		m.entries = append(m.entries, one)
	}
	return m, nil
}

// beginnings returns the entities from which on the partition was loaded with as
// many rows as a query reads, so that what it is due to count is there.
func (m *mix) beginnings(rows int) []uint64 {
	ordered := slices.Clone(m.members)
	slices.SortFunc(ordered, func(a, b uint64) int {
		return m.generator.Key(a).Compare(m.generator.Key(b))
	})
	return ordered[:max(1, len(ordered)-rows+1)]
}

// outline returns operation k without its content.
func (m *mix) outline(k uint64) Work {
	one := m.pick(k)
	return Work{Kind: one.kind, Phase: m.steps.StepOf(k), Offers: one.offers}
}

// work returns operation k.
func (m *mix) work(k uint64) Work {
	one := m.pick(k)
	w := m.outline(k)
	w.Operation.Verb, w.Operation.Table = one.spec.Verb, m.table
	draw := m.rows.At(k)
	existing := one.from[draw.IntN(len(one.from))]
	inserted := m.fresh + k*m.stride
	change := &w.Operation.Change
	change.Verb = one.spec.Verb
	change.Key = m.generator.Key(existing)
	switch one.spec.Verb {
	case entity.Insert:
		*change = m.insert(inserted)
	case entity.Batch:
		*change = entity.Change{}
		for i := range uint64(one.spec.Entities) {
			w.Operation.Changes = append(w.Operation.Changes, m.insert(inserted+i))
		}
	case entity.Replace, entity.InsertOrReplace:
		change.Properties = m.generator.Properties(existing)
	case entity.Merge, entity.InsertOrMerge:
		// What is merged differs from operation to operation.
		change.Properties = one.part.Properties(inserted)
	case entity.Query:
		w.Operation.Query = target.RowsFrom(change.Key.Partition, change.Key.Row)
		w.Pages, w.Rows = true, int64(one.spec.Rows)
		w.Operation.Query.Top = one.spec.Top
	}
	switch one.spec.Verb {
	case entity.Replace, entity.Merge, entity.Delete:
		change.Match = entity.MatchAny
	}
	w.Expected = target.Expected{NotFound: one.spec.Verb == entity.Delete || m.deletes && expectsExisting(one.spec.Verb)}
	return w
}

func expectsExisting(v entity.Verb) bool {
	return v == entity.Get || v == entity.Replace || v == entity.Merge
}

func (m *mix) insert(n uint64) entity.Change {
	return entity.Change{Verb: entity.Insert, Key: m.generator.Key(n), Properties: m.generator.Properties(n)}
}

// pick draws the kind of operation k by weight.
func (m *mix) pick(k uint64) *entry {
	draw := m.kinds.At(k)
	chance := draw.IntN(m.weights)
	for i := range m.entries {
		if chance < m.entries[i].upTo {
			return &m.entries[i]
		}
	}
	panic("drive: a chance beyond the sum of the weights")
}
