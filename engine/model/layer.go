package model

import "time"

// idleSlots are the parameters of what an idle server grants.
func (i *Idle) idleSlots() []slot {
	list := []slot{
		share(&i.Headroom, "headroom", 100_000,
			"multiple of its target that a partition reaches on an idle server; 1000 is none").least(thousand),
		share(&i.UtilisationLow, "utilisation_low", thousand, "utilisation of a server by others up to which the whole headroom is granted"),
		share(&i.UtilisationHigh, "utilisation_high", thousand, "utilisation of a server by others from which on no headroom is granted"),
		share(&i.Background, "background_load", thousand, "utilisation of every server by tenants outside of the model"),
		wait(&i.RateMemory, "rate_memory", time.Hour,
			"time constant of the rate by which a partition beyond its limit is throttled").atLeast(10 * time.Millisecond),
	}
	for at := range list {
		list[at].scope = whenIdle
	}
	return list
}

// slots are the parameters of servers and their ranges.
func (s *Stamp) slots() []slot {
	return []slot{
		// Admission beyond partition and account.
		number(&s.Servers, "servers", Servers, 10_000, "partition servers").least(1).ofServers(),
		rate(&s.RangeTarget, "range_target", Assumed, "entities per second that one range is held to; 0 is no limit"),
		rate(&s.ServerTarget, "server_target", Assumed, "entities per second that one server is held to; 0 is no limit").ofServers(),
		wait(&s.Burst, "server_burst", 10*time.Second, "allowance that an idle range or server has saved up").atLeast(time.Millisecond),
		bandwidth(&s.ServerBandwidth, "server_bandwidth", "bytes per second that a server's network carries; 0 is no bound"),
		share(&s.SizeWeight, "size_weight", thousand, "what each KiB of an entity beyond the first costs, of an entity").when(whenColdOrSet),
		wait(&s.PipelineRequest, "pipeline_request", time.Minute, "time that a request occupies its range's pipeline for"),
		wait(&s.PipelineEntity, "pipeline_entity", time.Minute, "time that each entity of a request occupies its range's pipeline for"),
		wait(&s.PendingLow, "pending_low", time.Minute, "work waiting at a range up to which no request is throttled"),
		wait(&s.PendingHigh, "pending_high", time.Minute,
			"work waiting at a range from which on every request is throttled").atLeast(time.Microsecond),
		share(&s.PendingDrop, "pending_drop", thousand, "share throttled just below pending_high"),
		// When something is done about a load.
		wait(&s.Tick, "tick", time.Minute, "interval of heartbeats and decisions").atLeast(100 * time.Millisecond).documented(),
		wait(&s.LoadMemory, "load_memory", time.Hour, "time constant of the loads that decisions compare").atLeast(100 * time.Millisecond),
		share(&s.OverloadThrottled, "overload_throttled", thousand, "share of throttled or timed-out requests above which a range is overloaded"),
		share(&s.OverloadBusy, "overload_busy", thousand, "occupation of its pipeline above which a range is overloaded"),
		share(&s.OverloadCPU, "overload_cpu", thousand, "occupation of processor or network above which a server is overloaded"),
		share(&s.OverloadRate, "overload_rate", thousand, "share of server_target above which a server is overloaded"),
		wait(&s.Detection, "detection", 24*time.Hour,
			"how long overload lasts before ranges are split or moved").atLeast(100 * time.Millisecond).documented(),
		wait(&s.Gap, "detection_gap", time.Hour, "longest interruption of overload that does not start detection anew"),
		number(&s.SplitsPerTick, "splits_per_tick", Ranges, thousand, "ranges split at one tick"),
		share(&s.SplitShare, "split_share", thousand,
			"greatest share of a range's load that a split may leave on one side").least(thousand / 2),
		share(&s.SplitGuard, "split_guard", thousand,
			"share of the load that, kept by one side of a split, forbids the next but where that divides what comes").least(thousand / 2),
		share(&s.Relief, "server_relief", thousand, "utilisation that an overloaded server is brought down to"),
		share(&s.MoveGain, "move_gain", thousand, "least share of a server's load by which a move must leave the fuller server better off"),
		// Split, move and merge themselves.
		wait(&s.Pause, "split_pause", time.Minute, "time that a split or a merge stops a range for"),
		wait(&s.OfflineLeast, "offline_least", 10*time.Minute, "shortest time that a range is offline while it moves").documented(),
		wait(&s.OfflineMost, "offline_most", 10*time.Minute, "longest time that a range is offline while it moves").documented(),
		share(&s.OfflineThrottled, "offline_throttled", thousand,
			"share of requests that an offline range throttles at once, the others being held"),
		wait(&s.MapStale, "map_stale", time.Minute, "time after a hand-over in which requests are redirected"),
		wait(&s.Quiet, "quiet", 7*24*time.Hour, "how long two neighbours are quiet before they are merged").atLeast(100 * time.Millisecond),
		rate(&s.MergeBelow, "merge_below", Assumed, "entities per second below which a range is quiet"),
		number(&s.LowWatermark, "low_watermark", Ranges, 1_000_000, "number of ranges at which merging stops").least(1),
		number(&s.HighWatermark, "high_watermark", Ranges, 1_000_000,
			"ranges per server near which merging goes twice as fast").least(1).documented(),
		number(&s.RangeBytes, "range_bytes", Bytes, maxBytes, "size at which a range is split whatever its load; 0 is never"),
		number(&s.PageBoundary, "page_boundary", Choice, 1, "where a page ends: 0 at a range on another server, 1 at every range"),
	}
}
