// Package resultstest builds records for tests. A [Run] declares phases, and functions that
// change its operations and attempts; [Play] records whatever a function sends to a recorder.
package resultstest

import (
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"loadgen/results"
)

// Partition is the PartitionKey in [Manifest].
const Partition = "2011 New York City Marathon__Full"

// Manifest returns the manifest of an in-process run on one partition with the documented
// targets and four operations: load, get, insert and merge.
func Manifest(changes ...func(*results.Manifest)) results.Manifest {
	m := results.Manifest{
		Command:  []string{"loadgen", "stress"},
		Scenario: results.Scenario{Name: "stress"},
		Target:   results.InProcess, Start: "warm", Profile: "documented", Seed: 1, Retry: "short", Time: "virtual",
		Started:      time.Date(2011, 11, 6, 9, 40, 0, 0, time.UTC),
		PartitionKey: Partition,
		Targets:      results.Targets{Partition: 2000, Account: 20_000, Documented: true},
		Operations: []results.Kind{
			{Name: "load"}, {Name: "get", Group: "GET"}, {Name: "insert", Group: "PUT"}, {Name: "merge", Group: "PUT"}},
	}
	for _, change := range changes {
		change(&m)
	}
	return m
}

// Run is a load on one partition with an optional limit per second.
type Run struct {
	Manifest results.Manifest
	Phases   []Phase
	// Operation changes an operation before it is recorded, Attempt an attempt before the
	// partition answers it. Nil changes nothing.
	Operation func(op *Operation)
	Attempt   func(op *Operation, a *results.Attempt)
	// Serves is the number of attempts that succeed in a second; the others are throttled.
	// 0 means no limit.
	Serves int
	// Retries is the maximum number of retries of a throttled operation, Wait the delay before each.
	Retries int
	Wait    time.Duration
	// End cuts the run off; 0 means Tail after the end of the last phase.
	End, Tail time.Duration
	// Validity defaults to results.Valid.
	Validity string
	Reasons  []string
	// NoCounts means that the target keeps no counts.
	NoCounts bool
	Events   []results.Event
	// Take changes the record before it is finished.
	Take func(of *results.Record)
}

// Phase is a phase with operations due at equal intervals.
type Phase struct {
	results.Phase
	// Kind is the index of their operation in the manifest.
	Kind int
	// Operations is their number; 0 means the phase's rate times its length.
	Operations int
	// Takes is the length of a phase whose end is unknown at its start.
	Takes time.Duration
}

// Steps returns the reported steps of a peak, one for each rate, separated by pauses.
func Steps(begin, length, pause time.Duration, rates ...int) (list []Phase) {
	for _, rate := range rates {
		list = append(list, Phase{Kind: 1, Phase: results.Phase{Name: "step", Stage: "peak",
			Begin: begin, End: begin + length, Rate: float64(rate), Reported: true}})
		begin += length + pause
	}
	return list
}

// Operation is a scheduled operation.
type Operation struct {
	results.Scheduled
	// Number counts the operations of a phase from 0.
	Number uint64
	// Rand is shared by all operations of the run and seeded with the manifest's seed.
	Rand *rand.Rand
}

// IsLastOf reports whether the operation is the last of a group of n. It is false for n = 0.
func (op *Operation) IsLastOf(n int) bool { return n > 0 && int(op.Number)%n == n-1 }

// Record runs the load and returns its record.
func (r *Run) Record(t testing.TB) *results.Record {
	t.Helper()
	folder := new(results.Memory)
	r.Into(t, folder)
	return Read(t, folder)
}

// RecordOnce returns a function that runs the load on its first call and returns a copy of the
// record on each call.
func (r *Run) RecordOnce() func(t testing.TB) *results.Record {
	folder, once := new(results.Memory), new(sync.Once)
	return func(t testing.TB) *results.Record {
		t.Helper()
		once.Do(func() { r.Into(t, folder) })
		return Read(t, folder)
	}
}

// Into records the run in a folder. It returns the recorder, finished but not sealed.
func (r *Run) Into(t testing.TB, folder results.Folder) *results.Recorder {
	t.Helper()
	p := &player{Run: r, to: Open(t, folder, r.Manifest), served: make(map[int64]int),
		random: rand.New(rand.NewPCG(r.Manifest.Seed, 9))}
	end := r.Tail
	for i := range r.Phases {
		end = p.phase(&r.Phases[i]) + r.Tail
	}
	for _, event := range r.Events {
		p.to.Event(event)
	}
	if r.Take != nil {
		p.to.UpdateRecord(r.Take)
	}
	counts, validity := &p.counts, r.Validity
	if r.NoCounts {
		counts = nil
	}
	if validity == "" {
		validity = results.Valid
	}
	if r.End > 0 {
		end = r.End
	}
	require.NoError(t, p.to.Finish(end, validity, r.Reasons, counts), "Finish")
	return p.to
}

// player records a run.
type player struct {
	*Run
	to     *results.Recorder
	served map[int64]int
	counts results.TargetCounts
	random *rand.Rand
}

// phase records a phase and returns its end.
func (p *player) phase(phase *Phase) time.Duration {
	index := p.to.Phase(phase.Phase)
	length := max(phase.End-phase.Begin, phase.Takes)
	operations := phase.Operations
	if operations == 0 {
		operations = int(phase.Rate * length.Seconds())
	}
	for n := range operations {
		due := phase.Begin + time.Duration(n)*length/time.Duration(operations)
		if p.End > 0 && due >= p.End {
			break
		}
		p.operation(&Operation{Number: uint64(n), Rand: p.random,
			Scheduled: results.Scheduled{Phase: index, Kind: phase.Kind, Intended: due, Sent: due, Entities: 1}})
	}
	end := phase.Begin + length
	if phase.Takes > 0 {
		p.to.EndPhase(index, end)
	}
	return end
}

// operation records an operation with its attempts.
func (p *player) operation(op *Operation) {
	if p.Operation != nil {
		p.Operation(op)
	}
	p.to.Scheduled(&op.Scheduled)
	if op.Dropped {
		return
	}
	done := results.Completed{Phase: op.Phase, Kind: op.Kind, Intended: op.Intended, Entities: op.Entities}
	sent := op.Sent
	for try := 0; ; try++ {
		a := p.attempt(op, try, sent)
		done.Number, done.Class, done.Done, done.Attempts, done.Served = a.Number, a.Class, a.Done, try+1, a.Counted
		if a.Class != results.Throttled || try == p.Retries {
			break
		}
		if p.Wait > 0 {
			p.to.Waited(op.Phase, p.Wait)
		}
		sent = a.Done + p.Wait
		if p.End > 0 && sent >= p.End {
			done.Cut, done.Done = true, p.End
			break
		}
	}
	p.to.Completed(&done)
}

// attempt records an attempt with the partition's answer.
func (p *player) attempt(op *Operation, try int, sent time.Duration) results.Attempt {
	key := p.Manifest.PartitionKey
	a := results.Attempt{Class: results.Ok, Phase: op.Phase, Kind: op.Kind, Number: op.Number, Try: try, Retry: try > 0,
		Intended: op.Intended, Sent: sent, Done: sent + 4*time.Millisecond, PartitionKey: key, HasPartition: key != "",
		Entities: op.Entities, Counted: op.Entities, Returned: op.Entities}
	if p.Attempt != nil {
		p.Attempt(op, &a)
	}
	second := int64(a.Sent / time.Second)
	if a.Class == results.Ok && p.Serves > 0 && p.served[second] >= p.Serves {
		a.Class, a.Done = results.Throttled, a.Sent+2*time.Millisecond
	}
	p.counts.Requests++
	switch a.Class {
	case results.Ok:
		p.served[second]++
		p.counts.Ok++
		p.counts.Entities += a.Counted
	case results.Throttled:
		p.counts.Throttled++
	default:
		p.counts.Failed++
	}
	if a.Class != results.Ok {
		a.Counted, a.Returned = 0, 0
	}
	p.to.Attempt(&a)
	return a
}
