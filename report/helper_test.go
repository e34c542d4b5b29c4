package report_test

import (
	"time"

	"loadgen/results"
	"loadgen/results/resultstest"
)

// manifest is that of a run against a partition that serves 200 entities in a second.
func manifest() results.Manifest {
	return resultstest.Manifest(func(m *results.Manifest) {
		m.Command = append(m.Command, "--partition-key", resultstest.Partition)
		m.Targets = results.Targets{Partition: 200, Account: 20_000}
		m.Model = []results.Parameter{
			{Name: "partition_target", Value: "200", Unit: "entities/s", Provenance: "assumption",
				About: "entities per second that one PartitionKey is held to; 0 is no limit"},
			{Name: "account_target", Value: "20000", Unit: "entities/s", Provenance: "documented"},
			{Name: "round_trip", Value: "1ms", Unit: "duration", Provenance: "assumption",
				About: "network time of an attempt"},
		}
	})
}

// stress is the run that most tests look at.
func stress() *resultstest.Run { return steps(4, 100, 200, 400) }

// steps is a load of 500 entities, and steps of so many seconds on a partition that serves
// 200 entities in a second.
func steps(seconds int, rates ...int) *resultstest.Run {
	load := resultstest.Phase{Phase: results.Phase{Name: "load", Stage: "load"}, Operations: 5, Takes: 250 * time.Millisecond}
	peak := resultstest.Steps(time.Second, time.Duration(seconds)*time.Second, 0, rates...)
	return &resultstest.Run{Manifest: manifest(), Phases: append([]resultstest.Phase{load}, peak...),
		Serves: 200, Retries: 1, Wait: 500 * time.Millisecond, Tail: 3 * time.Second,
		Operation: func(op *resultstest.Operation) {
			if op.Kind == 0 {
				op.Entities = 100
				return
			}
			op.Kind = 1 + int(op.Number)%5/3 + int(op.Number)%5/4
			op.Sent += time.Duration(op.Rand.IntN(300)) * time.Microsecond
		},
		Attempt: func(op *resultstest.Operation, a *results.Attempt) {
			a.Entities, a.Returned, a.Done = 0, 0, a.Sent+20*time.Millisecond
			if op.Kind > 0 {
				a.Done = a.Sent + 3*time.Millisecond + time.Duration(op.Rand.IntN(4000))*time.Microsecond
			}
		}}
}

// spoil drops one of so many operations of the steps, and fails another; 0 is none.
func spoil(r *resultstest.Run, dropped, failed int) *resultstest.Run {
	due, answer := r.Operation, r.Attempt
	r.Operation = func(op *resultstest.Operation) {
		due(op)
		op.Dropped = op.Kind > 0 && op.Every(dropped)
	}
	r.Attempt = func(op *resultstest.Operation, a *results.Attempt) {
		answer(op, a)
		if op.Kind > 0 && op.Every(failed) {
			a.Class = results.Failed
		}
	}
	return r
}

// cut is the run interrupted at an instant.
func cut(r *resultstest.Run, end time.Duration) *resultstest.Run {
	r.Validity, r.Reasons, r.End, r.NoCounts = results.Partial, []string{"interrupted by the user"}, end, true
	return r
}
