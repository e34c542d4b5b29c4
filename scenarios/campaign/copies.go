package campaign

import (
	"loadgen/engine/entity"
	"loadgen/scenarios/drive"
	"loadgen/scenarios/keys"
	"loadgen/scenarios/workflow"
	"loadgen/target"
)

// copied has the copies of what an operation writes be written with it. Those in the
// partition of the entities themselves go into their transaction, home by home as long
// as it holds them: then all is written or nothing. The others follow it, those of one
// partition of one table in a transaction of their own.
func (e *events) copied(k uint64, one *eventKind, w *drive.Work, changes func(home int) []entity.Change) {
	if len(e.homes) == 1 {
		return
	}
	own := w.Operation.Changes
	if w.Operation.Verb != entity.Batch {
		own = []entity.Change{w.Operation.Change}
	}
	all := own[:len(own):len(own)]
	var steps []workflow.Step
	for home := 1; home < len(e.homes); home++ {
		if one.spec.Merges() && one.parts[home] == nil {
			continue
		}
		rest := repeatable(changes(home))
		if e.homes[home].table == e.table && !(e.patchy[home] && one.spec.Writes() == entity.Delete) {
			all, rest = joined(all, rest)
		}
		steps = append(steps, copySteps(e.homes[home].table, rest)...)
	}
	if len(all) > len(own) {
		together(w, all, len(own))
	}
	if len(steps) == 0 {
		return
	}
	// A client that dies has written its entity, and not all of the copies.
	written := -1
	if draw := e.deaths.At(k); draw.Float64() < one.spec.Killed {
		written = draw.IntN(len(steps))
	}
	var series *workflow.Series
	switch first := w.Workflow.(type) {
	case nil:
		own := workflow.Step{Operation: w.Operation, Expected: w.Expected}
		series = workflow.NewSeries(nil, append([]workflow.Step{own}, steps...)...)
		if w.Workflow = series; written >= 0 {
			written++
		}
	case workflow.Audited:
		audited := workflow.NewAuditedSeries(first, steps...)
		series, w.Workflow = audited.Series, audited
	default:
		series = workflow.NewSeries(first, steps...)
		w.Workflow = series
	}
	if written >= 0 {
		series.Dying(written)
	}
}

// copiedEntities returns where the run's entities lie and their copies do, nil where there
// are none.
func (c *Campaign) copiedEntities() *workflow.Copied {
	if len(c.homes) == 1 {
		return nil
	}
	of := &workflow.Copied{Filler: c.Scenario.Entity.Filler}
	for i := range c.homes {
		home := workflow.CopyHome{Table: c.homes[i].table, Holds: func(property string) bool { return c.homes[i].holds(property) }}
		if c.homes[i].copy != nil {
			home.Name = c.homes[i].copy.Name
		}
		of.Homes = append(of.Homes, home)
	}
	of.All = func(visit func(keys []entity.Key, has []bool)) {
		at, has := make([]entity.Key, len(c.homes)), make([]bool, len(c.homes))
		c.written(func(event keys.Event, parts []*keys.Part) {
			for i := range c.homes {
				at[i], has[i] = c.homes[i].generator.KeyOf(event), parts == nil || parts[i] != nil
			}
			visit(at, has)
		})
	}
	return of
}

// written visits the events of all entities that were loaded, and of those that operations
// insert with their copies, however they end; with what is merged into each home, nil where
// entities are written whole.
func (c *Campaign) written(visit func(event keys.Event, parts []*keys.Part)) {
	for n := range c.Scenario.Loaded(len(c.Scenario.Phases)) {
		visit(keys.Event{Number: n}, nil)
	}
	all, err := c.dryRun(len(c.Scenario.Phases))
	if err != nil {
		return
	}
	for _, d := range all {
		if d.stage == nil || !d.Events() || keyedTrace(d.Traffic) != nil {
			continue
		}
		e, err := c.newEvents(d)
		if err != nil {
			return
		}
		for k := range min(d.expected, mostTurned) {
			kind := e.pick(k)
			if e.kinds[kind].performance != nil {
				continue
			}
			for at := range e.inserted(kind) {
				var parts []*keys.Part
				if e.specs[kind].Merges() {
					parts = e.kinds[kind].parts
				}
				visit(e.fresh(k, at), parts)
			}
		}
	}
}

// joined returns a transaction with those copies that lie in its partition, and the
// copies that do not. Where it cannot hold them, because they are too many, too large
// or changed by it already, it is left as it is.
func joined(transaction, copies []entity.Change) (all, rest []entity.Change) {
	all = transaction
	for _, c := range copies {
		if c.Key.Partition == transaction[0].Key.Partition {
			all = append(all, c)
		} else {
			rest = append(rest, c)
		}
	}
	if code, _, _ := entity.ValidateBatch(all); len(all) > len(transaction) && code != entity.OK {
		return transaction, copies
	}
	return all, rest
}

// together has a write be a transaction, of whose changes the first are those of its
// entities and the others those of their copies.
func together(w *drive.Work, changes []entity.Change, entities int) {
	if write, verified := w.Workflow.(*workflow.Write); verified {
		write.Together(changes[entities:]...)
		return
	}
	w.Operation = target.Operation{Verb: entity.Batch, Table: w.Operation.Table, Changes: changes}
}

// patchyHomes returns of each home whether entities can lack it. A transaction that deletes
// the copy with its entity would then be refused, and neither ever deleted. They can where
//
//   - an operation inserts what that copy keeps nothing of;
//   - a transaction that inserts cannot hold the copies, so that they follow it and may be
//     given up.
func (c *Campaign) patchyHomes(phase int) ([]bool, error) {
	patchy := make([]bool, len(c.homes))
	for i := range phase + 1 {
		list := c.Scenario.Phases[i].Operations()
		for j := range list {
			spec := &list[j]
			merges := spec.Writes() == entity.InsertOrMerge
			if !merges && !spec.Inserts() {
				continue
			}
			changes := 0
			for i := range c.homes {
				if c.homes[i].table == c.Table {
					changes += max(1, spec.Entities)
				}
			}
			size := entity.Size(c.generator.Key(0), c.generator.Properties(0))
			if c.Scenario.Entity.Sizes != nil {
				size = c.Scenario.Entity.Size
			}
			apart := changes > entity.MaxBatchChanges || 2*changes*size > entity.MaxBatchBytes
			for home := range c.homes {
				part, err := c.homes[home].part(spec)
				if err != nil {
					return nil, err
				}
				patchy[home] = patchy[home] || apart || merges && part == nil
			}
		}
	}
	return patchy, nil
}

// repeatable returns changes of copies such that one that is written twice is the same.
func repeatable(changes []entity.Change) []entity.Change {
	for i := range changes {
		switch c := &changes[i]; c.Verb {
		case entity.Insert, entity.Replace:
			c.Verb, c.Match = entity.InsertOrReplace, entity.Match{}
		case entity.Merge:
			c.Verb, c.Match = entity.InsertOrMerge, entity.Match{}
		}
	}
	return changes
}

// copySteps returns the writes of copies to one table: one for each partition.
func copySteps(table string, changes []entity.Change) []workflow.Step {
	var order []string
	together := make(map[string][]entity.Change)
	for _, c := range changes {
		if _, known := together[c.Key.Partition]; !known {
			order = append(order, c.Key.Partition)
		}
		together[c.Key.Partition] = append(together[c.Key.Partition], c)
	}
	var steps []workflow.Step
	for _, partition := range order {
		list := together[partition]
		op := target.Operation{Verb: entity.Batch, Table: table, Changes: list}
		if len(list) == 1 {
			op = target.Operation{Verb: list[0].Verb, Table: table, Change: list[0]}
		}
		steps = append(steps, workflow.Step{Operation: op, Expected: target.Expected{NotFound: list[0].Verb == entity.Delete}})
	}
	return steps
}
