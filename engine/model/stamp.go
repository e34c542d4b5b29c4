package model

import "time"

// Idle holds the parameters by which a partition may exceed its target while
// its server has little else to do.
type Idle struct {
	// Headroom is the multiple of the target that a partition reaches on an idle
	// server, in thousandths; 1000 makes the target a hard limit.
	Headroom int64
	// UtilisationLow and UtilisationHigh are the server's utilisation by
	// everything else, in thousandths, up to which the whole headroom is granted
	// and from which on none is.
	UtilisationLow, UtilisationHigh int64
	// Background is utilisation of every server by tenants that are not modelled,
	// in thousandths.
	Background int64
	// RateMemory is the time constant of the rate that refusals are drawn by.
	RateMemory time.Duration
}

// Stamp holds the parameters of ranges, servers and load balancing. Shares are
// in thousandths, rates per second with 0 being no limit.
type Stamp struct {
	// Servers is how many partition servers there are.
	Servers int64
	// RangeTarget and ServerTarget are rates, in entities, that one range and one
	// server are held to; Burst is what an idle one of them has saved up.
	RangeTarget, ServerTarget int64
	Burst                     time.Duration
	// ServerBandwidth is how many bytes a second one server's network carries.
	ServerBandwidth int64
	// SizeWeight is the share of an entity that each further KiB of it costs.
	SizeWeight int64
	// PipelineRequest and PipelineEntity are what a request and each of its
	// entities occupy their range's pipeline for.
	PipelineRequest, PipelineEntity time.Duration
	// PendingLow and PendingHigh are work that waits at a range, as the time that
	// its pipeline needs for it: from the first on some requests are refused, at
	// the second all, and just below it PendingDrop.
	PendingLow, PendingHigh time.Duration
	PendingDrop             int64
	// Timeout is the longest that a request may take.
	Timeout time.Duration

	// Tick is the interval of heartbeats and decisions; LoadMemory is the time
	// constant of the loads that decisions compare.
	Tick, LoadMemory time.Duration
	// OverloadThrottled, OverloadBusy, OverloadCPU and OverloadRate are shares
	// above which a range (the first two) or a server is overloaded.
	OverloadThrottled, OverloadBusy, OverloadCPU, OverloadRate int64
	// Detection is how long overload lasts before anything is done about it, and
	// Gap the longest interruption that does not start it anew.
	Detection, Gap time.Duration
	// SplitsPerTick bounds the ranges split at one tick.
	SplitsPerTick int64
	// SplitShare is the greatest share of the load that a split may leave on one
	// side; SplitGuard the share that, kept by one side, forbids the next split but where
	// that divides what comes.
	SplitShare, SplitGuard int64
	// Relief is the utilisation that an overloaded server is brought down to.
	Relief int64
	// MoveGain is the least share of the load of the server it leaves that a move
	// must spare the fuller of the two.
	MoveGain int64
	// Pause is how long a split or a merge stops a range. OfflineLeast and
	// OfflineMost bound how long a range is offline while it moves.
	Pause, OfflineLeast, OfflineMost time.Duration
	// OfflineThrottled is the share of requests that an offline range refuses at
	// once; the others are held.
	OfflineThrottled int64
	// MapStale is how long after a hand-over requests still go the old way.
	MapStale time.Duration
	// Quiet is how long two neighbours stay below MergeBelow entities per second
	// before they are merged, while there are more than LowWatermark ranges.
	// HighWatermark is in ranges per server.
	Quiet                       time.Duration
	MergeBelow                  int64
	LowWatermark, HighWatermark int64
	// RangeBytes is the size at which a range is split whatever its load; 0 is
	// never.
	RangeBytes int64
	// PageBoundary is 0 where a page ends at a range of another server, 1 where
	// it ends at every range.
	PageBoundary int64
}
