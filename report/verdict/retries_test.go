package verdict_test

import (
	"fmt"
	"testing"
	"time"

	"loadgen/report/verdict"
	"loadgen/results"
	"loadgen/results/resultstest"
)

// twoRequests is a run of reads, and of operations that read before they write: no
// request takes over 4 ms, and an operation of the others 12 ms. Of so many
// operations one is tried once more, a second later.
func twoRequests(t *testing.T, again int) *results.Record {
	t.Helper()
	const operations, took = 1000, 4 * time.Millisecond
	return resultstest.Play(t, manifest(), 12*time.Second, func(r *results.Recorder) {
		step := r.Phase(results.Phase{Name: "step", Stage: "peak", End: 10 * time.Second, Rate: 100, Reported: true})
		for i := range operations {
			due, kind, requests := time.Duration(i)*10*time.Millisecond, 1+2*(i%2), 1
			if kind == 3 {
				requests = 2
			}
			r.Scheduled(&results.Scheduled{Phase: step, Kind: kind, Intended: due, Sent: due, Entities: int64(requests)})
			sent, tries := due, 0
			send := func(class results.Class, retry bool) {
				r.Attempt(&results.Attempt{Phase: step, Kind: kind, Number: uint64(i), Try: tries, Retry: retry,
					Intended: due, Sent: sent, Done: sent + took, Class: class, Counted: 1})
				tries++
				sent += 2 * took
			}
			throttled := again > 0 && i/2%again == 0
			if throttled {
				send(results.Throttled, false)
				r.Waited(step, time.Second)
				sent += time.Second
			}
			for request := range requests {
				send(results.Ok, throttled && request == 0)
			}
			r.Completed(&results.Completed{Phase: step, Kind: kind, Number: uint64(i), Intended: due, Done: sent - took,
				Class: results.Ok, Attempts: tries, Entities: int64(requests), Served: int64(requests)})
		}
	})
}

// The second request of an operation is no retry, and its time is no waiting.
func TestFindingsTellRetriesFromFurtherRequests(t *testing.T) {
	for again, words := range map[int]string{0: "!Retries|!waiting", 1000: "!Retries|!waiting",
		10: "0.10 attempts|100 operations/s|!waiting", 1: "1.00 attempts|1,012 ms|4.00 ms"} {
		checkSentences(t, fmt.Sprintf("one of %d was tried again", again), verdict.Findings(twoRequests(t, again)), words)
	}
}

func TestFindingsSayWhetherAnybodyTriedAgain(t *testing.T) {
	for retry, words := range map[string]string{"short": "given up", "none": "800 did not succeed|!given up"} {
		r := small(nil)
		r.manifest.Retry = retry
		checkSentences(t, retry, verdict.Findings(r.record(t)), words)
	}
}

// What a filter drops is counted by the service and told by nobody.
func TestLimitsOfQueriesWithAFilter(t *testing.T) {
	const remote = "https://account.table.core.windows.net"
	for _, row := range []struct {
		name, target string
		filtered     []int
		words        string
	}{
		{"a service that does not tell", remote, []int{1, 2}, "filter (get, insert)"},
		{"no filter", remote, nil, "!a filter"},
		{"a filter that nothing was sent with", remote, []int{0, 3}, "!a filter"},
		{"our own engine tells", results.Embedded, []int{1}, "!a filter"},
		{"in this process, too", results.InProcess, []int{1}, "!a filter"},
	} {
		record := small(func(r *run) { r.manifest.Target = row.target }).record(t)
		for _, k := range row.filtered {
			record.Manifest.Operations[k].Filtered = true
		}
		checkSentences(t, row.name, verdict.Limits(record), row.words)
	}
	record := small(func(r *run) { r.manifest.Target, r.manifest.Emulator = "http://127.0.0.1:10002/devstoreaccount1", true }).record(t)
	record.Manifest.Operations[1].Filtered = true
	checkSentences(t, "an emulator does not tell, either", verdict.Limits(record), "filter (get)")
}
