package campaign

import (
	"slices"

	"loadgen/engine/entity"
	"loadgen/engine/wire"
	"loadgen/scenarios/drive"
	"loadgen/scenarios/keys"
	"loadgen/scenarios/workflow"
	"loadgen/target"
)

// addCopies adds the writes of copies to an operation. Copies in the partition of the entities join
// their transaction if it has room. The others follow, with one transaction for each partition of a
// table.
func (e *events) addCopies(k uint64, one *eventKind, w *drive.Work, changes func(location int) []entity.Change) {
	if len(e.locations) == 1 {
		return
	}
	own := w.Operation.Changes
	if w.Operation.Verb != entity.Batch {
		own = []entity.Change{w.Operation.Change}
	}
	all := own[:len(own):len(own)]
	var steps []workflow.Request
	for location := 1; location < len(e.locations); location++ {
		if one.spec.Merges() && one.parts[location] == nil {
			continue
		}
		rest := makeRepeatable(changes(location))
		if e.locations[location].table == e.table && !(e.incomplete[location] && one.spec.Writes() == entity.Delete) {
			all, rest = joined(all, rest)
		}
		steps = append(steps, copySteps(e.locations[location].table, rest)...)
	}
	if len(all) > len(own) {
		writeTogether(w, all, len(own))
	}
	if len(steps) == 0 {
		return
	}
	// A client that dies has written its entity, and some of the copies.
	written := -1
	if draw := e.deaths.Draw(k); draw.Float64() < one.spec.Killed {
		written = draw.IntN(len(steps))
	}
	if w.Workflow == nil {
		steps = slices.Insert(steps, 0, workflow.Request{Operation: w.Operation, Expected: w.Expected})
		if written >= 0 {
			written++
		}
	}
	crashes := written >= 0
	if crashes {
		steps = steps[:written]
	}
	w.Workflow = workflow.NewSeries(w.Workflow, crashes, steps...)
}

// copiedEntities returns the locations of the entities and of their copies, nil without copies.
func (c *Campaign) copiedEntities() *workflow.Copied {
	if len(c.locations) == 1 {
		return nil
	}
	of := &workflow.Copied{Filler: c.Scenario.Entity.Filler}
	for i := range c.locations {
		location := workflow.CopyHome{Table: c.locations[i].table, Holds: func(property string) bool { return c.locations[i].hasProperties(property) }}
		if c.locations[i].copy != nil {
			location.Name = c.locations[i].copy.Name
		}
		of.Homes = append(of.Homes, location)
	}
	of.All = func(visit func(keys []entity.Key, has []bool)) {
		at, has := make([]entity.Key, len(c.locations)), make([]bool, len(c.locations))
		c.visitWritten(func(event keys.Event, parts []*keys.Part) {
			for i := range c.locations {
				at[i], has[i] = c.locations[i].generator.KeyOf(event), parts == nil || parts[i] != nil
			}
			visit(at, has)
		})
	}
	return of
}

// visitWritten visits the events of all loaded entities, and of those that operations with copies
// insert, even if they fail, with what is merged at each location, nil if whole entities are
// written.
func (c *Campaign) visitWritten(visit func(event keys.Event, parts []*keys.Part)) {
	for n := range c.Scenario.Loaded(len(c.Scenario.Phases)) {
		visit(keys.Event{Number: n}, nil)
	}
	all, err := c.plans(len(c.Scenario.Phases))
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
		for k := range min(d.expected, maxOperations) {
			kind := e.pick(k)
			if e.kinds[kind].workflowKind != nil {
				continue
			}
			for at := range e.inserted(kind) {
				var parts []*keys.Part
				if e.specs[kind].Merges() {
					parts = e.kinds[kind].parts
				}
				visit(e.insertedEvent(k, at), parts)
			}
		}
	}
}

// joined returns a transaction with the copies in its partition, and the other copies. If it has no
// room for them, or they conflict with its changes, it stays as it is.
func joined(transaction, copies []entity.Change) (all, rest []entity.Change) {
	all = transaction
	for _, c := range copies {
		if c.Key.Partition == transaction[0].Key.Partition {
			all = append(all, c)
		} else {
			rest = append(rest, c)
		}
	}
	if len(all) == len(transaction) {
		return all, rest
	}
	if code, _, _ := entity.ValidateBatch(all); code != entity.OK || wire.BatchPayload(all) > entity.MaxBatchPayload {
		return transaction, copies
	}
	return all, rest
}

// writeTogether turns a write into a transaction, whose first changes are those of its entities.
func writeTogether(w *drive.Work, changes []entity.Change, entities int) {
	if w.Workflow != nil {
		w.Workflow.Together(changes[entities:]...)
		return
	}
	w.Operation = target.Operation{Verb: entity.Batch, Table: w.Operation.Table, Changes: changes}
}

// incompleteLocations reports for each location whether an entity can be missing there: a
// transaction that deletes entity and copy would then be refused each time. It can if
//
//   - an operation inserts nothing that the copy has;
//   - a transaction has no room for the copies, which follow it and can fail.
func (c *Campaign) incompleteLocations(phase int) ([]bool, error) {
	incomplete := make([]bool, len(c.locations))
	for i := range phase + 1 {
		list := c.Scenario.Phases[i].Operations()
		for j := range list {
			spec := &list[j]
			merges := spec.Writes() == entity.InsertOrMerge
			if !merges && !spec.Inserts() {
				continue
			}
			changes := 0
			for i := range c.locations {
				if c.locations[i].table == c.Table {
					changes += max(1, spec.Entities)
				}
			}
			apart := changes > entity.MaxBatchChanges || 2*changes*c.Scenario.Payload(c.generator) > entity.MaxBatchPayload
			for location := range c.locations {
				part, err := c.locations[location].part(spec)
				if err != nil {
					return nil, err
				}
				incomplete[location] = incomplete[location] || apart || merges && part == nil
			}
		}
	}
	return incomplete, nil
}

// makeRepeatable alters changes of copies so that writing one twice has the same result.
func makeRepeatable(changes []entity.Change) []entity.Change {
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

// copySteps returns the writes of copies to one table, one for each partition.
func copySteps(table string, changes []entity.Change) []workflow.Request {
	var order []string
	together := make(map[string][]entity.Change)
	for _, c := range changes {
		if _, known := together[c.Key.Partition]; !known {
			order = append(order, c.Key.Partition)
		}
		together[c.Key.Partition] = append(together[c.Key.Partition], c)
	}
	var steps []workflow.Request
	for _, partition := range order {
		list := together[partition]
		op := target.Operation{Verb: entity.Batch, Table: table, Changes: list}
		if len(list) == 1 {
			op = target.Operation{Verb: list[0].Verb, Table: table, Change: list[0]}
		}
		steps = append(steps, workflow.Request{Operation: op, Expected: target.Expected{NotFound: list[0].Verb == entity.Delete}})
	}
	return steps
}
