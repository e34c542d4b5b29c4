package run_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"loadgen/engine/clock"
	"loadgen/results"
	"loadgen/scenarios/run"
)

const milli = clock.Instant(time.Millisecond)

// at is a beat that comes so late; read is nil where the meter is not to read anew.
type at struct {
	due, late clock.Instant
	free      int64
	read      *run.HealthReading
	want      []results.Health
}

func TestMeterPartsTimeIntoWholeSeconds(t *testing.T) {
	free := int64(3)
	first := run.HealthReading{CPU: 5 * time.Second, CPUKnown: true, Pauses: time.Second, Goroutines: 9, Heap: 99}
	after := &run.HealthReading{CPU: 5200 * time.Millisecond, CPUKnown: true, Pauses: 1030 * time.Millisecond,
		LongestPause: 20 * time.Millisecond, Goroutines: 7, Heap: 70}
	// began is of a second that the meter saw from its beginning to a reading.
	began := results.Health{Lasted: time.Second, CPU: 200 * time.Millisecond, Pauses: 30 * time.Millisecond,
		LongestPause: 20 * time.Millisecond, FreeWorkers: &free, Goroutines: 7, Heap: 70}
	unknown := began
	unknown.FreeWorkers = nil
	// stood is how a stand-still from 0.9 s to 3.25 s is parted: what was used belongs to where it began.
	stood := [3]results.Health{began, {Second: 1, Lasted: time.Second, StoodStill: time.Second, Goroutines: 7, Heap: 70},
		{Second: 2, Lasted: time.Second, StoodStill: time.Second, Goroutines: 7, Heap: 70}}
	stood[0].Lasted, stood[0].StoodStill = 3250*time.Millisecond, 100*time.Millisecond
	stoodSum := results.Generator{Seconds: 3, CPU: began.CPU, Pauses: began.Pauses, LongestPause: began.LongestPause, LeastFree: &free,
		Goroutines: 7, Heap: 70, StoodStill: 2100 * time.Millisecond, LongestStill: 2350 * time.Millisecond, Busiest: &stood[0]}
	sumOf := func(v *results.Health) results.Generator {
		return results.Generator{Seconds: 1, CPU: v.CPU, Pauses: v.Pauses, LongestPause: v.LongestPause, LeastFree: v.FreeWorkers,
			Goroutines: v.Goroutines, Heap: v.Heap, Busiest: v}
	}
	for _, row := range []struct {
		name  string
		start clock.Instant
		beats []at
		sum   results.Generator
	}{
		{"nothing has ended", 0, []at{{due: 999 * milli, free: 3}}, results.Generator{}},
		{"a second has", 0, []at{{due: 500 * milli, free: 3}, {due: 1000 * milli, free: 4, read: after, want: []results.Health{began}}}, sumOf(&began)},
		{"a second that the meter did not see begin is left out", 1, []at{{due: 1000 * milli, free: 3, read: after}}, results.Generator{}},
		{"nobody knows of the workers", 0, []at{{due: 1000 * milli, free: -1, read: after, want: []results.Health{unknown}}}, sumOf(&unknown)},
		{"it stands still over seconds", 0, []at{{due: 900 * milli, late: 2350 * milli, free: 3, read: after, want: stood[:]}}, stoodSum},
		{"no worker is free", 0, []at{{due: 10 * milli, free: 0}, {due: 20 * milli, free: 9}}, results.Generator{}},
		{"a beat that is just not late enough", 0, []at{{due: 10 * milli, late: 20 * milli, free: 1}}, results.Generator{}},
		{"one that is", 0, []at{{due: 10 * milli, late: 20*milli + 1, free: 1}}, results.Generator{LongestStill: 20*time.Millisecond + 1}},
	} {
		m := run.NewHealthMeter(row.start, first, 2, 16)
		for _, b := range row.beats {
			got := m.Beat(b.due, b.due+b.late, run.GeneratorLoad{Free: b.free}, func() run.HealthReading { return *b.read })
			assert.Equalf(t, b.want, got, "%s: Beat(%v late by %v)", row.name, b.due.Offset(), b.late.Offset())
		}
		row.sum.Cores, row.sum.Workers, row.sum.CPUKnown = 2, 16, true
		assert.Equalf(t, &row.sum, m.Sum(), "%s: Sum", row.name)
	}
}

// The sums of random beats are those of counting each millisecond by itself.
func TestMeterAgreesWithCountingMilliseconds(t *testing.T) {
	for seed := range uint64(run.Tier(5, 50)) {
		rng := rand.New(rand.NewPCG(seed, 9))
		var still [40]time.Duration
		var told []results.Health
		var cpu time.Duration
		m := run.NewHealthMeter(0, run.HealthReading{}, 2, 8)
		for now := clock.Instant(0); now < 30_000*milli; {
			due := now + milli*clock.Instant(1+rng.IntN(20))
			now = due
			if rng.IntN(8) == 0 {
				now += milli * clock.Instant(rng.IntN(1500))
			}
			if now-due > 20*milli {
				for i := due; i < now; i += milli {
					still[i.Offset()/time.Second] += time.Millisecond
				}
			}
			cpu += time.Duration(rng.IntN(1000))
			told = append(told, m.Beat(due, now, run.GeneratorLoad{Free: 8}, func() run.HealthReading { return run.HealthReading{CPU: cpu} })...)
		}
		var sum, used time.Duration
		for i, v := range told {
			if v.Second != int64(i) || v.StoodStill != still[i] {
				t.Fatalf("seed %d: second %d = %+v; want that second to stand still for %v", seed, i, v, still[i])
			}
			sum += v.StoodStill
			used += v.CPU
		}
		got := m.Sum()
		if got.StoodStill != sum || got.CPU != used || got.Seconds != int64(len(told)) || used > cpu || len(told) < 29 {
			t.Errorf("seed %d: Sum = %+v; want %v still and %v used in %d seconds", seed, got, sum, used, len(told))
		}
	}
}
