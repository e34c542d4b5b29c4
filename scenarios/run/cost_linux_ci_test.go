//go:build ci

package run_test

import (
	"runtime"
	"runtime/debug"
	"slices"
	"syscall"
	"testing"
	"time"

	"loadgen/engine/clock"
	"loadgen/scenarios/run"
)

// A simulation costs no more CPU than it did, by a yardstick beside it in the same process:
// the median of ten rounds in which they take turns.
func TestTheCostOfASimulatedAttempt(t *testing.T) {
	const (
		// committed is the CPU of a simulated attempt, of 180,000 with what a run of them takes
		// besides, by the CPU of a step of the yardstick.
		committed = 8.8
		slack     = 1.15
		rounds    = 10
		steps     = 1_000_000
	)
	// Collections come when they like: they are counted as allocations.
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	var y yardstick
	simulation := func() time.Duration {
		attempts := int64(0)
		took := cpuOf(t, func() { attempts = canonical(t, run.Plan{}, "phases.spread.for=15s").Target.Requests })
		return took / time.Duration(attempts/1000)
	}
	simulation()
	var ratios []float64
	for range rounds {
		runtime.GC()
		step := cpuOf(t, func() { y.walk(steps) }) / (steps / 1000)
		ratios = append(ratios, float64(simulation())/float64(step))
	}
	slices.Sort(ratios)
	median := (ratios[rounds/2-1] + ratios[rounds/2]) / 2
	t.Logf("an attempt takes %.2f steps of the yardstick, %.2f to %.2f; committed %.2f", median, ratios[0], ratios[rounds-1], committed)
	if median > slack*committed {
		t.Errorf("an attempt takes %.2f steps of the yardstick; want %.2f times %.2f at most", median, slack, committed)
	}
}

// yardstick is work of the kind that a simulation does: draws, a queue, a table of counts
// that does not fit the nearest cache, and what is copied.
type yardstick struct {
	queue  clock.Queue[*[64]uint64]
	counts [1 << 15]uint64
	things [200][64]uint64
}

func (y *yardstick) walk(steps int) {
	chances := clock.NewStream(1, "yardstick")
	for y.queue.Len() < len(y.things) {
		y.queue.Push(0, uint64(y.queue.Len()), &y.things[y.queue.Len()])
	}
	for n := range uint64(steps) {
		draw := chances.At(n)
		at, thing := y.queue.Pop()
		other := y.things[draw.IntN(len(y.things))]
		*thing = other
		thing[0]++
		for range 4 {
			y.counts[draw.IntN(len(y.counts))]++
		}
		y.queue.Push(at.Add(time.Duration(draw.IntN(1_000_000))), n, thing)
	}
}

// cpuOf returns what the process takes of the processors while something is done.
func cpuOf(t *testing.T, do func()) time.Duration {
	t.Helper()
	used := func() time.Duration {
		var all syscall.Rusage
		if err := syscall.Getrusage(syscall.RUSAGE_SELF, &all); err != nil {
			t.Fatal(err)
		}
		return time.Duration(all.Utime.Nano() + all.Stime.Nano())
	}
	before := used()
	do()
	return used() - before
}
