package run

import (
	"context"
	"sync"
	"time"

	"loadgen/engine/clock"
	"loadgen/results"
)

// beat is the time from one look at the free workers to the next.
const beat = 10 * time.Millisecond

// HealthSource tells how the process does. It belongs to one goroutine at a time.
type HealthSource interface {
	Read() HealthReading
}

// HealthOptions says what a sampler looks at.
type HealthOptions struct {
	// Clock is that of the run, Source what tells of the process; both demanded.
	Clock  clock.Clock
	Source HealthSource
	// GeneratorLoad returns how the workers fare; nil where nobody knows. It must be safe
	// for concurrent use.
	Load func() GeneratorLoad
	// Tell is called with each whole second, in order, by one goroutine at a
	// time; nil is nobody.
	Tell func(results.Health)
	// Cores is how many of the machine's cores the process may keep busy, at least
	// one; Workers the greatest number of attempts under way, for the record.
	Cores, Workers int
}

// HealthSampler looks at the generator while it runs. It owns one goroutine, from
// [StartHealthSampler] to [HealthSampler.Stop].
type HealthSampler struct {
	meter   *HealthMeter
	end     context.CancelFunc
	running sync.WaitGroup
}

// StartHealthSampler begins to look. Callers must stop the sampler.
func StartHealthSampler(o HealthOptions) *HealthSampler {
	s := &HealthSampler{meter: NewHealthMeter(o.Clock.Now(), o.Source.Read(), o.Cores, o.Workers)}
	var ctx context.Context
	ctx, s.end = context.WithCancel(context.Background())
	s.running.Go(func() {
		due := o.Clock.Now().Add(beat)
		for o.Clock.Sleep(ctx, due) == nil {
			now, load := o.Clock.Now(), GeneratorLoad{Free: -1}
			if o.Load != nil {
				load = o.Load()
			}
			for _, v := range s.meter.Beat(due, now, load, o.Source.Read) {
				if o.Tell != nil {
					o.Tell(v)
				}
			}
			// A beat that was missed is not made up for.
			due = max(due, now.Add(-beat)).Add(beat)
		}
	})
	return s
}

// Stop ends the looking, waits for the goroutine and returns what the whole
// seconds came to. A second Stop returns the same.
func (s *HealthSampler) Stop() *results.Generator {
	s.end()
	s.running.Wait()
	return s.meter.Sum()
}
