package run_test

import (
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
	sampler, err := run.StartHealthSampler(o)
	require.NoError(t, err)
	return sampler
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

func TestImpossibleOptions(t *testing.T) {
	clk := clock.NewReal()
	source := steadySource{clk}
	for name, o := range map[string]run.HealthOptions{
		"no clock":                {Source: source, Cores: 1},
		"no source":               {Clock: clk, Cores: 1},
		"no core":                 {Clock: clk, Source: source},
		"fewer workers than none": {Clock: clk, Source: source, Cores: 1, Workers: -1},
	} {
		_, err := run.StartHealthSampler(o)
		assert.ErrorIs(t, err, run.ErrHealthOptions, name)
		assert.Len(t, o.Validate(), 1, name)
	}
}
