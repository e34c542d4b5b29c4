package live

import (
	"cmp"
	"slices"
	"sync"
	"time"

	"loadgen/results"
)

// Stats measures a run in progress. Every method is safe for concurrent use.
type Stats struct {
	mu sync.Mutex
	// recorder has the counts of the run, nil before [Stats.Read].
	recorder *results.Recorder
	stage    stage
	members  []*Member
}

// stage is a stretch of load in progress.
type stage struct {
	name    string
	planned uint64
	length  time.Duration
	// begun says that begin is known: phases are announced when the stage begins.
	begun  bool
	begin  time.Duration
	phases []results.Phase
	// before are the totals of the run before the stage.
	before Totals
}

// Totals are the counts of a whole run so far. Served are the entities counted for its successes.
type Totals struct {
	results.Counts
	// InFlight is the number of attempts that were sent and have not ended.
	InFlight int64
}

// Begun returns the number of attempts that were sent.
func (t *Totals) Begun() int64 { return t.Attempts + t.InFlight }

// LateSince returns the share of the operations that became due since earlier totals which
// were sent late, from 0 to 1; nil if none became due.
func (t *Totals) LateSince(before *Totals) *float64 {
	due := t.Scheduled - before.Scheduled
	if due <= 0 {
		return nil
	}
	return new(float64(t.Late-before.Late) / float64(due))
}

func (t *Totals) add(o *Totals) {
	t.Counts.Add(&o.Counts)
	t.InFlight += o.InFlight
}

// New returns the stats of a run that has not begun.
func New() *Stats { return new(Stats) }

// Read makes the stats read counts from the recorder of the run. It must be called before anything is recorded.
func (p *Stats) Read(from *results.Recorder) {
	from.KeepRecent()
	from.Share()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.recorder = from
}

// source returns the recorder, nil before there is one.
func (p *Stats) source() *results.Recorder {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.recorder
}

// Enter announces each stage before it begins: how many operations it is to send, and
// how long they become due, each 0 if that is not known beforehand.
func (p *Stats) Enter(name string, operations uint64, length time.Duration) {
	before := p.Totals()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.stage = stage{name: name, planned: operations, length: length, before: before}
}

// Phase announces each phase of a stage as that begins, with its number in the record.
func (p *Stats) Phase(_ int, next *results.Phase) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.stage.begun {
		p.stage.begun, p.stage.begin = true, next.Begin
	}
	p.stage.phases = append(p.stage.phases, *next)
}

// Attempt does nothing, as Completed and Due: they make Stats a watcher of drive's ledger. The recorder counts them.
func (*Stats) Attempt(*results.Attempt) {}

// Completed is as Attempt.
func (*Stats) Completed(*results.Completed) {}

// Due is as Attempt.
func (*Stats) Due(*results.Scheduled) {}

// Totals returns the counts of the run so far.
func (p *Stats) Totals() Totals {
	var all Totals
	if from := p.source(); from != nil {
		sum := from.Totals()
		all = Totals{sum.Counts, sum.InFlight}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, one := range p.members {
		all.add(&one.Totals)
	}
	return all
}

// Latest returns the last instant at which something ended: the present of a run on a
// virtual clock.
func (p *Stats) Latest() time.Duration {
	if from := p.source(); from != nil {
		return from.Latest()
	}
	return 0
}

// counts returns the counts of the seconds from one up to another.
func (p *Stats) counts(from, to int64) (sum results.Counts) {
	if recorder := p.source(); recorder != nil {
		sum = recorder.WindowCounts(from, to)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, one := range p.members {
		one.eachSecond(from, to, func(s *memberSecond) { sum.Add(&s.Counts) })
	}
	return sum
}

// responses returns the response times of the seconds from one up to another.
func (p *Stats) responses(from, to int64) *results.Histogram {
	sum := results.NewHistogram()
	if recorder := p.source(); recorder != nil {
		sum.Merge(&recorder.Window(from, to).Response)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, one := range p.members {
		one.eachSecond(from, to, func(s *memberSecond) { sum.Add(s.responses...) })
	}
	return sum
}

// Second has the counts of one whole second of a run.
type Second struct {
	results.Counts
	// Hottest are the partitions with the highest demand, at most [MaxHottest], highest first.
	Hottest []results.PartitionLoad
	// Demanded are the entities that attempts meant to touch at all partitions.
	Demanded int64
}

// MaxHottest is the maximum number of partitions in a [Second].
const MaxHottest = 64

// Kept is the number of whole seconds for which a second is available after its end.
const Kept = timesOver

// Second returns a whole second of the run, counted from 0. It is empty if it is not one of the last [Kept].
func (p *Stats) Second(number int64) Second {
	all := Second{Counts: p.counts(number, number+1)}
	if recorder := p.source(); recorder != nil {
		all.Hottest, all.Demanded = recorder.PartitionLoads(number, number+1)
	}
	slices.SortFunc(all.Hottest, func(a, b results.PartitionLoad) int {
		return cmp.Or(cmp.Compare(b.Demanded(), a.Demanded()), cmp.Compare(a.Name(), b.Name()))
	})
	all.Hottest = all.Hottest[:min(len(all.Hottest), MaxHottest)]
	return all
}

// LastSecond returns the number of the last second that is over at an instant, -1 before the first is.
func LastSecond(at time.Duration) int64 { return int64(at/time.Second) - 1 }
