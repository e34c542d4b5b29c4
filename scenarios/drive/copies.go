package drive

import (
	"loadgen/engine/entity"
	"loadgen/scenarios/procedure"
	"loadgen/target"
)

// copied has the copies of what an operation writes follow it: those that lie in one
// partition of one table in a transaction, as far as one goes.
func (e *events) copied(one *eventKind, w *Work, changes func(home int) []entity.Change) {
	var steps []procedure.Step
	for home := 1; home < len(e.homes); home++ {
		if !one.spec.Merges() || one.parts[home] != nil {
			steps = append(steps, copySteps(e.homes[home].table, changes(home))...)
		}
	}
	if len(steps) == 0 {
		return
	}
	switch first := w.Procedure.(type) {
	case nil:
		own := procedure.Step{Operation: w.Operation, Expected: w.Expected}
		w.Procedure = procedure.NewSeries(nil, append([]procedure.Step{own}, steps...)...)
	case procedure.Audited:
		w.Procedure = procedure.NewAuditedSeries(first, steps...)
	default:
		w.Procedure = procedure.NewSeries(first, steps...)
	}
}

// copySteps returns the writes of copies to one table: one for each partition.
func copySteps(table string, changes []entity.Change) []procedure.Step {
	var order []string
	together := make(map[string][]entity.Change)
	for _, c := range changes {
		// Written twice, a copy is the same.
		switch c.Verb {
		case entity.Insert, entity.Replace:
			c.Verb, c.Match = entity.InsertOrReplace, entity.Match{}
		case entity.Merge:
			c.Verb, c.Match = entity.InsertOrMerge, entity.Match{}
		}
		if _, known := together[c.Key.Partition]; !known {
			order = append(order, c.Key.Partition)
		}
		together[c.Key.Partition] = append(together[c.Key.Partition], c)
	}
	var steps []procedure.Step
	for _, partition := range order {
		list := together[partition]
		op := target.Operation{Verb: entity.Batch, Table: table, Changes: list}
		if len(list) == 1 {
			op = target.Operation{Verb: list[0].Verb, Table: table, Change: list[0]}
		}
		steps = append(steps, procedure.Step{Operation: op, Expected: target.Expected{NotFound: list[0].Verb == entity.Delete}})
	}
	return steps
}
