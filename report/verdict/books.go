package verdict

import (
	"time"

	"loadgen/results"
)

// Books returns the counts of a record that do not reconcile, one sentence each; none if all do. A run that ended
// early may have operations in flight, so that the target can have counted more.
func Books(record *results.Record) []string { return (&evidence{Record: record}).Faults() }

// Faults are described with [Books].
func (e *evidence) Faults() []string { return narrative().Phrases(e, books) }

// All are the counts and times of the whole run.
func (e *evidence) All() *results.KindStats {
	if e.all == nil {
		e.all = new(e.Total(results.Everything))
	}
	return e.all
}

// Caused are the attempts that have a cause, nil if causes were not counted.
func (e *evidence) Caused() *results.Counts {
	causes := e.All().Causes
	if len(causes) == 0 {
		return nil
	}
	return &results.Counts{Throttled: causes.ClassAttempts(results.Throttled), Failed: causes.ClassAttempts(results.Failed)}
}

// Timed is the number of attempts with a service time.
func (e *evidence) Timed() (timed int64) {
	for _, h := range e.All().Service {
		timed += h.Count()
	}
	return timed
}

// Finished reports whether a run reached its end.
func (e *evidence) Finished() bool {
	return e.Validity != results.Partial && !e.Cut
}

// mismatch is a count in two places that should be equal.
type mismatch struct {
	What         string
	Found, Wants int64
}

// Uncounted are the counts of the target that differ from those of the run. The target counts an answer that the
// operation expects, such as a 404, as a failure.
func (e *evidence) Uncounted() (list []mismatch) {
	target, all := e.Target, e.All()
	if target == nil {
		return nil
	}
	for _, row := range []mismatch{
		{"attempts", target.Requests, all.Attempts}, {"ok attempts", target.Ok, all.Ok - all.Handled},
		{"throttled attempts", target.Throttled, all.Throttled}, {"failed attempts", target.Failed, all.Failed + all.Handled},
		{"entities", target.Entities, all.Counted},
	} {
		if row.Found < row.Wants || row.Found > row.Wants && e.Finished() {
			list = append(list, row)
		}
	}
	return list
}

// disorder are seconds that are missing or in the wrong place.
type disorder struct {
	// Second is the first that is not the Next one, More the number of others; Places is the number of all.
	Second, Next int64
	Places, More int
	// Written is the number of seconds up to the last one, Missing reports that the run lasted longer.
	Written, Lasted int64
	Missing         bool
}

// Disorder describes the order of the seconds.
func (e *evidence) Disorder() *disorder {
	d := &disorder{Lasted: int64(e.Duration / time.Second)}
	for i := range e.Intervals {
		row := &e.Intervals[i]
		if row.Second != d.Written && !e.IsIdle(d.Written, row.Second) {
			if d.Places++; d.Places == 1 {
				d.Second, d.Next = row.Second, d.Written
			}
		}
		d.Written = row.End()
	}
	d.More, d.Missing = d.Places-1, e.Finished() && d.Written < d.Lasted && !e.IsIdle(d.Written, d.Lasted)
	return d
}

// Unwritten are the counts of the seconds of a finished run that differ from those of the phases.
func (e *evidence) Unwritten() (list []mismatch) {
	if !e.Finished() {
		return nil
	}
	seconds, all := inSeconds(e.Record), e.All()
	for _, row := range []mismatch{
		{"scheduled operations", seconds.Scheduled, all.Scheduled}, {"attempts", seconds.Attempts, all.Attempts},
		{"completed operations", seconds.Operations, all.Operations}, {"entities", seconds.Counted, all.Counted},
	} {
		if row.Found != row.Wants {
			list = append(list, row)
		}
	}
	return list
}
