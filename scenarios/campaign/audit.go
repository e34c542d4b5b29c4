package campaign

import (
	"context"
	"errors"
	"sync"

	"loadgen/engine/entity"
	"loadgen/results"
	"loadgen/scenarios"
	"loadgen/scenarios/drive"
	"loadgen/scenarios/workflow"
	"loadgen/target"
)

// mostWatched is how many entities are watched unless [Options] say otherwise.
const mostWatched = 1_000_000

// audit follows the writes of a run: it is told of each operation that ends, and
// afterwards what is there. It is safe for concurrent use.
type audit struct {
	run  string
	most int

	mu     sync.Mutex
	trails map[entity.Key]*trail
	// order are the watched entities in the order in which they were first
	// written.
	order  []entity.Key
	result results.Audit
}

// ended takes down an operation that has ended, if it is a write that says what it
// left.
func (a *audit) ended(w *drive.Work, c *results.Completed) {
	told, audited := w.Workflow.(workflow.Audited)
	if !audited {
		return
	}
	report := told.Report()
	a.mu.Lock()
	defer a.mu.Unlock()
	a.result.Writes++
	switch report.Written {
	case workflow.Acknowledged:
		a.result.Acknowledged++
	case workflow.Unknown:
		a.result.Unknown++
	default:
		a.result.Absent++
	}
	for _, own := range []struct {
		met  bool
		into *int64
	}{{report.Own409, &a.result.Own409}, {report.Own412, &a.result.Own412}, {report.Own404, &a.result.Own404}} {
		if own.met {
			*own.into++
		}
	}
	a.result.ForeignConflicts += int64(report.Conflicts)
	if report.Written == workflow.Absent {
		return
	}
	for _, key := range report.Keys {
		t := a.trails[key]
		if t == nil {
			// An entity is watched from its first write on or never.
			if len(a.order) >= a.most {
				a.result.Unwatched++
				continue
			}
			t = &trail{writeBegan: never, writesEnded: never, deleteBegan: never, deletesEnded: never}
			a.trails[key] = t
			a.order = append(a.order, key)
			a.result.Keys++
		}
		t.follow(&report, c)
	}
}

// watched returns how many entities there are to be read back.
func (a *audit) watched() uint64 {
	a.mu.Lock()
	defer a.mu.Unlock()
	return uint64(len(a.order))
}

// auditLanes is how many entities are read back at once.
const auditLanes = 32

// verify reads back what was written, if the run came so far, and takes down what
// came of it.
func (c *Campaign) verify(ctx context.Context, ended error) error {
	if c.audit == nil {
		return ended
	}
	if ended == nil && c.audit.watched() > 0 {
		// What cannot be read within the limit of the preparation is left unread, which the
		// figures tell.
		stage := c.preparing(kindAudit, auditLanes, c.audit.watched(), preparationLimit)
		stage.Build = func(k uint64, w *drive.Work) {
			w.Kind, w.Expected.NotFound = c.kindOf[kindAudit], true
			w.Operation = target.Operation{Verb: entity.Get, Table: c.Table, Change: entity.Change{Verb: entity.Get, Key: c.audit.order[k]}}
		}
		stage.Observe = func(k uint64, outcome *target.Outcome, class results.Class) {
			if class != results.Ok {
				return
			}
			a := c.audit
			a.mu.Lock()
			defer a.mu.Unlock()
			key := a.order[k]
			a.result.ReadBack++
			found := a.trails[key].compare(a.run, outcome.Entity, outcome.Version, outcome.Status != 404)
			a.result.Lost += found.lost
			a.result.Doubled += found.doubled
			a.result.Blind += found.blind
			if found.overwritten {
				a.result.Overwritten++
			}
			if found.fault != "" && len(a.result.Examples) < results.MostAuditExamples {
				a.result.Examples = append(a.result.Examples,
					results.AuditExample{PartitionKey: key.Partition, RowKey: key.Row, Fault: found.fault})
			}
		}
		ended = c.run(ctx, stage)
	}
	if !errors.Is(ended, results.ErrWrite) {
		c.audit.mu.Lock()
		result := c.audit.result
		c.audit.mu.Unlock()
		c.ledger.Recorder.Take(func(of *results.Record) { of.Audit = &result })
	}
	return ended
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

func (c *Campaign) runMark() string {
	if c.RunMark == "" {
		return "run"
	}
	if _, sound := workflow.ParseWriteID(workflow.WriteID{Run: c.RunMark}.String()); !sound {
		panic("campaign: a run is marked with letters and digits, 1 to 32")
	}
	return c.RunMark
}

// guard has operation k of a mix go through a workflow, where it is to be one:
// that it reads first is asked for by the scenario, that writes are verified by
// the run.
func (i *ids) guard(k uint64, spec *scenarios.OperationSpec, w *drive.Work) {
	id := workflow.WriteID{Run: i.run, Number: i.first + k}
	op := &w.Operation
	switch {
	case spec.ReadFirst:
		w.Workflow = workflow.NewReadModifyWrite(workflow.Modification{Verb: spec.Verb, Table: op.Table,
			Key: op.Change.Key, Properties: op.Change.Properties, Counter: spec.Counter, Blind: spec.Blind, ID: id})
	case i.verify && (op.Verb.IsChange() || op.Verb == entity.Batch):
		w.Workflow = workflow.NewWrite(*op, id, i.filler)
	}
}

// forecastVerified adds what is read after the run for the sake of so many operations
// of a kind.
func (c *Campaign) forecastVerified(f *Forecast, spec *scenarios.OperationSpec, operations, each int64) {
	if !c.Verify || spec.Workflow != "" || !spec.Writes().IsChange() {
		return
	}
	reads := operations * int64(max(1, spec.Entities))
	f.add(Forecast{Requests: reads, AtMost: reads, Entities: reads,
		Sent: reads * requestBytes, Received: reads * (replyBytes + each)})
}
