package export_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"loadgen/report/verdict"
	"loadgen/results"
	"loadgen/results/resultstest"
)

// run is a run of three kinds of operation: a load that is not reported, then steps in
// which more and more is throttled.
type run struct {
	names, phases [3]string
	change        func(*results.Manifest)
	validity      string
	reasons       []string
	// each is how many operations a step has, gone how many of them are never sent.
	each, gone int
	// tail is added to every operation's time.
	tail time.Duration
	end  time.Duration
	// listens returns who is told of every second, nil for nobody.
	listens func(*results.Manifest) results.Listener
}

func race() run {
	return run{names: [3]string{"load", "get", "insert (full)"}, phases: [3]string{"load", "peak 500/s", "peak 1000/s"}, validity: results.Valid, each: 3000}
}

// shared keeps the records of [race] and [asked], which nothing may alter.
var shared = make(map[string]*results.Record)

// once returns the record of a run that several tests look at, made once.
func once(t testing.TB, name string, of run) *results.Record {
	t.Helper()
	if shared[name] == nil {
		shared[name] = of.record(t)
	}
	return shared[name]
}

// record plays the run into a recorder, judges it and reads it back.
func (r run) record(t testing.TB) *results.Record {
	t.Helper()
	m := resultstest.Manifest(func(m *results.Manifest) {
		m.Seed, m.PartitionKey, m.Targets.Documented = 7, "", false
		m.Started = m.Started.Add(250 * time.Millisecond)
		m.Operations = []results.Kind{{Name: r.names[0]}, {Name: r.names[1], Group: "GET"}, {Name: r.names[2], Group: "PUT"}}
	})
	if r.change != nil {
		r.change(&m)
	}
	folder := new(results.Memory)
	recorder := resultstest.Open(t, folder, m)
	if r.listens != nil {
		recorder.Listen(r.listens(&m))
	}
	rng := rand.New(rand.NewPCG(11, uint64(r.each)))
	n := uint64(0)
	one := func(phase, kind int, due, took time.Duration, class results.Class) {
		n++
		took += time.Duration(rng.IntN(4000))*time.Microsecond + r.tail
		recorder.Scheduled(&results.Scheduled{Phase: phase, Kind: kind, Intended: due, Sent: due + time.Millisecond, Entities: 1})
		again := class == results.Throttled
		if again {
			recorder.Attempt(&results.Attempt{Phase: phase, Kind: kind, Number: n, Intended: due, Sent: due + time.Millisecond, Done: due + took, Class: results.Throttled, Status: 503})
			class = results.Ok + results.Class(n/7%2)
		}
		a := results.Attempt{Phase: phase, Kind: kind, Number: n, Try: 1, Retry: again, Intended: due, Sent: due + time.Millisecond, Done: due + 2*took, Class: class, Status: 200}
		c := results.Completed{Phase: phase, Kind: kind, Number: n, Intended: due, Done: due + 2*took, Class: class, Attempts: 1, Entities: 1}
		if class == results.Ok {
			a.Counted, a.Returned, c.Served = 1, 1, 1
		}
		recorder.Attempt(&a)
		recorder.Completed(&c)
	}
	load := recorder.Phase(results.Phase{Name: r.phases[0], Stage: "load"})
	for i := range 5 {
		one(load, 0, time.Duration(i)*100*time.Millisecond, 30*time.Millisecond, results.Ok)
	}
	recorder.EndPhase(load, 750*time.Millisecond)
	begin := time.Second
	for step := range 2 {
		end := begin + 4*time.Second
		p := recorder.Phase(results.Phase{Name: r.phases[1+step], Stage: "peak", Begin: begin, End: end, Rate: float64(r.each) / 4, Reported: true})
		for i := range r.each {
			due := begin + time.Duration(i)*4*time.Second/time.Duration(r.each)
			class := results.Ok
			switch {
			case i < r.gone:
				recorder.Scheduled(&results.Scheduled{Phase: p, Kind: 1, Intended: due, Entities: 1, Dropped: true})
				continue
			case step == 1 && i%5 == 4:
				class = results.Throttled
			}
			one(p, 1+i%2, due, 3*time.Millisecond, class)
		}
		begin = end
	}
	if r.end == 0 {
		r.end = begin + time.Second
	}
	require.NoError(t, recorder.Finish(r.end, r.validity, r.reasons, nil))
	record := resultstest.Read(t, folder)
	record.Summary = verdict.Judge(record)
	return record
}
