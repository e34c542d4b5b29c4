package partition

import "loadgen/engine/clock"

// rangePartition is a stretch of one table's PartitionKeys on one server.
type rangePartition struct {
	// What every request touches comes first and together.

	// Until offline requests are refused or held, and until stale they are
	// redirected.
	offline, stale clock.Instant
	bucket         bucket
	server         *server
	tenant         *tenant
	// limits is the account's state.
	limits *account
	number uint64
	// seen is what has come since the last tick.
	seen heartbeat
	// done is when its pipeline, which works on one request at a time, has done
	// all that it was given.
	done clock.Instant

	profile profile
	probe   probe
	table   *table
	// low is its first possible key, high the first after it unless it is last.
	low, high string
	last      bool
	// offered and served are averages of what it has seen, in thousandths of an
	// entity per second.
	offered, served int64
	over, quiet     episode
	// partner is the other side of the split that it comes from, until that is
	// known to have helped.
	partner *rangePartition
	born    clock.Instant
	// tried says that it was split, or comes from a range that was, though no boundary
	// divided what came.
	tried bool
	// told says that it was reported that nothing can be done about its load.
	reported bool
}

// heartbeat is what a range has seen between two ticks. Costs are in billionths
// of an entity.
type heartbeat struct {
	requests, refused, timedOut int64
	offered, served, bytes      int64
	busy                        int64
}

// perSecond returns a rate in thousandths of an entity per second.
func perSecond(sum, tick int64) int64 { return sum / (tick / 1000) }

func (r *rangePartition) online(now clock.Instant) bool { return now >= r.offline }

// episode is a stretch of ticks at which something held, interruptions no longer
// than a gap included.
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
