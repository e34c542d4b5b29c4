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
type Write struct{ *Procedure }

// NewWrite returns the workflow of a single write or a transaction. Its entities carry the id, for
// which a filler property of that name is shortened.
func NewWrite(op target.Operation, id WriteID, filler string) Write {
	written := &trace{report: Report{ID: id, Verb: verbOf(&op)}}
	written.mayLinger = written.report.Verb != entity.Insert
	stamped := func(change entity.Change) entity.Change {
		written.report.Keys = append(written.report.Keys, change.Key)
		if change.Verb != entity.Delete {
			change.Properties = stamp(change.Properties, id, filler)
		}
		return change
	}
	if op.Verb == entity.Batch {
		changes := make([]entity.Change, len(op.Changes))
		for i, change := range op.Changes {
			changes[i] = stamped(change)
		}
		op.Changes = changes
	} else {
		op.Change = stamped(op.Change)
	}
	w := Write{NewProcedure(nil, Request{op, target.Expected{Conflict: !written.mayLinger}})}
	w.trace, w.body = written, w.write
	return w
}

// Together makes the write a transaction with further changes of its partition, which carry no id
// and are not reported: copies, which are safe to repeat. It must be called before [Procedure.Begin].
func (w Write) Together(more ...entity.Change) {
	op := &w.foreseen[0]
	changes := op.Changes
	if op.Verb != entity.Batch {
		changes = []entity.Change{op.Change}
	}
	*op = target.Operation{Verb: entity.Batch, Table: op.Table, Changes: append(changes[:len(changes):len(changes)], more...)}
}

func (w Write) write(t *Tx) {
	report := &w.trace.report
	reply := t.sendToTable(Request{w.foreseen[0], t.expected})
	for reply.Status == 409 && !w.trace.silent {
		report.Conflicts++
		reply = t.settle()
	}
	switch {
	case reply.OK():
		w.trace.acknowledge(reply.Version)
		return
	case reply.Missing():
		report.Own404 = true
		w.trace.acknowledge(0)
		return
	}
	key := report.Keys[0]
	if at := reply.FailedIndex; at > 0 && at < len(report.Keys) {
		key = report.Keys[at]
	}
	stored := t.Send(Read(w.foreseen[0].Table, key))
	if id, found := IDOf(stored.Entity); found && id == report.ID {
		report.Own409 = true
		w.trace.acknowledge(stored.Version)
		return
	}
	if stored.OK() {
		w.trace.silent = false
		report.Conflicts++
	}
	// If the entity was deleted since, its writer is unknown.
	t.Fail()
}

// reading returns the request that reads an entity.
func reading(table string, key entity.Key) target.Operation {
	return target.Operation{Verb: entity.Get, Table: table, Change: entity.Change{Verb: entity.Get, Key: key}}
}
