//go:build unix

package drive_test

import (
	"context"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"loadgen/backoff"
	"loadgen/engine/clock"
	"loadgen/scenarios/arrival"
	"loadgen/scenarios/drive"
	"loadgen/target"
	"loadgen/target/targettest"
)

// processTime is the processor time that the process has used so far.
func processTime(t testing.TB) time.Duration {
	t.Helper()
	var usage syscall.Rusage
	require.NoError(t, syscall.Getrusage(syscall.RUSAGE_SELF, &usage))
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// atOnce answers everything at once.
func atOnce(context.Context, *target.Operation) target.Outcome {
	return target.Outcome{Status: 204, Counted: 1}
}

// BenchmarkLiveAttempts is one operation of a live run over a target that answers
// at once, flat out: what the generator itself costs.
func BenchmarkLiveAttempts(b *testing.B) {
	for _, bench := range []struct {
		name    string
		workers int
		rate    float64
	}{
		{"closed/workers=32", 32, 0},
		{"closed/workers=1", 1, 0},
		{"open/workers=64", 64, 1e6},
		{"open/workers=2000", 2000, 1e6},
	} {
		b.Run(bench.name, func(b *testing.B) {
			stage := closedStage(backoff.Policy{}, bench.workers, uint64(b.N), time.Hour)
			if bench.rate > 0 {
				stage = openStage(b, backoff.Policy{}, time.Hour, arrival.Step{Rate: bench.rate, Length: time.Duration(float64(b.N)/bench.rate*1e9) + 1})
			}
			stage.Build = benchGet
			b.ReportAllocs()
			used := processTime(b)
			b.ResetTimer()
			_, _, err := outing(b, context.Background(), &drive.Live{Clock: clock.NewReal(), Target: targettest.Func(atOnce), Workers: bench.workers}, nil, stage)
			b.StopTimer()
			if err != nil {
				b.Fatal(err)
			}
			b.ReportMetric(float64((processTime(b)-used).Nanoseconds())/float64(b.N), "cpu-ns/op")
		})
	}
}
