package partition

import "loadgen/engine/clock"

// nano is one entity in the unit of the accounting, a billionth of an entity.
const nano = 1_000_000_000

// deepestDebt bounds what a bucket can owe, so that nothing overflows: a
// billion entities.
const deepestDebt = -nano * nano

// maxCapacity bounds what a bucket can hold, for the same reason.
const maxCapacity = 4 * nano * nano

// nanos returns a number of entities in billionths, at most as many as a bucket
// can owe.
func nanos(entities int64) int64 { return min(entities, nano) * nano }

// bucket is a token bucket with debt. It admits while it holds a whole entity
// and then takes the full cost, below zero if need be; so a transaction larger
// than the burst passes, and the long-run rate is exact all the same. The same
// law holds for bytes.
type bucket struct {
	tokens int64
	at     clock.Instant
}

// limit is the rate, in entities per second, and the capacity, in billionths of
// an entity, that a bucket is held to.
type limit struct{ rate, capacity int64 }

// newLimit returns the limit of a rate whose idle bucket saves up the allowance
// of burst nanoseconds, and at least one entity.
func newLimit(entitiesPerSecond, burstNanos int64) limit {
	if entitiesPerSecond > 0 && burstNanos > maxCapacity/entitiesPerSecond {
		return limit{entitiesPerSecond, maxCapacity}
	}
	return limit{entitiesPerSecond, max(nano, entitiesPerSecond*burstNanos)}
}

// unlimited reports whether the rate stands for no limit at all.
func (l limit) unlimited() bool { return l.rate == 0 }

// full returns a bucket that has saved up all it can.
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

// charge debits a cost, in billionths, without asking.
func (b *bucket) charge(now clock.Instant, cost int64, l limit) {
	if !l.unlimited() {
		b.refill(now, l)
		b.owe(cost)
	}
}

// refuse debits the work of having refused. What waits to be refused is bounded, as the burst
// is: whatever was asked for, the bucket is itself again two bursts after nobody asks.
func (b *bucket) refuse(now clock.Instant, cost int64, l limit) {
	if cost == 0 || l.unlimited() {
		return
	}
	b.refill(now, l)
	if b.tokens > -l.capacity {
		b.owe(cost)
	}
}

// owe debits a cost, in billionths, of a bucket that is up to date.
func (b *bucket) owe(cost int64) {
	b.tokens = max(deepestDebt, b.tokens-cost)
}

// account is what one account may still take, in entities and in bytes each way.
type account struct{ entities, in, out bucket }

// accounts holds the accounts in use, and the limits on each.
type accounts struct {
	entities, in, out limit
	// known are those in use, at their numbers, which the engine gives out from 0.
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

// admit decides on a request and debits what it admits: the entities first, then
// the bytes that come in. Bytes that go out are debited once they are known; a
// read is refused while they are owed.
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
