package partition

import (
	"loadgen/engine/clock"
)

// key is one PartitionKey in use.
type key struct {
	bucket bucket
	// home is the range that the key lies in, as of that version of the map.
	home    *rangePartition
	version uint64
	// server is the one that it shares with others after a warm start; nil where it has one
	// to itself.
	server *server
	// offered and served are kept only where a server's idleness counts.
	offered, served fade
}

// keys holds the PartitionKeys in use, and the limit on each.
type keys struct {
	limit limit
	// idle is nil where the target is a hard limit.
	idle  *idleness
	known map[Place]*key
	// recent are some of them, those that were asked for last.
	recent recentKeys
	// servers are what keys lie on in turn, after a warm start whose servers are bounded, to
	// the limit on each.
	servers     []*server
	serverLimit limit
	next        int
	// refusal is what a throttled request costs, in billionths of an entity.
	refusal int64
	// sweepAt is the number of keys at which idle ones are forgotten, fewest the
	// number below which that is not worth the walk.
	sweepAt, minKept int
}

// minSweepKeys is the least number of keys that are kept, keysPerRange what is
// kept for each range besides, so that to know a key's range is not forgotten
// all the time.
const (
	minSweepKeys = 1024
	keysPerRange = 4
)

// find returns the state of a PartitionKey; nil where there is no limit on any. A new one goes
// to the next of the servers, if they are bounded: a warm table is spread over them evenly.
func (k *keys) find(now clock.Instant, p Place) *key {
	if k.limit.unlimited() && len(k.servers) == 0 {
		return nil
	}
	const factor = 0x9E3779B97F4A7C15 // 2^64 over the golden ratio
	word := uint64(p.Table)
	for i := max(0, len(p.PartitionKey)-8); i < len(p.PartitionKey); i++ {
		word = word<<7 ^ word>>57 ^ uint64(p.PartitionKey[i])
	}
	recent := &k.recent[word*factor>>(64-recentBits)]
	if recent.key != nil && recent.place == p {
		return recent.key
	}
	if one, known := k.known[p]; known {
		*recent = recentKey{p, one}
		return one
	}
	if len(k.known) >= max(k.sweepAt, k.minKept) {
		// Doubling the threshold keeps the cost of the walk constant per key.
		k.recent = recentKeys{}
		for p, one := range k.known {
			// A key is idle that has its whole burst again or, where there is none, a rate so
			// small that it comes near no limit.
			idle := k.limit.unlimited()
			if k.idle != nil {
				const far = 64
				idle = one.offered.rate(now, k.idle.law)*far < k.limit.rate*thousand
			} else if !idle {
				one.bucket.refill(now, k.limit)
				idle = one.bucket.tokens == k.limit.capacity
			}
			if idle {
				delete(k.known, p)
			}
		}
		k.sweepAt = max(k.minKept, 2*len(k.known))
	}
	one := &key{bucket: k.limit.full(now)}
	one.offered.at, one.served.at = now, now
	if len(k.servers) > 0 {
		one.server = k.servers[k.next%len(k.servers)]
		k.next++
	}
	k.known[p] = one
	*recent = recentKey{p, one}
	return one
}

// pass decides on a request of one key, and debits it; s is the server, or nil
// where every partition has one to itself.
func (k *keys) pass(now clock.Instant, one *key, s *server, cost int64, chance uint64) bool {
	i := k.idle
	switch {
	case one == nil:
		return true
	case i == nil:
		return one.bucket.admit(now, cost, k.limit)
	}
	one.offered.add(now, cost, i.law)
	rate := one.offered.rate(now, i.law)
	for len(i.upcoming) > 0 && i.upcoming[0].From <= now {
		i.background, i.upcoming = i.upcoming[0].Load, i.upcoming[1:]
	}
	// Everything but the key uses that much of the server, in thousandths.
	used := i.background
	if s != nil && i.capacity > 0 {
		others := s.recent.rate(now, i.law) - one.served.rate(now, i.law)
		used += max(0, others) / i.capacity
	}
	allowed := i.target * i.multiple(used)
	if i.refusal > 0 && rate > allowed {
		// What is served and what refusing the rest takes are together what is allowed: of
		// O offered, s + f(O − s) = L, so s = (L − fO) / (1 − f).
		f := min(i.refusal*thousand*nano/cost, millionth/2)
		allowed = max(0, allowed-rate/thousand*f/thousand) * thousand / ((millionth - f) / thousand)
	}
	return rate <= allowed || !happens(chance, rate-allowed, rate)
}

// admit decides on a request after a warm start, by its key and by its server.
func (k *keys) admit(now clock.Instant, one *key, cost int64, chance uint64) Kind {
	kind := Admitted
	switch {
	case !k.pass(now, one, one.server, cost, chance):
		kind = PartitionBusy
	case one.server != nil && !one.server.bucket.admit(now, cost, k.serverLimit):
		kind = ServerBusy
	}
	switch {
	case kind == Admitted && k.idle != nil && one.server != nil:
		k.serve(now, one, one.server, cost)
	case kind != Admitted && k.refusal > 0:
		one.bucket.refuse(now, k.refusal, k.limit)
		if one.server != nil {
			one.server.bucket.refuse(now, k.refusal, k.serverLimit)
		}
	}
	return kind
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

// recentKeys are keys by what their places end with: where a few are asked for again and
// again, that finds them in a fraction of the time that a map takes.
type recentKeys [1 << recentBits]recentKey

const recentBits = 7

type recentKey struct {
	place Place
	key   *key
}

// thousand is the denominator of shares.
const thousand = 1000

// Step is a change of the load that tenants outside of the model put on every
// server: from that instant on, its share of a server in thousandths.
type Step struct {
	From clock.Instant
	Load int64
}

// idleness is what a partition may have beyond its target while its server has
// little else to do. Beyond that it is refused with a probability that rises
// with the rate at which it was offered load of late.
type idleness struct {
	law *fading
	// target and capacity are entities per second, the others thousandths.
	target, headroom int64
	low, high        int64
	// refusal is what a request costs that is refused, in thousandths of an entity.
	refusal int64
	// capacity is the server's; 0 takes every server for idle.
	capacity   int64
	background int64
	upcoming   []Step
}

// multiple returns the multiple of the target, in thousandths, that a partition
// may have at a utilisation of its server by everything else.
func (i *idleness) multiple(utilisation int64) int64 {
	switch {
	case utilisation <= i.low:
		return i.headroom
	case utilisation >= i.high:
		return thousand
	default:
		return thousand + (i.headroom-thousand)*(i.high-utilisation)/(i.high-i.low)
	}
}
