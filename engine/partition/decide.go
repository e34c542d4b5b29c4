package partition

import (
	"cmp"
	"slices"

	"loadgen/engine/clock"
)

// decide is a tick of the partition manager: it reads the heartbeats, splits
// overloaded ranges, relieves servers, splits large ranges and merges quiet ones.
func (s *stamp) decide(now clock.Instant) {
	s.nextTick += s.tick
	active := s.heartbeats(now)
	budget := s.model.SplitsPerTick
	relieved := make(map[*server]bool)
	var list []*rangePartition
	s.eachRange(func(r *rangePartition) {
		if lasted, on := r.over.lasts(now); on && lasted >= clock.Instant(s.model.Detection) {
			list = append(list, r)
		}
	})
	slices.SortFunc(list, func(a, b *rangePartition) int {
		return cmp.Or(cmp.Compare(b.offered, a.offered), cmp.Compare(a.number, b.number))
	})
	for _, r := range list {
		if !r.online(now) {
			continue
		}
		reason := s.splitLoad(now, r, &budget, relieved)
		if reason == "" {
			continue
		}
		s.keep(now, r, reason)
	}
	for _, o := range s.servers {
		if lasted, on := o.over.lasts(now); on && lasted >= clock.Instant(s.model.Detection) && !relieved[o] {
			s.relieve(now, o)
		}
	}
	s.splitLarge(now, &budget)
	if more := s.mergeQuiet(now); !active && !more {
		s.nextTick = clock.Never
	}
}

// heartbeats adds the load of ranges and servers since the last tick to their
// averages, and reports whether any load still counts.
func (s *stamp) heartbeats(now clock.Instant) (active bool) {
	for _, o := range s.servers {
		o.seen, o.load = heartbeat{}, 0
	}
	s.eachRange(func(r *rangePartition) {
		seen := &r.server.seen
		seen.served += r.seen.served
		seen.bytes += r.seen.bytes
		seen.busy += r.seen.busy
		if s.beat(now, r) {
			active = true
		}
		r.server.load += r.served
	})
	for _, o := range s.servers {
		h, tick := &o.seen, int64(s.tick)
		rate, network := perSecond(h.served, tick), perSecond(h.bytes, tick)
		overloaded := h.busy > s.model.OverloadCPU*tick/thousand ||
			s.model.ServerTarget > 0 && rate > s.model.OverloadRate*s.model.ServerTarget ||
			s.model.ServerBandwidth > 0 && network/thousand > s.model.OverloadCPU*s.model.ServerBandwidth/thousand
		o.over.see(now, s.tick, clock.Instant(s.model.Gap), overloaded)
	}
	return active
}

func (s *stamp) beat(now clock.Instant, r *rangePartition) (active bool) {
	h := r.seen
	quiet := perSecond(h.offered, int64(s.tick)) < s.model.MergeBelow*thousand
	r.quiet.see(now, s.tick, 0, quiet)
	if h == (heartbeat{}) && r.offered == 0 && r.served == 0 && r.profile.load == 0 && !r.over.on {
		return false
	}
	r.seen = heartbeat{}
	r.offered = average(r.offered, perSecond(h.offered, int64(s.tick)), s.newer)
	r.served = average(r.served, perSecond(h.served, int64(s.tick)), s.newer)
	r.profile.fade(s.stays)
	r.probe.turn(now, clock.Instant(s.model.LoadMemory))
	overloaded := h.refused*thousand > s.model.OverloadThrottled*h.requests ||
		h.timedOut*thousand > s.model.OverloadThrottled*h.requests ||
		h.busy > s.model.OverloadBusy*int64(s.tick)/thousand
	r.over.see(now, s.tick, clock.Instant(s.model.Gap), overloaded)
	if !r.over.on {
		r.reported = false
	}
	// The guard of a split ends once the split has helped: neither side kept nearly all of the
	// load, or the overload has ended.
	if other := r.partner; other != nil && now-r.born >= clock.Instant(s.model.Detection) &&
		(!r.over.on && !other.over.on || !s.keptLoad(r)) {
		other.partner, r.partner = nil, nil
	}
	return true
}

// keptLoad reports whether one side of a split range kept nearly all of the load.
func (s *stamp) keptLoad(r *rangePartition) bool {
	if r.partner == nil {
		return false
	}
	both := r.offered + r.partner.offered
	return max(r.offered, r.partner.offered) > both/thousand*s.model.SplitGuard
}

// keep reports once that a range itself cannot be relieved, and moves the other ranges
// with load off its server where another server has less load.
func (s *stamp) keep(now clock.Instant, hot *rangePartition, reason string) {
	lasted, _ := hot.over.lasts(now)
	if !hot.reported {
		hot.reported = true
		e := event(now, EventKept, hot)
		e.Reason, e.Overloaded, e.Ranges = reason, lasted.Offset(), s.ranges
		s.journal.add(e)
	}
	for _, r := range s.rangesByLoad(hot.server) {
		if r == hot || r.served == 0 || !r.online(now) {
			continue
		}
		if target := s.better(r); target != nil {
			s.move(now, r, target, becauseNeighbour, lasted)
		}
	}
}
