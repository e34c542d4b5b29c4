// Package resultstest makes records for tests: a [Run] is declared by its phases and by
// functions of its operations and attempts, and [Play] takes down whatever a function does.
package resultstest

import (
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"loadgen/results"
)

// Partition is the partition of [Manifest].
const Partition = "2011 New York City Marathon__Full"

// Manifest returns the manifest of a run in this process, on one partition, against the
// documented targets: of a load, of reads and of two kinds of writes.
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

// Run is a load on a partition that answers so many attempts in a second.
type Run struct {
	Manifest results.Manifest
	Phases   []Phase
	// Operation alters what became due before it is taken down, Attempt what came of an
	// attempt that the partition is about to answer. Nil alters nothing.
	Operation func(op *Operation)
	Attempt   func(op *Operation, a *results.Attempt)
	// Serves is how many attempts succeed in a second; the others are throttled. 0 is all.
	Serves int
	// Retries is how often a throttled operation tries again, Wait how long it waits first.
	Retries int
	Wait    time.Duration
	// End is where the run is cut off; 0 is Tail after the end of the last phase.
	End, Tail time.Duration
	// Validity is results.Valid if empty.
	Validity string
	Reasons  []string
	// NoCounts says that the target does not count.
	NoCounts bool
	Events   []results.Event
	// Take adds to the record what is told in one piece.
	Take func(of *results.Record)
}

// Phase is a phase and the operations that are due in it, at equal distances.
type Phase struct {
	results.Phase
	// Kind is that of its operations.
	Kind int
	// Operations is how many there are; 0 is as many as its rate says.
	Operations int
	// Takes is the length of a phase whose end is not known at its beginning.
	Takes time.Duration
}

// Steps returns reported steps of a peak, one for each rate, with a pause after each.
func Steps(begin, length, pause time.Duration, rates ...int) (list []Phase) {
	for _, rate := range rates {
		list = append(list, Phase{Kind: 1, Phase: results.Phase{Name: "step", Stage: "peak",
			Begin: begin, End: begin + length, Rate: float64(rate), Reported: true}})
		begin += length + pause
	}
	return list
}

// Operation is an operation that becomes due.
type Operation struct {
	results.Scheduled
	// Number counts the operations of a phase from 0.
	Number uint64
	// Rand is drawn from by all operations of the run; the manifest's seed is its own.
	Rand *rand.Rand
}

// IsLastOf reports whether the operation is the last of each n; 0 is never.
func (op *Operation) IsLastOf(n int) bool { return n > 0 && int(op.Number)%n == n-1 }

// Record plays the run and reads its record.
func (r *Run) Record(t testing.TB) *results.Record {
	t.Helper()
	folder := new(results.Memory)
	r.Into(t, folder)
	return Read(t, folder)
}

// RecordOnce returns a function that reads the record of the run, which is played when it is first
// called.
func (r *Run) RecordOnce() func(t testing.TB) *results.Record {
	folder, once := new(results.Memory), new(sync.Once)
	return func(t testing.TB) *results.Record {
		t.Helper()
		once.Do(func() { r.Into(t, folder) })
		return Read(t, folder)
	}
}

// Into plays the run into a folder and returns its recorder, which is finished and not sealed.
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
		p.to.Take(r.Take)
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

// player takes down a run.
type player struct {
	*Run
	to     *results.Recorder
	served map[int64]int
	counts results.TargetCounts
	random *rand.Rand
}

// phase takes down a phase and returns its end.
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

// operation takes down an operation and its attempts.
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

// attempt sends an attempt and takes down what the partition answers.
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
