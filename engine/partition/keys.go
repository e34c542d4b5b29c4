package partition

import (
	"loadgen/engine/clock"
	"loadgen/engine/model"
)

// key is one PartitionKey in use.
type key struct {
	bucket bucket
	// home is the range that the key lies in, as of that version of the map.
	home    *rangePartition
	version uint64
	// offered and served are kept only where a server's idleness counts.
	offered, served fade
}

// keys holds the PartitionKeys in use, and the limit on each.
type keys struct {
	limit limit
	// idle is nil where the target is a hard limit.
	idle  *idleness
	known map[Place]*key
	// sweepAt is the number of keys at which idle ones are forgotten, fewest the
	// number below which that is not worth the walk.
	sweepAt, fewest int
}

// fewestToSweep is the least number of keys that are kept, keysPerRange what is
// kept for each range besides, so that to know a key's range is not forgotten
// all the time.
const (
	fewestToSweep = 1024
	keysPerRange  = 4
)

func newKeys(m *model.Model, background []Step) keys {
	k := keys{
		limit:   newLimit(m.PartitionTarget, int64(m.PartitionBurst)),
		known:   make(map[Place]*key),
		sweepAt: fewestToSweep,
		fewest:  fewestToSweep,
	}
	if m.Idle.Headroom > thousand {
		k.idle = newIdleness(m, background)
	}
	return k
}

// find returns the state of a PartitionKey; nil where there is no limit on any.
func (k *keys) find(now clock.Instant, p Place) *key {
	if k.limit.unlimited() {
		return nil
	}
	if one, known := k.known[p]; known {
		return one
	}
	if len(k.known) >= max(k.sweepAt, k.fewest) {
		k.forgetIdle(now)
	}
	one := &key{bucket: k.limit.full(now)}
	one.offered.at, one.served.at = now, now
	k.known[p] = one
	return one
}

// pass decides on a request of one key, and debits it; s is the server, or nil
// where every partition has one to itself.
func (k *keys) pass(now clock.Instant, one *key, s *server, cost int64, chance uint64) bool {
	switch {
	case one == nil:
		return true
	case k.idle == nil:
		return one.bucket.take(now, cost, k.limit)
	default:
		return k.idle.pass(now, one, s, cost, chance)
	}
}

// serve notes that a request that its key let pass was not refused further on;
// only where a server's idleness counts.
func (k *keys) serve(now clock.Instant, one *key, s *server, cost int64) {
	if one != nil {
		one.served.add(now, cost, k.idle.law)
	}
	if s != nil {
		s.recent.add(now, cost, k.idle.law)
	}
}

// charge debits a key without asking.
func (k *keys) charge(now clock.Instant, one *key, cost int64) {
	switch {
	case one == nil:
	case k.idle == nil:
		one.bucket.charge(now, cost, k.limit)
	default:
		one.offered.add(now, cost, k.idle.law)
	}
}

// forgetIdle drops the keys that nothing tells from those never seen. Doubling
// the threshold keeps the cost of the walk constant per key.
func (k *keys) forgetIdle(now clock.Instant) {
	for p, one := range k.known {
		if k.isIdle(now, one) {
			delete(k.known, p)
		}
	}
	k.sweepAt = max(k.fewest, 2*len(k.known))
}

// isIdle reports whether a key has its whole burst again or, where there is
// none, a rate so small that it comes near no limit.
func (k *keys) isIdle(now clock.Instant, one *key) bool {
	if k.idle == nil {
		one.bucket.refill(now, k.limit)
		return one.bucket.tokens == k.limit.capacity
	}
	const far = 64
	return one.offered.rate(now, k.idle.law)*far < k.limit.rate*thousand
}
