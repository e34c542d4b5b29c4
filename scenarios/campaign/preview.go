package campaign

import (
	"fmt"
	"time"

	"loadgen/engine/entity"
	"loadgen/engine/filter"
	"loadgen/scenarios"
	"loadgen/scenarios/keys"
	"loadgen/target"
)

// Preview predicts a phase of a scenario: what each of its operations is, and when it is due. It is
// immutable and safe for concurrent use.
type Preview struct {
	// Name is the name of the phase, Length how long operations become due.
	Name   string
	Length time.Duration
	plan   *phasePlan
	kindOf map[int]int
	plans  []Approach
}

// Approach is how operations of one kind read.
type Approach struct {
	Spec *scenarios.OperationSpec
	// Class is the class of the query, [filter.ClassPoint] for a known key. Why says what a better
	// class would need. Both are zero for operations that read nothing, and for workflows.
	Class filter.Class
	Why   string
	// Narrowed reports that the operation needs only some of what the service reads.
	Narrowed bool
	// Queries is the maximum number of queries, each of one partition: one, or one for each unknown
	// bucket; 0 for a workflow.
	Queries int
}

// Touch is a partition that an operation works on.
type Touch struct {
	// Table is the suffix of the table's name after that of the run's table.
	Table string
	Key   entity.Key
	// Entities is how many entities of the partition are due to be counted.
	Entities int64
	// Inserts reports that they are new.
	Inserts bool
	// Bytes is the size of an entity that is written, by the service's billing rule.
	Bytes int
}

// Preview returns the prediction of a phase, nil if it prepares or counts. The campaign must not
// run before or after.
func (c *Campaign) Preview(phase int) (*Preview, error) {
	one := &c.Scenario.Phases[phase]
	if one.Traffic == nil {
		return nil, nil
	}
	d, err := c.preparedPhase(phase)
	if err != nil {
		return nil, fmt.Errorf("phase %s: %w", one.Name, err)
	}
	p := &Preview{Name: one.Name, Length: d.lasts, plan: d, kindOf: make(map[int]int)}
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

// approach returns how a kind of operation reads.
func (c *Campaign) approach(spec *scenarios.OperationSpec) Approach {
	a := Approach{Spec: spec, Narrowed: spec.Where != "", Queries: 1}
	switch {
	case spec.Workflow != "":
		// Each of its requests has a class of its own.
		a.Queries = 0
	case len(spec.By) > 0:
		q, _ := c.newReading(spec) // the filter of a valid scenario is one
		a.Class, a.Why, a.Queries = q.plan.Class, q.plan.Why, q.plan.Queries()
		a.Narrowed = spec.Verb != entity.Get && q.filters()
		if q.filtersKeys {
			// Conditions on keys in the filter improve the class.
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

// classOf returns the worst class of the reads of a workflow, by its first operation; 0 if there
// are none, or if no operation comes soon.
func (p *Preview) classOf(kind int) (worst filter.Class) {
	for k := range min(p.Count(), maxLooked) {
		w := p.plan.stage.Work(k)
		if p.kindOf[w.Kind] != kind {
			continue
		}
		for _, op := range w.Workflow.Requests() {
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

// Approaches returns how each kind of operation reads, in the order of the scenario. Callers must
// not alter it.
func (p *Preview) Approaches() []Approach { return p.plans }

// Count returns the number of operations, in a closed loop if each is answered at once.
func (p *Preview) Count() uint64 { return p.plan.expected }

// DueTime returns when operation k is due, since the phase's beginning; approximately in a closed loop.
func (p *Preview) DueTime(k uint64) time.Duration { return p.plan.dueTime(k) }

// Operation returns the kind of operation k, by its index in the scenario, and how many entities it
// is due to count. It calls visit for each partition that the operation works on. A query of
// several partitions works on none.
func (p *Preview) Operation(k uint64, table string, visit func(Touch)) (kind int, entities int64) {
	w := p.plan.stage.Work(k)
	kind = p.kindOf[w.Kind]
	spec := &p.plan.Operations[kind]
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

// adds reports whether a request of a workflow adds entities: it inserts, or it upserts and the
// operation is about a new entity.
func adds(op *target.Operation, fresh bool) bool {
	verb := op.Verb
	if verb == entity.Batch && len(op.Changes) > 0 {
		verb = op.Changes[0].Verb
	}
	return verb == entity.Insert || fresh && (verb == entity.InsertOrReplace || verb == entity.InsertOrMerge)
}

// Sent is what an operation of a workflow sends if each request succeeds.
type Sent struct {
	// Requests is the number of requests. Queries of them read what is unknown before, Beside of
	// them go to a queue or a container.
	Requests, Queries, Beside int
	// Written are the entities that it writes, without deletions.
	Written []Touch
}

// RequestsOf returns what operation k sends, and false unless it is a workflow.
func (p *Preview) RequestsOf(k uint64, table string) (Sent, bool) {
	w := p.plan.stage.Work(k)
	if p.plan.Operations[p.kindOf[w.Kind]].Workflow == "" {
		return Sent{}, false
	}
	requests := w.Workflow.Requests()
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

// besideRun returns the suffix of a table's name after that of the run's table.
func besideRun(name, table string) string { return name[min(len(table), len(name)):] }
