package model

import "time"

// idleSlots are the parameters of what an idle server grants.
func idleSlots() []slot {
	list := []slot{
		share("headroom", 100_000, "multiple of its target that a partition reaches on an idle server; 1000 is none",
			func(m *Model) *int64 { return &m.Idle.Headroom }).least(thousand),
		share("utilisation_low", thousand, "utilisation of a server by others up to which the whole headroom is granted",
			func(m *Model) *int64 { return &m.Idle.UtilisationLow }),
		share("utilisation_high", thousand, "utilisation of a server by others from which on no headroom is granted",
			func(m *Model) *int64 { return &m.Idle.UtilisationHigh }),
		share("background_load", thousand, "utilisation of every server by tenants outside of the model",
			func(m *Model) *int64 { return &m.Idle.Background }),
		wait("rate_memory", time.Hour, "time constant of the rate by which a partition beyond its limit is refused",
			func(m *Model) *time.Duration { return &m.Idle.RateMemory }).atLeast(10 * time.Millisecond),
	}
	for i := range list {
		list[i].scope = whenIdle
	}
	return list
}

// serverSlots are the parameters of admission beyond partition and account.
func serverSlots() []slot {
	bytes := func(name, about string, field func(*Model) *int64) slot {
		return number(name, BytesPerSecond, maxBandwidth, about, field)
	}
	return []slot{
		number("servers", Servers, 10_000, "partition servers",
			func(m *Model) *int64 { return &m.Stamp.Servers }).least(1),
		rate("range_target", Assumed, "entities per second that one range is held to; 0 is no limit",
			func(m *Model) *int64 { return &m.Stamp.RangeTarget }),
		rate("server_target", Assumed, "entities per second that one server is held to; 0 is no limit",
			func(m *Model) *int64 { return &m.Stamp.ServerTarget }),
		wait("server_burst", 10*time.Second, "allowance that an idle range or server has saved up",
			func(m *Model) *time.Duration { return &m.Stamp.Burst }).atLeast(time.Millisecond),
		bytes("account_ingress", "bytes per second that one account takes in; 0 is no limit",
			func(m *Model) *int64 { return &m.Stamp.AccountIngress }).documented(),
		bytes("account_egress", "bytes per second that one account gives out; 0 is no limit",
			func(m *Model) *int64 { return &m.Stamp.AccountEgress }).documented(),
		bytes("server_bandwidth", "bytes per second that a server's network carries; 0 is no bound",
			func(m *Model) *int64 { return &m.Stamp.ServerBandwidth }),
		share("size_weight", thousand, "what each KiB of an entity beyond the first costs, of an entity",
			func(m *Model) *int64 { return &m.Stamp.SizeWeight }),
		wait("pipeline_request", time.Minute, "time that a request occupies its range's pipeline for",
			func(m *Model) *time.Duration { return &m.Stamp.PipelineRequest }),
		wait("pipeline_entity", time.Minute, "time that each entity of a request occupies its range's pipeline for",
			func(m *Model) *time.Duration { return &m.Stamp.PipelineEntity }),
		wait("pending_low", time.Minute, "work waiting at a range up to which no request is refused",
			func(m *Model) *time.Duration { return &m.Stamp.PendingLow }),
		wait("pending_high", time.Minute, "work waiting at a range from which on every request is refused",
			func(m *Model) *time.Duration { return &m.Stamp.PendingHigh }).atLeast(time.Microsecond),
		share("pending_drop", thousand, "share refused just below pending_high",
			func(m *Model) *int64 { return &m.Stamp.PendingDrop }),
		wait("timeout", time.Hour, "longest that a request may take, its waiting included",
			func(m *Model) *time.Duration { return &m.Stamp.Timeout }).atLeast(time.Millisecond).documented(),
	}
}

// balanceSlots are the parameters of when something is done about a load.
func balanceSlots() []slot {
	return []slot{
		wait("tick", time.Minute, "interval of heartbeats and decisions",
			func(m *Model) *time.Duration { return &m.Stamp.Tick }).atLeast(100 * time.Millisecond).documented(),
		wait("load_memory", time.Hour, "time constant of the loads that decisions compare",
			func(m *Model) *time.Duration { return &m.Stamp.LoadMemory }).atLeast(100 * time.Millisecond),
		share("overload_refusals", thousand, "share of refusals or time-outs above which a range is overloaded",
			func(m *Model) *int64 { return &m.Stamp.OverloadRefusals }),
		share("overload_busy", thousand, "occupation of its pipeline above which a range is overloaded",
			func(m *Model) *int64 { return &m.Stamp.OverloadBusy }),
		share("overload_cpu", thousand, "occupation of processor or network above which a server is overloaded",
			func(m *Model) *int64 { return &m.Stamp.OverloadCPU }),
		share("overload_rate", thousand, "share of server_target above which a server is overloaded",
			func(m *Model) *int64 { return &m.Stamp.OverloadRate }),
		wait("detection", 24*time.Hour, "how long overload lasts before ranges are split or moved",
			func(m *Model) *time.Duration { return &m.Stamp.Detection }).atLeast(100 * time.Millisecond).documented(),
		wait("detection_gap", time.Hour, "longest interruption of overload that does not start detection anew",
			func(m *Model) *time.Duration { return &m.Stamp.Gap }),
		number("splits_per_tick", Ranges, thousand, "ranges split at one tick",
			func(m *Model) *int64 { return &m.Stamp.SplitsPerTick }),
		share("split_share", thousand, "greatest share of a range's load that a split may leave on one side",
			func(m *Model) *int64 { return &m.Stamp.SplitShare }).least(thousand / 2),
		share("split_guard", thousand, "share of the load that, kept by one side of a split, forbids the next",
			func(m *Model) *int64 { return &m.Stamp.SplitGuard }).least(thousand / 2),
		share("server_relief", thousand, "utilisation that an overloaded server is brought down to",
			func(m *Model) *int64 { return &m.Stamp.Relief }),
		share("move_gain", thousand, "least share of a server's load by which a move must leave the fuller server better off",
			func(m *Model) *int64 { return &m.Stamp.MoveGain }),
	}
}

// moveSlots are the parameters of split, move and merge themselves.
func moveSlots() []slot {
	return []slot{
		wait("split_pause", time.Minute, "time that a split or a merge stops a range for",
			func(m *Model) *time.Duration { return &m.Stamp.Pause }),
		wait("offline_least", 10*time.Minute, "shortest time that a range is offline while it moves",
			func(m *Model) *time.Duration { return &m.Stamp.OfflineLeast }).documented(),
		wait("offline_most", 10*time.Minute, "longest time that a range is offline while it moves",
			func(m *Model) *time.Duration { return &m.Stamp.OfflineMost }).documented(),
		share("offline_refusals", thousand, "share of requests that an offline range refuses at once, the others being held",
			func(m *Model) *int64 { return &m.Stamp.OfflineRefusals }),
		wait("map_stale", time.Minute, "time after a hand-over in which requests are redirected",
			func(m *Model) *time.Duration { return &m.Stamp.MapStale }),
		wait("quiet", 7*24*time.Hour, "how long two neighbours are quiet before they are merged",
			func(m *Model) *time.Duration { return &m.Stamp.Quiet }).atLeast(100 * time.Millisecond),
		rate("merge_below", Assumed, "entities per second below which a range is quiet",
			func(m *Model) *int64 { return &m.Stamp.MergeBelow }),
		number("low_watermark", Ranges, 1_000_000, "number of ranges at which merging stops",
			func(m *Model) *int64 { return &m.Stamp.LowWatermark }).least(1),
		number("high_watermark", Ranges, 1_000_000, "ranges per server near which merging goes twice as fast",
			func(m *Model) *int64 { return &m.Stamp.HighWatermark }).least(1).documented(),
		number("range_bytes", Bytes, maxBytes, "size at which a range is split whatever its load; 0 is never",
			func(m *Model) *int64 { return &m.Stamp.RangeBytes }),
		number("page_boundary", Choice, 1, "where a page ends: 0 at a range on another server, 1 at every range",
			func(m *Model) *int64 { return &m.Stamp.PageBoundary }),
	}
}
