package chart_test

import (
	"container/heap"
	"fmt"
	"math"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"loadgen/results"
)

// ladder is a run against a partition that serves so many entities a second and
// refuses the rest, which is retried.
type ladder struct {
	rates  []float64
	length time.Duration // of a step
	cap    float64
	// retries is how often a throttled operation is tried again.
	retries int
	seed    uint64
}

// attempt is one request of a ladder, due at an instant.
type attempt struct {
	at, intended     time.Duration
	phase, kind, try int
	number           uint64
}

type attempts []attempt

func (a attempts) Len() int { return len(a) }
func (a attempts) Less(i, j int) bool {
	if a[i].at != a[j].at {
		return a[i].at < a[j].at
	}
	return a[i].number < a[j].number
}
func (a attempts) Swap(i, j int) { a[i], a[j] = a[j], a[i] }
func (a *attempts) Push(x any)   { *a = append(*a, x.(attempt)) }
func (a *attempts) Pop() any {
	old := *a
	last := old[len(old)-1]
	*a = old[:len(old)-1]
	return last
}

// manifest is that of a ladder.
func manifest(cap float64) results.Manifest {
	return results.Manifest{
		Scenario: results.Scenario{Name: "stress"}, Target: "in-process", Time: "virtual", Retry: "short",
		PartitionKey: "2011 New York City Marathon__Full",
		Targets:      results.Targets{Partition: int64(cap)},
		Operations: []results.Kind{{Name: "get", Group: "GET"}, {Name: "insert", Group: "PUT"},
			{Name: "merge", Group: "PUT"}, {Name: "load", Group: ""}},
	}
}

// record runs the ladder and reads what was taken down.
func (l ladder) record(t testing.TB) *results.Record {
	t.Helper()
	folder := new(results.Memory)
	r, err := results.NewRecorder(folder, manifest(l.cap))
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(l.seed, 1))
	begin := 2 * time.Second
	r.Phase(results.Phase{Name: "load", Begin: 0, End: begin})
	r.Scheduled(&results.Scheduled{Phase: 0, Kind: 3, Intended: 0, Entities: 100})
	r.Attempt(&results.Attempt{Class: results.Ok, Phase: 0, Kind: 3, Done: time.Second, Status: 200, Counted: 100})
	r.Completed(&results.Completed{Class: results.Ok, Phase: 0, Kind: 3, Done: time.Second, Attempts: 1, Entities: 100, Served: 100})

	var queue attempts
	var number uint64
	for i, rate := range append(l.rates, l.rates[len(l.rates)-1]) {
		phase := results.Phase{Name: fmt.Sprintf("step-%d", i+1), Stage: "peak", Begin: begin, End: begin + l.length,
			Rate: rate, Reported: true}
		if i == len(l.rates) {
			phase.Name, phase.Reported = "hold", false
		}
		index := r.Phase(phase)
		for n := 0; n < int(rate*l.length.Seconds()); n++ {
			kind := [10]int{0, 0, 0, 0, 0, 0, 0, 1, 1, 2}[rng.IntN(10)]
			at := begin + time.Duration(float64(n)/rate*float64(time.Second))
			r.Scheduled(&results.Scheduled{Phase: index, Kind: kind, Intended: at, Entities: 1})
			queue = append(queue, attempt{at: at, intended: at, phase: index, kind: kind, number: number})
			number++
		}
		begin += l.length
	}
	l.serve(r, queue, rng)
	if err := r.Finish(begin, results.Valid, nil, nil); err != nil {
		t.Fatal(err)
	}
	if err := r.Seal(nil); err != nil {
		t.Fatal(err)
	}
	record, err := results.Read(folder)
	if err != nil {
		t.Fatal(err)
	}
	return record
}

// serve sends what is queued, in the order of time, through a bucket that holds
// a tenth of a second of the cap.
func (l ladder) serve(r *results.Recorder, queue attempts, rng *rand.Rand) {
	heap.Init(&queue)
	tokens, last := l.cap/10, time.Duration(0)
	for queue.Len() > 0 {
		a := heap.Pop(&queue).(attempt)
		tokens = min(l.cap/10, tokens+l.cap*(a.at-last).Seconds())
		last = a.at
		took := time.Duration(2.5e6 * math.Exp(0.45*rng.NormFloat64()))
		if a.kind > 0 {
			took *= 2
		}
		out := &results.Attempt{Class: results.Ok, Phase: a.phase, Kind: a.kind, Number: a.number, Try: a.try,
			Intended: a.intended, Sent: a.at, Done: a.at + took, Status: 200, Counted: 1}
		done := &results.Completed{Class: results.Ok, Phase: a.phase, Kind: a.kind, Number: a.number, Intended: a.intended,
			Done: out.Done, Attempts: a.try + 1, Entities: 1, Served: 1}
		if tokens < 1 {
			out.Class, out.Status, out.Counted, out.Done = results.Throttled, 503, 0, a.at+time.Millisecond
			r.Attempt(out)
			if a.try < l.retries {
				wait := min(2*time.Second, max(50*time.Millisecond,
					time.Duration(100e6*(math.Pow(2, float64(a.try+1))-1)*(0.8+0.4*rng.Float64()))))
				r.Waited(a.phase, wait)
				a.at, a.try = out.Done+wait, a.try+1
				heap.Push(&queue, a)
				continue
			}
			done.Class, done.Served, done.Done = results.Throttled, 0, out.Done
		} else {
			tokens--
			r.Attempt(out)
		}
		r.Completed(done)
	}
}

// stress is the run that most tests look at: a cap of 2,000 and steps to 4,000.
var stress = sync.OnceValue(func() *results.Record {
	return ladder{rates: []float64{500, 1000, 1500, 2000, 2500, 3000, 3500, 4000}, length: time.Second,
		cap: 2000, retries: 3, seed: 20111106}.record(panicking{})
})

// panicking lets a value that is made once fail outside of a single test.
type panicking struct{ testing.TB }

func (panicking) Helper()            {}
func (panicking) Fatal(words ...any) { panic(fmt.Sprint(words...)) }
