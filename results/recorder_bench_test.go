package results_test

import (
	"testing"
	"time"

	"loadgen/results"
)

// BenchmarkRecorder is what one operation of one attempt costs the record, its
// share of the line that each second writes included, at 10,000 a second.
func BenchmarkRecorder(b *testing.B) {
	recorder := begin(b, results.Dir(b.TempDir()))
	step := recorder.Phase(results.Phase{Name: "step", End: time.Hour, Rate: 10_000, Reported: true})
	attempt := results.Attempt{Phase: step, Kind: 1, Class: results.Ok,
		PartitionKey: "2011 New York City Marathon__Full", HasPartition: true, Counted: 1}
	completed := results.Completed{Phase: step, Kind: 1, Class: results.Ok, Attempts: 1, Entities: 1, Served: 1}
	b.ReportAllocs()
	due := time.Duration(0)
	for b.Loop() {
		due += 100 * time.Microsecond
		recorder.Scheduled(&results.Scheduled{Phase: step, Kind: 1, Intended: due, Sent: due, Entities: 1})
		attempt.Intended, attempt.Sent, attempt.Done = due, due, due+4*time.Millisecond
		recorder.Attempt(&attempt)
		completed.Intended, completed.Done = due, attempt.Done
		recorder.Completed(&completed)
		if err := recorder.Advance(due); err != nil {
			b.Fatal(err)
		}
	}
}
