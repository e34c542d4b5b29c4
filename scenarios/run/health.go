package run

import (
	"context"
	"sync"
	"time"

	"loadgen/engine/clock"
	"loadgen/results"
)

// stillAfter is how long after its instant a beat may come before the generator
// counts as having stood still. Timers are a millisecond late, and a scheduler
// with work to do some more.
const stillAfter = 20 * time.Millisecond

// HealthReading is what the system tells of the process.
type HealthReading struct {
	// CPU is what it has used since it began, user and system, 0 unless CPUKnown.
	CPU      time.Duration
	CPUKnown bool
	// Pauses are those of the garbage collector since the process began,
	// LongestPause is the longest since the reading before. GCCPU is what the
	// collector has used of the CPU, but where there was nothing else to do.
	Pauses, LongestPause, GCCPU time.Duration
	// RunQueue is how long its threads have waited for a CPU, Pressure for how long
	// something on the machine has; nil where the system does not tell.
	RunQueue, Pressure *time.Duration
	// Goroutines are those that exist, Heap the bytes of objects on it.
	Goroutines, Heap int64
}

// GeneratorLoad is how the workers fare that send.
type GeneratorLoad struct {
	// Free is the least number of them that were free since the load before,
	// negative where that is not known.
	Free int64
	// Starved is for how long, so far, something was due and none was free.
	Starved time.Duration
	// UnderWay is how many attempts there are now, Answered how many have had a
	// reply so far.
	UnderWay, Answered int64
}

// HealthMeter adds up readings and beats, and parts them into the whole seconds of a
// clock. It belongs to one goroutine.
type HealthMeter struct {
	sum results.Generator
	// open is the second under way, which ends at end; whole says that the meter
	// saw its beginning.
	open  results.Health
	end   clock.Instant
	whole bool
	// last is the reading before, taken at lastAt.
	last   HealthReading
	lastAt clock.Instant
	// cpu is the CPU time of the process at the end of the second before the open one, interpolated between readings:
	// with all that a late reading has, the mean of the seconds could exceed the busiest. rate is that per time between
	// the last two readings.
	cpu   time.Duration
	rate  float64
	quiet quiet
	// starved is what the load before told.
	starved time.Duration
}

// NewHealthMeter returns a meter that begins now with a first reading. Cores is how
// many the process may keep busy, workers how many attempts it may have under
// way.
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

// Beat takes in a beat that was due at one instant and came at another, with how the
// workers fare. Where a second has ended it reads anew, and returns the whole
// seconds that have. Instants must not fall.
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
		// The open second has what has happened since the last reading.
		r := read()
		m.open.Lasted = now.Sub(m.lastAt)
		m.open.CPU = max(0, r.CPU-m.last.CPU)
		m.open.Pauses = max(0, r.Pauses-m.last.Pauses)
		m.open.LongestPause = r.LongestPause
		m.open.GCCPU = max(0, r.GCCPU-m.last.GCCPU)
		m.open.RunQueue = grown(m.last.RunQueue, r.RunQueue)
		m.open.Pressure = grown(m.last.Pressure, r.Pressure)
		m.open.Goroutines, m.open.Heap = r.Goroutines, r.Heap
		m.rate = float64(m.open.CPU) / float64(m.open.Lasted)
		m.last, m.lastAt = r, now
	}
	for now >= m.end {
		before := m.cpu
		m.cpu = m.last.CPU - time.Duration(m.rate*float64(now.Sub(m.end)))
		m.open.StoodStill += max(0, m.end.Sub(since))
		since = max(since, m.end)
		m.open.Unanswered = m.quiet.take(m.end)
		if m.whole {
			m.add()
			m.sum.CPU += m.cpu - before
			ended = append(ended, m.open)
		}
		// What a second holds that begins and ends within one stand-still is that alone.
		m.open = results.Health{Second: m.open.Second + 1, Lasted: time.Second,
			Goroutines: m.last.Goroutines, Heap: m.last.Heap}
		m.end = m.end.Add(time.Second)
		m.whole = true
	}
	m.open.StoodStill += now.Sub(since)
	return ended
}

// Sum returns what the whole seconds come to so far.
func (m *HealthMeter) Sum() *results.Generator {
	sum := m.sum
	return &sum
}

// grown returns by how much what is known has grown, nil where it is not.
func grown(before, now *time.Duration) *time.Duration {
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
	plus(&sum.RunQueue, v.RunQueue)
	plus(&sum.Pressure, v.Pressure)
	sum.Goroutines = max(sum.Goroutines, v.Goroutines)
	sum.Heap = max(sum.Heap, v.Heap)
	if v.FreeWorkers != nil && (sum.LeastFree == nil || *v.FreeWorkers < *sum.LeastFree) {
		sum.LeastFree = v.FreeWorkers
	}
	if sum.Busiest == nil || v.Share(1) > sum.Busiest.Share(1) {
		sum.Busiest = &v
	}
}

// plus adds to a sum what is known.
func plus(sum **time.Duration, more *time.Duration) {
	switch {
	case more == nil:
	case *sum == nil:
		*sum = new(*more)
	default:
		*sum = new(**sum + *more)
	}
}

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

// quietAfter is how long nothing has to be answered for the record to tell.
const quietAfter = 50 * time.Millisecond

// quiet finds the stretches in which attempts were under way and none was answered.
// A target that has little to do is not quiet, and what a process cannot see because
// it is not let run is not the target's doing.
type quiet struct {
	// open says that one may be under way, since when; answered how many replies
	// there were by then, waiting how many attempts at the last beat.
	open     bool
	since    clock.Instant
	answered int64
	waiting  int64
	// last is when the beat before was.
	last  clock.Instant
	found []results.Stretch
}

// beat takes in how the workers fare; prompt says that the process was let run since
// the beat before.
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

// keep takes down a stretch that is long enough. One that began in a second before
// is told from the second's begin on.
func (q *quiet) keep(from, to clock.Instant) {
	if to.Sub(from) < quietAfter {
		return
	}
	q.found = append(q.found, results.Stretch{From: from.Offset(), To: to.Offset(), Waiting: q.waiting})
}

// take returns the stretches of the second that ends at an instant. What was found
// after it stays; what goes on is parted there.
func (q *quiet) take(end clock.Instant) []results.Stretch {
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
