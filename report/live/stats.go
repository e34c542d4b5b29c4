package live

import (
	"sync"
	"time"

	"loadgen/results"
)

// Stats is how a run fares. Every method is safe for concurrent use.
type Stats struct {
	shards [shards]shard

	// mu guards the stage under way, and the members.
	mu      sync.Mutex
	stage   stage
	members []*Member
}

// stage is a stretch of load that is under way.
type stage struct {
	name    string
	planned uint64
	length  time.Duration
	// begun says that begin is known: phases are told when the stage begins.
	begun  bool
	begin  time.Duration
	phases []phase
	// before is what the run came to before the stage.
	before Totals
}

type phase struct {
	name   string
	begin  time.Duration
	target float64
	// rate is 0 where there is none, or it changes.
	rate     float64
	reported bool
}

// Totals are the counts of a whole run so far. Served are the entities counted for its successes.
type Totals struct {
	results.Counts
	// Begun is how many attempts were sent.
	Begun int64
}

// InFlight returns how many attempts are under way.
func (t *Totals) InFlight() int64 { return max(0, t.Begun-t.Attempts) }

// LateSince returns the share of the operations that became due since earlier totals which
// were sent late, from 0 to 1; nil where none became due.
func (t *Totals) LateSince(before *Totals) *float64 {
	due := t.Scheduled - before.Scheduled
	if due <= 0 {
		return nil
	}
	return new(float64(t.Late-before.Late) / float64(due))
}

func (t *Totals) add(o *Totals) {
	t.Counts.Add(&o.Counts)
	t.Begun += o.Begun
}

// totalsOf returns the totals of one second.
func totalsOf(of *results.Interval) Totals { return Totals{of.Counts, of.Attempts} }

// New returns the stats of a run that has not begun.
func New() *Stats { return new(Stats) }

// Enter is told of each stage before it begins: how many operations it is to send, and
// how long they become due, each 0 where that is not known beforehand.
func (p *Stats) Enter(name string, operations uint64, length time.Duration) {
	before := p.Totals()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.stage = stage{name: name, planned: operations, length: length, before: before}
	for i := range p.shards {
		// What comes next is of another stage.
		h := &p.shards[i]
		h.mu.Lock()
		for n := range h.ring {
			h.ring[n] = second{number: h.ring[n].number}
		}
		h.mu.Unlock()
	}
}

// Phase is told of each phase of a stage as that begins, with the record's number of it.
func (p *Stats) Phase(_ int, told *results.Phase) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.stage.begun {
		p.stage.begun, p.stage.begin = true, told.Begin
	}
	one := phase{name: told.Name, begin: told.Begin, target: told.Rate, reported: told.Reported}
	if !told.Varying {
		one.rate = told.Rate
	}
	p.stage.phases = append(p.stage.phases, one)
}

// Due is told of every operation as it is first sent, or dropped.
func (p *Stats) Due(s *results.Scheduled) {
	h := &p.shards[uint64(s.Intended)>>10%shards]
	h.mu.Lock()
	defer h.mu.Unlock()
	h.totals.CountDue(s)
	if !s.Dropped {
		h.totals.CountSent(s)
		if !s.Held {
			h.totals.Begun++
		}
	}
	if one := h.at(s.Intended); one != nil {
		one.CountDue(s)
	}
}

// Again is told of every attempt but the first of an operation as it is sent.
func (p *Stats) Again(at time.Duration) {
	h := &p.shards[uint64(at)>>10%shards]
	h.mu.Lock()
	defer h.mu.Unlock()
	h.totals.Begun++
}

// Attempt is told of every attempt as it ends.
func (p *Stats) Attempt(a *results.Attempt) {
	h := &p.shards[a.Number%shards]
	h.mu.Lock()
	defer h.mu.Unlock()
	h.latest = max(h.latest, a.Done)
	h.totals.CountAttempt(a)
	one := h.at(a.Done)
	if one == nil {
		return
	}
	one.CountAttempt(a)
	demanded := a.Demanded()
	one.demanded += demanded
	if demanded <= 0 || !a.HasPartition {
		return
	}
	one.warmer(partition{a.Table, a.PartitionKey}, demanded, a.Class)
}

// Touched is told of entities that the attempt with a number touched at a partition that is
// not its own, as a query of a whole table does: they are heat there, and nothing else.
func (p *Stats) Touched(number uint64, at time.Duration, table, key string, entities int64) {
	h := &p.shards[number%shards]
	h.mu.Lock()
	defer h.mu.Unlock()
	if one := h.at(at); one != nil && entities > 0 {
		one.warmer(partition{table, key}, entities, results.Ok)
	}
}

// Completed is told of every operation as it ends.
func (p *Stats) Completed(c *results.Completed) {
	h := &p.shards[c.Number%shards]
	h.mu.Lock()
	defer h.mu.Unlock()
	h.latest = max(h.latest, c.Done)
	h.totals.CountCompleted(c)
	h.totals.Served += c.Served
	one := h.at(c.Done)
	if one == nil {
		return
	}
	one.Served += c.Served
	if c.Class == results.Ok {
		one.times[binOf(c.Done-c.Intended)]++
	}
}

// Totals returns what the run came to so far.
func (p *Stats) Totals() Totals {
	var all Totals
	for i := range p.shards {
		h := &p.shards[i]
		h.mu.Lock()
		all.add(&h.totals)
		h.mu.Unlock()
	}
	return all
}

// Latest returns the last instant at which something ended: the present of a run on a
// virtual clock.
func (p *Stats) Latest() time.Duration {
	var latest time.Duration
	for i := range p.shards {
		h := &p.shards[i]
		h.mu.Lock()
		latest = max(latest, h.latest)
		h.mu.Unlock()
	}
	return latest
}
