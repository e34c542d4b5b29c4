package report_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"loadgen/results"
)

// manifest is that of an embedded run with two operations in each table.
func manifest() results.Manifest {
	return results.Manifest{
		Command:  []string{"loadgen", "stress", "--partition-key", "2011 New York City Marathon__Full"},
		Scenario: results.Scenario{Name: "stress"},
		Target:   "in-process", Start: "warm", Profile: "documented", Seed: 1, Retry: "short", Time: "virtual",
		Started:      time.Date(2011, 11, 6, 9, 40, 0, 0, time.UTC),
		PartitionKey: "2011 New York City Marathon__Full",
		Targets:      results.Targets{Partition: 200, Account: 20_000},
		Model: []results.Parameter{
			{Name: "partition_target", Value: "200", Unit: "entities/s", Provenance: "assumption",
				About: "entities per second that one PartitionKey is held to; 0 is no limit"},
			{Name: "account_target", Value: "20000", Unit: "entities/s", Provenance: "documented"},
			{Name: "round_trip", Value: "1ms", Unit: "duration", Provenance: "assumption",
				About: "network time of an attempt"},
		},
		Operations: []results.Kind{{Name: "load"}, {Name: "get", Group: "GET"},
			{Name: "insert", Group: "PUT"}, {Name: "merge", Group: "PUT"}},
	}
}

// run is a load in steps on a partition that serves 200 entities in a second.
type run struct {
	manifest results.Manifest
	rates    []int
	seconds  int
	// Of so many operations one is dropped, one failed; 0 is none.
	dropped, failed int
	validity        string
	reasons         []string
	end             time.Duration
	noCounts        bool
}

func stress() *run { return &run{manifest: manifest(), rates: []int{100, 200, 400}, seconds: 4} }

// record plays the run, with seeded times, into a recorder and reads it back.
func (r *run) record(t testing.TB) *results.Record {
	t.Helper()
	folder := new(results.Memory)
	r.into(t, folder)
	record, err := results.Read(folder)
	if err != nil {
		t.Fatalf("Read = %v; want no error", err)
	}
	return record
}

// into plays the run into a folder, and returns its recorder, to be sealed.
func (r *run) into(t testing.TB, folder results.Folder) *results.Recorder {
	t.Helper()
	recorder, err := results.NewRecorder(folder, r.manifest)
	if err != nil {
		t.Fatalf("NewRecorder = %v; want no error", err)
	}
	p := &player{run: r, to: recorder, served: make(map[int64]int), rng: rand.New(rand.NewPCG(r.manifest.Seed, 9))}
	p.prepare()
	begin := time.Second
	for _, rate := range r.rates {
		end := begin + time.Duration(r.seconds)*time.Second
		p.phase = recorder.Phase(results.Phase{Name: "step", Stage: "peak", Begin: begin, End: end,
			Rate: float64(rate), Reported: true})
		for i := range rate * r.seconds {
			// What an interrupted run had no time for was never due.
			if due := begin + time.Duration(i)*time.Second/time.Duration(rate); r.end == 0 || due < r.end {
				p.operation(i, due)
			}
		}
		begin = end
	}
	end, validity, counts := r.end, r.validity, &p.counts
	if end == 0 {
		end = begin + 3*time.Second
	}
	if validity == "" {
		validity = results.Valid
	}
	if r.noCounts {
		counts = nil
	}
	if err := recorder.Finish(end, validity, r.reasons, counts); err != nil {
		t.Fatalf("Finish = %v; want no error", err)
	}
	return recorder
}

// player records the operations of a run.
type player struct {
	run    *run
	to     *results.Recorder
	phase  int
	served map[int64]int
	counts results.TargetCounts
	rng    *rand.Rand
}

// prepare loads 500 entities in five transactions before the first step.
func (p *player) prepare() {
	if len(p.run.manifest.Operations) == 0 {
		return
	}
	load := p.to.Phase(results.Phase{Name: "load", Stage: "load"})
	for i := range 5 {
		due := time.Duration(i) * 50 * time.Millisecond
		p.to.Scheduled(&results.Scheduled{Phase: load, Intended: due, Sent: due, Entities: 100})
		p.to.Attempt(&results.Attempt{Phase: load, Number: uint64(i), Intended: due, Sent: due, Done: due + 20*time.Millisecond,
			Class: results.Ok, PartitionKey: p.run.manifest.PartitionKey, HasPartition: true, Counted: 100})
		p.to.Completed(&results.Completed{Phase: load, Number: uint64(i), Intended: due, Done: due + 20*time.Millisecond,
			Class: results.Ok, Attempts: 1, Entities: 100, Served: 100})
		p.counts.Requests, p.counts.Ok, p.counts.Entities = p.counts.Requests+1, p.counts.Ok+1, p.counts.Entities+100
	}
	p.to.EndPhase(load, 250*time.Millisecond)
}

// operation sends one operation, and once again half a second after a refusal.
func (p *player) operation(i int, due time.Duration) {
	every := func(n int) bool { return n > 0 && i%n == n-1 }
	kind := 1 + i%5/3 + i%5/4
	sent := due + time.Duration(p.rng.IntN(300))*time.Microsecond
	p.to.Scheduled(&results.Scheduled{Phase: p.phase, Kind: kind, Intended: due, Sent: sent, Entities: 1, Dropped: every(p.run.dropped)})
	if every(p.run.dropped) {
		return
	}
	for try := range 2 {
		a := results.Attempt{Class: results.Ok, Phase: p.phase, Kind: kind, Number: uint64(i), Try: try, Retry: try > 0, Intended: due, Sent: sent,
			Done:         sent + 3*time.Millisecond + time.Duration(p.rng.IntN(4000))*time.Microsecond,
			PartitionKey: p.run.manifest.PartitionKey, HasPartition: true}
		p.counts.Requests++
		switch second := int64(sent / time.Second); {
		case every(p.run.failed):
			a.Class = results.Failed
			p.counts.Failed++
		case p.served[second] >= 200:
			a.Class, a.Done = results.Throttled, sent+2*time.Millisecond
			p.counts.Throttled++
		default:
			p.served[second]++
			a.Counted = 1
			p.counts.Ok++
			p.counts.Entities++
		}
		p.to.Attempt(&a)
		if a.Class != results.Throttled || try == 1 {
			p.to.Completed(&results.Completed{Phase: p.phase, Kind: kind, Number: uint64(i), Intended: due, Done: a.Done,
				Class: a.Class, Attempts: try + 1, Entities: 1, Served: a.Counted})
			return
		}
		p.to.Waited(p.phase, 500*time.Millisecond)
		sent = a.Done + 500*time.Millisecond
		if end := p.run.end; end > 0 && sent >= end {
			p.to.Completed(&results.Completed{Phase: p.phase, Kind: kind, Number: uint64(i), Intended: due,
				Done: min(end, sent), Class: results.Throttled, Attempts: 1, Entities: 1, Cut: true})
			return
		}
	}
}
