package run

import (
	"math"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

func TestPausesAreWhatAHistogramHasGained(t *testing.T) {
	bounds := []float64{math.Inf(-1), 0.001, 0.002, 0.004, math.Inf(1)}
	const milli = time.Millisecond
	for _, row := range []struct {
		name           string
		before, counts []uint64
		total, longest time.Duration
	}{
		{"none", nil, []uint64{0, 0, 0, 0}, 0, 0},
		{"none since", []uint64{1, 2, 3, 4}, []uint64{1, 2, 3, 4}, 0, 0},
		{"two of a bucket, by its middle", nil, []uint64{0, 2, 0, 0}, 3 * milli, 1500 * time.Microsecond},
		{"only the new one", []uint64{0, 2, 1, 0}, []uint64{0, 3, 1, 0}, 1500 * time.Microsecond, 1500 * time.Microsecond},
		{"shorter than all bounds", nil, []uint64{4, 0, 0, 0}, 4 * milli, milli},
		{"longer than all bounds", nil, []uint64{0, 0, 0, 3}, 12 * milli, 4 * milli},
		{"one of each", nil, []uint64{1, 1, 1, 1}, 9500 * time.Microsecond, 4 * milli},
		{"a histogram that grew by a bucket", []uint64{1, 1, 1}, []uint64{1, 1, 1, 1}, 4 * milli, 4 * milli},
	} {
		total, longest := pausesSince(row.before, row.counts, bounds)
		assert.Truef(t, total == row.total && longest == row.longest,
			"%s: pausesSince(%v, %v) = %v, %v; want %v, %v", row.name, row.before, row.counts, total, longest, row.total, row.longest)
	}
}

// The runtime counts its own pauses another way, too; the time of the processors grows with
// work.
func TestProcessTellsOfItself(t *testing.T) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	p := NewHealthProcess()
	first := p.Read()
	for range 5 {
		runtime.GC()
	}
	got := p.Read()
	runtime.ReadMemStats(&after)
	// A pause lies within its bucket, whose bounds are at most a quarter apart.
	paused, own := time.Duration(after.PauseTotalNs-before.PauseTotalNs), got.Pauses-first.Pauses
	assert.Truef(t, own > 0 && own <= 2*paused && own >= paused/2 && got.LongestPause > 0 && got.LongestPause <= 2*paused,
		"five collections paused for %v, longest %v; want about %v, as the runtime says", own, got.LongestPause, paused)
	assert.Truef(t, got.Goroutines >= 2 && got.Heap >= 1<<10, "%d goroutines, %d bytes of heap", got.Goroutines, got.Heap)
	x := 1.0
	for i := range 5_000_000 {
		x = math.Sqrt(x + float64(i))
	}
	again := p.Read()
	assert.Truef(t, again.Pauses >= got.Pauses && again.CPUKnown == got.CPUKnown && (!got.CPUKnown || again.CPU > got.CPU) && x != 0,
		"Read = %+v after %+v and five million roots; want nothing to fall, and CPU to grow", again, got)
}
