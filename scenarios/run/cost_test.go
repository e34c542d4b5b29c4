package run_test

import (
	"runtime"
	"testing"

	"loadgen/scenarios/run"
)

// An attempt of a simulation allocates nothing: what a longer run takes beyond a shorter one
// is what each of its seconds takes, and not what its attempts do.
func TestASimulatedAttemptAllocatesNothing(t *testing.T) {
	const most = 0.1
	allocated := func(length string) (objects uint64, attempts int64) {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		attempts = canonical(t, run.Plan{}, "phases.spread.for="+length).Target.Requests
		runtime.ReadMemStats(&after)
		return after.Mallocs - before.Mallocs, attempts
	}
	allocated("1s") // Whatever is made once is made now.
	short, few := allocated("2s")
	long, many := allocated("7s")
	if each := (float64(long) - float64(short)) / float64(many-few); each > most || many-few < 50_000 {
		t.Errorf("%d attempts more took %d allocations more, %.3f each; want %v at most", many-few, int64(long)-int64(short), each, most)
	}
}
