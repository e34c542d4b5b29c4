package campaign

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"loadgen/engine/entity"
	"loadgen/results"
	"loadgen/scenarios"
	"loadgen/scenarios/drive"
	"loadgen/scenarios/workflow"
	"loadgen/target"
)

// maxWatched is the default maximum number of watched entities.
const maxWatched = 1_000_000

// audit follows the writes of a run, and compares them with the entities at the end. It is safe for
// concurrent use.
type audit struct {
	run   string
	limit int // of watched entities

	mu     sync.Mutex
	trails map[entity.Key]*trail
	// order has the watched entities in the order of their first write.
	order  []entity.Key
	result results.Audit
}

// observe adds an operation that ended, if it is a write that reports its outcome.
func (a *audit) observe(w *drive.Work, c *results.Completed) {
	var report workflow.Report
	if w.Workflow != nil {
		report = w.Workflow.Report()
	}
	if len(report.Keys) == 0 {
		return
	}
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
			if len(a.order) >= a.limit {
				a.result.Unwatched++
				continue
			}
			t = &trail{writeBegan: never, writesEnded: never, deleteBegan: never, deletesEnded: never}
			a.trails[key] = t
			a.order = append(a.order, key)
			a.result.Keys++
		}
		t.addWrite(&report, c)
	}
}

// auditLanes is how many entities are read back at once.
const auditLanes = 32

// auditWrites reads back what was written, unless the run failed, and records the audit.
func (c *Campaign) auditWrites(ctx context.Context, ended error) error {
	if c.audit == nil {
		return ended
	}
	a := c.audit
	if ended == nil && len(a.order) > 0 {
		// What cannot be read within the limit stays unread, as the figures show.
		stage := c.preparationStage(kindAudit, auditLanes, uint64(len(a.order)), preparationLimit)
		stage.Build = func(k uint64, w *drive.Work) {
			w.Kind, w.Expected.NotFound = c.kindOf[kindAudit], true
			w.Operation = target.Operation{Verb: entity.Get, Table: c.Table, Change: entity.Change{Verb: entity.Get, Key: a.order[k]}}
		}
		stage.Observe = func(k uint64, outcome *target.Outcome, class results.Class) {
			if class != results.Ok {
				return
			}
			key := a.order[k]
			found, fault := a.trails[key].compare(a.run, outcome.Entity, outcome.Version, outcome.Status != 404)
			a.result.ReadBack++
			results.AddTimes(&a.result, &found, 1)
			if fault != "" && len(a.result.Examples) < results.MaxAuditExamples {
				a.result.Examples = append(a.result.Examples,
					results.AuditExample{PartitionKey: key.Partition, RowKey: key.Row, Fault: fault})
			}
		}
		ended = c.run(ctx, stage)
	}
	if !errors.Is(ended, results.ErrWrite) {
		result := a.result
		c.ledger.Recorder.UpdateRecord(func(of *results.Record) { of.Audit = &result })
	}
	return ended
}

// ids identify the writes of a mix.
type ids struct {
	// run identifies the run, first is the run's number of the mix's operation 0.
	run   string
	first uint64
	// verify adds an id to every write; filler names the property that makes room for it.
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

// wrap makes operation k of a mix a workflow if it reads first, or if writes are verified.
func (i *ids) wrap(k uint64, spec *scenarios.OperationSpec, w *drive.Work) {
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

// forecastVerified adds the reads after the run for a number of operations of a kind.
func (c *Campaign) forecastVerified(f *Forecast, spec *scenarios.OperationSpec, operations, each int64) {
	if !c.Verify || spec.Workflow != "" || !spec.Writes().IsChange() {
		return
	}
	reads := operations * int64(max(1, spec.Entities))
	f.add(requests(reads, Forecast{Entities: reads, Received: reads * each}))
}

// trail is what the writes of one entity must have left. A write happens between the time when its
// operation is due and its end, or at any later time if no reply says when. A state is a fault if
// no order within these bounds explains it.
type trail struct {
	// number and version are those of the acknowledged write with the greatest version; unordered
	// reports that an acknowledged write has no version.
	number    uint64
	version   entity.Ticks
	unordered bool
	// wrote reports that a write was acknowledged. writeBegan is the latest time before any such
	// write, writesEnded the latest after all that may have happened.
	wrote                   bool
	writeBegan, writesEnded time.Duration
	// deleted, deleteBegan and deletesEnded are the same for deletions.
	deleted                   bool
	deleteBegan, deletesEnded time.Duration
	// strays are the writes that may have happened, or may happen again; flooded reports that there
	// are more than maxStrays.
	strays  []uint64
	flooded bool
	// erased reports that another kind of write may have erased counters, blind that an
	// unconditional write may have overwritten the increments of others.
	erased, blind bool
	counters      []counter
}

// counter has the increments of one counter.
type counter struct {
	name string
	// base is the least value that was read.
	base                  int64
	acknowledged, unknown int64
}

const (
	maxStrays = 16
	never     = time.Duration(-1)
	always    = time.Duration(1<<63 - 1)
)

// addWrite adds a write that was acknowledged, or may have happened.
func (t *trail) addWrite(r *workflow.Report, c *results.Completed) {
	known := r.Written == workflow.Acknowledged
	ended := c.Done
	if !known || r.Lingers {
		ended = always
		if len(t.strays) < maxStrays {
			t.strays = append(t.strays, r.ID.Number)
		} else {
			t.flooded = true
		}
	}
	if r.Verb == entity.Delete {
		t.erased, t.deleted = true, t.deleted || known
		t.deletesEnded = max(t.deletesEnded, ended)
		if known {
			t.deleteBegan = max(t.deleteBegan, c.Intended)
		}
		return
	}
	t.writesEnded = max(t.writesEnded, ended)
	if known {
		t.wrote = true
		t.writeBegan = max(t.writeBegan, c.Intended)
		t.addLast(r)
	}
	if r.Counter == "" {
		if !r.Conditional && (r.Verb == entity.Replace || r.Verb == entity.InsertOrReplace) {
			t.erased = true
		}
	} else {
		t.blind = t.blind || !r.Conditional
		i := slices.IndexFunc(t.counters, func(one counter) bool { return one.name == r.Counter })
		if i < 0 {
			i = len(t.counters)
			t.counters = append(t.counters, counter{name: r.Counter, base: r.From})
		}
		one := &t.counters[i]
		one.base = min(one.base, r.From)
		if known {
			one.acknowledged++
		} else {
			one.unknown++
		}
	}
}

// addLast adds a write that may be the last one.
func (t *trail) addLast(r *workflow.Report) {
	switch {
	case r.Superseded:
	case r.Version == 0:
		t.unordered = true
		if t.version == 0 {
			t.number = r.ID.Number
		}
	case r.Version > t.version:
		t.number, t.version = r.ID.Number, r.Version
	}
}

// compare returns what an entity that was read back adds to the audit, and what is wrong with it,
// empty for nothing.
func (t *trail) compare(run string, stored entity.Packed, version entity.Ticks, exists bool) (found results.Audit, fault string) {
	switch {
	case !exists && t.wrote && t.deletesEnded <= t.writeBegan:
		sum := int64(0)
		for i := range t.counters {
			sum += t.counters[i].acknowledged
		}
		return results.Audit{Lost: max(1, sum)}, "an acknowledged write is missing without a later deletion"
	case !exists:
		return found, ""
	case t.deleted && t.writesEnded <= t.deleteBegan:
		return results.Audit{Lost: 1}, "the entity exists despite an acknowledged deletion and no later write"
	}
	found, fault = t.compareID(run, stored, version)
	// A lost increment is a lost write, which is counted once.
	if t.erased || found.Overwritten > 0 {
		return found, fault
	}
	lost := int64(0)
	for i := range t.counters {
		one := &t.counters[i]
		value, _ := stored.Lookup(one.name)
		least := one.base + one.acknowledged
		switch got := value.Int(); {
		case got < least:
			lost += least - got
			fault = fmt.Sprintf("%s is %d, and %d increments from %d on were acknowledged", one.name, got, one.acknowledged, one.base)
		case got > least+one.unknown:
			found.Doubled += got - least - one.unknown
			fault = fmt.Sprintf("%s is %d, and only %d increments from %d on were acknowledged", one.name, got, one.acknowledged, one.base)
		}
	}
	if t.blind {
		found.Blind = max(0, lost-found.Lost)
	}
	found.Lost = max(found.Lost, lost)
	return found, fault
}

// compareID looks for the last acknowledged write.
func (t *trail) compareID(run string, stored entity.Packed, version entity.Ticks) (found results.Audit, fault string) {
	if !t.wrote || t.version == 0 && t.number == 0 && !t.unordered {
		return found, ""
	}
	id, ok := workflow.IDOf(stored)
	ours := ok && id.Run == run
	switch {
	case ours && id.Number == t.number:
		return found, ""
	case ours && (t.flooded || t.unordered || slices.Contains(t.strays, id.Number)):
		return found, ""
	case !ours && version > t.version:
		return results.Audit{Overwritten: 1}, ""
	case t.version == 0:
		return found, ""
	default:
		return results.Audit{Lost: 1}, fmt.Sprintf("the entity is older than the last acknowledged operation, %d", t.number)
	}
}
