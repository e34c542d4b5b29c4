package run

import (
	"context"
	"sync"
	"time"

	"loadgen/engine/clock"
	"loadgen/results"
)

// stillAfter is the delay of a beat after which the generator counts as paused. Timers are a millisecond late, and a busy
// scheduler adds to that.
const stillAfter = 20 * time.Millisecond

// HealthReading has the metrics of the process at an instant.
type HealthReading struct {
	// CPU is the user and system time since its start, 0 unless CPUKnown.
	CPU      time.Duration
	CPUKnown bool
	// Pauses is the time that the garbage collector stopped the process since its start, LongestPause the longest pause
	// since the last reading. GCCPU is the collector's CPU time without that of idle processors.
	Pauses, LongestPause, GCCPU time.Duration
	// RunQueue is the time that its threads waited for a CPU, Pressure the time that any thread of the machine did; nil if
	// unknown.
	RunQueue, Pressure *time.Duration
	// Goroutines is their number, Heap the bytes of objects.
	Goroutines, Heap int64
}

// GeneratorLoad is the state of the workers that send.
type GeneratorLoad struct {
	// Free is the minimum number of free workers since the last state, negative if unknown.
	Free int64
	// Starved is the total time in which an operation was due and no worker was free.
	Starved time.Duration
	// UnderWay is the number of attempts without a reply, Answered the total number with one.
	UnderWay, Answered int64
}

// HealthMeter adds up readings and beats by the whole seconds of a clock. It belongs to one goroutine.
type HealthMeter struct {
	sum results.Generator
	// open is the current second, which ends at end; whole reports that the meter saw its beginning.
	open  results.Health
	end   clock.Instant
	whole bool
	// last is the last reading, at lastAt.
	last   HealthReading
	lastAt clock.Instant
	// cpu is the CPU time at the begin of the open second, interpolated between readings: otherwise the mean of the seconds
	// could exceed the busiest. rate is the CPU time per time between the last two readings.
	cpu   time.Duration
	rate  float64
	quiet quiet
	// starved is that of the last state.
	starved time.Duration
}

// NewHealthMeter returns a meter that begins now with a first reading. Cores and workers are the maximum numbers of busy
// cores and concurrent attempts.
func NewHealthMeter(now clock.Instant, first HealthReading, cores, workers int) *HealthMeter {
	second := int64(now.Offset() / time.Second)
	return &HealthMeter{
		sum:   results.Generator{Cores: cores, Workers: workers, CPUKnown: first.CPUKnown},
		open:  results.Health{Second: second},
		end:   clock.Instant(time.Duration(second+1) * time.Second),
		whole: now.Offset()%time.Second == 0,
		last:  first, lastAt: now, cpu: first.CPU,
	}
}

// Beat records a beat that was due at one instant and came at another, with the state of the workers. It reads the metrics
// if a second has ended, and returns the whole seconds that have. Instants must not decrease.
func (m *HealthMeter) Beat(due, now clock.Instant, load GeneratorLoad, read func() HealthReading) []results.Health {
	var ended []results.Health
	since := now
	if still := now.Sub(due); still > stillAfter {
		since = due
		m.sum.LongestStill = max(m.sum.LongestStill, still)
	}
	n := load.Free
	if n >= 0 && (m.open.FreeWorkers == nil || n < *m.open.FreeWorkers) {
		m.open.FreeWorkers = &n
	}
	m.open.Starved += max(0, load.Starved-m.starved)
	m.starved = load.Starved
	m.quiet.beat(now, load, since == now)
	if now >= m.end {
		// The open second gets everything since the last reading.
		r := read()
		m.open.Lasted = now.Sub(m.lastAt)
		m.open.CPU = max(0, r.CPU-m.last.CPU)
		m.open.Pauses = max(0, r.Pauses-m.last.Pauses)
		m.open.LongestPause = r.LongestPause
		m.open.GCCPU = max(0, r.GCCPU-m.last.GCCPU)
		m.open.RunQueue = increase(m.last.RunQueue, r.RunQueue)
		m.open.Pressure = increase(m.last.Pressure, r.Pressure)
		m.open.Goroutines, m.open.Heap = r.Goroutines, r.Heap
		m.rate = float64(m.open.CPU) / float64(m.open.Lasted)
		m.last, m.lastAt = r, now
	}
	for now >= m.end {
		before := m.cpu
		m.cpu = m.last.CPU - time.Duration(m.rate*float64(now.Sub(m.end)))
		m.open.StoodStill += max(0, m.end.Sub(since))
		since = max(since, m.end)
		m.open.Unanswered = m.quiet.stretchesUntil(m.end)
		if m.whole {
			m.add()
			m.sum.CPU += m.cpu - before
			ended = append(ended, m.open)
		}
		// A second within one pause has nothing else.
		m.open = results.Health{Second: m.open.Second + 1, Lasted: time.Second,
			Goroutines: m.last.Goroutines, Heap: m.last.Heap}
		m.end = m.end.Add(time.Second)
		m.whole = true
	}
	m.open.StoodStill += now.Sub(since)
	return ended
}

// Sum returns the sum of the whole seconds so far.
func (m *HealthMeter) Sum() *results.Generator {
	sum := m.sum
	return &sum
}

// increase returns the difference of two times, nil if one is unknown.
func increase(before, now *time.Duration) *time.Duration {
	if before == nil || now == nil {
		return nil
	}
	return new(max(0, *now-*before))
}

// add adds the open second to the sum.
func (m *HealthMeter) add() {
	v, sum := m.open, &m.sum
	sum.Seconds++
	sum.Pauses += v.Pauses
	sum.LongestPause = max(sum.LongestPause, v.LongestPause)
	sum.StoodStill += v.StoodStill
	sum.Starved += v.Starved
	sum.GCCPU += v.GCCPU
	addTo(&sum.RunQueue, v.RunQueue)
	addTo(&sum.Pressure, v.Pressure)
	sum.Goroutines = max(sum.Goroutines, v.Goroutines)
	sum.Heap = max(sum.Heap, v.Heap)
	if v.FreeWorkers != nil && (sum.LeastFree == nil || *v.FreeWorkers < *sum.LeastFree) {
		sum.LeastFree = v.FreeWorkers
	}
	if sum.Busiest == nil || v.Share(1) > sum.Busiest.Share(1) {
		sum.Busiest = &v
	}
}

// addTo adds a time to a sum, if it is known.
func addTo(sum **time.Duration, more *time.Duration) {
	switch {
	case more == nil:
	case *sum == nil:
		*sum = new(*more)
	default:
		*sum = new(**sum + *more)
	}
}

// beat is the interval between samples of the workers.
const beat = 10 * time.Millisecond

// HealthSource reads the metrics of the process. It belongs to one goroutine at a time.
type HealthSource interface {
	Read() HealthReading
}

// HealthOptions configure a sampler.
type HealthOptions struct {
	// Clock is that of the run; Clock and Source are required.
	Clock  clock.Clock
	Source HealthSource
	// Load returns the state of the workers; nil if unknown. It must be safe for concurrent use.
	Load func() GeneratorLoad
	// Tell is called with each whole second, in order, by one goroutine at a time; it may be nil.
	Tell func(results.Health)
	// Cores is the maximum number of busy cores, at least one; Workers the maximum number of concurrent attempts.
	Cores, Workers int
}

// HealthSampler samples the generator during a run, in one goroutine from [StartHealthSampler] to [HealthSampler.Stop].
type HealthSampler struct {
	meter   *HealthMeter
	end     context.CancelFunc
	running sync.WaitGroup
}

// StartHealthSampler starts a sampler. Callers must stop it.
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
			// Missed beats are skipped.
			due = max(due, now.Add(-beat)).Add(beat)
		}
	})
	return s
}

// Stop ends the goroutine and returns the sum of the whole seconds. A second Stop returns the same.
func (s *HealthSampler) Stop() *results.Generator {
	s.end()
	s.running.Wait()
	return s.meter.Sum()
}

// quietAfter is the minimum length of a recorded time without replies.
const quietAfter = 50 * time.Millisecond

// quiet finds the times in which attempts were under way and none was answered. An idle target is not quiet, and pauses of
// this process are not the target's.
type quiet struct {
	// open reports that such a time may have begun, at since; answered is the number of replies, waiting the maximum number
	// of attempts under way.
	open     bool
	since    clock.Instant
	answered int64
	waiting  int64
	// last is the instant of the last beat.
	last  clock.Instant
	found []results.Stretch
}

// beat records the state of the workers; prompt reports that the process ran since the last beat.
func (q *quiet) beat(now clock.Instant, load GeneratorLoad, prompt bool) {
	if q.open && (!prompt || load.Answered != q.answered || load.UnderWay == 0) {
		q.keep(q.since, q.last)
		q.open = false
	}
	if load.Free >= 0 && load.UnderWay > 0 && !q.open {
		q.open, q.since, q.waiting = true, now, 0
	}
	if q.open {
		q.waiting = max(q.waiting, load.UnderWay)
	}
	q.answered, q.last = load.Answered, now
}

// keep records a time that is long enough.
func (q *quiet) keep(from, to clock.Instant) {
	if to.Sub(from) < quietAfter {
		return
	}
	q.found = append(q.found, results.Stretch{From: from.Offset(), To: to.Offset(), Waiting: q.waiting})
}

// stretchesUntil removes and returns the times of the second that ends at an instant, and splits one that continues.
func (q *quiet) stretchesUntil(end clock.Instant) []results.Stretch {
	var taken, left []results.Stretch
	if q.open && q.since < end && q.last >= end {
		q.keep(q.since, end)
	}
	begin := (end.Offset() - 1).Truncate(time.Second)
	for _, one := range q.found {
		if one.From < end.Offset() {
			part := one
			part.From, part.To = max(part.From, begin), min(part.To, end.Offset())
			taken = append(taken, part)
		}
		if one.To > end.Offset() {
			left = append(left, one)
		}
	}
	q.found = left
	return taken
}
