package partition

import (
	"loadgen/engine/clock"
)

// key is one PartitionKey in use.
type key struct {
	bucket bucket
	// home is the range of the key, as of that version of the map.
	home    *rangePartition
	version uint64
	// server is shared with other keys after a warm start; nil if the key has a server of its
	// own.
	server *server
	// offered and served are only kept if a server's idleness counts.
	offered, served fade
}

// keys has the PartitionKeys in use, and the limit of each.
type keys struct {
	limit limit
	// idle is nil if the target is a hard limit.
	idle  *idleness
	known map[Place]*key
	// recent is a cache of the keys of the last requests.
	recent recentKeys
	// servers get the keys in turn after a warm start, if their number is bounded;
	// serverLimit is the limit of each.
	servers     []*server
	serverLimit limit
	next        int
	// refusal is the cost of a throttled request, in billionths of an entity.
	refusal int64
	// sweepAt is the number of keys at which idle ones are removed, minKept the number
	// below which they are not.
	sweepAt, minKept int
}

// minSweepKeys is the minimum number of keys that are kept, keysPerRange the further
// number for each range, so that the range of a key is not looked up all the time.
const (
	minSweepKeys = 1024
	keysPerRange = 4
)

// find returns the state of a PartitionKey, nil if keys have no limit. A new key goes to the
// next server if their number is bounded: a warm table is spread evenly.
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
			// A key is idle if its bucket is full or, without a limit, its rate is far below
			// any.
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

// pass decides on a request of one key, and debits it. s is its server, nil if every
// partition has its own.
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
	// used is the share of the server that everything except the key uses, in thousandths.
	used := i.background
	if s != nil && i.capacity > 0 {
		others := s.recent.rate(now, i.law) - one.served.rate(now, i.law)
		used += max(0, others) / i.capacity
	}
	allowed := i.target * i.multiple(used)
	if i.refusal > 0 && rate > allowed {
		// Serving and refusing together use the allowance L: with O offered and s served,
		// s + f(O − s) = L, so s = (L − fO) / (1 − f).
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

// serve counts a request that passed its key and was not refused later, if a server's
// idleness counts.
func (k *keys) serve(now clock.Instant, one *key, s *server, cost int64) {
	if one != nil {
		one.served.add(now, cost, k.idle.law)
	}
	if s != nil {
		s.recent.add(now, cost, k.idle.law)
	}
}

// recentKeys is a cache of keys by a hash of their places. It finds a few frequent keys in a
// fraction of the time of a map.
type recentKeys [1 << recentBits]recentKey

const recentBits = 7

type recentKey struct {
	place Place
	key   *key
}

// thousand is the denominator of shares.
const thousand = 1000

// Step changes the load by tenants outside of the model on every server: its share of a
// server from an instant on, in thousandths.
type Step struct {
	From clock.Instant
	Load int64
}

// idleness is the multiple of its target that a partition gets while its server has
// little other load. Load above it is refused with a probability that increases with
// the recent offered rate.
type idleness struct {
	law *fading
	// target is in entities per second, headroom in thousandths.
	target, headroom int64
	low, high        int64
	// refusal is the cost of a refused request, in thousandths of an entity.
	refusal int64
	// capacity is the server's in entities per second; 0 means that every server is idle.
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
