package run_test

import (
	"math/rand/v2"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

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
	stoodSum := results.Generator{Seconds: 3, CPU: 184615385 * time.Nanosecond, // 3 s of 3.25 s
		Pauses: began.Pauses, LongestPause: began.LongestPause, LeastFree: &free,
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
		var cpu, before, used time.Duration
		var beforeAt clock.Instant
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
			told = append(told, m.Beat(due, now, run.GeneratorLoad{Free: 8}, func() run.HealthReading {
				// By the end of the last whole second the process has used its part of what it did since the reading before.
				end := now - now%clock.Instant(time.Second)
				used = before + time.Duration(float64(cpu-before)*float64(end-beforeAt)/float64(now-beforeAt))
				before, beforeAt = cpu, now
				return run.HealthReading{CPU: cpu}
			})...)
		}
		var sum time.Duration
		for i, v := range told {
			if v.Second != int64(i) || v.StoodStill != still[i] {
				t.Fatalf("seed %d: second %d = %+v; want that second to stand still for %v", seed, i, v, still[i])
			}
			sum += v.StoodStill
		}
		got := m.Sum()
		assert.Equalf(t, sum, got.StoodStill, "seed %d: Sum", seed)
		assert.InDeltaf(t, used, got.CPU, 1, "seed %d: Sum", seed)
		assert.Truef(t, got.Seconds == int64(len(told)) && len(told) >= 29, "seed %d: Sum = %+v", seed, got)
		assert.LessOrEqualf(t, got.CPU.Seconds()/float64(got.Seconds), got.Busiest.Share(1), "seed %d: the mean of the seconds, and the busiest", seed)
	}
}

// stretches has a meter beat every ten milliseconds for so many seconds, with the load
// that there is at each millisecond, and returns the stretches that it tells of. A beat
// that falls into a stand-still comes at its end.
func stretches(t *testing.T, seconds int, load func(ms int64) run.GeneratorLoad, stood func(ms int64) bool) []results.Stretch {
	t.Helper()
	m := run.NewHealthMeter(0, run.HealthReading{}, 2, 16)
	var told []results.Stretch
	for due := 10 * milli; due <= clock.Instant(seconds)*1000*milli; {
		now := due
		for stood != nil && stood(int64(now/milli)) {
			now += milli
		}
		for _, second := range m.Beat(due, now, load(int64(now/milli)), func() run.HealthReading { return run.HealthReading{} }) {
			told = append(told, second.Unanswered...)
		}
		due = max(due, now-10*milli) + 10*milli
	}
	return told
}

func part(from, to, waiting int64) results.Stretch {
	return results.Stretch{From: time.Duration(from) * time.Millisecond, To: time.Duration(to) * time.Millisecond, Waiting: waiting}
}

func TestStretchesInWhichNothingIsAnswered(t *testing.T) {
	// busy is a target that answers each millisecond but from one to another.
	busy := func(from, to int64) func(ms int64) run.GeneratorLoad {
		return func(ms int64) run.GeneratorLoad {
			answered := min(ms, from) + max(0, ms-to)
			return run.GeneratorLoad{UnderWay: 1 + max(0, min(ms, to)-from)/10, Answered: answered}
		}
	}
	for _, row := range []struct {
		name  string
		load  func(ms int64) run.GeneratorLoad
		stood func(ms int64) bool
		want  []results.Stretch
	}{
		{"none", busy(9000, 9000), nil, nil},
		{"one within a second", busy(300, 700), nil, []results.Stretch{part(300, 700, 41)}},
		{"too short to tell", busy(300, 345), nil, nil},
		{"one over three seconds is parted among them", busy(700, 2300), nil,
			[]results.Stretch{part(700, 1000, 31), part(1000, 2000, 131), part(2000, 2300, 161)}},
		{"one that is long enough only in the next second", busy(970, 1200), nil, []results.Stretch{part(1000, 1200, 24)}},
		{"nobody asks", func(ms int64) run.GeneratorLoad { return run.GeneratorLoad{} }, nil, nil},
		{"nobody knows", func(ms int64) run.GeneratorLoad { return run.GeneratorLoad{Free: -1, UnderWay: 5} }, nil, nil},
		{"what is under way ends without a reply", func(ms int64) run.GeneratorLoad {
			return run.GeneratorLoad{UnderWay: ms / 10 % 2}
		}, nil, nil},
		{"the process is not run meanwhile", busy(300, 700), func(ms int64) bool { return ms >= 310 && ms < 690 }, nil},
		{"it is not run in the midst of it", busy(300, 700), func(ms int64) bool { return ms >= 400 && ms < 500 },
			[]results.Stretch{part(300, 390, 10), part(500, 700, 41)}},
	} {
		assert.Equal(t, row.want, stretches(t, 3, row.load, row.stood), row.name)
	}
}

// steadySource is a process that uses a tenth of a core, whatever is done.
type steadySource struct{ clock clock.Clock }

func (s steadySource) Read() run.HealthReading {
	now := s.clock.Now().Offset()
	return run.HealthReading{CPU: now / 10, CPUKnown: true, Pauses: now / 1000, Goroutines: 3, Heap: 1 << 20}
}

// sample starts a sampler of a steady source.
func sample(t *testing.T, o run.HealthOptions) *run.HealthSampler {
	t.Helper()
	o.Source = steadySource{o.Clock}
	return run.StartHealthSampler(o)
}

func TestSamplerTellsOfEachWholeSecond(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		clk := clock.NewReal()
		time.Sleep(300 * time.Millisecond)
		var told []results.Health
		var free atomic.Int64
		free.Store(5)
		sampler := sample(t, run.HealthOptions{Clock: clk, Load: func() run.GeneratorLoad { return run.GeneratorLoad{Free: free.Load()} },
			Tell: func(v results.Health) { told = append(told, v) }, Cores: 2, Workers: 8})
		time.Sleep(2*time.Second + 205*time.Millisecond)
		free.Store(2)
		time.Sleep(20 * time.Millisecond)
		free.Store(7)
		time.Sleep(1600 * time.Millisecond)
		sum := sampler.Stop()
		require.Lenf(t, told, 3, "from 0.3 s to 4.125 s told of %d seconds; want the three whole ones: %+v", len(told), told)
		for i, want := range []int64{5, 2, 7} {
			v := told[i]
			if v.Second != int64(i+1) || *v.FreeWorkers != want || v.CPU != 100*time.Millisecond || v.Pauses != time.Millisecond ||
				v.Lasted != time.Second || v.StoodStill != 0 {
				t.Errorf("second %d = %+v with %d free; want a tenth of a core and %d free", i+1, v, *v.FreeWorkers, want)
			}
		}
		assert.Truef(t, sum.Seconds == 3 && sum.CPU == 300*time.Millisecond && *sum.LeastFree == 2 && sum.StoodStill == 0 &&
			sum.Cores == 2 && sum.Workers == 8, "Stop = %+v; want three seconds of a tenth of a core, 2 free at least", sum)
		time.Sleep(5 * time.Second)
		assert.Truef(t, len(told) == 3 && sampler.Stop().Seconds == 3,
			"a sampler that was stopped told of %d seconds; want no more", len(told))
	})
}

// halting is a clock whose sleeps last longer within a time, as those of a process
// that is not let run.
type halting struct {
	clock.Real
	from, to clock.Instant
}

func (h halting) Now() clock.Instant {
	now := h.Real.Now()
	if now > h.from && now < h.to {
		time.Sleep(h.to.Sub(now))
		return h.Real.Now()
	}
	return now
}

func TestSamplerSeesThatItStoodStill(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		clk := halting{clock.NewReal(), clock.Instant(1505 * time.Millisecond), clock.Instant(1805 * time.Millisecond)}
		var told []results.Health
		sampler := sample(t, run.HealthOptions{Clock: clk, Cores: 1, Tell: func(v results.Health) { told = append(told, v) }})
		time.Sleep(3500 * time.Millisecond)
		sum := sampler.Stop()
		// The beat that was due at 1.510 s came at 1.805 s.
		const still = 295 * time.Millisecond
		assert.Truef(t, sum.StoodStill == still && sum.LongestStill == still && len(told) == 3 && told[1].StoodStill == still,
			"stood still for %v, longest %v, by second %+v; want %v in second 1", sum.StoodStill, sum.LongestStill, told, still)
		assert.True(t, sum.LeastFree == nil && told[0].FreeWorkers == nil, "the sampler tells of workers that nobody knows of")
	})
}
