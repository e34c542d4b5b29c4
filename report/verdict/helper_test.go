package verdict_test

import (
	"testing"
	"time"

	"loadgen/results"
)

// fullKey is the partition that the tests' load is aimed at.
const fullKey = "2011 New York City Marathon__Full"

// manifest is that of an embedded run against the documents' targets.
func manifest() results.Manifest {
	return results.Manifest{
		Command:  []string{"loadgen", "stress"},
		Scenario: results.Scenario{Name: "stress"},
		Target:   "in-process", Start: "warm", Profile: "documented", Seed: 1, Retry: "short", Time: "real",
		Started:      time.Date(2011, 11, 6, 9, 40, 0, 123, time.FixedZone("EST", -5*3600)),
		PartitionKey: fullKey,
		Targets:      results.Targets{Partition: 2000, Account: 20_000, Documented: true},
		Operations: []results.Kind{
			{Name: "load"}, {Name: "get", Group: "GET"}, {Name: "insert", Group: "PUT"}, {Name: "merge", Group: "PUT"}},
	}
}

// run is a run against a partition that serves so many entities in each second
// and refuses the rest; a quarter of the operations are inserts, the others
// reads, each of one entity.
type run struct {
	manifest results.Manifest
	serves   int
	rates    []int
	// seconds is the length of each step, pause of the hold after it.
	seconds, pause int
	// retries is how often a throttled operation tries again, each time a second
	// later. Of so many operations one is late, one dropped, one failed; 0 is
	// none.
	retries, late, dropped, failed int
	// end is when the run ends, 0 for the end of its last phase and 5 s.
	end      time.Duration
	validity string
	reasons  []string
}

// record plays the run into a recorder and reads the record back.
func (r *run) record(t testing.TB) *results.Record {
	t.Helper()
	folder := new(results.Memory)
	recorder, err := results.NewRecorder(folder, r.manifest)
	if err != nil {
		t.Fatalf("NewRecorder = %v; want no error", err)
	}
	served, counts := make(map[int64]int), new(results.TargetCounts)
	begin := time.Second
	for _, rate := range r.rates {
		end := begin + time.Duration(r.seconds)*time.Second
		step := recorder.Phase(results.Phase{Name: "step", Stage: "peak", Begin: begin, End: end,
			Rate: float64(rate), Reported: true})
		for i := range rate * r.seconds {
			r.operation(recorder, step, i, begin+time.Duration(i)*time.Second/time.Duration(rate), served, counts)
		}
		begin = end + time.Duration(r.pause)*time.Second
	}
	end, validity := r.end, r.validity
	if end == 0 {
		end = begin + 5*time.Second
	}
	if validity == "" {
		validity = results.Valid
	}
	if err := recorder.Finish(end, validity, r.reasons, counts); err != nil {
		t.Fatalf("Finish = %v; want no error", err)
	}
	record, err := results.Read(folder)
	if err != nil {
		t.Fatalf("Read = %v; want no error", err)
	}
	return record
}

// every says whether i is one of every n; n of 0 is never.
func every(i, n int) bool { return n > 0 && i%n == n-1 }

func (r *run) operation(to *results.Recorder, step, i int, due time.Duration, served map[int64]int, counts *results.TargetCounts) {
	kind := 1
	if i%4 == 3 {
		kind = 2
	}
	sent := due
	if every(i, r.late) {
		sent += 120 * time.Millisecond
	}
	s := results.Scheduled{Phase: step, Kind: kind, Intended: due, Sent: sent, Entities: 1, Dropped: every(i, r.dropped)}
	to.Scheduled(&s)
	if s.Dropped {
		return
	}
	for try := 0; ; try++ {
		a := results.Attempt{Class: results.Ok, Phase: step, Kind: kind, Number: uint64(i), Try: try, Retry: try > 0, Intended: due, Sent: sent,
			Done: sent + 4*time.Millisecond, PartitionKey: r.manifest.PartitionKey, HasPartition: true}
		counts.Requests++
		switch second := int64(sent / time.Second); {
		case every(i, r.failed):
			a.Class = results.Failed
			counts.Failed++
		case served[second] >= r.serves:
			a.Class, a.Done = results.Throttled, sent+2*time.Millisecond
			counts.Throttled++
		default:
			served[second]++
			a.Counted, a.Returned = 1, 1
			counts.Ok++
			counts.Entities++
		}
		to.Attempt(&a)
		if a.Class != results.Throttled || try == r.retries {
			to.Completed(&results.Completed{Phase: step, Kind: kind, Number: uint64(i), Intended: due, Done: a.Done,
				Class: a.Class, Attempts: try + 1, Entities: 1, Served: a.Counted})
			return
		}
		to.Waited(step, time.Second)
		sent = a.Done + time.Second
	}
}

// stress is a run that saturates its partition at 2,000 entities/s.
func stress() *run {
	return &run{manifest: manifest(), serves: 2000, rates: []int{1000, 4000}, seconds: 4, pause: 1}
}
