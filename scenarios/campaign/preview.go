package campaign

import (
	"fmt"
	"time"

	"loadgen/engine/entity"
	"loadgen/engine/filter"
	"loadgen/scenarios"
	"loadgen/scenarios/keys"
	"loadgen/scenarios/workflow"
	"loadgen/target"
)

// Preview is a phase of a scenario before it runs: what each of its operations is,
// and when it is due. It is immutable and safe for concurrent use.
type Preview struct {
	// Name is the phase's, Length how long operations become due.
	Name   string
	Length time.Duration
	dry    *dry
	kindOf map[int]int
	plans  []Approach
}

// Approach is how the operations of one kind get at their entities.
type Approach struct {
	Spec *scenarios.OperationSpec
	// Class is that of the query, [filter.ClassPoint] for what knows its key, Why what a
	// better one would need; both are zero for what reads nothing, and for a workflow.
	Class filter.Class
	Why   string
	// Narrowed says that only some of what is read is wanted, whether a filter or the
	// application picks it.
	Narrowed bool
	// Queries is how many queries it takes at most, each of one partition: 1, or one for
	// each bucket that the reader cannot tell; 0 where a workflow reads.
	Queries int
}

// Touch is a partition that an operation works on.
type Touch struct {
	// Table is the name of its table beside the run's own: empty for that itself.
	Table string
	Key   entity.Key
	// Entities is how many entities of the partition are due to be counted.
	Entities int64
	// Inserts says that they are new ones.
	Inserts bool
	// Bytes is the size of an entity that is written, by the service's billing rule.
	Bytes int
}

// Preview returns what a phase comes to, nil where it prepares or counts. The
// campaign must not be run before or after.
func (c *Campaign) Preview(phase int) (*Preview, error) {
	one := &c.Scenario.Phases[phase]
	if one.Traffic == nil {
		return nil, nil
	}
	d, err := c.preparedPhase(phase)
	if err != nil {
		return nil, fmt.Errorf("phase %s: %w", one.Name, err)
	}
	p := &Preview{Name: one.Name, Length: d.lasts, dry: d, kindOf: make(map[int]int)}
	for i := range d.Operations {
		p.kindOf[c.kindOf[d.Operations[i].Name]] = i
	}
	for i := range d.Operations {
		p.plans = append(p.plans, c.approach(&d.Operations[i]))
		if d.Operations[i].Workflow != "" {
			p.plans[i].Class = p.classOf(i)
		}
	}
	return p, nil
}

// approach returns how a kind of operation gets at its entities.
func (c *Campaign) approach(spec *scenarios.OperationSpec) Approach {
	a := Approach{Spec: spec, Narrowed: spec.Where != "", Queries: 1}
	switch {
	case spec.Workflow != "":
		// What it reads is up to each of its requests: there is no one class.
		a.Queries = 0
	case len(spec.By) > 0:
		q, _ := c.newReading(spec) // the filter of a valid scenario is one
		a.Class, a.Why, a.Queries = q.plan.Class, q.plan.Why, q.plan.Queries()
		a.Narrowed = spec.Verb != entity.Get && q.filters()
		if q.filtersKeys {
			// What the filter asks of the keys betters the class.
			var event keys.Event
			if class := q.filtered(q.queries(event)[0], event).Query.Range.Class(); class < a.Class {
				a.Class, a.Why = class, a.Why+"; where narrows what is read"
			}
		}
	case spec.Verb == entity.Query:
		a.Class = map[string]filter.Class{
			scenarios.ClassPoint:          filter.ClassPoint,
			scenarios.ClassRows:           filter.ClassRowRange,
			scenarios.ClassPartitionScan:  filter.ClassPartitionScan,
			scenarios.ClassPartitionRange: filter.ClassPartitionRangeScan,
			scenarios.ClassTableScan:      filter.ClassTableScan,
		}[spec.Class]
	case spec.Verb == entity.Get || spec.ReadFirst:
		a.Class = filter.ClassPoint
	}
	return a
}

// classOf returns the worst class of what a kind of operation that is a workflow reads,
// by the first of them; 0 where it reads nothing, or none comes soon.
func (p *Preview) classOf(kind int) (worst filter.Class) {
	for k := range min(p.Count(), maxLooked) {
		w := p.dry.stage.Work(k)
		if p.kindOf[w.Kind] != kind {
			continue
		}
		for _, op := range workflow.Requests(w.Workflow) {
			switch {
			case op.Beside != nil:
			case op.Verb == entity.Query:
				worst = max(worst, op.Query.Range.Class())
			case op.Verb == entity.Get:
				worst = max(worst, filter.ClassPoint)
			}
		}
		break
	}
	return worst
}

// Approaches returns how each kind of operation gets at its entities, in the order of
// the scenario. The slice is the preview's.
func (p *Preview) Approaches() []Approach { return p.plans }

// Count returns how many operations there are, in a closed loop if each is answered
// at once.
func (p *Preview) Count() uint64 { return p.dry.expected }

// At returns when operation k is due, since the phase's beginning; in a closed loop
// about that.
func (p *Preview) At(k uint64) time.Duration { return p.dry.at(k) }

// Operation returns which kind of operation k is, by its position in the scenario,
// and how many entities it is due to count in all, and has visit be told of each
// partition that it works on. A query of several partitions works on none of its own.
func (p *Preview) Operation(k uint64, table string, visit func(Touch)) (kind int, entities int64) {
	w := p.dry.stage.Work(k)
	kind = p.kindOf[w.Kind]
	spec := &p.dry.Operations[kind]
	entities = w.Offers
	if entities == 0 && spec.Workflow == "" {
		entities = w.Operation.Entities()
	}
	requests, first := w.Requests(), entities
	for i := 1; i < len(requests); i++ {
		first -= requests[i].Entities()
	}
	for i := range requests {
		op := &requests[i]
		partition, one := op.PartitionKey()
		if !one {
			continue
		}
		t := Touch{Table: besideRun(op.Table, table), Key: entity.Key{Partition: partition}, Entities: op.Entities(), Inserts: spec.Inserts()}
		if i == 0 {
			// The first request has the remaining entities: a query, or the read of an update.
			t.Entities = first
		}
		if spec.Workflow != "" {
			t.Inserts = adds(op, t.Inserts)
		}
		switch {
		case op.Verb == entity.Batch:
			t.Key.Row = op.Changes[0].Key.Row
		case op.Verb != entity.Query:
			t.Key.Row = op.Change.Key.Row
		}
		visit(t)
	}
	return kind, entities
}

// adds reports whether a request of a workflow adds entities: it inserts, or it writes
// what may be there, in an operation that is about a new entity.
func adds(op *target.Operation, fresh bool) bool {
	verb := op.Verb
	if verb == entity.Batch && len(op.Changes) > 0 {
		verb = op.Changes[0].Verb
	}
	return verb == entity.Insert || fresh && (verb == entity.InsertOrReplace || verb == entity.InsertOrMerge)
}

// Sent is what an operation of a workflow sends where all goes as it mostly does.
type Sent struct {
	// Requests are all of it. Queries of them read what is not known before they are
	// answered, Beside of them go to a queue or a container.
	Requests, Queries, Beside int
	// Written are the entities that it writes, without those that it deletes.
	Written []Touch
}

// Sent returns what operation k sends, if it is a workflow's, and false where it is a
// verb's.
func (p *Preview) Sent(k uint64, table string) (Sent, bool) {
	w := p.dry.stage.Work(k)
	if p.dry.Operations[p.kindOf[w.Kind]].Workflow == "" {
		return Sent{}, false
	}
	requests := workflow.Requests(w.Workflow)
	sent := Sent{Requests: len(requests)}
	for i := range requests {
		op := &requests[i]
		changes := op.Changes
		switch {
		case op.Beside != nil:
			sent.Beside++
			continue
		case op.Verb == entity.Query:
			sent.Queries++
			continue
		case op.Verb != entity.Batch:
			changes = []entity.Change{op.Change}
		}
		for j := range changes {
			if c := &changes[j]; c.Verb.IsChange() && c.Verb != entity.Delete {
				sent.Written = append(sent.Written, Touch{Table: besideRun(op.Table, table), Key: c.Key, Bytes: entity.Size(c.Key, c.Properties)})
			}
		}
	}
	return sent, true
}

// besideRun returns what the name of a table has beside that of the run's own.
func besideRun(name, table string) string { return name[min(len(table), len(name)):] }
