package verdict

import (
	"fmt"
	"time"

	"loadgen/report/document"
	"loadgen/results"
)

// maxMisplaced is the share of the attempts whose counts may have come too late for their second in a valid run.
const maxMisplaced = 0.001

// Books returns the counts of a record that do not reconcile, one sentence each; none if all do. A run that ended
// early may have operations in flight, so that the target can have counted more.
func Books(record *results.Record) []string {
	all := record.Total(results.Everything)
	var faults []string
	fault := func(wrong bool, format string, args ...any) {
		if wrong {
			faults = append(faults, fmt.Sprintf(format, args...))
		}
	}
	fault(all.Scheduled != all.Sent+all.Dropped,
		"%s operations were scheduled, but %s sent and %s dropped",
		document.Count(all.Scheduled), document.Count(all.Sent), document.Count(all.Dropped))
	fault(all.Attempts != all.Ok+all.Throttled+all.Failed,
		"%s attempts were made, but %s ok, %s throttled and %s failed",
		document.Count(all.Attempts), document.Count(all.Ok), document.Count(all.Throttled), document.Count(all.Failed))
	throttled, failed := all.Causes.Of(results.Throttled), all.Causes.Of(results.Failed)
	fault(len(all.Causes) > 0 && (throttled != all.Throttled || failed != all.Failed),
		"%s attempts were throttled and %s failed, but the causes are of %s and %s",
		document.Count(all.Throttled), document.Count(all.Failed), document.Count(throttled), document.Count(failed))
	fault(finished(record) && all.Operations != all.Sent,
		"%s operations were sent, but %s came to an end", document.Count(all.Sent), document.Count(all.Operations))
	timed := int64(0)
	for _, h := range all.Service {
		timed += h.Count()
	}
	fault(timed != all.Attempts, "%s attempts were made, but %s timed", document.Count(all.Attempts), document.Count(timed))
	told := all.Response.Count() + all.Lost.Count()
	fault(told != all.Operations, "%s operations came to an end, but %s were timed",
		document.Count(all.Operations), document.Count(told))
	fault(float64(record.Misplaced) > maxMisplaced*float64(all.Attempts),
		"%s counts came too late for their second, to %s attempts", document.Count(record.Misplaced), document.Count(all.Attempts))
	if target := record.Target; target != nil {
		// The target counts an answer that the operation expects, such as a 404, as a failure.
		for _, row := range []struct {
			what           string
			target, record int64
		}{
			{"attempts", target.Requests, all.Attempts},
			{"ok attempts", target.Ok, all.Ok - all.Handled},
			{"throttled attempts", target.Throttled, all.Throttled},
			{"failed attempts", target.Failed, all.Failed + all.Handled},
			{"entities", target.Entities, all.Counted},
		} {
			fault(row.target < row.record || row.target > row.record && finished(record),
				"the target counted %s %s, the run %s", document.Count(row.target), row.what, document.Count(row.record))
		}
	}
	return append(faults, secondFaults(record, &all)...)
}

// finished reports whether a run reached its end.
func finished(record *results.Record) bool {
	return record.Validity != results.Partial && !record.Cut
}

// secondFaults returns missing seconds, and counts of the phases that are not in the seconds.
func secondFaults(record *results.Record, all *results.KindStats) []string {
	var faults []string
	var sum results.Counts
	next, wrong := int64(0), 0
	for i := range record.Intervals {
		row := &record.Intervals[i]
		ordered := row.Second == next || record.IsIdle(next, row.Second)
		if !ordered {
			wrong++
		}
		if !ordered && wrong == 1 {
			faults = append(faults, fmt.Sprintf("second %d stands where second %d should", row.Second, next))
		}
		next = row.End()
		sum.Add(&row.Counts)
	}
	if wrong > 1 {
		faults = append(faults, fmt.Sprintf("the seconds are out of order in %s places more", document.Count(int64(wrong-1))))
	}
	if !finished(record) {
		return faults
	}
	if end := int64(record.Duration / time.Second); next < end && !record.IsIdle(next, end) {
		faults = append(faults, fmt.Sprintf("the run lasted %s seconds, but only %s were written", document.Count(end), document.Count(next)))
	}
	for _, row := range []struct {
		what           string
		seconds, total int64
	}{
		{"scheduled operations", sum.Scheduled, all.Scheduled},
		{"attempts", sum.Attempts, all.Attempts},
		{"completed operations", sum.Operations, all.Operations},
		{"entities", sum.Counted, all.Counted},
	} {
		if row.seconds != row.total {
			faults = append(faults, fmt.Sprintf("the seconds hold %s %s, the phases %s",
				document.Count(row.seconds), row.what, document.Count(row.total)))
		}
	}
	return faults
}
