package drive

import (
	"fmt"
	"slices"
	"time"

	"loadgen/engine/entity"
	"loadgen/engine/filter"
	"loadgen/scenarios"
	"loadgen/scenarios/procedure"
	"loadgen/target"
)

// Preview is a phase of a scenario before it runs: what each of its operations is,
// and when it is due. It is immutable and safe for concurrent use.
type Preview struct {
	// Name is the phase's, Length how long operations become due.
	Name   string
	Length time.Duration
	stage  *Stage
	specs  []scenarios.OperationSpec
	kindOf map[int]int
	plans  []Approach
	closed func(k uint64) time.Duration
}

// Approach is how the operations of one kind get at their entities.
type Approach struct {
	Spec *scenarios.OperationSpec
	// Class is that of the query, [filter.ClassPoint] for what knows its key, Why what a
	// better one would need; both are zero for what reads nothing.
	Class filter.Class
	Why   string
	// Narrowed says that only some of what is read is wanted, whether a filter or the
	// application picks it.
	Narrowed bool
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
}

// Preview returns what a phase comes to, nil where it prepares or counts. The
// campaign must not be run before or after.
func (c *Campaign) Preview(phase int) (*Preview, error) {
	one := &c.Scenario.Phases[phase]
	p := &Preview{Name: one.Name, specs: one.Operations(), kindOf: make(map[int]int)}
	var err error
	switch {
	case one.Peak != nil:
		p.stage, err = c.peakStage(phase)
	case one.Spread != nil:
		p.stage, err = c.spreadStage(phase)
	case one.Traffic != nil:
		p.stage, err = c.trafficStage(phase)
	default:
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("phase %s: %w", one.Name, err)
	}
	p.Length = p.stage.For
	if p.stage.Schedule != nil {
		p.Length = p.stage.Schedule.Length()
	}
	homes, err := c.residences()
	if err != nil {
		return nil, err
	}
	for i := range p.specs {
		p.kindOf[c.kindOf[p.specs[i].Name]] = i
		p.plans = append(p.plans, c.approach(&p.specs[i], homes))
	}
	p.closed = evenly(one.Clients(), one.Think())
	return p, nil
}

// approach returns how a kind of operation gets at its entities.
func (c *Campaign) approach(spec *scenarios.OperationSpec, homes []residence) Approach {
	a := Approach{Spec: spec, Narrowed: spec.Where != ""}
	switch {
	case len(spec.By) > 0:
		plan, _ := c.bestPlan(spec, homes)
		a.Class, a.Why = plan.Class, plan.Why
		told := plan.Tells()
		a.Narrowed = a.Narrowed || slices.ContainsFunc(spec.By, func(name string) bool { return !slices.Contains(told, name) })
	case spec.Verb == entity.Query:
		a.Class = classOfQuery(spec.Class)
	case spec.Verb == entity.Get || spec.ReadFirst:
		a.Class = filter.ClassPoint
	}
	return a
}

func classOfQuery(class string) filter.Class {
	switch class {
	case scenarios.ClassPoint:
		return filter.ClassPoint
	case scenarios.ClassPartitionScan:
		return filter.ClassPartitionScan
	case scenarios.ClassPartitionRange:
		return filter.ClassPartitionRangeScan
	case scenarios.ClassTableScan:
		return filter.ClassTableScan
	default:
		return filter.ClassRowRange
	}
}

// Approaches returns how each kind of operation gets at its entities, in the order of
// the scenario. The slice is the preview's.
func (p *Preview) Approaches() []Approach { return p.plans }

// Count returns how many operations there are, in a closed loop if each is answered
// at once.
func (p *Preview) Count() uint64 {
	if p.stage.Schedule != nil {
		return p.stage.Schedule.Len()
	}
	return min(p.stage.Count, uint64(p.Length/max(1, p.closed(1))))
}

// At returns when operation k is due, since the phase's beginning; in a closed loop
// about that.
func (p *Preview) At(k uint64) time.Duration {
	if p.stage.Schedule != nil {
		return p.stage.Schedule.At(k)
	}
	return p.closed(k)
}

// Operation returns which kind of operation k is, by its position in the scenario,
// and how many entities it is due to count in all, and has visit be told of each
// partition that it works on. A query of several partitions works on none of its own.
func (p *Preview) Operation(k uint64, table string, visit func(Touch)) (kind int, entities int64) {
	w := p.stage.Build(k)
	kind = p.kindOf[w.Kind]
	spec := &p.specs[kind]
	entities = w.Offers
	if entities == 0 {
		entities = w.Operation.Entities()
	}
	requests, rest := []target.Operation{w.Operation}, entities
	if w.Procedure != nil {
		requests = procedure.Requests(w.Procedure)
	}
	for i := 1; i < len(requests); i++ {
		rest -= requests[i].Entities()
	}
	for i := range requests {
		// Of several requests the first has what is left: a query, or an update's read.
		counted := requests[i].Entities()
		if i == 0 {
			counted = rest
		}
		visitOne(&requests[i], table, counted, spec.Inserts(), visit)
	}
	return kind, entities
}

// visitOne tells of the partition of a request, if it is one.
func visitOne(op *target.Operation, table string, entities int64, inserts bool, visit func(Touch)) {
	partition, one := op.PartitionKey()
	if !one {
		return
	}
	t := Touch{Table: op.Table[min(len(table), len(op.Table)):], Entities: entities, Inserts: inserts}
	t.Key.Partition = partition
	switch {
	case op.Verb == entity.Batch:
		t.Key.Row = op.Changes[0].Key.Row
	case op.Verb != entity.Query:
		t.Key.Row = op.Change.Key.Row
	}
	visit(t)
}
