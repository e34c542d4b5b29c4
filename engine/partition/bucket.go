package partition

import "loadgen/engine/clock"

// nano is one entity in the unit of the accounting, a billionth of an entity.
const nano = 1_000_000_000

// deepestDebt bounds what a bucket can owe, so that nothing overflows: a
// billion entities.
const deepestDebt = -nano * nano

// bucket is a token bucket with debt. It admits while it holds a whole entity
// and then takes the full cost, below zero if need be; so a transaction larger
// than the burst passes, and the long-run rate is exact all the same.
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
	return limit{entitiesPerSecond, max(nano, entitiesPerSecond*burstNanos)}
}

// unlimited reports whether the rate stands for no limit at all.
func (l limit) unlimited() bool { return l.rate == 0 }

// refill brings the bucket to now.
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

// take admits a cost, in entities, and debits it, or refuses and debits
// nothing.
func (b *bucket) take(now clock.Instant, cost int64, l limit) bool {
	b.refill(now, l)
	if b.tokens < nano {
		return false
	}
	b.owe(cost)
	return true
}

// owe debits a cost, in entities, without asking.
func (b *bucket) owe(cost int64) {
	b.tokens = max(deepestDebt, b.tokens-cost*nano)
}
