package run

import (
	"context"
	"errors"
	"math"
	"os"
	"runtime"
	"runtime/debug"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/engine/entity"
	"loadgen/results"
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
	p := NewHealthProcess()
	// A cycle that began earlier has pauses on both sides of a reading.
	runtime.GC()
	var got HealthReading
	agreed := false
	for try := 0; try < 5 && !agreed; try++ {
		var before, after runtime.MemStats
		first := p.Read()
		runtime.ReadMemStats(&before)
		for range 5 {
			runtime.GC()
		}
		runtime.ReadMemStats(&after)
		got = p.Read()
		// A pause lies within its bucket, whose bounds are at most a quarter apart.
		paused, own := time.Duration(after.PauseTotalNs-before.PauseTotalNs), got.Pauses-first.Pauses
		agreed = own > 0 && own <= 2*paused && own >= paused/2 && got.LongestPause > 0 && got.LongestPause <= 2*paused
		t.Logf("five collections paused for %v, longest %v; the runtime counts %v", own, got.LongestPause, paused)
	}
	assert.True(t, agreed, "no reading is within a factor of two of the runtime's own")
	assert.Truef(t, got.Goroutines >= 2 && got.Heap >= 1<<10, "%d goroutines, %d bytes of heap", got.Goroutines, got.Heap)
	x := 1.0
	for i := range 5_000_000 {
		x = math.Sqrt(x + float64(i))
	}
	again := p.Read()
	assert.Truef(t, again.Pauses >= got.Pauses && again.CPUKnown == got.CPUKnown && (!got.CPUKnown || again.CPU > got.CPU) && x != 0,
		"Read = %+v after %+v and five million roots; want nothing to fall, and CPU to grow", again, got)
}

func TestCollectAt(t *testing.T) {
	const megabyte = 1 << 20
	for entities, want := range map[int64]int{
		-1: 400, 0: 400,
		96 * megabyte:  400, // the most that is eased in full
		256 * megabyte: 200, // from there on what lies is bounded, not its share
		576 * megabyte: 100, // as much lives as may lie
		640 * megabyte: 100,
		math.MaxInt64:  100,
	} {
		assert.Equalf(t, want, collectAt(entities), "collectAt(%d)", entities)
	}
}

func TestEaseCollector(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(77))
	p := &Plan{Scenario: library(t, "stress"), On: Embedded}
	campaign, err := p.campaign(time.Time{})
	require.NoError(t, err)
	percent := func() int {
		now := debug.SetGCPercent(100)
		debug.SetGCPercent(now)
		return now
	}
	t.Setenv("GOGC", "") // has the test put back what was there
	for given, want := range map[string]int{"50": 77, "": 400} {
		os.Setenv("GOGC", given)
		if given == "" {
			os.Unsetenv("GOGC")
		}
		restore := p.easeCollector(campaign)
		during := percent()
		restore()
		assert.Equalf(t, [2]int{want, 77}, [2]int{during, percent()}, "with GOGC %q: during the run, and after it", given)
	}
	before := debug.SetMemoryLimit(-1)
	p.On = Remote
	restore := p.easeCollector(campaign)
	assert.Less(t, debug.SetMemoryLimit(-1), int64(400e6), "the limit of a run against a service")
	restore()
	assert.Equal(t, before, debug.SetMemoryLimit(-1))
}

var sampleWrite = entity.Change{Verb: entity.InsertOrReplace, Key: entity.Key{Partition: "p", Row: "r"}}

func TestProbeFindsACeiling(t *testing.T) {
	for _, row := range []struct {
		name, over     string
		workers, lanes int
	}{
		{"over nothing", results.OverNothing, 8, 8},
		{"over HTTP, on no more connections than it takes", results.OverHTTP, 1000, probeLanes},
	} {
		s := library(t, "stress")
		s.Workers = row.workers
		c, err := Ceiling(t.Context(), s, sampleWrite, row.over)
		require.NoError(t, err, row.name)
		assert.Truef(t, c.Over == row.over && c.Lanes == row.lanes && c.Operations >= 1 && c.Operations <= maxProbed &&
			c.PerSecond() > 0 && c.CPU >= 0, "%s: Ceiling = %+v", row.name, c)
	}
}

// A probe ends with its run, and, by count, where the clock stands still while there is work,
// as in a bubble: it tells of nothing then.
func TestProbeOfAnEndedRunEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	c, err := (&Plan{Scenario: library(t, "stress"), On: Embedded}).probe(ctx, sampleWrite)
	assert.Truef(t, c == nil && errors.Is(err, context.Canceled), "probe of a run that was stopped = %v, %v", c, err)
	synctest.Test(t, func(t *testing.T) {
		for _, unwanted := range []bool{false, true} {
			p := &Plan{Scenario: library(t, "stress"), On: InProcess, NoProbe: unwanted}
			c, err := p.probe(t.Context(), sampleWrite)
			assert.Truef(t, c == nil && err == nil, "probe in no time, unwanted %v = %+v, %v; want nothing", unwanted, c, err)
		}
	})
}
