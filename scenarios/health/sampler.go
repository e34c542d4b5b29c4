package health

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"loadgen/engine/clock"
	"loadgen/results"
)

// beat is the time from one look at the free workers to the next.
const beat = 10 * time.Millisecond

// Source tells how the process does. It belongs to one goroutine at a time.
type Source interface {
	Read() Reading
}

// Options says what a sampler looks at.
type Options struct {
	// Clock is that of the run, Source what tells of the process; both demanded.
	Clock  clock.Clock
	Source Source
	// Load returns how the workers fare; nil where nobody knows. It must be safe
	// for concurrent use.
	Load func() Load
	// Tell is called with each whole second, in order, by one goroutine at a
	// time; nil is nobody.
	Tell func(results.Health)
	// Cores is how many of the machine's cores the process may keep busy, at least
	// one; Workers the greatest number of attempts under way, for the record.
	Cores, Workers int
}

// Validate returns every fault, each wrapping [ErrOptions].
func (o *Options) Validate() []error {
	var faults []error
	if o.Clock == nil {
		faults = append(faults, fmt.Errorf("%w: Clock is missing", ErrOptions))
	}
	if o.Source == nil {
		faults = append(faults, fmt.Errorf("%w: Source is missing", ErrOptions))
	}
	if o.Cores < 1 {
		faults = append(faults, fmt.Errorf("%w: Cores is %d; it must be at least 1", ErrOptions, o.Cores))
	}
	if o.Workers < 0 {
		faults = append(faults, fmt.Errorf("%w: Workers is %d; it must not be negative", ErrOptions, o.Workers))
	}
	return faults
}

// Sampler looks at the generator while it runs. It owns one goroutine, from
// [Start] to [Sampler.Stop].
type Sampler struct {
	options Options
	meter   *Meter
	end     context.CancelFunc
	running sync.WaitGroup
}

// Start begins to look. The error wraps [ErrOptions]; the caller owes the sampler
// a Stop.
func Start(o Options) (*Sampler, error) {
	if faults := o.Validate(); len(faults) > 0 {
		return nil, errors.Join(faults...)
	}
	s := &Sampler{options: o, meter: NewMeter(o.Clock.Now(), o.Source.Read(), o.Cores, o.Workers)}
	var ctx context.Context
	ctx, s.end = context.WithCancel(context.Background())
	s.running.Go(func() { s.run(ctx) })
	return s, nil
}

// Stop ends the looking, waits for the goroutine and returns what the whole
// seconds came to. A second Stop returns the same.
func (s *Sampler) Stop() *results.Generator {
	s.end()
	s.running.Wait()
	return s.meter.Sum()
}

func (s *Sampler) run(ctx context.Context) {
	due := s.options.Clock.Now().Add(beat)
	for s.options.Clock.Sleep(ctx, due) == nil {
		now := s.options.Clock.Now()
		for _, v := range s.meter.Beat(due, now, s.load(), s.options.Source.Read) {
			if s.options.Tell != nil {
				s.options.Tell(v)
			}
		}
		// A beat that was missed is not made up for.
		due = max(due, now.Add(-beat)).Add(beat)
	}
}

func (s *Sampler) load() Load {
	if s.options.Load == nil {
		return Load{Free: -1}
	}
	return s.options.Load()
}
