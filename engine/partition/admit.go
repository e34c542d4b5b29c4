package partition

import (
	"time"

	"loadgen/engine/clock"
)

// admissionTimes are the times and weights of the model for admission after a cold start.
type admissionTimes struct {
	roundTrip, timeout      time.Duration
	request, entity         time.Duration
	sizeWeight, scanRate    int64
	pendingLow, pendingHigh time.Duration
	pendingDrop             int64
}

// pipelined reports whether ranges work on one request at a time.
func (t *admissionTimes) pipelined() bool { return t.request > 0 || t.entity > 0 }

// cost returns what a demand costs, in billionths of an entity of 1 KiB.
func (t *admissionTimes) cost(d *Demand) int64 {
	cost := nanos(d.Entities)
	const kib = 1024
	if beyond := d.BytesIn - d.Entities*kib; t.sizeWeight > 0 && beyond > 0 {
		cost += min(beyond, nano) * t.sizeWeight / kib * (nano / thousand)
	}
	return cost
}

// sampleBits is the number of a chance's lowest bits that decide whether a request
// counts in its range's profile: one in 16 does, with 16 times the weight.
const sampleBits = 4

// admitCold also decides by the request's range and the server of the range.
func (l *Layer) admitCold(now clock.Instant, p Place, d *Demand, chance uint64) Verdict {
	s := l.stamp
	s.wake(now)
	t := s.open(now, &l.accounts, p)
	l.keys.minKept = minSweepKeys + keysPerRange*s.ranges
	one := l.keys.find(now, p)
	r := s.home(t, p, one)
	var v Verdict
	deadline := l.times.timeout
	if d.Timeout > 0 {
		deadline = min(deadline, d.Timeout)
	}
	switch {
	case !r.online(now):
		v.Wait = r.offline.Sub(now)
		if happens(mixRandom(chance, 1), s.model.OfflineThrottled, thousand) {
			v.Kind, v.Wait = Moving, 0
			return v
		}
		if v.Wait > deadline {
			v.Kind, v.Wait = TimedOut, deadline
			return v
		}
	case now < r.stale:
		v.Wait, v.Redirected = l.times.roundTrip, true
	}
	cost := l.times.cost(d)
	r.seen.requests++
	r.seen.offered += cost
	if chance&(1<<sampleBits-1) == 0 {
		const milli = nano / thousand
		load := cost / milli << sampleBits
		r.profile.touch(p.PartitionKey, load, d.BytesIn<<sampleBits)
		r.probe.touch(p.PartitionKey, load, mixRandom(chance, 3))
	}
	if v.Kind = l.stages(now, r, one, d, cost, chance); v.Kind != Admitted {
		v.Wait, v.Redirected = 0, false
		return v
	}
	if !l.times.pipelined() {
		return v
	}
	begun := max(r.done, now.Add(v.Wait))
	if begun.Sub(now) > deadline {
		v.Kind, v.Wait = TimedOut, deadline
		r.seen.timedOut++
		return v
	}
	occupied := l.times.request + time.Duration(min(d.Entities, nano))*l.times.entity
	end := begun.Add(occupied)
	r.done = end
	r.seen.busy += int64(occupied)
	if end.Sub(now) > deadline {
		v.Kind, v.Wait, v.Performed = TimedOut, deadline, true
		r.seen.timedOut++
		return v
	}
	v.Wait = end.Sub(now)
	return v
}

// stages checks the limits of key, range, server and account, in this order.
func (l *Layer) stages(now clock.Instant, r *rangePartition, one *key, d *Demand, cost int64, chance uint64) Kind {
	kind := Admitted
	switch {
	case !l.keys.pass(now, one, r.server, cost, chance):
		kind = PartitionBusy
	case !r.bucket.admit(now, cost, l.stamp.rangeLimit), !l.waits(now, r, chance):
		kind = RangeBusy
	case !r.server.admit(now, r.tenant, cost, l.stamp.serverLimit):
		kind = ServerBusy
	}
	if kind != Admitted {
		r.seen.refused++
		// Refusing costs partition, range and server work, too.
		work := l.keys.refusal
		if one != nil && l.keys.idle == nil {
			one.bucket.refuse(now, work, l.keys.limit)
		}
		r.bucket.refuse(now, work, l.stamp.rangeLimit)
		r.server.bucket.refuse(now, work, l.stamp.serverLimit)
		if occupied := l.times.entity * time.Duration(work) / nano; occupied > 0 {
			r.done = max(r.done, now).Add(occupied)
			r.seen.busy += int64(occupied)
		}
		return kind
	}
	r.seen.served += cost
	r.seen.bytes += d.BytesIn
	if l.keys.idle != nil {
		l.keys.serve(now, one, r.server, cost)
	}
	return l.accounts.admit(now, r.limits, d, cost)
}

// waits decides whether a request may join the queue of its range's pipeline:
// the more work is queued, the more requests are refused. Work counts, not the
// number of requests: a queue that holds some transactions of a hundred entities
// holds hundreds of single inserts (docs/development/published.md).
func (l *Layer) waits(now clock.Instant, r *rangePartition, chance uint64) bool {
	t := &l.times
	if !t.pipelined() {
		return true
	}
	pending := r.done.Sub(now)
	switch {
	case pending >= t.pendingHigh:
		return false
	case pending <= t.pendingLow:
		return true
	default:
		odds := t.pendingDrop * int64(pending-t.pendingLow)
		return !happens(mixRandom(chance, 2), odds, thousand*int64(t.pendingHigh-t.pendingLow))
	}
}
