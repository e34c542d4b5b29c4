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

// Attempt does nothing, as Completed and Scheduled: they make Stats a watcher of drive's ledger. The recorder counts them.
func (*Stats) Attempt(*results.Attempt) {}

// Completed is as Attempt.
func (*Stats) Completed(*results.Completed) {}

// Scheduled is as Attempt.
func (*Stats) Scheduled(*results.Scheduled) {}

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

// Status is the state of a run at an instant. A nil value is not known yet.
type Status struct {
	// At is the instant, since the start of the run.
	At time.Duration
	// Stage and Phase are the current ones, empty before the first.
	Stage, Phase string
	// Reported says that the report is about the phase: it neither prepares nor reads back.
	Reported bool
	// Planned is the number of operations that the stage is to send, 0 if that is not known
	// beforehand, Ended of those that are over, sent or dropped.
	Planned, Ended uint64
	// Left is the remaining time of the stage: of its schedule, or, in a closed loop, at the
	// pace so far, which Estimated says.
	Left      *time.Duration
	Estimated bool
	// Target is the rate at which operations of the phase arrive, per second; nil in a
	// closed loop.
	Target *float64
	// Offered and Served are entities per second, of the last two whole seconds: due by
	// the documented rule, and counted for operations that succeeded. If the generator
	// lags behind a constant rate, Offered is that rate.
	Offered, Served *float64
	// Throttled is the share of attempts that were, from 0 to 1, of the last five seconds.
	Throttled *float64
	// P50 and P99 are of the response times of operations that succeeded in the last ten
	// seconds, from their intended instant; nil for less than 20 of them, and less than
	// a thousand.
	P50, P99 *time.Duration
	// Hottest are the partitions with the most entities served in the last two seconds,
	// at most [Hottest], highest first.
	Hottest []Heat
	// Totals are of the whole run, Sofar of its stage.
	Totals, Sofar Totals
	// Members are the processes that send together, by place: none for a run of one process.
	Members []Member
}

// Heat is a lower bound of what a partition serves, in entities per second. Name is for
// people, see [results.PartitionName]; it may contain any character.
type Heat struct {
	Name string
	Rate float64
}

// Hottest is the maximum number of partitions in a status.
const Hottest = 10

// The stretches that a status covers, in whole seconds.
const (
	rateOver      = 2
	throttledOver = 5
	timesOver     = 10
)

// minEstimate is the minimum time after which the remaining time of a closed loop is estimated.
const minEstimate = 500 * time.Millisecond

// Status returns the state of the run at an instant, which should not fall from call to
// call.
func (p *Stats) Status(at time.Duration) Status {
	s := p.Rates(at)
	p.mu.Lock()
	in := p.stage
	p.mu.Unlock()
	if in.begun {
		now := int64(at / time.Second)
		responses := p.responses(max(in.firstSecond(), now-timesOver), now)
		s.P50, s.P99 = quantile(responses, .5), quantile(responses, .99)
	}
	return s
}

// quantile returns a quantile of response times, nil if there are too few.
func quantile(times *results.Histogram, q float64) *time.Duration {
	if micros, known := times.Quantile(q); known {
		return new(time.Duration(micros) * time.Microsecond)
	}
	return nil
}

// Rates returns the same as [Stats.Status] without P50 and P99, in less time.
func (p *Stats) Rates(at time.Duration) Status {
	totals, members := p.Totals(), p.Members()
	p.mu.Lock()
	now := p.stage
	p.mu.Unlock()
	s := Status{At: at, Stage: now.name, Planned: now.planned, Totals: totals, Sofar: totals, Members: members}
	s.Sofar.Sub(&now.before.Counts)
	s.Ended = uint64(s.Sofar.Operations + s.Sofar.Dropped)
	if now.planned > 0 {
		s.Ended = min(s.Ended, now.planned)
	}
	if !now.begun || at < now.begin {
		return s
	}
	var under results.Phase
	for _, one := range now.phases {
		if one.Begin <= at {
			under = one
		}
	}
	s.Phase, s.Reported = under.Name, under.Reported
	if under.Rate > 0 {
		s.Target = &under.Rate
	}
	switch passed := at - now.begin; {
	case now.length > 0:
		s.Left = new(max(0, now.length-passed))
	case passed >= minEstimate && s.Ended > 0 && now.planned > 0:
		s.Left = new(time.Duration(float64(passed) / float64(s.Ended) * float64(now.planned-min(s.Ended, now.planned))))
		s.Estimated = true
	}
	p.recent(&s, &now, &under)
	return s
}

// firstSecond returns the first whole second of the stage.
func (s *stage) firstSecond() int64 { return int64((s.begin + time.Second - 1) / time.Second) }

// recent sets the figures of the last whole seconds of a stage.
func (p *Stats) recent(s *Status, in *stage, under *results.Phase) {
	end, first := int64(s.At/time.Second), in.firstSecond()
	if all := p.counts(max(first, end-throttledOver), end); all.Attempts > 0 {
		s.Throttled = new(float64(all.Throttled) / float64(all.Attempts))
	}
	from := max(first, end-rateOver)
	span := float64(end - from)
	if span < 1 {
		return
	}
	all := p.counts(from, end)
	offered, served := float64(all.Offered)/span, float64(all.Served)/span
	begin, over := time.Duration(from)*time.Second, time.Duration(end)*time.Second
	if within := begin >= under.Begin && over <= in.begin+in.length; within && all.Scheduled > 0 && !under.Varying {
		// An operation that the generator sends late is recorded when it is sent.
		offered = max(offered, under.Rate*float64(all.Offered)/float64(all.Scheduled))
	}
	s.Offered, s.Served = &offered, &served
	if recorder := p.source(); recorder != nil {
		list, _ := recorder.PartitionLoads(from, end)
		for _, one := range list {
			if one.Served > 0 {
				s.Hottest = append(s.Hottest, Heat{one.Name(), float64(one.Served) / span})
			}
		}
	}
	slices.SortFunc(s.Hottest, func(a, b Heat) int {
		return cmp.Or(cmp.Compare(b.Rate, a.Rate), cmp.Compare(a.Name, b.Name))
	})
	s.Hottest = s.Hottest[:min(len(s.Hottest), Hottest)]
}
