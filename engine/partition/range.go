package partition

import "loadgen/engine/clock"

// rangePartition is an interval of one table's PartitionKeys on one server.
type rangePartition struct {
	// The fields of every request are first and adjacent.

	// Until offline requests are refused or held, and until stale they are
	// redirected.
	offline, stale clock.Instant
	bucket         bucket
	server         *server
	tenant         *tenant
	// limits is the state of the account.
	limits *account
	number uint64
	// seen is the load since the last tick.
	seen heartbeat
	// done is when its pipeline, which works on one request at a time, will be idle.
	done clock.Instant

	profile profile
	probe   probe
	table   *table
	// low is its first possible key, high the first key after it unless it is the last range.
	low, high string
	last      bool
	// offered and served are averages of its load, in thousandths of an entity per
	// second.
	offered, served int64
	over, quiet     episode
	// partner is the other side of the split that created it, until the split is known
	// to have helped.
	partner *rangePartition
	born    clock.Instant
	// tried reports that it or its origin was split although no boundary divided the
	// load.
	tried bool
	// reported reports that an event said that its load cannot be relieved.
	reported bool
}

// heartbeat is the load of a range between two ticks. Costs are in billionths of an
// entity.
type heartbeat struct {
	requests, refused, timedOut int64
	offered, served, bytes      int64
	busy                        int64
}

// perSecond returns a rate in thousandths of an entity per second.
func perSecond(sum, tick int64) int64 { return sum / (tick / 1000) }

func (r *rangePartition) online(now clock.Instant) bool { return now >= r.offline }

// episode is a series of ticks with a condition, including interruptions of at most a
// gap.
type episode struct {
	on          bool
	since, last clock.Instant
}

// see adds a tick to the episode, or ends it.
func (e *episode) see(now, tick, gap clock.Instant, holds bool) {
	switch {
	case holds:
		if !e.on {
			e.on, e.since = true, now-tick
		}
		e.last = now
	case e.on && now-e.last > gap:
		*e = episode{}
	}
}

func (e *episode) lasts(now clock.Instant) (clock.Instant, bool) {
	return now - e.since, e.on && e.last == now
}
