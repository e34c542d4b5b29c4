package model

import (
	"time"
)

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
	// server may have; Burst is the allowance of an idle one.
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
	// Gap the longest interruption that does not restart it.
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
	// PageBoundary is where a page ends at the latest.
	PageBoundary int64
}

// The values of [Stamp.PageBoundary].
const (
	// AtServer ends a page at a range of another server.
	AtServer = iota
	// AtRange ends a page at every range.
	AtRange
	// AtPartition ends a page where the PartitionKey changes.
	AtPartition
)

// slots are the parameters of servers and their ranges.
func (s *Stamp) slots() []slot {
	return []slot{
		// Admission by ranges and servers.
		number(&s.Servers, "servers", Servers, 10_000, "partition servers").withMin(1).ofServers(),
		rate(&s.RangeTarget, "range_target", Assumed, "maximum entities per second of a range; 0 is no limit"),
		rate(&s.ServerTarget, "server_target", Assumed, "maximum entities per second of a server; 0 is no limit").ofServers(),
		wait(&s.Burst, "server_burst", 10*time.Second, "burst allowance of idle ranges and servers").atLeast(time.Millisecond),
		bandwidth(&s.ServerBandwidth, "server_bandwidth", "network bytes per second of a server; 0 is no limit"),
		share(&s.SizeWeight, "size_weight", thousand, "cost per further KiB, as share of an entity").when(whenColdOrSet),
		wait(&s.PipelineRequest, "pipeline_request", time.Minute, "pipeline time per request"),
		wait(&s.PipelineEntity, "pipeline_entity", time.Minute, "pipeline time per entity"),
		wait(&s.PendingLow, "pending_low", time.Minute, "maximum queue before throttling begins"),
		wait(&s.PendingHigh, "pending_high", time.Minute,
			"queue from which everything is throttled").atLeast(time.Microsecond),
		share(&s.PendingDrop, "pending_drop", thousand, "share throttled just below pending_high"),
		// When something is done about a load.
		wait(&s.Tick, "tick", time.Minute, "interval of heartbeats and decisions").atLeast(100 * time.Millisecond).documented(),
		wait(&s.LoadMemory, "load_memory", time.Hour, "time constant of compared loads").atLeast(100 * time.Millisecond),
		share(&s.OverloadThrottled, "overload_throttled", thousand,
			"throttled or timed-out share that means overload of a range"),
		share(&s.OverloadBusy, "overload_busy", thousand, "pipeline utilisation that means overload of a range"),
		share(&s.OverloadCPU, "overload_cpu", thousand, "processor or network utilisation that means overload of a server"),
		share(&s.OverloadRate, "overload_rate", thousand, "share of server_target that means overload"),
		wait(&s.Detection, "detection", 24*time.Hour,
			"overload duration before ranges split or move; documents: minutes").atLeast(100 * time.Millisecond),
		wait(&s.Gap, "detection_gap", time.Hour, "maximum pause that does not restart detection"),
		number(&s.SplitsPerTick, "splits_per_tick", Ranges, thousand, "ranges split per tick"),
		share(&s.SplitShare, "split_share", thousand,
			"maximum load share left on one side of a split").withMin(thousand / 2),
		share(&s.SplitGuard, "split_guard", thousand,
			"one-sided load share that prevents another split at the same place").withMin(thousand / 2),
		share(&s.Relief, "server_relief", thousand, "target utilisation of an overloaded server"),
		share(&s.MoveGain, "move_gain", thousand, "minimum load share that a move must save"),
		// Split, move and merge themselves.
		wait(&s.Pause, "split_pause", time.Minute, "offline time of a split or merge"),
		wait(&s.OfflineLeast, "offline_least", 10*time.Minute, "minimum offline time of a move; documents: a few seconds"),
		wait(&s.OfflineMost, "offline_most", 10*time.Minute, "maximum offline time of a move; documents: a few seconds"),
		share(&s.OfflineThrottled, "offline_throttled", thousand,
			"share of requests throttled while offline; others wait"),
		wait(&s.MapStale, "map_stale", time.Minute, "redirect time after a hand-over"),
		wait(&s.Quiet, "quiet", 7*24*time.Hour, "quiet time before two neighbours merge").atLeast(100 * time.Millisecond),
		rate(&s.MergeBelow, "merge_below", Assumed, "maximum entities per second of a quiet range"),
		number(&s.LowWatermark, "low_watermark", Ranges, 1_000_000, "ranges at which merging stops").withMin(1),
		number(&s.HighWatermark, "high_watermark", Ranges, 1_000_000,
			"ranges per server above which merging doubles").withMin(1).documented(),
		number(&s.RangeBytes, "range_bytes", Bytes, maxBytes, "size that splits a range; 0 is never"),
		number(&s.PageBoundary, "page_boundary", Choice, AtPartition,
			"page ends at the next server (0), range (1) or partition (2)").named("server", "range", "partition").when(whenColdOrSet),
	}
}
