package partition

import (
	"math"
	"slices"
	"time"

	"loadgen/engine/clock"
	"loadgen/engine/model"
)

// Options configures a layer.
type Options struct {
	// Model has the parameters; the layer copies them.
	Model *model.Model
	// Cold starts every table with one range on one server; load balancing then splits,
	// moves and merges. Otherwise every partition has a server of its own.
	Cold bool
	// Seed determines the time of each hand-over.
	Seed uint64
	// Background has the changes of the load by tenants outside of the model, sorted by
	// time. The model's own applies before the first.
	Background []Step
}

// Layer has the state of admission: the buckets of each PartitionKey, each account and,
// after a cold start, each range and server, and the servers of the ranges. It belongs to
// one goroutine at a time.
type Layer struct {
	now      clock.Instant
	keys     keys
	accounts accounts
	stamp    *stamp
	// The parameters of admission.
	times admissionTimes
}

// New returns a layer in which everything is idle. The model must be valid.
func New(o Options) *Layer {
	m := o.Model
	l := &Layer{
		keys: keys{
			limit:   newLimit(m.PartitionTarget, int64(m.PartitionBurst)),
			known:   make(map[Place]*key),
			refusal: m.ThrottleCost * (nano / thousand),
			sweepAt: minSweepKeys,
			minKept: minSweepKeys,
		},
		accounts: accounts{
			entities: newLimit(m.AccountTarget, int64(m.AccountBurst)),
			in:       newLimit(m.AccountIngress, int64(m.AccountBurst)),
			out:      newLimit(m.AccountEgress, int64(m.AccountBurst)),
		},
		times: admissionTimes{
			roundTrip: m.RoundTrip, timeout: m.Stamp.Timeout,
			request: m.Stamp.PipelineRequest, entity: m.Stamp.PipelineEntity,
			sizeWeight: m.Stamp.SizeWeight, scanRate: m.ScanRate,
			pendingLow: m.Stamp.PendingLow, pendingHigh: m.Stamp.PendingHigh, pendingDrop: m.Stamp.PendingDrop,
		},
	}
	if m.Idle.Headroom > thousand {
		l.keys.idle = &idleness{
			law: newFading(m.Idle.RateMemory), target: m.PartitionTarget, headroom: m.Idle.Headroom,
			refusal: m.ThrottleCost, low: m.Idle.UtilisationLow, high: m.Idle.UtilisationHigh,
			capacity: m.Stamp.ServerTarget, background: m.Idle.Background, upcoming: slices.Clone(o.Background),
		}
	}
	if !o.Cold && m.BoundsServers() {
		k := &l.keys
		k.serverLimit = newLimit(m.Stamp.ServerTarget, int64(m.Stamp.Burst))
		for number := range m.Stamp.Servers {
			k.servers = append(k.servers, &server{number: int(number), bucket: k.serverLimit.full(0)})
		}
	}
	if o.Cold {
		s := &stamp{
			model:         m.Stamp,
			rangeLimit:    newLimit(m.Stamp.RangeTarget, int64(m.Stamp.Burst)),
			serverLimit:   newLimit(m.Stamp.ServerTarget, int64(m.Stamp.Burst)),
			tick:          clock.Instant(m.Stamp.Tick),
			handOverTimes: clock.NewStream(o.Seed, "hand-over"),
			known:         make(map[uint32]*table),
			nextTick:      clock.Never,
		}
		// stays is the weight of the old value in an average over ticks.
		s.stays = int64(math.Round(math.Exp(-float64(m.Stamp.Tick)/float64(m.Stamp.LoadMemory)) * (1 << averageBits)))
		s.newer = 1<<averageBits - s.stays
		for i := range m.Stamp.Servers {
			s.servers = append(s.servers, &server{number: int(i), bucket: s.serverLimit.full(0)})
		}
		l.stamp = s
	}
	return l
}

// Advance applies the events due up to now and returns now, or the latest instant seen
// if that is later. The other methods call it.
func (l *Layer) Advance(now clock.Instant) clock.Instant {
	if now > l.now {
		l.now = now
		if l.stamp != nil {
			s := l.stamp
			for s.nextTick <= now {
				s.decide(s.nextTick)
			}
			for at, _, some := s.returns.Peek(); some && at <= now; at, _, some = s.returns.Peek() {
				s.returns.Pop()
			}
		}
	}
	return l.now
}

// NextEvent returns the next instant at which something happens without a
// request: a decision about ranges, or the end of a hand-over. It is [clock.Never] if
// nothing does.
func (l *Layer) NextEvent() clock.Instant {
	if l.stamp == nil {
		return clock.Never
	}
	at, _, _ := l.stamp.returns.Peek()
	return min(at, l.stamp.nextTick)
}

// Admit decides on a request that arrives at now; chance is 64 random bits of
// its own. Each stage debits the requests that it admits: one that its partition admits
// and its account refuses still uses the partition's allowance.
func (l *Layer) Admit(now clock.Instant, p Place, d Demand, chance uint64) Verdict {
	now = l.Advance(now)
	if l.stamp != nil {
		return l.admitCold(now, p, &d, chance)
	}
	cost := l.times.cost(&d)
	if one := l.keys.find(now, p); one != nil {
		if kind := l.keys.admit(now, one, cost, chance); kind != Admitted {
			return Verdict{Kind: kind}
		}
	}
	a := &l.accounts
	if a.entities.unlimited() && a.in.unlimited() && a.out.unlimited() {
		return Verdict{}
	}
	return Verdict{Kind: a.admit(now, a.find(now, p.Account), &d, cost)}
}

// Charge debits the entities of a partition that a request, such as a scan, counted in
// addition to those that it was admitted for: from its key, its range and their server.
func (l *Layer) Charge(now clock.Instant, p Place, entities int64) {
	now = l.Advance(now)
	cost := nanos(entities)
	one := l.keys.find(now, p)
	switch {
	case one == nil:
	case l.keys.idle == nil:
		one.bucket.charge(now, cost, l.keys.limit)
	default:
		one.offered.add(now, cost, l.keys.idle.law)
	}
	if one != nil && one.server != nil {
		one.server.bucket.charge(now, cost, l.keys.serverLimit)
	}
	if l.stamp == nil {
		return
	}
	if t, known := l.stamp.known[p.Table]; known {
		r := l.stamp.home(t, p, one)
		r.bucket.charge(now, cost, l.stamp.rangeLimit)
		r.server.bucket.charge(now, cost, l.stamp.serverLimit)
		if l.keys.idle != nil {
			l.keys.serve(now, one, r.server, cost)
		}
		r.seen.offered += cost
		r.seen.served += cost
		if l.times.pipelined() {
			r.seen.busy += min(entities, nano) * int64(time.Second) / l.times.scanRate
		}
		l.stamp.wake(now)
	}
}

// ChargeAccount debits such entities from the account.
func (l *Layer) ChargeAccount(now clock.Instant, account uint32, entities int64) {
	now = l.Advance(now)
	if !l.accounts.entities.unlimited() {
		l.accounts.find(now, account).entities.charge(now, nanos(entities), l.accounts.entities)
	}
}

// CountsBytes reports whether accounts have a limit of bytes, in or out.
func (l *Layer) CountsBytes() bool { return !l.accounts.in.unlimited() || !l.accounts.out.unlimited() }

// ChargeOut debits the bytes of a reply from the account.
func (l *Layer) ChargeOut(now clock.Instant, account uint32, bytes int64) {
	now = l.Advance(now)
	if !l.accounts.out.unlimited() {
		l.accounts.find(now, account).out.charge(now, nanos(bytes), l.accounts.out)
	}
}

// Partitions returns the number of partitions in memory. The layer removes those with
// full buckets, which are like new ones.
func (l *Layer) Partitions() int { return len(l.keys.known) }

// Events returns the events of load balancing since the last call, in order. If 65,536
// events wait, further ones are lost.
func (l *Layer) Events() []Event {
	if l.stamp == nil {
		return nil
	}
	events := l.stamp.journal.events
	l.stamp.journal.events = nil
	return events
}
