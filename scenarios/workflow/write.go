package workflow

import (
	"loadgen/engine/entity"
	"loadgen/target"
)

// NewWrite returns the workflow of a single write or a transaction, whose retries recognize their own
// success. Its entities carry the id, for which a filler property of that name is shortened.
//
//	insert ─► no reply ─► insert ─► 409 ─► get ─┬─ own id: done, an own-409
//	                                            ├─ another: a foreign conflict
//	                                            └─ 404: unknown
//	delete ─► no reply ─► delete ─► 404: done, an own-404
//
// A 409 is a foreign conflict if every attempt had a reply. The other writes carry their id for
// later readers only.
func NewWrite(op target.Operation, id WriteID, filler string) *Procedure {
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
	p := NewProcedure(nil, Request{op, target.Expected{Conflict: !written.mayLinger}})
	p.trace, p.body = written, p.write
	return p
}

// Together makes a [NewWrite] a transaction with further changes of its partition, which carry no id
// and are not reported: copies, which are safe to repeat. It must be called before [Procedure.Begin].
func (p *Procedure) Together(more ...entity.Change) {
	op := &p.foreseen[0]
	changes := op.Changes
	if op.Verb != entity.Batch {
		changes = []entity.Change{op.Change}
	}
	*op = target.Operation{Verb: entity.Batch, Table: op.Table, Changes: append(changes[:len(changes):len(changes)], more...)}
}

func (p *Procedure) write(t *Tx) {
	report := &p.trace.report
	reply := t.sendToTable(Request{p.foreseen[0], t.expected})
	for reply.Status == 409 && !p.trace.silent {
		report.Conflicts++
		reply = t.retryByPolicy()
	}
	switch {
	case reply.OK():
		p.trace.acknowledge(reply.Version)
		return
	case reply.Missing():
		report.Own404 = true
		p.trace.acknowledge(0)
		return
	}
	key := report.Keys[0]
	if at := reply.FailedIndex; at > 0 && at < len(report.Keys) {
		key = report.Keys[at]
	}
	stored := t.Send(Read(p.foreseen[0].Table, key))
	if id, found := IDOf(stored.Entity); found && id == report.ID {
		report.Own409 = true
		p.trace.acknowledge(stored.Version)
		return
	}
	if stored.OK() {
		p.trace.silent = false
		report.Conflicts++
	}
	// If the entity was deleted since, its writer is unknown.
	t.Fail()
}

// reading returns the request that reads an entity.
func reading(table string, key entity.Key) target.Operation {
	return target.Operation{Verb: entity.Get, Table: table, Change: entity.Change{Verb: entity.Get, Key: key}}
}
