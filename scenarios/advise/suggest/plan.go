package suggest

import (
	"slices"

	"loadgen/engine/filter"
	"loadgen/scenarios"
	"loadgen/scenarios/keys"
)

// planned is how a question gets at what it wants under a design.
type planned struct {
	class   filter.Class
	queries int
	// told says that what it reads is what it asks for: nothing has to be filtered out.
	told bool
}

func (r *rule) plan(q *question, d *scenarios.Design) (planned, error) {
	with := *r.scenario
	with.Design = *d
	homes := make([]*keys.Generator, 0, 1+len(d.Copies))
	for _, at := range append([]scenarios.Copy{{PartitionKey: d.PartitionKey, RowKey: d.RowKey}}, d.Copies...) {
		g, err := at.Generator(r.attributes.generator)
		if err != nil {
			return planned{}, err
		}
		homes = append(homes, g)
	}
	plan, _ := with.Plan(q.spec, homes)
	tells := plan.Tells()
	told := !slices.ContainsFunc(q.spec.By, func(name string) bool {
		return !r.attributes.implies(tells, name) && !r.attributes.nature(name).constant
	})
	return planned{plan.Class, plan.Queries(), told}, nil
}

// serves reports whether nobody could wish for much better: a point, a range of rows or
// a partition, all of which is wanted.
func (p planned) serves() bool {
	return p.class <= filter.ClassPoint || p.told && p.class <= filter.ClassPartitionScan
}

// rank is roughly what a question costs that is planned so: by it is chosen which
// designs are worth computing, and nothing else.
func (p planned) rank() float64 {
	each := 1.0
	switch {
	case p.class <= filter.ClassPoint:
	case p.serves():
		each = 2
	case p.class == filter.ClassRowRange:
		each = 10
	case p.class == filter.ClassPartitionScan:
		each = 30
	case p.class == filter.ClassPartitionRangeScan:
		each = 100
	default:
		each = 300
	}
	return each + 0.1*float64(p.queries-1)
}
