package drive

import (
	"context"
	"errors"

	"loadgen/engine/entity"
	"loadgen/results"
	"loadgen/scenarios"
	"loadgen/scenarios/procedure"
	"loadgen/target"
)

// auditLanes is how many entities are read back at once.
const auditLanes = 32

// verify reads back what was written, if the run came so far, and takes down what
// came of it.
func (c *Campaign) verify(ctx context.Context, ended error) error {
	if c.audit == nil {
		return ended
	}
	if ended == nil && c.audit.watched() > 0 {
		ended = c.readBack(ctx)
	}
	if !errors.Is(ended, results.ErrWrite) {
		c.ledger.Recorder.Audit(c.audit.told())
	}
	return ended
}

// readBack reads every watched entity by its keys. What cannot be read within the
// limit of the preparation is left unread, which the figures tell.
func (c *Campaign) readBack(ctx context.Context) error {
	stage := c.preparing(kindAudit, auditLanes, c.audit.watched(), preparationLimit)
	stage.Build = func(k uint64) Work {
		op := target.Operation{Verb: entity.Get, Table: c.Table}
		op.Change = entity.Change{Verb: entity.Get, Key: c.audit.order[k]}
		return Work{Kind: c.kindOf[kindAudit], Operation: op, Expected: target.Expected{NotFound: true}}
	}
	stage.Observe = func(k uint64, outcome *target.Outcome, class results.Class) {
		if class == results.Ok {
			c.audit.readBack(k, outcome)
		}
	}
	return c.run(ctx, stage)
}

// ids are what a mix needs to have its writes told apart.
type ids struct {
	// run marks the run, first is the run's number of the mix's operation 0.
	run   string
	first uint64
	// verify has every write carry an id; filler names the property that makes room
	// for it.
	verify bool
	filler string
}

// ids returns those of the stage that comes next.
func (c *Campaign) ids() ids {
	return ids{run: c.runMark(), first: c.number, verify: c.Verify, filler: c.Scenario.Entity.Filler}
}

// runMark returns what the run's writes are marked with.
func (c *Campaign) runMark() string {
	if c.RunMark == "" {
		return "run"
	}
	if _, sound := procedure.ParseWriteID(procedure.WriteID{Run: c.RunMark}.String()); !sound {
		panic("drive: a run is marked with letters and digits, 1 to 32")
	}
	return c.RunMark
}

// guard has operation k of a mix go through a procedure, where it is to be one:
// that it reads first is asked for by the scenario, that writes are verified by
// the run.
func (i *ids) guard(k uint64, spec *scenarios.OperationSpec, w *Work) {
	id := procedure.WriteID{Run: i.run, Number: i.first + k}
	op := &w.Operation
	switch {
	case spec.ReadFirst:
		w.Procedure = procedure.NewReadModifyWrite(procedure.Modification{Verb: spec.Verb, Table: op.Table,
			Key: op.Change.Key, Properties: op.Change.Properties, Counter: spec.Counter, Blind: spec.Blind, ID: id})
	case i.verify && (op.Verb.IsChange() || op.Verb == entity.Batch):
		w.Procedure = procedure.NewWrite(*op, id, i.filler)
	}
}

// forecastGuarded adds to what so many operations of a kind ask for, whose entities
// weigh so many bytes each, what is read for their sake: before the write, and
// after the run each entity that was written, as if no two were the same.
func (c *Campaign) forecastGuarded(f *Forecast, spec *scenarios.OperationSpec, operations, each int64) {
	if spec.ReadFirst {
		f.Received += operations * each
		if spec.Verb != entity.Delete {
			// Of the two entities that count, one is read.
			f.Sent -= operations * each
		}
	}
	c.forecastVerified(f, spec, operations, each)
}

// forecastVerified adds what is read after the run for the sake of so many operations
// of a kind.
func (c *Campaign) forecastVerified(f *Forecast, spec *scenarios.OperationSpec, operations, each int64) {
	if !c.Verify || spec.Procedure != "" || !spec.Writes().IsChange() {
		return
	}
	reads := operations * int64(max(1, spec.Entities))
	f.add(Forecast{Requests: reads, AtMost: reads, Entities: reads,
		Sent: reads * requestBytes, Received: reads * (replyBytes + each)})
}

// trailBytes is about what following the writes takes in memory at most.
func (c *Campaign) trailBytes() int64 {
	const trail = 400
	if c.audit == nil {
		return 0
	}
	entities := int64(0)
	all, _ := c.dryRun(len(c.Scenario.Phases))
	for _, d := range all {
		entities = addUp(entities, d.written(uint64(c.audit.most)))
	}
	return times(min(entities, int64(c.audit.most)), trail)
}
