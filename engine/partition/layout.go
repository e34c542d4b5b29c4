package partition

import (
	"slices"

	"loadgen/engine/clock"
	"loadgen/engine/model"
)

// TableCreated adds a new table, which otherwise begins with its first request.
func (l *Layer) TableCreated(now clock.Instant, accountNumber, tableNumber uint32) {
	now = l.Advance(now)
	if l.stamp != nil {
		l.stamp.open(now, &l.accounts, Place{Account: accountNumber, Table: tableNumber})
	}
}

// TableDeleted removes a table and its ranges.
func (l *Layer) TableDeleted(now clock.Instant, tableNumber uint32) {
	l.Advance(now)
	s := l.stamp
	if s == nil {
		return
	}
	t, known := s.known[tableNumber]
	if !known {
		return
	}
	for _, r := range t.ranges {
		r.server.leave(r)
	}
	s.ranges -= len(t.ranges)
	s.tables = slices.DeleteFunc(s.tables, func(o *table) bool { return o == t })
	delete(s.known, tableNumber)
	s.recent = nil
	s.version++
}

// Prewarm splits a table at the given PartitionKeys, each the first of a range,
// and spreads the ranges over the servers, at once and without any time offline. It
// does nothing if every partition has a server of its own.
func (l *Layer) Prewarm(now clock.Instant, accountNumber, tableNumber uint32, partitionKeys ...string) {
	now = l.Advance(now)
	if l.stamp == nil {
		return
	}
	s := l.stamp
	t := s.open(now, &l.accounts, Place{Account: accountNumber, Table: tableNumber})
	for _, boundary := range partitionKeys {
		r := t.find(boundary)
		if r.low == boundary {
			continue
		}
		upper := s.newRange(now, t)
		upper.low, upper.high, upper.last = boundary, r.high, r.last
		r.high, r.last = boundary, false
		i, _ := r.profile.findMark(boundary)
		upper.profile = r.profile.split(cut{at: i})
		r.probe.forget(now)
		t.insert(r, upper)
		s.lightest(nil).host(now, upper, s.serverLimit)
		s.ranges++
		s.version++
	}
	s.wake(now)
}

// Move hands the range of a place over to a server as load balancing would. It does
// nothing for an unknown server or table.
func (l *Layer) Move(now clock.Instant, p Place, serverNumber int) {
	now = l.Advance(now)
	s := l.stamp
	if s == nil || serverNumber < 0 || serverNumber >= len(s.servers) {
		return
	}
	t, known := s.known[p.Table]
	if !known {
		return
	}
	if r, to := t.find(p.PartitionKey), s.servers[serverNumber]; to != r.server {
		s.move(now, r, to, becauseAsked, 0)
		s.wake(now)
	}
}

// PageEnd returns the PartitionKey before which a page from a place must end: the first
// of a range on another server. It returns false if only the table ends the page.
func (l *Layer) PageEnd(p Place) (partitionKey string, ends bool) {
	if l.stamp == nil {
		return "", false
	}
	t, known := l.stamp.known[p.Table]
	if !known {
		return "", false
	}
	first := t.rangeIndex(p.PartitionKey)
	for _, r := range t.ranges[first+1:] {
		if l.stamp.model.PageBoundary == model.AtRange || r.server != t.ranges[first].server {
			return r.low, true
		}
	}
	return "", false
}

// Version returns a number that changes with the map.
func (l *Layer) Version() uint64 {
	if l.stamp == nil {
		return 0
	}
	return l.stamp.version
}

// Map has the ranges and their servers. The caller owns it.
type Map struct {
	// Ranges are sorted by account, table and key; they cover each table.
	Ranges []Range
	// Servers are in the order of their numbers.
	Servers []Server
}

// Range is a stretch of one table's PartitionKeys.
type Range struct {
	Number         uint64
	Account, Table uint32
	// Low is the first key, High the first after the last one; if Last, the range has
	// no end.
	Low, High string
	Last      bool
	Server    int
	// Offline is the instant until which the range is offline, if in the future.
	Offline clock.Instant
	// Offered and Served are averages in entities per second, as of the last
	// tick, Bytes the size of the writes.
	Offered, Served, Bytes int64
}

// Server is a partition server.
type Server struct {
	Number int
	Ranges int
	// Load is the average load that its ranges serve, in entities per second.
	Load int64
}

// Map returns the map as of the latest instant seen. It is empty if every partition has a
// server of its own.
func (l *Layer) Map() Map {
	if l.stamp == nil {
		return Map{}
	}
	m := Map{Ranges: make([]Range, 0, l.stamp.ranges)}
	l.stamp.eachRange(func(r *rangePartition) {
		m.Ranges = append(m.Ranges, Range{Number: r.number, Account: r.table.account, Table: r.table.number,
			Low: r.low, High: r.high, Last: r.last, Server: r.server.number, Offline: r.offline,
			Offered: r.offered / thousand, Served: r.served / thousand, Bytes: r.profile.bytes})
	})
	for _, o := range l.stamp.servers {
		m.Servers = append(m.Servers, Server{Number: o.number, Ranges: o.ranges, Load: o.load / thousand})
	}
	return m
}
