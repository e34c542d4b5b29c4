package results_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"loadgen/results"
)

// operation is one random operation with all of its attempts.
type operation struct {
	due      results.Scheduled
	attempts []results.Attempt
	waits    []time.Duration
	end      results.Completed
}

// longestAttempt bounds the attempts of random operations, and so how far the
// watermark must stay behind.
const longestAttempt = 3 * time.Second

// counterPhases is a preparation, a step, an unreported hold, and a second step
// that crosses a minute.
func counterPhases() []results.Phase {
	return []results.Phase{
		{Name: "load", Stage: "load", End: 5 * time.Second},
		{Name: "500/s", Stage: "peak", Begin: 5 * time.Second, End: 30 * time.Second, Rate: 500, Reported: true},
		{Name: "hold", Stage: "peak", Begin: 30 * time.Second, End: 40 * time.Second, Rate: 500},
		{Name: "4,000/s", Stage: "peak", Begin: 40*time.Second + 1, End: 65 * time.Second, Rate: 4000, Reported: true},
	}
}

// spread is where random operations go: to so many partitions and accounts, in phases. Some of
// what fails may do so because somebody asked for it.
type spread struct {
	phases               []results.Phase
	partitions, accounts int
	injects              bool
}

func (s spread) operations(rng *rand.Rand, n int) []operation {
	ops := make([]operation, n)
	for i := range ops {
		p := rng.IntN(len(s.phases))
		due := s.phases[p].Begin + time.Duration(rng.Int64N(int64(s.phases[p].End-s.phases[p].Begin)))
		ops[i] = s.operation(rng, uint64(i), p, due)
	}
	return ops
}

func (s spread) operation(rng *rand.Rand, number uint64, phase int, due time.Duration) operation {
	kind, entities := rng.IntN(3), 1+rng.Int64N(100)
	op := operation{due: results.Scheduled{Phase: phase, Kind: kind, Intended: due, Entities: entities,
		Dropped: rng.IntN(10) == 0}}
	if op.due.Dropped {
		return op
	}
	partition, nowhere := rng.IntN(s.partitions), rng.IntN(4) == 0
	key, table := fmt.Sprint("key ", partition/2), []string{"", "Copies"}[partition%2]
	sent := due + time.Duration(rng.ExpFloat64()*float64(3*time.Millisecond))
	op.due.Sent = sent
	tries := 1 + rng.IntN(4)
	for try := range tries {
		done := sent + min(longestAttempt, time.Duration(rng.ExpFloat64()*float64(200*time.Millisecond)))
		a := results.Attempt{Phase: phase, Kind: kind, Number: number, Try: try, Retry: try > 0, Intended: due, Sent: sent, Done: done,
			Class: results.Throttled, Status: 503, Entities: entities, Due: entities, Account: partition % s.accounts,
			BytesOut: rng.Int64N(1000), BytesIn: rng.Int64N(1000)}
		if !nowhere {
			a.Table, a.PartitionKey, a.HasPartition = table, key, true
		}
		a.Code = []string{"ServerBusy", "OperationTimedOut", "Other<1>"}[rng.IntN(3)]
		if try == tries-1 {
			a.Class = results.Class(1 + rng.IntN(3))
		}
		if s.injects && a.Class != results.Ok && rng.IntN(9) == 0 {
			a.Injected, a.Kept = "refuse", rng.IntN(2) == 0
		}
		if a.Class != results.Throttled {
			a.Status, a.Code = 0, ""
			a.Counted, a.Returned = entities, rng.Int64N(3)
			a.Stored = rng.Int64N(5000)
		}
		op.attempts = append(op.attempts, a)
		if try < tries-1 {
			op.waits = append(op.waits, time.Duration(rng.Int64N(int64(2*time.Second))))
			sent = done + op.waits[try]
		}
	}
	last := op.attempts[tries-1]
	op.end = results.Completed{Phase: phase, Kind: kind, Number: number, Intended: due, Done: last.Done,
		Class: last.Class, Attempts: tries, Entities: entities, Cut: rng.IntN(20) == 0}
	if last.Class == results.Ok {
		op.end.Served = last.Counted
	}
	return op
}

// moment is one call of the recorder at its instant.
type moment struct {
	at   time.Duration
	call func(*results.Recorder)
}

// momentsOf returns the calls that record the operations, in the order of their instants.
func momentsOf(ops []operation) []moment {
	var moments []moment
	for i := range ops {
		op := &ops[i]
		moments = append(moments, moment{max(op.due.Intended, op.due.Sent), func(r *results.Recorder) { r.Scheduled(&op.due) }})
		for a := range op.attempts {
			if a > 0 {
				moments = append(moments, moment{op.attempts[a].Sent, func(r *results.Recorder) { r.Again(op.attempts[a].Sent) }})
			}
			moments = append(moments, moment{op.attempts[a].Done, func(r *results.Recorder) {
				r.Attempt(&op.attempts[a])
				if a < len(op.waits) {
					r.Waited(op.due.Phase, op.waits[a])
				} else {
					r.Completed(&op.end)
				}
			}})
		}
	}
	slices.SortStableFunc(moments, func(a, b moment) int { return cmp.Compare(a.at, b.at) })
	return moments
}

// play records the operations in the order of their instants, with the
// watermark as close as the longest attempt allows.
func play(r *results.Recorder, ops []operation) error {
	for _, m := range momentsOf(ops) {
		m.call(r)
		if err := r.Advance(m.at - longestAttempt); err != nil {
			return err
		}
	}
	return nil
}

// counter is what a recorder must arrive at, counted the slow way: durations are
// kept one by one.
type counter struct {
	results.KindStats
	response, lost []time.Duration
	service        [4][]time.Duration
}

// count adds up the operations of one phase and kind.
func count(ops []operation, phase, kind int) *counter {
	bounds := counterPhases()[phase]
	middle := (bounds.Begin + bounds.End) / 2
	t := new(counter)
	for _, op := range ops {
		if op.due.Phase != phase || op.due.Kind != kind {
			continue
		}
		late := op.due.Intended >= middle
		t.Scheduled++
		t.Offered += op.due.Entities
		if late {
			t.LastHalf.Offered += op.due.Entities
			t.LastHalf.Scheduled++
		}
		if op.due.Dropped {
			t.Dropped++
			continue
		}
		t.Sent++
		t.Operations++
		first := int64(0)
		if op.attempts[0].Class == results.Throttled {
			first = 1
		}
		t.FirstThrottled += first
		if late {
			t.LastHalf.Sent++
			t.LastHalf.FirstThrottled += first
		}
		if op.attempts[0].Sent-op.due.Intended > 5*time.Millisecond {
			t.Late++
		}
		t.attempts(op.attempts)
		t.ended(&op.end, late)
	}
	return t
}

func (t *counter) attempts(attempts []results.Attempt) {
	for _, a := range attempts {
		t.Attempts++
		if a.Retry {
			t.Retries++
		}
		if a.Class != results.Ok {
			t.Causes = causedOnce(t.Causes, &a)
		}
		t.Counted += a.Counted
		t.Returned += a.Returned
		t.BytesOut += a.BytesOut
		t.BytesIn += a.BytesIn
		t.Stored += a.Stored
		t.service[a.Class] = append(t.service[a.Class], a.Done-a.Sent)
	}
	t.Ok = int64(len(t.service[results.Ok]))
	t.Throttled = int64(len(t.service[results.Throttled]))
	t.Failed = int64(len(t.service[results.Failed]))
}

func (t *counter) ended(end *results.Completed, late bool) {
	t.Served += end.Served
	if late {
		t.LastHalf.Served += end.Served
	}
	if late && end.Class == results.Ok {
		t.LastHalf.Succeeded++
	}
	if end.Cut {
		t.Cut++
	}
	if end.Class == results.Ok {
		t.Succeeded++
		t.response = append(t.response, end.Done-end.Intended)
	} else {
		t.lost = append(t.lost, end.Done-end.Intended)
	}
}
