package figure_test

import (
	"testing"
	"time"

	"loadgen/results"
	"loadgen/results/figure"
)

// manifest is that of an embedded run against the documents' targets.
func manifest() results.Manifest {
	return results.Manifest{
		Command:  []string{"loadgen", "stress"},
		Scenario: results.Scenario{Name: "stress"},
		Target:   "in-process", Start: "warm", Profile: "documented", Seed: 1, Retry: "short", Time: "real",
		Started:      time.Date(2011, 11, 6, 9, 40, 0, 123, time.FixedZone("EST", -5*3600)),
		PartitionKey: "NYC",
		Targets:      results.Targets{Partition: 2000, Account: 20_000, Documented: true},
		Operations: []results.Kind{
			{Name: "load"}, {Name: "get", Group: "GET"}, {Name: "insert", Group: "PUT"}, {Name: "merge", Group: "PUT"}},
	}
}

// kept is a record by hand: two steps of a peak and its hold, after a load, on two
// operations.
func kept() *results.Record {
	folder := new(results.Memory)
	m := manifest()
	m.Time = "virtual"
	recorder, err := results.NewRecorder(folder, m)
	if err != nil {
		panic(err)
	}
	load := recorder.Phase(results.Phase{Name: "fill", Stage: "fill", End: 10 * time.Second})
	slow := recorder.Phase(results.Phase{Name: "peak 100/s", Stage: "peak", Begin: 10 * time.Second, End: 20 * time.Second, Rate: 100, Reported: true})
	fast := recorder.Phase(results.Phase{Name: "peak 200/s", Stage: "peak", Begin: 20 * time.Second, End: 30 * time.Second, Rate: 200, Reported: true})
	hold := recorder.Phase(results.Phase{Name: "peak 200/s (hold)", Stage: "peak", Begin: 30 * time.Second, End: 40 * time.Second, Rate: 200})
	counts := new(results.TargetCounts)
	add := func(phase, kind int, due, took time.Duration, key string, entities, returned int64, refusals int) {
		recorder.Scheduled(&results.Scheduled{Phase: phase, Kind: kind, Intended: due, Sent: due, Entities: entities})
		sent := due
		for try := range refusals + 1 {
			a := results.Attempt{Phase: phase, Kind: kind, Try: try, Retry: try > 0, Intended: due, Sent: sent, Done: sent + took,
				Class: results.Throttled, PartitionKey: key, HasPartition: key != "", Entities: entities}
			counts.Requests++
			if try == refusals {
				a.Class, a.Counted, a.Returned = results.Ok, entities, returned
				counts.Ok++
				counts.Entities += entities
			} else {
				counts.Throttled++
			}
			recorder.Attempt(&a)
			if sent = a.Done + 10*time.Millisecond; try < refusals {
				recorder.Waited(phase, 10*time.Millisecond)
			} else {
				recorder.Completed(&results.Completed{Phase: phase, Kind: kind, Intended: due, Done: a.Done, Class: results.Ok,
					Attempts: try + 1, Entities: entities, Served: entities})
			}
		}
	}
	for i := range 100 {
		add(load, 0, time.Duration(i)*100*time.Millisecond, 5*time.Millisecond, "NYC", 10, 0, 0)
	}
	for p, phase := range []int{slow, fast, hold} {
		rate := []int{100, 200, 200}[p]
		for i := range rate * 10 {
			due := time.Duration(p+1)*10*time.Second + time.Duration(i)*time.Second/time.Duration(rate)
			key, refusals := "NYC", 0
			if i%4 == 0 {
				key = "Berlin"
			}
			if p == 1 && i%10 == 0 {
				refusals = 1
			}
			if i%5 == 4 {
				add(phase, 2, due, 8*time.Millisecond, key, 1, 0, refusals)
			} else {
				add(phase, 1, due, 4*time.Millisecond, key, 2, 1, refusals)
			}
		}
	}
	recorder.Event(results.Event{At: int64(12 * time.Second), What: results.RangeSplit, Decision: &results.Decision{Until: 12*time.Second + 200*time.Millisecond}})
	recorder.Event(results.Event{At: int64(25 * time.Second), What: results.RangeMoved, Decision: &results.Decision{Until: 28 * time.Second}})
	recorder.Event(results.Event{At: int64(26 * time.Second), What: results.RangeKept, Decision: &results.Decision{Until: 99 * time.Second}})
	recorder.Event(results.Event{At: int64(45 * time.Second), What: results.RangesMerged, Decision: &results.Decision{Until: 50 * time.Second}})
	recorder.Take(func(of *results.Record) {
		of.Audit = &results.Audit{Writes: 9, Acknowledged: 9, Lost: 0, Doubled: 2, Unknown: 3, Overwritten: 4, ForeignConflicts: 5}
	})
	if err := recorder.Finish(50*time.Second, results.Valid, []string{}, counts); err != nil {
		panic(err)
	}
	record, err := results.Read(folder)
	if err != nil {
		panic(err)
	}
	return record
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
		row := results.Interval{Second: int64(to.Duration / time.Second), Phase: stage, Scheduled: one.offered, Sent: one.offered, Late: one.late, Offered: one.offered,
			Attempts: one.offered, Ok: one.served, Throttled: one.offered - one.served, Operations: one.offered, Succeeded: one.served,
			Served: one.served, Counted: one.served}
		to.Intervals = append(to.Intervals, row)
		to.Duration += time.Second
		kind.Add(&results.KindStats{Scheduled: row.Scheduled, Sent: row.Sent, Late: row.Late, Operations: row.Operations, Succeeded: row.Succeeded,
			Attempts: row.Attempts, Ok: row.Ok, Throttled: row.Throttled, FirstThrottled: row.Throttled,
			Offered: row.Offered, Served: row.Served, Counted: row.Counted})
		if 2*i >= len(list) {
			kind.LastHalf.Add(&results.Cohort{Due: row.Scheduled, Sent: row.Sent, Succeeded: row.Succeeded, FirstThrottled: row.Throttled,
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
	if err != nil {
		t.Fatal(err)
	}
	return ref
}

// judged holds a claim against a record.
func judged(t testing.TB, record *results.Record, text string) figure.ClaimJudgement {
	t.Helper()
	claim, err := figure.ParseClaim(text)
	if err != nil {
		t.Fatal(err)
	}
	return claim.Judge(figure.Of(record))
}
