package workflow

import (
	"loadgen/engine/entity"
	"loadgen/target"
)

// Write is a write or an entity group transaction that carries its id, by which a retry recognizes
// its own success.
//
//	insert ─► no reply ─► insert ─► 409 ─► get ─┬─ own id: done, an own-409
//	                                            ├─ another: a foreign conflict
//	                                            └─ 404: unknown
//	delete ─► no reply ─► delete ─► 404: done, an own-404
//
// A 409 is a foreign conflict if every attempt had a reply. The other writes carry their id for
// later readers only.
type Write struct {
	operation target.Operation
	// checking says that the request under way reads back what is there.
	checking bool
	trace
}

var _ Audited = (*Write)(nil)

// NewWrite returns a single write or a transaction, which it takes over. Its
// entities carry the id; those that hold a filler of that name keep their size by
// it.
func NewWrite(op target.Operation, id WriteID, filler string) *Write {
	w := &Write{operation: op, trace: trace{report: Report{ID: id, Verb: op.Verb, Keys: []entity.Key{op.Change.Key}}}}
	if op.Verb == entity.Batch && len(op.Changes) > 0 {
		// A transaction changes all its entities one way.
		w.report.Verb = op.Changes[0].Verb
		w.report.Keys = make([]entity.Key, len(op.Changes))
		w.operation.Changes = make([]entity.Change, len(op.Changes))
		for i, change := range op.Changes {
			w.report.Keys[i] = change.Key
			w.operation.Changes[i] = stamped(change, id, filler)
		}
		return w
	}
	w.operation.Change = stamped(op.Change, id, filler)
	return w
}

// Together has the write be one transaction with further changes of its partition,
// which carry no id and are not reported: copies of its entities, written such that
// again does no harm. It is called before [Write.Begin].
func (w *Write) Together(more ...entity.Change) {
	changes := w.operation.Changes
	if w.operation.Verb != entity.Batch {
		changes = []entity.Change{w.operation.Change}
	}
	w.operation = target.Operation{Verb: entity.Batch, Table: w.operation.Table,
		Changes: append(changes[:len(changes):len(changes)], more...)}
}

func stamped(change entity.Change, id WriteID, filler string) entity.Change {
	if change.Verb != entity.Delete {
		change.Properties = stamp(change.Properties, id, filler)
	}
	return change
}

// Begin implements [Workflow].
func (w *Write) Begin() target.Operation { return w.operation }

// Next implements [Workflow].
func (w *Write) Next(a Attempt) (Move, target.Operation) {
	if w.checking {
		return w.check(a.Outcome), target.Operation{}
	}
	w.hear(&a)
	o := a.Outcome
	switch {
	case Ok(o.Status):
		w.acknowledge(o.Version)
	case o.Status == 409 && w.inserts() && w.silent:
		w.checking = true
		there := w.report.Keys[0]
		if o.FailedIndex > 0 && o.FailedIndex < len(w.report.Keys) {
			there = w.report.Keys[o.FailedIndex]
		}
		return Proceed, reading(w.operation.Table, there)
	case o.Status == 409 && w.inserts():
		w.report.Conflicts++
	case Missing(o.Status, o.Code) && w.report.Verb == entity.Delete && w.silent:
		w.report.Own404 = true
		w.acknowledge(0)
		return Succeed, target.Operation{}
	}
	return Settle, target.Operation{}
}

// inserts reports whether a 409 can be the write's own success.
func (w *Write) inserts() bool { return w.report.Verb == entity.Insert }

// check handles the entity read after a retry was rejected with 409.
func (w *Write) check(o *target.Outcome) Move {
	switch {
	case Ok(o.Status):
		if id, some := IDOf(o.Entity); some && id == w.report.ID {
			w.report.Own409 = true
			w.acknowledge(o.Version)
			return Succeed
		}
		w.silent = false
		w.report.Conflicts++
		return Fail
	case Missing(o.Status, o.Code):
		// The entity was deleted since, so its writer is unknown.
		return Fail
	default:
		return Settle
	}
}

// Report implements [Audited].
func (w *Write) Report() Report { return w.asReport(!w.inserts()) }

// reading returns the request that reads an entity.
func reading(table string, key entity.Key) target.Operation {
	return target.Operation{Verb: entity.Get, Table: table, Change: entity.Change{Verb: entity.Get, Key: key}}
}
