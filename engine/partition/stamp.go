package partition

import (
	"cmp"
	"slices"
	"sort"

	"loadgen/engine/clock"
	"loadgen/engine/entity"
	"loadgen/engine/model"
)

// stamp has the ranges and their servers, and balances the load.
type stamp struct {
	model         model.Stamp
	rangeLimit    limit
	serverLimit   limit
	tick          clock.Instant
	newer, stays  int64
	handOverTimes clock.Stream

	servers []*server
	known   map[uint32]*table
	// recent is the table of the last request, nil before the first.
	recent *table
	// tables is sorted, so that no decision depends on the order of a map.
	tables []*table
	ranges int
	// numbers is the number of ranges ever created, moves that of hand-overs.
	numbers, moves uint64
	// version counts the changes of the map.
	version uint64

	// nextTick is Never while ticks change nothing.
	nextTick clock.Instant
	// returns are the instants at which ranges are online again.
	returns clock.Queue[struct{}]
	journal journal
}

// wake resumes the ticks after an idle time.
func (s *stamp) wake(now clock.Instant) {
	if s.nextTick == clock.Never {
		s.nextTick = (now/s.tick + 1) * s.tick
	}
}

// open returns a table. A new one has one range, on the server with the least load.
func (s *stamp) open(now clock.Instant, a *accounts, p Place) *table {
	if s.recent != nil && s.recent.number == p.Table {
		return s.recent
	}
	if t, known := s.known[p.Table]; known {
		s.recent = t
		return t
	}
	t := &table{account: p.Account, number: p.Table, limits: a.find(now, p.Account)}
	r := s.newRange(now, t)
	r.last = true
	t.ranges = []*rangePartition{r}
	s.lightest(nil).host(now, r, s.serverLimit)
	s.known[p.Table] = t
	i, _ := slices.BinarySearchFunc(s.tables, t, func(a, b *table) int {
		return cmp.Or(cmp.Compare(a.account, b.account), cmp.Compare(a.number, b.number))
	})
	s.tables = slices.Insert(s.tables, i, t)
	s.ranges++
	s.version++
	return t
}

func (s *stamp) newRange(now clock.Instant, t *table) *rangePartition {
	s.numbers++
	return &rangePartition{number: s.numbers, table: t, limits: t.limits, bucket: s.rangeLimit.full(now), born: now,
		quiet: episode{on: true, since: now, last: now}}
}

// home returns the range of a place; one caches it.
func (s *stamp) home(t *table, p Place, one *key) *rangePartition {
	if one == nil {
		return t.find(p.PartitionKey)
	}
	if one.home == nil || one.version != s.version {
		one.home, one.version = t.find(p.PartitionKey), s.version
	}
	return one.home
}

// lightest returns the server with the least load; ties go to the one with fewer ranges,
// then to the first. It skips except, which may be nil.
func (s *stamp) lightest(except *server) *server {
	var best *server
	for _, o := range s.servers {
		if o == except {
			continue
		}
		if best == nil || o.load < best.load || o.load == best.load && o.ranges < best.ranges {
			best = o
		}
	}
	return best
}

// eachRange calls call with every range, in the order of tables and keys.
func (s *stamp) eachRange(call func(*rangePartition)) {
	for _, t := range s.tables {
		for _, r := range t.ranges {
			call(r)
		}
	}
}

// event returns an event with the data of its range.
func event(now clock.Instant, kind EventKind, r *rangePartition) Event {
	return Event{At: now, Kind: kind, Account: r.table.account, Table: r.table.number, Range: r.number,
		Key: r.low, From: r.server.number, To: r.server.number,
		Offered: r.offered / thousand, Served: r.served / thousand}
}

// table has the ranges of one table, which cover all keys, in the order of the index.
type table struct {
	account uint32
	number  uint32
	// limits is the state of the account, to avoid a lookup.
	limits *account
	ranges []*rangePartition
}

// rangeIndex returns the position of the range of a key.
func (t *table) rangeIndex(key string) int {
	return sort.Search(len(t.ranges), func(i int) bool {
		return i > 0 && entity.Compare(t.ranges[i].low, key) > 0
	}) - 1
}

// find returns the range of a key.
func (t *table) find(key string) *rangePartition { return t.ranges[t.rangeIndex(key)] }

// insert puts a range behind its lower neighbour.
func (t *table) insert(lower, upper *rangePartition) {
	t.ranges = slices.Insert(t.ranges, t.rangeIndex(lower.low)+1, upper)
}
