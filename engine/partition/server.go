package partition

import (
	"cmp"
	"slices"
	"time"

	"loadgen/engine/clock"
)

// server is a partition server: its bucket and its tenants.
type server struct {
	number int
	bucket bucket
	// recent is the load served recently; only kept if its idleness counts.
	recent fade
	// tenants are the accounts with ranges on the server, in the order of arrival.
	tenants []*tenant
	// shared is when the shares of the tenants were last updated.
	shared clock.Instant

	// load is the sum of the average served loads of its ranges, in thousandths of an
	// entity per second; ranges is their number.
	load   int64
	ranges int
	seen   heartbeat
	over   episode
}

// tenant is an account on a server.
type tenant struct {
	account uint32
	ranges  int
	// share is the bucket of its guaranteed share; offered is its load since the last
	// update of the shares, in billionths of an entity.
	share   bucket
	limit   limit
	offered int64
}

// shareInterval is the time between two updates of the shares of accounts on a server.
const shareInterval = clock.Instant(time.Second)

// admit decides on a request of a tenant and debits it. Several accounts on a server each
// have a fair share, and the rest goes to accounts with more load. Half of the server's
// burst is reserved for accounts within their share, so that a large account cannot use
// the share of a small one.
func (s *server) admit(now clock.Instant, t *tenant, cost int64, l limit) bool {
	if l.unlimited() || len(s.tenants) < 2 {
		return s.bucket.admit(now, cost, l)
	}
	if now-s.shared >= shareInterval {
		s.updateShares(now, l)
	}
	t.offered += cost
	least := int64(nano)
	if !t.share.admit(now, cost, t.limit) {
		least = max(nano, l.capacity/2)
	}
	s.bucket.refill(now, l)
	if s.bucket.tokens < least {
		return false
	}
	s.bucket.owe(cost)
	return true
}

// updateShares sets the tenants' shares to the level at which their loads, each limited
// to that level, use the whole capacity of the server.
func (s *server) updateShares(now clock.Instant, l limit) {
	byDemand := slices.Clone(s.tenants)
	slices.SortStableFunc(byDemand, func(a, b *tenant) int { return cmp.Compare(a.offered, b.offered) })
	elapsed := max(1, int64(now-s.shared)/int64(time.Microsecond))
	left, level := l.rate, l.rate
	for i, t := range byDemand {
		level = max(1, left/int64(len(byDemand)-i))
		// Billionths per microsecond are thousandths per second.
		demand := t.offered / elapsed / thousand
		if demand > level {
			break
		}
		left -= demand
		level = max(1, demand+left)
	}
	for _, t := range s.tenants {
		t.limit = limit{level, max(nano, l.capacity/l.rate*level)}
		t.offered = 0
	}
	s.shared = now
}

// host adds a range, and leave removes it.
func (s *server) host(now clock.Instant, r *rangePartition, l limit) {
	i := slices.IndexFunc(s.tenants, func(t *tenant) bool { return t.account == r.table.account })
	if i < 0 {
		i = len(s.tenants)
		s.tenants = append(s.tenants, &tenant{account: r.table.account})
		// All have the same share until their loads are known.
		for _, t := range s.tenants {
			level := max(1, l.rate/int64(len(s.tenants)))
			t.limit = limit{level, max(nano, l.capacity/max(1, l.rate)*level)}
			t.share, t.offered = t.limit.full(now), 0
		}
		s.shared = now
	}
	s.tenants[i].ranges++
	s.ranges++
	s.load += r.served
	r.server, r.tenant = s, s.tenants[i]
}

func (s *server) leave(r *rangePartition) {
	s.load -= r.served
	s.ranges--
	if r.tenant.ranges--; r.tenant.ranges == 0 {
		i := slices.Index(s.tenants, r.tenant)
		s.tenants = slices.Delete(s.tenants, i, i+1)
	}
}
