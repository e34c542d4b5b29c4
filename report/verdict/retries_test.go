package verdict_test

import (
	"testing"
	"time"

	"loadgen/report/verdict"
	"loadgen/results"
)

// twoRequests is a run of reads, and of operations that read before they write: no
// request takes over 4 ms, and an operation of the others 12 ms. Of so many
// operations one is tried once more, a second later.
func twoRequests(t *testing.T, again int) *results.Record {
	t.Helper()
	folder := new(results.Memory)
	recorder, err := results.NewRecorder(folder, manifest())
	if err != nil {
		t.Fatalf("NewRecorder = %v; want no error", err)
	}
	const operations, took = 1000, 4 * time.Millisecond
	step := recorder.Phase(results.Phase{Name: "step", Stage: "peak", End: 10 * time.Second, Rate: 100, Reported: true})
	for i := range operations {
		due, kind, requests := time.Duration(i)*10*time.Millisecond, 1+2*(i%2), 1
		if kind == 3 {
			requests = 2
		}
		recorder.Scheduled(&results.Scheduled{Phase: step, Kind: kind, Intended: due, Sent: due, Entities: int64(requests)})
		sent, tries := due, 0
		send := func(class results.Class, retry bool) {
			recorder.Attempt(&results.Attempt{Phase: step, Kind: kind, Number: uint64(i), Try: tries, Retry: retry,
				Intended: due, Sent: sent, Done: sent + took, Class: class, Counted: 1})
			tries++
			sent += 2 * took
		}
		throttled := again > 0 && i/2%again == 0
		if throttled {
			send(results.Throttled, false)
			recorder.Waited(step, time.Second)
			sent += time.Second
		}
		for request := range requests {
			send(results.Ok, throttled && request == 0)
		}
		recorder.Completed(&results.Completed{Phase: step, Kind: kind, Number: uint64(i), Intended: due, Done: sent - took,
			Class: results.Ok, Attempts: tries, Entities: int64(requests), Served: int64(requests)})
	}
	if err := recorder.Finish(12*time.Second, results.Valid, nil, nil); err != nil {
		t.Fatalf("Finish = %v; want no error", err)
	}
	record, err := results.Read(folder)
	if err != nil {
		t.Fatalf("Read = %v; want no error", err)
	}
	return record
}

// The second request of an operation is no retry, and its time is no waiting.
func TestFindingsTellRetriesFromFurtherRequests(t *testing.T) {
	for _, row := range []struct {
		name         string
		again        int
		says, silent []string
	}{
		{"nothing was tried again", 0, nil, []string{"Retries", "waiting"}},
		{"one operation of a thousand was", 1000, nil, []string{"Retries", "waiting"}},
		{"every tenth was", 10, []string{"Retries add up to 0.10 attempts to each operation (at 100 operations/s)"}, []string{"waiting"}},
		{"every operation was", 1, []string{"Retries add up to 1.00 attempts",
			"half of the successes of the operations of one request take over 1,012 ms, of which an ok attempt takes 4.00 ms"}, nil},
	} {
		saidAndUnsaid(t, row.name, verdict.Findings(twoRequests(t, row.again)), row.says, row.silent)
	}
}

func TestFindingsSayWhetherAnybodyTriedAgain(t *testing.T) {
	for _, row := range []struct{ name, retry, says, silent string }{
		{"a policy that gave up", "short", "were given up after their last attempt", "not tried again"},
		{"a policy of no retries", "none", "800 did not succeed and were not tried again, half of them after more than", "given up"},
	} {
		r := small(nil)
		r.manifest.Retry = row.retry
		saidAndUnsaid(t, row.name, verdict.Findings(r.record(t)), []string{row.says}, []string{row.silent})
	}
}

// What a filter drops is counted by the service and told by nobody.
func TestLimitsOfQueriesWithAFilter(t *testing.T) {
	const remote = "https://account.table.core.windows.net"
	for _, row := range []struct {
		name, target string
		emulator     bool
		filtered     []int
		says         []string
		silent       []string
	}{
		{"a service that does not tell", remote, false, []int{1, 2}, []string{"queries with a filter (get, insert) are those that they returned, a lower bound"}, nil},
		{"an emulator does not, either", "http://127.0.0.1:10002/devstoreaccount1", true, []int{1}, []string{"with a filter (get)"}, nil},
		{"no filter", remote, false, nil, nil, []string{"a filter"}},
		{"a filter that nothing was sent with", remote, false, []int{0, 3}, nil, []string{"a filter"}},
		{"our own engine tells", results.Embedded, false, []int{1}, nil, []string{"a filter"}},
		{"in this process, too", results.InProcess, false, []int{1}, nil, []string{"a filter"}},
	} {
		r := small(func(r *run) { r.manifest.Target, r.manifest.Emulator = row.target, row.emulator })
		record := r.record(t)
		for _, k := range row.filtered {
			record.Manifest.Operations[k].Filtered = true
		}
		saidAndUnsaid(t, row.name, verdict.Limits(record), row.says, row.silent)
	}
}
