package partition

import "loadgen/engine/clock"

// nano is one entity in the unit of the accounting, a billionth of an entity.
const nano = 1_000_000_000

// deepestDebt is the maximum debt of a bucket, a billion entities, so that nothing
// overflows.
const deepestDebt = -nano * nano

// maxCapacity is the maximum capacity of a bucket, for the same reason.
const maxCapacity = 4 * nano * nano

// nanos returns a number of entities in billionths, at most the maximum debt of a bucket.
func nanos(entities int64) int64 { return min(entities, nano) * nano }

// bucket is a token bucket with debt. It admits while it holds a whole entity
// and then debits the full cost, even below zero. So a transaction larger than the
// burst passes, and the long-run rate is still exact. Bytes follow the same rule.
type bucket struct {
	tokens int64
	at     clock.Instant
}

// limit is the rate of a bucket, in entities per second, and its capacity, in
// billionths of an entity.
type limit struct{ rate, capacity int64 }

// newLimit returns the limit of a rate with a capacity of burst nanoseconds of it,
// and at least one entity.
func newLimit(entitiesPerSecond, burstNanos int64) limit {
	if entitiesPerSecond > 0 && burstNanos > maxCapacity/entitiesPerSecond {
		return limit{entitiesPerSecond, maxCapacity}
	}
	return limit{entitiesPerSecond, max(nano, entitiesPerSecond*burstNanos)}
}

// unlimited reports whether there is no limit.
func (l limit) unlimited() bool { return l.rate == 0 }

// full returns a full bucket.
func (l limit) full(now clock.Instant) bucket { return bucket{l.capacity, now} }

func (b *bucket) refill(now clock.Instant, l limit) {
	elapsed := int64(now - b.at)
	b.at = now
	// Comparing before multiplying keeps a long idle time from overflowing.
	if elapsed > (l.capacity-b.tokens)/l.rate {
		b.tokens = l.capacity
		return
	}
	b.tokens += elapsed * l.rate
}

// admit debits a cost, in billionths, or refuses and debits
// nothing. Without a limit it admits.
func (b *bucket) admit(now clock.Instant, cost int64, l limit) bool {
	if l.unlimited() {
		return true
	}
	b.refill(now, l)
	if b.tokens < nano {
		return false
	}
	b.owe(cost)
	return true
}

// charge debits a cost, in billionths, and never refuses.
func (b *bucket) charge(now clock.Instant, cost int64, l limit) {
	if !l.unlimited() {
		b.refill(now, l)
		b.owe(cost)
	}
}

// refuse debits the work of a refusal. The sum of such work is bounded by the burst: the
// bucket is full again at most two bursts after the last request.
func (b *bucket) refuse(now clock.Instant, cost int64, l limit) {
	if cost == 0 || l.unlimited() {
		return
	}
	b.refill(now, l)
	if b.tokens > -l.capacity {
		b.owe(cost)
	}
}

// owe debits a cost, in billionths, from a bucket that is up to date.
func (b *bucket) owe(cost int64) {
	b.tokens = max(deepestDebt, b.tokens-cost)
}

// account has the buckets of one account: entities, and bytes in each direction.
type account struct{ entities, in, out bucket }

// accounts holds the accounts in use, and the limits on each.
type accounts struct {
	entities, in, out limit
	// known are the accounts by number; the engine numbers them from 0.
	known []*account
}

func (a *accounts) find(now clock.Instant, number uint32) *account {
	for uint32(len(a.known)) <= number {
		a.known = append(a.known, nil)
	}
	one := a.known[number]
	if one == nil {
		one = &account{a.entities.full(now), a.in.full(now), a.out.full(now)}
		a.known[number] = one
	}
	return one
}

// admit decides on a request and debits it if admitted: the entities first, then the
// bytes received. Bytes sent are debited once they are known; a read is refused while
// that bucket is in debt.
func (a *accounts) admit(now clock.Instant, one *account, d *Demand, cost int64) Kind {
	if !one.entities.admit(now, cost, a.entities) {
		return AccountBusy
	}
	if d.Received > 0 && !one.in.admit(now, nanos(d.Received), a.in) {
		return IngressBusy
	}
	if d.Sends > 0 {
		one.out.charge(now, nanos(d.Sends), a.out)
	}
	if d.Read && !one.out.admit(now, 0, a.out) {
		return EgressBusy
	}
	return Admitted
}
