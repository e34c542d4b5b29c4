package drive

import (
	"sync"

	"loadgen/engine/entity"
	"loadgen/results"
	"loadgen/scenarios/procedure"
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

func newAudit(run string, most int) *audit {
	if most <= 0 {
		most = mostWatched
	}
	return &audit{run: run, most: most, trails: make(map[entity.Key]*trail),
		result: results.Audit{Examples: []results.AuditExample{}}}
}

// ended takes down an operation that has ended, if it is a write that says what it
// left.
func (a *audit) ended(w *Work, c *results.Completed) {
	told, audited := w.Procedure.(procedure.Audited)
	if !audited {
		return
	}
	report := told.Report()
	a.mu.Lock()
	defer a.mu.Unlock()
	a.count(&report)
	if report.Written == procedure.Absent {
		return
	}
	for _, key := range report.Keys {
		if t := a.watch(key); t != nil {
			t.follow(&report, c)
		}
	}
}

// count adds a write to the totals.
func (a *audit) count(r *procedure.Report) {
	a.result.Writes++
	switch r.Written {
	case procedure.Acknowledged:
		a.result.Acknowledged++
	case procedure.Unknown:
		a.result.Unknown++
	default:
		a.result.Absent++
	}
	for _, own := range []struct {
		met  bool
		into *int64
	}{{r.Own409, &a.result.Own409}, {r.Own412, &a.result.Own412}, {r.Own404, &a.result.Own404}} {
		if own.met {
			*own.into++
		}
	}
	a.result.ForeignConflicts += int64(r.Conflicts)
}

// watch returns the trail of an entity, nil where no more can be watched. An
// entity is watched from its first write on or never.
func (a *audit) watch(key entity.Key) *trail {
	if t := a.trails[key]; t != nil {
		return t
	}
	if len(a.order) >= a.most {
		a.result.Unwatched++
		return nil
	}
	t := newTrail()
	a.trails[key] = t
	a.order = append(a.order, key)
	a.result.Keys++
	return t
}

// readBack is told what is there of a watched entity, nil where nothing is.
func (a *audit) readBack(k uint64, o *target.Outcome) {
	a.mu.Lock()
	defer a.mu.Unlock()
	key := a.order[k]
	a.result.ReadBack++
	found := a.trails[key].compare(a.run, o.Entity, o.Version, o.Status != 404)
	a.result.Lost += found.lost
	a.result.Doubled += found.doubled
	if found.overwritten {
		a.result.Overwritten++
	}
	if found.fault != "" && len(a.result.Examples) < results.MostAuditExamples {
		a.result.Examples = append(a.result.Examples,
			results.AuditExample{PartitionKey: key.Partition, RowKey: key.Row, Fault: found.fault})
	}
}

// watched returns how many entities there are to be read back.
func (a *audit) watched() uint64 {
	a.mu.Lock()
	defer a.mu.Unlock()
	return uint64(len(a.order))
}

// told returns what came of it all so far.
func (a *audit) told() *results.Audit {
	a.mu.Lock()
	defer a.mu.Unlock()
	result := a.result
	return &result
}
