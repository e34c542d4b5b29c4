package figure_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"loadgen/results"
	"loadgen/results/figure"
	"loadgen/results/resultstest"
)

// manifest is that of an embedded run against the documents' targets.
func manifest() results.Manifest {
	return resultstest.Manifest(func(m *results.Manifest) { m.Time, m.PartitionKey = "real", "NYC" })
}

// kept is a record by hand: two steps of a peak and its hold, after a load, on two
// operations.
func kept(t testing.TB) *results.Record {
	t.Helper()
	step := func(name string, begin int, rate float64) resultstest.Phase {
		return resultstest.Phase{Kind: 1, Phase: results.Phase{Name: name, Stage: "peak", Rate: rate, Reported: name != "peak 200/s (hold)",
			Begin: time.Duration(begin) * time.Second, End: time.Duration(begin+10) * time.Second}}
	}
	fill := resultstest.Phase{Operations: 100, Phase: results.Phase{Name: "fill", Stage: "fill", End: 10 * time.Second}}
	decided := func(at, until time.Duration, what string) results.Event {
		return results.Event{At: int64(at), What: what, Decision: &results.Decision{Until: until}}
	}
	const second = time.Second
	r := resultstest.Run{Manifest: manifest(), Retries: 1, Wait: 10 * time.Millisecond, End: 50 * second,
		Phases: []resultstest.Phase{fill, step("peak 100/s", 10, 100), step("peak 200/s", 20, 200), step("peak 200/s (hold)", 30, 200)},
		Events: []results.Event{decided(12*second, 12200*time.Millisecond, results.RangeSplit), decided(25*second, 28*second, results.RangeMoved),
			decided(26*second, 99*second, results.RangeKept), decided(45*second, 50*second, results.RangesMerged)},
		Take: func(of *results.Record) {
			of.Audit = &results.Audit{Writes: 9, Acknowledged: 9, Lost: 0, Doubled: 2, Unknown: 3, Overwritten: 4, ForeignConflicts: 5}
		},
		Operation: func(op *resultstest.Operation) {
			switch op.Entities = 2; {
			case op.Kind == 0:
				op.Entities = 10
			case op.Number%5 == 4:
				op.Kind, op.Entities = 2, 1
			}
		},
		Attempt: func(op *resultstest.Operation, a *results.Attempt) {
			a.Done, a.Returned = a.Sent+[]time.Duration{5, 4, 8}[op.Kind]*time.Millisecond, op.Entities-1
			if op.Kind == 0 {
				a.Returned = 0
			}
			if op.Kind > 0 && op.Number%4 == 0 {
				a.PartitionKey = "Berlin"
			}
			if op.Phase == 2 && op.Number%10 == 0 && a.Try == 0 {
				a.Class = results.Throttled
			}
		}}
	r.Manifest.Time = "virtual"
	return r.Record(t)
}

// second is a second of load by hand, of single entities that nobody asks for again.
type second struct{ offered, served, late int64 }

// steps makes a record of steps of a stretch called peak, the first of which begins at
// 0, with the counts that follow from their seconds.
func steps(list ...[]second) *results.Record {
	record := &results.Record{SchemaVersion: 2, Validity: results.Valid, Manifest: manifest()}
	for _, one := range list {
		add(record, "peak", one...)
	}
	return record
}

// add adds a step of a stretch to the end of a record.
func add(to *results.Record, stage string, list ...second) *results.Phase {
	phase := results.Phase{Name: stage, Stage: stage, Begin: to.Duration, Reported: true, Kinds: make([]results.KindStats, len(to.Manifest.Operations))}
	kind := &phase.Kinds[1]
	for i, one := range list {
		row := results.Interval{Second: int64(to.Duration / time.Second), Phase: stage, Counts: results.Counts{Scheduled: one.offered, Sent: one.offered, Late: one.late, Offered: one.offered,
			Attempts: one.offered, Ok: one.served, Throttled: one.offered - one.served, Operations: one.offered, Succeeded: one.served,
			Served: one.served, Counted: one.served}}
		to.Intervals = append(to.Intervals, row)
		to.Duration += time.Second
		kind.Add(&results.KindStats{Counts: results.Counts{Scheduled: row.Scheduled, Sent: row.Sent, Late: row.Late, Operations: row.Operations, Succeeded: row.Succeeded,
			Attempts: row.Attempts, Ok: row.Ok, Throttled: row.Throttled, FirstThrottled: row.Throttled,
			Offered: row.Offered, Served: row.Served, Counted: row.Counted}})
		if 2*i >= len(list) {
			kind.LastHalf.Add(&results.Counts{Scheduled: row.Scheduled, Sent: row.Sent, Succeeded: row.Succeeded, FirstThrottled: row.Throttled,
				Offered: row.Offered, Served: row.Served})
		}
	}
	phase.End = to.Duration
	phase.Rate = float64(kind.Scheduled) / float64(len(list))
	to.Phases = append(to.Phases, phase)
	return &to.Phases[len(to.Phases)-1]
}

// same are so many equal seconds.
func same(seconds int, offered, served int64) []second {
	list := make([]second, seconds)
	for i := range list {
		list[i] = second{offered: offered, served: served}
	}
	return list
}

// parsed returns a figure as people write it.
func parsed(t testing.TB, text string) figure.Reference {
	t.Helper()
	ref, err := figure.ParseFigure(text)
	require.NoError(t, err)
	return ref
}

// judged judges a claim on a record.
func judged(t testing.TB, record *results.Record, text string) figure.ClaimJudgement {
	t.Helper()
	claim, err := figure.ParseClaim(text)
	require.NoError(t, err)
	return claim.Judge(figure.Of(record))
}
