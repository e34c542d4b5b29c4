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
	b.ReportAllocs()
	due := time.Duration(0)
	for b.Loop() {
		due += 100 * time.Microsecond
		succeed(recorder, step, 1, due, 4*time.Millisecond)
		advance(b, recorder, due)
	}
}
