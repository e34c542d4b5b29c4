package partition

import (
	"cmp"
	"slices"
	"time"

	"loadgen/engine/clock"
)

// server is a partition server: what it may still take, and for whom.
type server struct {
	number int
	bucket bucket
	// recent is what it served of late; kept only where its idleness counts.
	recent fade
	// tenants are the accounts with ranges on the server, in the order in which
	// they came.
	tenants []*tenant
	// shared is when the shares of the tenants were last reckoned.
	shared clock.Instant

	// load is the sum of its ranges' averages of what they serve, in thousandths
	// of an entity per second; ranges is how many they are.
	load   int64
	ranges int
	seen   heartbeat
	over   episode
}

// tenant is an account on a server.
type tenant struct {
	account uint32
	ranges  int
	// share holds what it may take whatever the others do; offered is what it
	// asked for since shares were last reckoned, in billionths of an entity.
	share   bucket
	limit   limit
	offered int64
}

// shareInterval is how often the shares of the accounts on a server follow what
// they ask for.
const shareInterval = clock.Instant(time.Second)

// admit decides on a request of a tenant and debits it. Of several accounts on a
// server each has a fair share for itself, and what is left goes to those that
// want more; half of the server's burst is kept back for those within their
// share, so that a greedy account cannot take what a modest one needs.
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

// reckon sets the tenants' shares to the level at which, were each given what
// it asks for up to that level, the server's capacity is used up.
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

// host takes a range in, and leave lets it go.
func (s *server) host(now clock.Instant, r *rangePartition, l limit) {
	i := slices.IndexFunc(s.tenants, func(t *tenant) bool { return t.account == r.table.account })
	if i < 0 {
		i = len(s.tenants)
		s.tenants = append(s.tenants, &tenant{account: r.table.account})
		// Until something is known of what they ask for, all have the same.
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
